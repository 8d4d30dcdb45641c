"""Delimiter, header and title lines, told from the beginning of a file."""

import json
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st
from tables_in_files import SETTINGS, opened, written

from engine import database
from engine.dialect import NO_DELIMITER, delimiter_of
from engine.layout import layout_of
from engine.load_options import AS_FOUND, LoadOptions
from engine.paths import FileError
from engine.sheet_layout import find_layout
from engine.sheet_tables import lower_tables, side_tables

CASES = json.loads((ROOT / "tests" / "cases" / "files" / "text_layouts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("Hudud;Summa\nToshkent;1250,50\nBuxoro;980,00\n", ";"),
        ("a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n", ";"),
        ("a,b\nx;y,1\nz;w,2\n", ","),
        ("a|b\n1|2\n", "|"),
        ("a\tb\n1,5\t2,5\n", "\t"),
        ("Viloyat\nToshkent\nBuxoro\n", NO_DELIMITER),
        ("Manzil\nToshkent, Sergeli\nBuxoro, Vobkent\n", NO_DELIMITER),
        ("Narx\n12,5\n3,75\n980,0\n", NO_DELIMITER),
        ("a,b,c\nx\ny\n", ","),
        ("Hudud,Summa,Izoh\nToshkent,100,\nJami\nJami\nJami\n", ","),
        ("Hisobot\n\nHudud;Summa\nToshkent;1\n", ";"),
        ('Ombor;Joy;Vazn\nA;"41.2;69.1";5230,4\nB;"41.3;69.4";780,25\n', ";"),
    ],
)
def test_the_delimiter(text: str, delimiter: str) -> None:
    assert delimiter_of(text.splitlines(keepends=True), SETTINGS.files) == delimiter


@pytest.mark.parametrize(
    ("text", "header", "labels", "titles"),
    [
        ("a,b\n1,2\n", 1, ("a", "b"), 0),
        ("Savdo hisoboti 2025,,\n,,\nHudud,Oy,Summa\nToshkent,1,100\n", 3, ("Hudud", "Oy", "Summa"), 1),
        ("Savdo hisoboti 2025\n\nHudud;Oy;Summa\nToshkent;1;100\n", 3, ("Hudud", "Oy", "Summa"), 1),
        ("Hisobot\nDavr: 2025\n\na;b\nx;1\ny;2\nz;3\n", 4, ("a", "b"), 2),
        (",x\n0,5\n1,6\n", 1, ("", "x"), 0),
        ("a,\n1,2\n3,4\n", 1, ("a", ""), 0),
        ("Hudud,2023,2024,2025\nToshkent,1,2,3\n", 1, ("Hudud", "2023", "2024", "2025"), 0),
        ("Hudud,Summa,Izoh\nToshkent,100\nBuxoro,200\n", 1, ("Hudud", "Summa", "Izoh"), 0),
    ],
)
def test_the_header(tmp_path: Path, text: str, header: int, labels: tuple[str, ...], titles: int) -> None:
    found = layout_of(written(tmp_path, text), SETTINGS.files, AS_FOUND)
    assert (found.header, found.labels, len(found.titles)) == (header, labels, titles)


def test_header_and_delimiter_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "x;1,a\ny;2,b\nz;3,c\n")
    assert layout_of(path, SETTINGS.files, LoadOptions(header=2)).labels == ("y", "2,b")
    assert layout_of(path, SETTINGS.files, LoadOptions(header=0)).labels == ("", "")
    assert layout_of(path, SETTINGS.files, LoadOptions(delimiter=",")).labels == ("x;1", "a")
    with pytest.raises(FileError) as caught:
        layout_of(path, SETTINGS.files, LoadOptions(header=9))
    assert caught.value.reason == "no_header"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_names_and_rows_are_where_they_stand(tmp_path: Path, case: dict[str, Any]) -> None:
    con, table = opened(written(tmp_path, case["text"]), LoadOptions(**case.get("options", {})))
    assert [name for name, _ in database.describe(con, '"base"')] == case["names"]
    rows = [[str(cell) if isinstance(cell, date) else cell for cell in row] for row in database.query(con, "FROM base")]
    assert rows == case["rows"]
    report = table.report
    assert [report.header, report.header_rows] == case["header"]
    assert (report.quote, report.counts) == (case.get("quote"), case.get("counts", {}))
    assert report.rows_in == len(rows) + sum(report.counts.values())


CELLS = st.sampled_from(
    ["", " ", "Hudud", "Soni", "Jami", "x y", "-", "5", "7,5", "2024", "01.02.2025", "Izoh: a", "'q'"]
)
GRIDS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=1, max_size=width + 1), min_size=1, max_size=7)
)


@given(GRIDS)
def test_every_line_is_a_name_a_row_or_reported(grid: list[list[str]]) -> None:
    text = "\n".join(";".join(row) for row in grid) + "\n"
    assume(text.replace(";", "").strip())
    with tempfile.TemporaryDirectory() as folder:
        con, table = opened(written(Path(folder), text))
    report = table.report
    assert report.rows_in == len(grid) - report.header_rows
    assert report.rows_in == table.rows + sum(report.counts.values())
    assert (report.header == 0) == (report.header_rows == 0)
    con.close()


VALUES = st.sampled_from([None, None, "Hudud", "Soni", "Jami", "5", 5.0, 7.5, 2024.0, date(2025, 2, 1), True])
SHEETS = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=9)
)


@given(SHEETS)
def test_every_row_of_a_sheet_is_above_within_or_below_its_table(rows: list[list[Any]]) -> None:
    assume(any(cell is not None for row in rows for cell in row))
    alike = SETTINGS.files.alike_share
    layout = find_layout(rows, [], [], alike)
    assert len(layout.places) == len(layout.labels) > 0
    titled = {number for number, _ in layout.titles}
    filled = {number for number, row in enumerate(rows[: layout.first]) if any(cell is not None for cell in row)}
    assert filled - titled <= set(range(layout.first - layout.name_rows, layout.first))
    ends = [top for top, _ in lower_tables(rows, layout, SETTINGS.files.header_rows, alike)]
    assert ends == sorted(set(ends))
    assert all(end > layout.first for end in ends)
    for places, (top, bottom) in side_tables(rows, layout):
        assert set(places) < set(layout.places)
        assert top <= bottom < len(rows)
