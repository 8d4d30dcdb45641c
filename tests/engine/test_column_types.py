"""The types of columns: what can be read completely gets a type, everything else stays text with a report."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from tables_in_files import loaded, opened, written

from engine.load_options import LoadOptions
from engine.load_report import ColumnReport

READ: list[tuple[str, list[str], str, list[Any]]] = [
    ("P01 decimal comma", ["1250,50", "980,00", "12,5"], "DOUBLE", [1250.5, 980.0, 12.5]),
    (
        "P03 thousands",
        ["1\u00a0250\u00a0000", "980\u202f500", "7 400", "1'250"],
        "BIGINT",
        [1250000, 980500, 7400, 1250],
    ),
    ("P15 codes like dates", ["1-2-3", "4-5-6"], "VARCHAR", ["1-2-3", "4-5-6"]),
    ("P14 exponents", ["1E5", "2E5"], "VARCHAR", ["1E5", "2E5"]),
    ("P14 accounts", ["20208000900123456001", "20208000900123456002"], "VARCHAR", None),
    ("P14 zeros", ["007", "12,5"], "VARCHAR", ["007", "12,5"]),
    (
        "P20 serials among dates",
        ["45658", "22.05.2025", "45659"],
        "DATE",
        [date(2025, 1, 1), date(2025, 5, 22), date(2025, 1, 2)],
    ),
    ("P31 unclear", ["03/04/2025", "05/06/2025"], "VARCHAR", ["03/04/2025", "05/06/2025"]),
    ("P32 short years", ["27.03.19", "08.03.19"], "DATE", [date(2019, 3, 27), date(2019, 3, 8)]),
    ("P35 words for nothing", ["5", "N/A", "-", "7", "yo'q", "9"], "BIGINT", [5, None, None, 7, None, 9]),
    ("P35 nan and inf", ["nan", "inf", "5", "6,5"], "DOUBLE", [None, None, 5.0, 6.5]),
    ("P35 more words than values", ["5", "yo'q", "yo'q"], "VARCHAR", ["5", "yo'q", "yo'q"]),
    ("P39 so'm", ["3 500 so'm", "12 000 сум", "(250)", "250-", "−250"], "BIGINT", [3500, 12000, -250, -250, -250]),
    ("P39 percent", ["12,5%", "3%"], "DOUBLE", [12.5, 3.0]),
    ("P39 two currencies", ["3 500 so'm", "$5.20"], "VARCHAR", ["3 500 so'm", "$5.20"]),
    ("percent and not", ["12%", "5"], "VARCHAR", ["12%", "5"]),
    ("unclear comma", ["1,250", "12,5"], "VARCHAR", ["1,250", "12,5"]),
    ("unclear point", ["1.250", "980"], "VARCHAR", ["1.250", "980"]),
    ("sure point", ["1.250", "980.5"], "DOUBLE", [1.25, 980.5]),
    ("yes and no", ["ha", "yo'q", "Ha", "Yo\u02bbq"], "BOOLEAN", [True, False, True, False]),
    ("only no", ["yo'q", "yo'q"], "VARCHAR", ["yo'q", "yo'q"]),
    ("times", ["05.01.2024 10:30", "06.01.2024"], "TIMESTAMP", [datetime(2024, 1, 5, 10, 30), datetime(2024, 1, 6)]),
    ("months", ["5 may 2024", "6-iyun 2024"], "DATE", [date(2024, 5, 5), date(2024, 6, 6)]),
    ("programs' fractions", ["0.30000000000000004", "1.5"], "DOUBLE", [0.30000000000000004, 1.5]),
    ("mixed", ["30 000", "bepul", "25 000", "15 000"], "VARCHAR", ["30 000", "bepul", "25 000", "15 000"]),
]


def report_of(path: Path, column: str = "x", options: LoadOptions = LoadOptions()) -> ColumnReport:  # noqa: B008
    return next(each for each in opened(path, options)[1].report.columns if each.column == column)


def column_of(folder: Path, name: str, cells: list[str]) -> Path:
    rows = "".join(f'"{cell}";a\n' for cell in cells)
    return written(folder, f"{name};y\n{rows}")


@pytest.mark.parametrize(
    ("cells", "duckdb_type", "values"), [case[1:] for case in READ], ids=[case[0] for case in READ]
)
def test_a_column_gets_the_type_that_all_its_cells_have(
    tmp_path: Path, cells: list[str], duckdb_type: str, values: list[Any] | None
) -> None:
    columns, rows = loaded(column_of(tmp_path, "x", cells))
    assert columns[0] == ("x", duckdb_type)
    assert [row[0] for row in rows] == (cells if values is None else values)


def test_serials_alone_are_dates_only_in_a_column_of_days(tmp_path: Path) -> None:
    assert loaded(column_of(tmp_path, "Sana", ["45658", "45659"]))[1][0][0] == date(2025, 1, 1)
    assert loaded(column_of(tmp_path, "Miqdor", ["45658", "45659"]))[1][0][0] == 45658


def test_births_lie_in_the_past(tmp_path: Path) -> None:
    for name in ("Tug'ilgan kuni", "Дата рождения", "Birth date", "Born on"):
        rows = loaded(column_of(tmp_path, name, ["21.11.49", "09.05.72"]))[1]
        assert [row[0] for row in rows] == [date(1949, 11, 21), date(1972, 5, 9)]


def test_tax_numbers_and_telephones_stay_text(tmp_path: Path) -> None:
    for name in ("STIR", "ИНН", "Telefon"):
        assert loaded(column_of(tmp_path, name, ["301234567", "301234568"]))[0][0] == (name, "VARCHAR")


def test_sister_columns_tell_day_from_month(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n03/04/2025;25/06/2025\n05/06/2025;01/02/2025\n")
    assert loaded(path)[1][0] == (date(2025, 4, 3), date(2025, 6, 25))


def test_p05_a_short_date_is_never_year_first(tmp_path: Path) -> None:
    path = written(tmp_path, 'Ombor;Joy;Vazn;Sana\nA;"41.2;69.1";5230,4;06/09/21\nB;"41.3;69.4";780,25;08/09/21\n')
    columns, rows = loaded(path)
    assert columns == [("Ombor", "VARCHAR"), ("Joy", "VARCHAR"), ("Vazn", "DOUBLE"), ("Sana", "VARCHAR")]
    assert sum(row[2] for row in rows) == 6010.65


def test_p02_a_late_value_of_another_form(tmp_path: Path) -> None:
    text = "id,Narx\n" + "".join(f"{n},{n}\n" for n in range(30_000)) + "30000,1 500\n"
    columns, rows = loaded(written(tmp_path, text))
    assert (columns[1], len(rows), rows[-1]) == (("Narx", "BIGINT"), 30_001, (30000, 1500))


def test_the_report_names_the_option_that_settles_a_question(tmp_path: Path) -> None:
    days = report_of(column_of(tmp_path, "x", ["03/04/2025", "05/06/2025"]))
    assert (days.settle, days.share, days.kind) == ("--dates", 1.0, "text")
    numbers = report_of(column_of(tmp_path, "x", ["1,250", "12,5"]))
    assert (numbers.settle, numbers.examples, numbers.share) == ("--decimal", ("1,250",), 1.0)


def test_the_report_counts(tmp_path: Path) -> None:
    read = report_of(column_of(tmp_path, "x", ["5,5", "N/A", "7"]))
    assert (read.converted, read.missing, read.unreadable, read.form) == (2, 1, 0, ("decimal_comma",))
    mixed = report_of(column_of(tmp_path, "x", ["30 000", "bepul", "25 000", "15 000"]))
    assert (mixed.share, mixed.examples, mixed.kind) == (0.75, ("bepul",), "text")
    serials = report_of(column_of(tmp_path, "x", ["45658", "22.05.2025", "45659"]))
    assert serials.form == ("dmy. 1", "serial 2")


def test_a_person_may_settle_it(tmp_path: Path) -> None:
    days = column_of(tmp_path, "x", ["03/04/2025", "05/06/2025"])
    assert loaded(days, LoadOptions(dates="mdy"))[1][0][0] == date(2025, 3, 4)
    numbers = column_of(tmp_path, "x", ["1,250", "12,5"])
    assert [row[0] for row in loaded(numbers, LoadOptions(decimal=","))[1]] == [1.25, 12.5]
    mixed = column_of(tmp_path, "x", ["30 000", "bepul"])
    assert loaded(mixed, LoadOptions(types={"X": "number"}))[1] == [(30000, "a"), (None, "a")]
    assert report_of(mixed, "x", LoadOptions(types={"x": "number"})).unreadable == 1
    whole = column_of(tmp_path, "x", ["1", "2"])
    assert loaded(whole, LoadOptions(types={"x": "text"}))[0][0] == ("x", "VARCHAR")
    assert loaded(whole, LoadOptions(types={"x": "number"}))[0][0] == ("x", "BIGINT")


@pytest.mark.parametrize(
    ("texts", "other", "numbers", "form"),
    [
        (["2,273", "749"], ["54,648.50", "1.5"], [2273, 749], ("thousands_comma",)),
        (["2,273", "749"], ["12.50", "1.5"], [2273, 749], ("thousands_comma",)),
        (["2.273", "749"], ["54.648,50", "1,5"], [2273, 749], ("thousands_point",)),
        (["2.273", "749"], ["12.50", "1.5"], [2.273, 749], ()),
        (["2,273", "749"], ["12,50", "1,5"], None, ()),
        (["2,273", "749"], ["12", "15"], None, ()),
        (["2.273", "749"], ["12", "15"], None, ()),
        (["2,273", "74,5"], ["12.50", "1.5"], None, ("decimal_comma",)),
    ],
)
def test_sister_columns_tell_decimal_marks(
    tmp_path: Path, texts: list[str], other: list[str], numbers: list[float] | None, form: tuple[str, ...]
) -> None:
    path = written(tmp_path, "x;y\n" + "".join(f"{a};{b}\n" for a, b in zip(texts, other, strict=True)))
    assert [row[0] for row in loaded(path)[1]] == (numbers or texts)
    report = report_of(path)
    assert (report.settle, report.form) == (None if numbers else "--decimal", form)
