"""Text files whose rows are not all alike: nothing is lost, and what is no data is set aside and reported."""

from pathlib import Path
from typing import Any

import pytest
from tables_in_files import loaded, opened, written

from engine import database
from engine.load_options import LoadOptions

CASES: list[Any] = [
    (
        "P06 titles",
        "Savdo hisoboti 2025,,\n,,\nHudud,Oy,Summa\nToshkent,1,100\nBuxoro,1,200\n",
        [("Toshkent", 1, 100), ("Buxoro", 1, 200)],
        {"title": 1, "blank": 1},
    ),
    (
        "P06 titles, semicolons",
        "Savdo hisoboti 2025\n\nHudud;Oy;Summa\nToshkent;1;100\nBuxoro;1;200\n",
        [("Toshkent", 1, 100), ("Buxoro", 1, 200)],
        {"title": 1, "blank": 1},
    ),
    (
        "P07 short footer",
        "Hudud,Summa,Izoh\nToshkent,100,\nBuxoro,200,ok\nJami,300\n",
        [("Toshkent", 100, None), ("Buxoro", 200, "ok")],
        {"total": 1},
    ),
    (
        "P08 total",
        "Hudud;Summa\nToshkent;100\nBuxoro;200\nJami:;300\n",
        [("Toshkent", 100), ("Buxoro", 200)],
        {"total": 1},
    ),
    (
        "P13 quotes",
        'id,Nomi,Summa\n1,"15" monitor",10\n2,"birinchi\nqator",20\n3,Sichqoncha,30\n',
        [(1, '15" monitor', 10), (2, "birinchi\nqator", 20), (3, "Sichqoncha", 30)],
        {},
    ),
    ("blank rows", "a,b\n1,2\n\n,\n3,4\n\n", [(1, 2), (3, 4)], {"blank": 3}),
    ("short rows", "a,b,c\n1,2,3\n4,5\n6,7,8\n", [(1, 2, 3), (4, 5, None), (6, 7, 8)], {}),
    ("a long row", "a,b\n1,2\n3,4,5\n6,7,,\n", [(1, 2), (6, 7)], {"too_many_cells": 1}),
    (
        "subtotals, notes and the header again",
        "Hudud;Oy;Summa\nToshkent;1;100\nИтого:;;100\nHudud;Oy;Summa\nBuxoro;1;200\nВсего;;300\n\n"
        "Примечание: без НДС\n",
        [("Toshkent", 1, 100), ("Buxoro", 1, 200)],
        {"total": 2, "header_again": 1, "blank": 1, "note": 1},
    ),
    (
        "lines to sign on",
        "Hudud;Soni;Summa\nToshkent;1;100\nBuxoro;2;200\nJami;;300\n\nRahbar;________;Karimov A.\n"
        "Bosh hisobchi;________;Valiyev B.\n",
        [("Toshkent", 1, 100), ("Buxoro", 2, 200)],
        {"total": 1, "blank": 1, "note": 2},
    ),
    (
        "a note in a later column",
        "Hudud;Soni;Summa\nToshkent;1;100\nBuxoro;2;200\n;;Manba: stat.uz\n",
        [("Toshkent", 1, 100), ("Buxoro", 2, 200)],
        {"note": 1},
    ),
    ("a value alone in a later column", "a;b;c\n1;x;y\n;;z\n", [(1, "x", "y"), (None, None, "z")], {}),
    ("a company called Total", "Nomi;Soni;Izoh\nTotal;1;a\nTotalEnergies;2;b\nShell;3;c\n", None, {}),
    ("an empty last cell is no note", "a,b\n1,x\n2,\n", [(1, "x"), (2, None)], {}),
    ("a value that stands alone", "Nomi,b,c\nx,1,2\nUzoq Nomli Joy,,\ny,2,3\n", None, {}),
    ("old line ends", "a,b\r1,2\r3,4\r", [(1, 2), (3, 4)], {}),
    ("mixed line ends", "a,b\r\n1,2\n3,4\r\n", [(1, 2), (3, 4)], {}),
    ("no line end", "a,b\n1,2", [(1, 2)], {}),
    ("P11 all text", "Viloyat,Tuman\nToshkent,Sergeli\nBuxoro,Vobkent\n", None, {}),
    ("P10 names only", "Sana,Summa\n", [], {}),
    ("a zero byte", "a,b\nx\0y,2\n", [("x\0y", 2)], {}),
]


@pytest.mark.parametrize(("text", "rows", "counts"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rows_in_are_rows_loaded_set_aside_or_rejected(
    tmp_path: Path, text: str, rows: list[tuple[Any, ...]] | None, counts: dict[str, int]
) -> None:
    con, table = opened(written(tmp_path, text))
    found = database.query(con, "FROM base")
    if rows is not None:
        assert found == rows
    assert table.report.counts == counts
    assert table.report.rows_in == len(found) + sum(counts.values())


def test_the_report_holds_what_was_set_aside_with_its_line(tmp_path: Path) -> None:
    text = "Hisobot\nHudud;Oy;Summa\nToshkent;1;100\nNavoiy;1;2;3\nXiva\nBuxoro;1;200\nJami;;300\n"
    report = opened(written(tmp_path, text))[1].report
    assert [(row.line, row.why, row.cells[0]) for row in report.set_aside] == [
        (1, "title", "Hisobot"),
        (7, "total", "Jami"),
    ]
    assert [(row.line, row.text) for row in report.rejects] == [(4, "Navoiy;1;2;3")]
    assert (report.delimiter, report.header, report.padded, report.mended) == (";", 2, 1, 0)


def test_totals_can_be_kept(tmp_path: Path) -> None:
    path = written(tmp_path, "Hudud;Summa\nToshkent;100\n;\nJami:;100\n")
    assert loaded(path, LoadOptions(keep_totals=True))[1] == [("Toshkent", 100), ("Jami:", 100)]


def test_a_file_without_names_keeps_its_first_row(tmp_path: Path) -> None:
    path = written(tmp_path, "1,x\n2,y\n")
    assert loaded(path, LoadOptions(header=0)) == (
        [("column_1", "BIGINT"), ("column_2", "VARCHAR")],
        [(1, "x"), (2, "y")],
    )


@pytest.mark.parametrize(
    ("text", "names", "blank"),
    [
        ("a,,b\n1,,2\n3,,4\n", ["a", "b"], 1),
        ("a;b;\n1;2;\n3;4;\n", ["a", "b"], 1),
        ('"a","","b",""\n"1",""," ",""\n', ["a", "b"], 2),
        ("a,,b\n1,x,2\n3,,4\n", ["a", "column_2", "b"], 0),
        ("a,n,b\n1,,2\n3,,4\n", ["a", "n", "b"], 0),
        ("1,,x\n2,,y\n", ["column_1", "column_3"], 1),
        ("a,b,\n", ["a", "b"], 1),
    ],
)
def test_columns_with_neither_a_name_nor_a_value_are_left_out(
    tmp_path: Path, text: str, names: list[str], blank: int
) -> None:
    con, table = opened(written(tmp_path, text))
    assert [name for name, _ in database.describe(con, '"base"')] == names
    assert [column.column for column in table.report.columns] == names
    assert table.report.blank_columns == blank
