"""Tables as files: what is written, what Tez reads back from it, and what a spreadsheet makes of it."""

import csv
import json
import math
import tempfile
import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from databases import SETTINGS, Contents, make_table, opened, tables
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import database
from engine.export import guarded_names, write_table
from engine.new_file import ExportError
from engine.sources import open_sources
from engine.xlsx_file import MOST_ROWS, sheet_title
from prompt.words import Language

CON = opened()
LANGUAGES: tuple[Language, ...] = ("uz", "ru", "en")


def write(contents: Contents, path: Path, language: Language = "ru") -> list[dict[str, Any]]:
    make_table(CON, contents)
    form = path.suffix[1:]
    return write_table(CON, "base", path, form, language, SETTINGS.export, title="base")


def read_back(path: Path) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """Return the columns with their kinds, and the rows, as Tez reads the file."""
    con = database.connect(SETTINGS.database)
    table = open_sources(con, [path], SETTINGS.files)[0]
    described = database.describe(con, f'"{table.name}"')
    kinds = [(name, database.kind_of(kind)) for name, kind in described]
    return kinds, database.query(con, f'FROM "{table.name}"')


def same(found: object, expected: object) -> bool:
    """Return whether two cells are one value; a number to the 15 figures that a spreadsheet keeps."""
    if isinstance(expected, int | float | Decimal) and not isinstance(expected, bool):
        is_number = isinstance(found, int | float | Decimal) and not isinstance(found, bool)
        return is_number and math.isclose(float(found), float(expected), rel_tol=1e-14, abs_tol=0)  # type: ignore[arg-type]
    if isinstance(expected, datetime) and isinstance(found, datetime):
        return abs((found - expected).total_seconds()) < 0.001
    return at_midnight(found) == at_midnight(expected)


def at_midnight(cell: object) -> object:
    """Return a date as the moment with which it begins."""
    return (
        datetime(cell.year, cell.month, cell.day) if isinstance(cell, date) and not isinstance(cell, datetime) else cell
    )


def assert_same(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        assert all(map(same, row, wanted)), (row, wanted)


WORDS = [
    "Тошкент;1250,5",
    'a "b" c',
    "Oʻzbek, Gʻijduvon",
    "yangi\nqator",
    "Қишлоқ хўжалиги",
    "so'm | so'm",
    "'); DROP TABLE base; --",
]
ROUND: dict[str, st.SearchStrategy[Any]] = {
    "VARCHAR": st.sampled_from(WORDS),
    "BIGINT": st.integers(-(10**14), 10**14) | st.integers(-9, 9),
    "DOUBLE": st.floats(-1e12, 1e12).map(lambda x: round(x, 6) + 0.0) | st.sampled_from([1.234, 1e-5, 1234.567, 0.5]),
    "DECIMAL(12,3)": st.decimals(-999_999, 999_999, places=3),
    "DATE": st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    "TIMESTAMP": st.datetimes(datetime(1950, 1, 1), datetime(2049, 12, 31)).map(lambda at: at.replace(microsecond=0)),
    "BOOLEAN": st.booleans(),
}


@st.composite
def round_tables(draw: st.DrawFn) -> Contents:
    """A table of values that a file without types can carry: whatever a column's values look like, they are."""
    types = draw(st.lists(st.sampled_from(sorted(ROUND)), min_size=1, max_size=5))
    columns = [(f"{kind.split('(')[0].lower()} {number}", kind) for number, kind in enumerate(types)]
    row = st.tuples(*(ROUND[kind] for kind in types)).map(list)
    rows = draw(st.lists(row, min_size=2, max_size=6))
    for at, kind in enumerate(types):
        if at and draw(st.booleans()):
            rows[draw(st.integers(1, len(rows) - 1))][at] = None
        if kind == "VARCHAR":
            rows[0][at] = WORDS[0]
    return Contents(columns, rows)


def kinds_of(contents: Contents) -> list[tuple[str, str]]:
    return [(name, database.kind_of(kind)) for name, kind in contents.columns]


@given(round_tables(), st.sampled_from(LANGUAGES), st.sampled_from(["csv", "xlsx", "parquet", "json"]))
def test_what_is_written_is_read_back(contents: Contents, language: Language, form: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{form}"
        assert write(contents, path, language) == []
        kinds, rows = read_back(path)
    assert kinds == kinds_of(contents)
    assert_same(rows, database.query(CON, "FROM base"))


@given(tables())
def test_any_table_becomes_a_parquet_file_that_says_the_same(contents: Contents) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        notes = write(contents, path)
        found = database.query(CON, f"FROM '{path}'")
        described = database.describe(CON, f"'{path}'")
    assert [name for name, _ in described] == [name for name, _ in contents.columns]
    if not notes:
        expected = database.query(CON, "FROM base")
        assert [[None if cell != cell else cell for cell in row] for row in found] == [
            [None if cell != cell else cell for cell in row] for row in expected
        ]


@given(tables())
@settings(max_examples=50)
def test_any_table_becomes_valid_json_and_csv_and_a_workbook(contents: Contents) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(contents, Path(folder) / "t.json")
        text = (Path(folder) / "t.json").read_text(encoding="utf-8")
        records = json.loads(text, parse_constant=lambda constant: pytest.fail(constant))
        assert len(records) == len(contents.rows)
        write(contents, Path(folder) / "t.csv")
        with (Path(folder) / "t.csv").open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, delimiter=";"))
        assert [len(line) for line in lines] == [len(contents.columns)] * (len(contents.rows) + 1)
        write(contents, Path(folder) / "t.xlsx")
        assert zipfile.is_zipfile(Path(folder) / "t.xlsx")


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "xlsx"])
def test_every_type_of_duckdb_can_be_written(form: str, tmp_path: Path) -> None:
    con = opened()
    database.execute(con, "CREATE TABLE base AS SELECT * FROM test_all_types()")
    path = tmp_path / f"t.{form}"
    write_table(con, "base", path, form, "uz", SETTINGS.export, title="t")
    if form == "json":
        assert len(json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)) == 3
    elif form == "parquet":
        assert database.query(con, f"SELECT count(*) FROM '{path}'") == [(3,)]
    elif form == "csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            assert len(list(csv.reader(file, delimiter=";"))) == 4
    else:
        assert len(read_back(path)[1]) == 2, "the third row is empty"


def test_csv_opens_in_excel_in_uzbek_and_russian(tmp_path: Path) -> None:
    contents = Contents(
        [("Shahar", "VARCHAR"), ("Summa", "DOUBLE"), ("Sana", "DATE")],
        [["Тошкент;1250,5", 1250.5, "2024-01-05"], ["Oʻsh", -0.001, None]],
    )
    for language in ("uz", "ru"):
        write(contents, tmp_path / f"{language}.csv", language)  # type: ignore[arg-type]
        assert (tmp_path / f"{language}.csv").read_bytes() == (
            '\ufeffShahar;Summa;Sana\n"Тошкент;1250,5";1250,5;2024-01-05\nOʻsh;-0,0010;\n'.encode()
        )
    write(contents, tmp_path / "en.csv", "en")
    assert (tmp_path / "en.csv").read_bytes() == (
        '\ufeffShahar,Summa,Sana\n"Тошкент;1250,5",1250.5,2024-01-05\nOʻsh,-0.0010,\n'.encode()
    )


NUMBERS_AS_TEXT = [
    (1e300, "1" + "0" * 300),
    (1.5e-7, "0,00000015"),
    (-1.25e20, "-125000000000000000000"),
    (1e16, "10000000000000000"),
    (100.0, "100"),
    (1.25, "1,25"),
    (1.234, "1,2340"),
    (float("nan"), ""),
    (float("-inf"), ""),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS_AS_TEXT)
def test_numbers_are_written_out_without_an_exponent(number: float, text: str, tmp_path: Path) -> None:
    write(Contents([("a", "VARCHAR"), ("n", "DOUBLE")], [["x", number]]), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()[1] == f"x;{text}"


GUARDED = [
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
    ("@a", "'@a"),
    ("+998901234567", "'+998901234567"),
    ("-izoh", "'-izoh"),
    ("\tx", "'\tx"),
    ("\rx", "'\rx"),
    ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
    ("-250", "-250"),
    ("-250,5", "-250,5"),
    ("a=b", "a=b"),
    ("", ""),
]


def test_text_that_looks_like_a_formula_is_made_inert_and_counted(tmp_path: Path) -> None:
    rows = [[text, -250 - at] for at, (text, _) in enumerate(GUARDED)]
    notes = write(Contents([("izoh", "VARCHAR"), ("n", "BIGINT")], rows), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        _, *lines = csv.reader(file, delimiter=";")
    assert lines == [[written, str(-250 - at)] for at, (_, written) in enumerate(GUARDED)]
    assert notes == [{"note": "guarded", "column": "izoh", "cells": 7}]


def test_names_that_look_like_formulas_are_made_inert_without_meeting_others(tmp_path: Path) -> None:
    assert guarded_names(["=a", "'=a", "b", "@c", "", "-1"]) == ["'=a_2", "'=a", "b", "'@c", "", "'-1"]
    notes = write(Contents([("=a;b", "BIGINT"), ("'=a;b", "BIGINT")], [[1, 2]]), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8-sig") == '"\'=a;b_2";"\'=a;b"\n1;2\n'
    assert notes == [{"note": "guarded_name", "column": "=a;b", "name": "'=a;b_2"}]


def test_a_workbook_holds_text_as_text_and_says_what_excel_cannot_hold(tmp_path: Path) -> None:
    contents = Contents(
        [("=1+1", "VARCHAR"), ("big", "BIGINT"), ("d", "DATE"), ("exact", "DECIMAL(38,2)")],
        [
            ["=1+1", 1234567890123456789, "1850-01-05", Decimal("1234567890123456.25")],
            ["https://x.uz", 1000000000000000000, "2024-01-05", Decimal("0.25")],
            ["x" * 40_000, 5, None, None],
        ],
    )
    notes = write(contents, tmp_path / "t.xlsx")
    assert notes == [
        {"note": "long_numbers", "column": "big", "cells": 1},
        {"note": "old_dates", "column": "d", "cells": 1},
        {"note": "long_numbers", "column": "exact", "cells": 1},
        {"note": "cut_texts", "limit": 32767, "column": "=1+1", "cells": 1},
    ]
    with zipfile.ZipFile(tmp_path / "t.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert "hyperlink" not in sheet
        assert 'state="frozen"' in sheet
        assert "1234567890123456789" in sheet
        assert "dd.mm.yyyy" in book.read("xl/styles.xml").decode()


def test_more_rows_than_a_sheet_takes_are_refused_before_a_file_is_there(tmp_path: Path) -> None:
    con = opened()
    database.execute(con, f"CREATE TABLE base AS SELECT range AS n FROM range({MOST_ROWS})")
    with pytest.raises(ExportError, match="too many rows"):
        write_table(con, "base", tmp_path / "t.xlsx", "xlsx", "en", SETTINGS.export, title="t")
    database.execute(con, f"CREATE TABLE wide AS SELECT {', '.join(f'{n} AS c{n}' for n in range(16385))}")
    with pytest.raises(ExportError, match="too many columns"):
        write_table(con, "wide", tmp_path / "t.xlsx", "xlsx", "en", SETTINGS.export, title="t")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_rows_keep_their_order_however_many(form: str, tmp_path: Path) -> None:
    con = opened()
    database.execute(con, "CREATE TABLE base AS SELECT (range * 7919) % 300007 AS n, 'x' AS t FROM range(300007)")
    path = tmp_path / f"t.{form}"
    write_table(con, "base", path, form, "en", SETTINGS.export, title="t")
    if form == "csv":
        found = [int(line.split(",")[0]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    elif form == "json":
        found = [record["n"] for record in json.loads(path.read_text(encoding="utf-8"))]
    else:
        found = [row[0] for row in database.query(con, f"SELECT n FROM '{path}'")]
    assert found == [row[0] for row in database.query(con, "SELECT n FROM base")]


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet", "json"])
def test_an_empty_table_is_a_file_of_its_columns(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    write(Contents([("a", "VARCHAR"), ("b", "BIGINT")], []), path)
    if form == "csv":
        assert path.read_text(encoding="utf-8") == "\ufeffa;b\n"
    elif form == "json":
        assert json.loads(path.read_text(encoding="utf-8")) == []
    elif form == "parquet":
        assert database.describe(CON, f"'{path}'") == [("a", "VARCHAR"), ("b", "BIGINT")]
    else:
        with zipfile.ZipFile(path) as book:
            assert "<t>b</t>" in book.read("xl/worksheets/sheet1.xml").decode()


@pytest.mark.parametrize(
    ("title", "sheet"),
    [
        ("loans", "loans"),
        ("a[b]:c*?/\\", "a_b__c____"),
        ("x" * 40, "x" * 31),
        ("History", "Tez"),
        ("''", "Tez"),
        ("'a'", "a"),
    ],
)
def test_titles_of_sheets_are_those_that_excel_takes(title: str, sheet: str) -> None:
    assert sheet_title(title) == sheet


def test_a_file_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(database.DatabaseError):
        write_table(CON, "(SELECT error('broken') AS a)", tmp_path / "t.json", "json", "en", SETTINGS.export, title="t")
    assert list(tmp_path.iterdir()) == []
