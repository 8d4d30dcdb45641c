"""The load report in words: nothing for a plain file, one sentence a fact otherwise, in three languages."""

from pathlib import Path

import pytest
from tables_in_files import opened, written

from engine.load_options import LoadOptions
from engine.report_text import report_lines
from prompt.words import Language

MESSY = (
    "Savdo hisoboti\nHudud;Sana;Summa;Narx\nToshkent;03/04/2025;5,5;10 000\nBuxoro;05/06/2025;N/A;kelishiladi\n"
    "Xiva;05/06/2025;7;20 000;1\n\nNavoiy;05/06/2025;8\nJami;;20,5;\nIzoh: QQSsiz\n"
)
SAID = [
    "Encoding: utf-16-le.",
    "Column names stand in line 2.",
    '1 row above the table set aside: "Savdo hisoboti".',
    '1 total row set aside: "Jami 20,5". To put back: --keep-totals.',
    '1 note below the table set aside: "Izoh: QQSsiz".',
    "1 blank row skipped.",
    'Left out for too many cells: 1 row: "5: Xiva;05/06/2025;7;20 000;1".',
    "2 rows had too few cells; what was missing is empty.",
    "Numbers read with a decimal comma: Summa (2/3).",
    'Sana: it is not clear how to read it ("05/06/2025"), the column stays text. To settle it: --dates.',
    "Summa: a word for nothing taken as empty in 1 cell.",
    "Narx: a mixed column stays text, 50 % of it is what fix_numbers converts; not: kelishiladi.",
]

NO_NAMES = (
    "Column names: none, the first row is data, so the columns are called column_1, column_2, ... "
    "If a line holds names: --header LINE."
)


def test_everything_out_of_the_ordinary_is_said(tmp_path: Path) -> None:
    report = opened(written(tmp_path, MESSY, encoding="utf-16-le"))[1].report
    assert report_lines(report, "en") == SAID
    for language in ("uz", "ru"):
        assert len(report_lines(report, language)) == len(SAID)
        assert "?" not in "".join(report_lines(report, language))


@pytest.mark.parametrize("language", ["uz", "ru", "en"])
def test_a_plain_file_needs_no_words(tmp_path: Path, language: Language) -> None:
    report = opened(written(tmp_path, "a,b\n1,x\n2,y\n"))[1].report
    assert report_lines(report, language) == []


def test_what_a_person_forced_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "1;a\nx;b\n")
    report = opened(path, LoadOptions(header=0, types={"column_1": "number"}))[1].report
    assert report_lines(report, "en") == [NO_NAMES, "column_1: not read and left empty: 1 cell."]


def test_two_currencies_are_named(tmp_path: Path) -> None:
    report = opened(written(tmp_path, "x;y\n3 500 so'm;a\n$5.20;b\n"))[1].report
    (line,) = report_lines(report, "en")
    assert line == (
        'x: different units are not added up ("USD 1", "UZS 1"), the column stays text. '
        "fix_numbers takes the most frequent currency."
    )


def test_ways_of_writing_are_said_in_a_line_each(tmp_path: Path) -> None:
    rows = (
        '"1,5";"5 %";"7 so\'m";"45658";"2024-01-05T10:30:00+05:00"\n"2,5";"7 %";"8 so\'m";"22.05.2025";"2024-01-06"\n'
    )
    report = opened(written(tmp_path, f"a;b;c;sana;vaqt\n{rows}"))[1].report
    assert report_lines(report, "en") == [
        "Numbers read with a decimal comma: a (2/2).",
        "Numbers taken without their unit: b (%), c (UZS).",
        "Serial days as Excel counts them taken as dates: sana (1/2).",
        "Time zone of the times: vaqt (+05:00).",
    ]
    for language in ("uz", "ru"):
        assert len(report_lines(report, language)) == 4


def test_a_header_of_two_rows_and_odd_quotes_are_said(tmp_path: Path) -> None:
    report = opened(written(tmp_path, ";2025;\nHudud;Reja;Fakt\n'a;b';1;10\n'c';3;30\n"))[1].report
    assert report_lines(report, "en") == [
        "Column names are put together from 2 rows, the lower one in line 2.",
        "Cells are quoted in an unusual way: a quote inside a cell is written ''.",
    ]


def test_blank_columns_are_counted(tmp_path: Path) -> None:
    report = opened(written(tmp_path, "a,,b,\n1,,2,\n"))[1].report
    assert report_lines(report, "en") == ["2 blank columns without a name left out."]
    assert report_lines(report, "ru") == ["Пропущено пустых без названия: 2 столбца."]
