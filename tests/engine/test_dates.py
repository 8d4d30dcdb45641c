"""Which text is which day, asked of a real DuckDB."""

from datetime import date
from typing import Any

import pytest
from databases import opened
from hypothesis import given
from hypothesis import strategies as st

from engine import database, dates, sql
from engine.load_options import DateOrder

CON = opened()
TODAY = date(2026, 6, 1)
DATES: dict[str, date | None] = {
    "2024-02-29": date(2024, 2, 29),
    "29.02.2024": date(2024, 2, 29),
    "1.2.2024": date(2024, 2, 1),
    " 2024-01-05 00:00:00.000 ": date(2024, 1, 5),
    "9999-12-31": None,
    "1899-12-31": None,
    "2100-12-31": date(2100, 12, 31),
    "2024-1-5": None,
    "2023-02-29": None,
    "31.04.2024": None,
    "01.02.24": date(2024, 2, 1),
    "01/02/2024": None,
    "2024-01-05 12:00": None,
    "0000-01-01": None,
    "01.01.0000": None,
    "": None,
    "1-2-3": None,
    "2024/05/06": date(2024, 5, 6),
    "05.06.2024 y.": date(2024, 6, 5),
    "5 may 2024": date(2024, 5, 5),
    "5-may 2024-yil": date(2024, 5, 5),
    "2024-yil 5-may": date(2024, 5, 5),
    "1-iyun 2023": date(2023, 6, 1),
    "3 iyul 2023": date(2023, 7, 3),
    "5 мая 2024 г.": date(2024, 5, 5),
    "12 сентября 2023": date(2023, 9, 12),
    "7 июля 2022 года": date(2022, 7, 7),
    "May 5, 2024": date(2024, 5, 5),
    "5-May-24": date(2024, 5, 5),
    "30 fevral 2024": None,
    "45658": None,
}
COLUMNS: list[tuple[str, list[str], DateOrder | None, list[str | None]]] = [
    ("Sana", ["03/04/2025", "05/06/2025"], None, [None, None]),
    ("Sana", ["03/04/2025", "25/06/2025"], None, ["2025-04-03", "2025-06-25"]),
    ("Sana", ["03/04/2025", "05/26/2025"], None, ["2025-03-04", "2025-05-26"]),
    ("Sana", ["25/04/2025", "05/26/2025"], None, [None, None]),
    ("Sana", ["03/04/2025"], "mdy", ["2025-03-04"]),
    ("Sana", ["06/09/21"], None, [None]),
    ("Sana", ["06/09/21"], "ymd", ["2006-09-21"]),
    ("Sana", ["12.31.2024", "01.02.2024"], None, ["2024-12-31", "2024-01-02"]),
    (
        "Tug'ilgan sana",
        ["21.11.49", "09.05.72", "01.01.27", "05.05.2099"],
        None,
        ["1949-11-21", "1972-05-09", "1927-01-01", None],
    ),
    ("Sana", ["27.03.19", "08.03.19", "21.11.49"], None, ["2019-03-27", "2019-03-08", "2049-11-21"]),
    ("Sana", ["45658", "22.05.2025", "45659"], None, ["2025-01-01", "2025-05-22", "2025-01-02"]),
]


def form_of(column: str, texts: list[str], order: DateOrder | None) -> dates.DateForm:
    rows = f"(SELECT unnest([{', '.join(map(sql.literal, texts))}]) AS cell)"
    return dates.facts_of(database.query(CON, dates.date_facts_sql("cell", rows))[0]).form(column, TODAY, order)


def value_of(expression: str) -> Any:
    return database.query(CON, f"SELECT {expression}")[0][0]


@pytest.mark.parametrize(("text", "day"), DATES.items())
def test_dates(text: str, day: date | None) -> None:
    assert value_of(dates.date_sql(sql.literal(text), form_of("Sana", [text], None))) == day


@pytest.mark.parametrize(("column", "texts", "order", "days"), COLUMNS)
def test_the_whole_column_tells_day_from_month(
    column: str, texts: list[str], order: DateOrder | None, days: list[str | None]
) -> None:
    form = form_of(column, texts, order)
    found = [value_of(dates.date_sql(sql.literal(text), form)) for text in texts]
    assert [None if day is None else day.isoformat() for day in found] == days


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-05 10:30", "2024-01-05 10:30:00"),
        ("05.01.2024 7:05:09", "2024-01-05 07:05:09"),
        ("12/25/2024 11:30 PM", "2024-12-25 23:30:00"),
        ("2024-01-05T10:30:00Z", "2024-01-05 10:30:00"),
        ("2024-01-05", "2024-01-05 00:00:00"),
        ("2024-01-05 25:00", None),
    ],
)
def test_times(text: str, moment: str | None) -> None:
    found = value_of(dates.moment_sql(sql.literal(text), form_of("Sana", [text], None)))
    assert (None if found is None else str(found)) == moment


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"]))
def test_a_written_date_is_read_again(day: date, form: str) -> None:
    text = form.replace("%Y", f"{day.year:04}").replace("%m", f"{day.month:02}").replace("%d", f"{day.day:02}")
    assert value_of(dates.date_sql(sql.literal(text), dates.DateForm())) == day
