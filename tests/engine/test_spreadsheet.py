"""Workbooks: cells keep their values, the table is found on the sheet, and what is set aside is said."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, tez
from workbooks import ods, xlsx
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from engine import database
from engine.files import OpenedTable
from engine.load_options import AS_FOUND, LoadOptions
from engine.paths import FileError
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()
CASES = json.loads((ROOT / "tests" / "cases" / "files" / "sheet_layouts.json").read_text(encoding="utf-8"))
FILES = replace(SETTINGS.files, batch_rows=2)
DAY, OTHER_DAY = date(2025, 1, 31), date(2025, 2, 1)
MOMENT = datetime(2025, 1, 31, 10, 30)


class Opened:
    """A table of a workbook with what a test asks of it."""

    def __init__(self, path: Path, sheet: str | None = None, options: LoadOptions = AS_FOUND) -> None:
        con = database.connect(SETTINGS.database)
        (self.table,) = open_sources(con, [path], FILES, sheet, options)
        source = f'"{self.table.name}"'
        described = database.describe(con, source)
        self.names = [name for name, _ in described]
        self.types = [kind for _, kind in described]
        self.rows = database.query(con, f"FROM {source}")
        self.notes = {note["note"]: note for note in self.table.notes}


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([1, 2.0, None, -3], "BIGINT", [1, 2, None, -3]),
        ([1, 2.5], "DOUBLE", [1.0, 2.5]),
        ([1e20, 0.1], "DOUBLE", [1e20, 0.1]),
        ([True, False], "BOOLEAN", [True, False]),
        ([DAY, OTHER_DAY], "DATE", [DAY, OTHER_DAY]),
        ([DAY, MOMENT], "TIMESTAMP", [datetime(2025, 1, 31), MOMENT]),
        ([45658, "2025-01-01"], "DATE", [date(2025, 1, 1)] * 2),
        ([1.0, 0.1, 1e20, "x"], "VARCHAR", ["1", "0.1", "100000000000000000000", "x"]),
        ([DAY, MOMENT, 37349, True, "x"], "VARCHAR", ["2025-01-31", "2025-01-31 10:30:00", "37349", "true", "x"]),
        (["007", "012"], "VARCHAR", ["007", "012"]),
        ([7, "012"], "VARCHAR", ["7", "012"]),
        (["1 250,50", "so'm"], "VARCHAR", ["1 250,50", "so'm"]),
        (["1 250,50", "N/A", 3], "DOUBLE", [1250.5, None, 3.0]),
        (["22.05.2025", "N/A"], "DATE", [date(2025, 5, 22), None]),
        (["03/04/2025", "05/06/2025"], "VARCHAR", ["03/04/2025", "05/06/2025"]),
        (["2025-01-31", "2025-02-01"], "DATE", [DAY, OTHER_DAY]),
        (["20208000900123456001", None], "VARCHAR", ["20208000900123456001", None]),
        ([time(10, 30), time(8)], "VARCHAR", ["10:30:00", "08:00:00"]),
        ([" ", 5], "BIGINT", [None, 5]),
        (["o'q\nўқ & <b>", "x"], "VARCHAR", ["o'q\nўқ & <b>", "x"]),
    ],
)
def test_cells_are_typed_per_column(tmp_path: Path, cells: list[Any], kind: str, values: list[Any]) -> None:
    found = Opened(xlsx(tmp_path / "x.xlsx", {"a": [["n", "v"], *([n, cell] for n, cell in enumerate(cells))]}))
    assert (found.types, found.rows) == (["BIGINT", kind], list(enumerate(values)))


def test_a_mixed_column_is_noted(tmp_path: Path) -> None:
    found = Opened(xlsx(tmp_path / "x.xlsx", {"a": [["v", "w"], [True, 1], ["x", 2], ["y", 3]]}))
    assert found.table.notes == [{"note": "mixed_column", "column": "v", "cells": 3, "others": 1}]


def test_the_value_of_a_formula_is_read(tmp_path: Path) -> None:
    def change(book: Workbook, sheet: Worksheet) -> None:
        sheet.write_formula(1, 0, "=1+1", None, 2)

    assert Opened(xlsx(tmp_path / "x.xlsx", {"a": [["v", "w"], [None, 5]]}, change)).rows == [(2, 5)]


def test_cells_with_an_error_are_empty_and_counted(tmp_path: Path) -> None:
    def change(book: Workbook, sheet: Worksheet) -> None:
        sheet.write_formula(1, 0, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 0, "=NA()", None, "#N/A")

    path = xlsx(tmp_path / "x.xlsx", {"b": [["x", "y"], [1, 2]], "a": [["v", 't="e">'], [None, 5], [None, 6]]}, change)
    found = Opened(path, "a")
    assert found.rows == [(None, 5), (None, 6)]
    assert found.notes["error_cells"] == {"note": "error_cells", "cells": 2}
    assert "error_cells" not in Opened(path, "b").notes


def test_titles_gaps_and_empty_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [
        [],
        [None, "Savdo hisoboti", None, "2025 yil"],
        [None, "Bo'lim: 1"],
        [],
        [None, "viloyat", None, "summa", "izoh"],
        [None, "Toshkent", None, 10, None],
        [],
        [None, "Buxoro", None, 20, None],
    ]
    found = Opened(xlsx(tmp_path / "x.xlsx", {"a": rows}))
    assert (found.names, found.types) == (["viloyat", "summa", "izoh"], ["VARCHAR", "BIGINT", "VARCHAR"])
    assert found.rows == [("Toshkent", 10, None), ("Buxoro", 20, None)]
    report = found.table.report
    assert [row.cells for row in report.set_aside] == [("Savdo hisoboti", "2025 yil"), ("Bo'lim: 1",)]
    assert (report.counts, report.rows_in, report.header) == ({"title": 2, "blank": 3}, 7, 5)
    assert found.notes["blank_columns"] == {"note": "blank_columns", "columns": 1}


def merging(*areas: str) -> Callable[[Workbook, Worksheet], None]:
    def change(book: Workbook, sheet: Worksheet) -> None:
        for area in areas:
            where, text = area.split("=")
            sheet.merge_range(where, text)

    return change


@pytest.mark.parametrize(
    ("rows", "areas", "names", "cells"),
    [
        ([[], ["a", "b", "c"], [1, 2, 3]], ["A1:C1=Katta sarlavha"], ["a", "b", "c"], [(1, 2, 3)]),
        (
            [[], [None, "reja", "fakt"], ["x", 1, 2]],
            ["A1:A2=viloyat", "B1:C1=2025"],
            ["viloyat", "2025 reja", "2025 fakt"],
            [("x", 1, 2)],
        ),
        (
            [[], ["viloyat", "reja", "fakt"], ["x", 1, 2]],
            ["B1:C1=2025"],
            ["viloyat", "2025 reja", "2025 fakt"],
            [("x", 1, 2)],
        ),
        ([[None, None, "c"], [1, 2, 3]], ["A1:B1=a"], ["a", "a_2", "c"], [(1, 2, 3)]),
        ([["viloyat", 2024, 2025], ["x", 1, 2]], [], ["viloyat", "2024", "2025"], [("x", 1, 2)]),
        ([[None, "nomi", "narx"], [1, "x", 5]], [], ["column_1", "nomi", "narx"], [(1, "x", 5)]),
        ([["a", "a", "A "], [1, 2, 3]], [], ["a", "a_2", "A_3"], [(1, 2, 3)]),
        ([["a"], [1]], [], ["a"], [(1,)]),
        ([["a", "b", "c"]], [], ["a", "b", "c"], []),
    ],
)
def test_the_row_of_names_is_found(
    tmp_path: Path, rows: list[list[Any]], areas: list[str], names: list[str], cells: list[Any]
) -> None:
    found = Opened(xlsx(tmp_path / "x.xlsx", {"a": rows}, merging(*areas)))
    assert (found.names, found.rows) == (names, cells)


def test_the_first_sheet_that_is_not_empty_is_opened_and_the_others_are_named(tmp_path: Path) -> None:
    sheets = {"Bo'sh": [[" "]], "Ўрта (1)": [["a", "b"], [1, 2]], "c'd": [["z", "w"], [3, 4]]}
    path = xlsx(tmp_path / "x.xlsx", sheets)
    found = Opened(path)
    assert found.rows == [(1, 2)]
    assert found.notes["other_sheets"] == {"note": "other_sheets", "sheet": "Ўрта (1)", "others": ["Bo'sh", "c'd"]}
    assert Opened(path, "c'd").rows == [(3, 4)]


def test_a_sheet_is_found_in_other_letters(tmp_path: Path) -> None:
    path = xlsx(
        tmp_path / "x.xlsx", {"a": [["a"], [1]], "Савдо (2025)": [["z"], [3]], "Hisob": [["h"], [4]], "hisoB ": []}
    )
    assert Opened(path, "SAVDO (2025)").rows == [(3,)]
    assert Opened(path, "Hisob").rows == [(4,)]
    with pytest.raises(FileError) as caught:
        Opened(path, "HISOB")
    assert (caught.value.reason, caught.value.facts["allowed"]) == ("ambiguous_sheet", ["Hisob", "hisoB "])


def test_a_hidden_sheet_and_a_chart_are_not_the_first(tmp_path: Path) -> None:
    def change(book: Workbook, sheet: Worksheet) -> None:
        book.add_chartsheet("Chizma")
        book.worksheets()[1].activate()
        book.worksheets()[0].hide()

    found = Opened(xlsx(tmp_path / "x.xlsx", {"yashirin": [["a", "b"], [1, 2]], "b": [["c", "d"], [3, 4]]}, change))
    assert found.rows == [(3, 4)]
    assert found.notes["other_sheets"]["others"] == ["yashirin"]


def test_ods_and_xls_are_opened(tmp_path: Path) -> None:
    rows = [["viloyat", "sana", "summa", "kod"], ["Toshkent", DAY, 1.5, "007"], ["Бухара", OTHER_DAY, 45658, "012"]]
    for path in (ods(tmp_path / "x.ods", {"Савдо": rows}), ROOT / "tests" / "cases" / "workbooks" / "sales.xls"):
        found = Opened(path)
        assert found.names == rows[0]
        assert found.types == ["VARCHAR", "DATE", "DOUBLE", "VARCHAR"]
        assert found.rows == [tuple(row) for row in rows[1:]]


@pytest.mark.parametrize(
    "name", ["hisobot [1]*.xlsx", "отчёт ?#%41.xlsx", "o'q.XLSX", "wrong.xls", "nomsiz", "csv.csv"]
)
def test_odd_names_and_wrong_suffixes_are_opened_and_left_as_they_were(tmp_path: Path, name: str) -> None:
    path = xlsx(tmp_path / "x.xlsx", {"a": [["a", "b"], [1, 2]]}).rename(tmp_path / name)
    before = path.read_bytes()
    assert Opened(path).rows == [(1, 2)]
    assert path.read_bytes() == before


def test_a_workbook_in_a_zip_is_opened(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "x.xlsx", {"a": [["a", "b"], [1, 2]]})
    with zipfile.ZipFile(tmp_path / "savdo.zip", "w") as archive:
        archive.write(book, "x.xlsx")
    table: OpenedTable = Opened(tmp_path / "savdo.zip").table
    assert (table.name, table.path) == ("savdo", tmp_path / "savdo.zip")


def reason(path: Path, sheet: str | None = None, **bounds: int) -> str:
    con = database.connect(SETTINGS.database)
    with pytest.raises(FileError) as caught:
        open_sources(con, [path], replace(FILES, **bounds), sheet)
    assert caught.value.facts["path"] == str(path)
    assert database.tables(con) == []
    return caught.value.reason


def test_missing_and_empty_sheets_are_explained(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "x.xlsx", {"a": [["a"], [1]], "b": []})
    assert reason(path, "c") == "no_such_sheet"
    assert reason(path, "b") == "empty_sheet"
    assert reason(xlsx(tmp_path / "y.xlsx", {"a": [], "b": []})) == "empty_workbook"
    assert reason(path, unpacked_bytes=1024) == "too_large"


def test_a_sheet_that_takes_too_much_memory_or_time_is_explained(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "x.xlsx", {"a": [["a"], [1]]}, lambda _, sheet: sheet.write(1_048_575, 16_383, 1) and None)
    assert reason(path, workbook_memory=1 << 30) == "workbook_fails"
    assert reason(path, workbook_seconds=0) == "workbook_slow"


def test_broken_workbooks_are_explained(tmp_path: Path) -> None:
    whole = {
        ".xlsx": xlsx(tmp_path / "x.xlsx", {"a": [["a", "b"], [1, 2]]}).read_bytes(),
        ".ods": ods(tmp_path / "x.ods", {"a": [["a", "b"], [1, 2]]}).read_bytes(),
        ".xls": (ROOT / "tests" / "cases" / "workbooks" / "sales.xls").read_bytes(),
    }
    for suffix, content in whole.items():
        broken = [content[: len(content) // 2], content[:40], b"a,b\n1,2\n"]
        for number, each in enumerate(broken):
            path = tmp_path / f"broken{number}{suffix}"
            path.write_bytes(each)
            assert reason(path) in ("damaged", "unreadable_table", "workbook_fails")
    path = tmp_path / "secret.xlsx"
    path.write_bytes(whole[".xls"][:512] + "EncryptedPackage".encode("utf-16-le") + whole[".xls"][512:])
    assert reason(path) == "workbook_encrypted"


def test_damaged_bytes_end_in_a_table_or_an_error(tmp_path: Path) -> None:
    reasons = set()
    content = (ROOT / "tests" / "cases" / "workbooks" / "sales.xls").read_bytes()
    for place in range(512, len(content), 397):
        path = tmp_path / "x.xls"
        path.write_bytes(content[:place] + b"\xff" * 4 + content[place + 4 :])
        con = database.connect(SETTINGS.database)
        try:
            open_sources(con, [path], FILES)
        except FileError as error:
            reasons.add(error.reason)
            continue
        assert database.tables(con) == ["x"]
    assert reasons <= {"damaged", "unreadable_table", "empty_workbook", "workbook_fails"}


def test_the_sheet_is_chosen_and_said_on_the_command_line(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "x.xlsx", {"a": [["a", "b"], [1, 2]], "b b": [["c", "d"], [3, 4]]})
    done = tez("profile", path, "--sheet", "b b", "--lang", "en")
    assert done.code == 0
    assert 'x: The sheet "b b" was opened. Other sheets: a; --sheet opens them.' in done.err
    done = tez("profile", path, "--sheet", "c", "--lang", "uz")
    assert done.code == 4
    assert '"b b"' in done.err


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_the_first_table_of_a_sheet_is_opened_and_the_rest_reported(
    tmp_path: Path, case: dict[str, Any], kind: str
) -> None:
    path = (xlsx if kind == "xlsx" else ods)(tmp_path / f"x.{kind}", {"s": case["cells"]})
    found = Opened(path, options=LoadOptions(**case.get("options", {})))
    assert found.names == case["names"]
    assert [[str(c) if isinstance(c, date) else c for c in row] for row in found.rows] == case["rows"]
    assert found.types == case.get("types", found.types)
    report = found.table.report
    assert (report.header, report.counts) == (case.get("header", 1), case.get("counts", {}))
    assert report.rows_in == len(found.rows) + sum(report.counts.values())
    assert found.notes.get("other_tables", {}).get("cells", []) == case.get("others", [])


def test_a_cell_merged_downwards_is_the_value_of_all_its_rows(tmp_path: Path) -> None:
    rows = [["viloyat", "tuman", "summa"], [None, "a", 1], [None, "b", 2], [None, "c", 3], ["Xiva", "d", 4]]
    found = Opened(xlsx(tmp_path / "x.xlsx", {"s": rows}, merging("A2:A4=Buxoro")))
    assert found.rows == [("Buxoro", "a", 1), ("Buxoro", "b", 2), ("Buxoro", "c", 3), ("Xiva", "d", 4)]
    assert found.notes == {"merged_cells": {"note": "merged_cells", "cells": 2}}
    rows = [["viloyat", "summa"], ["Xiva", 4], [], [], ["Izoh: QQSsiz, yaxlitlangan"]]
    found = Opened(xlsx(tmp_path / "y.xlsx", {"s": rows}, merging("A3:A4=Buxoro", "A5:B6=Izoh: QQSsiz")))
    assert found.rows == [("Xiva", 4), ("Buxoro", None)]
    assert found.table.report.counts == {"blank": 1, "note": 1}


def test_a_named_line_of_names_must_hold_some(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "x.xlsx", {"s": [["a", "b"], [1, 2], [], [3, 4]]})
    for line in (3, 9):
        with pytest.raises(FileError) as caught:
            Opened(path, options=LoadOptions(header=line))
        assert caught.value.reason == "no_header"
