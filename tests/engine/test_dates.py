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
    "2024/5/6": date(2024, 5, 6),
    "2024.05.06": date(2024, 5, 6),
    "2024/05.06": None,
    "1899/05/06": None,
    "01.01.2101": None,
    "05/05/2025": date(2025, 5, 5),
    "12-05-2101": None,
    "2025 yil 3-mart": date(2025, 3, 3),
    "2025-yil 3-mart": date(2025, 3, 3),
    "03-mart 2025": date(2025, 3, 3),
    "3-mart, 2025-yil": date(2025, 3, 3),
    "12 sentabr 2023": date(2023, 9, 12),
    "12 sentyabr 2023": date(2023, 9, 12),
    "1 oktabr 2023 y.": date(2023, 10, 1),
    "2025 йил 3 март": date(2025, 3, 3),
    "3 январ 2025 йил": date(2025, 1, 3),
    "15 апрел 2025": date(2025, 4, 15),
    "15 июл 2025": date(2025, 7, 15),
    "15 сентябр 2025": date(2025, 9, 15),
    "15 декабр 2025": date(2025, 12, 15),
    "1 января 2025 года": date(2025, 1, 1),
    "1 фев 2025": date(2025, 2, 1),
    "1 марта 2025г.": date(2025, 3, 1),
    "31 авг. 2025": date(2025, 8, 31),
    "1 нояб. 2025": date(2025, 11, 1),
    "8 МАЯ 2025": date(2025, 5, 8),
    "2 June 2025": date(2025, 6, 2),
    "3rd March 2025": date(2025, 3, 3),
    "Sept 5, 2024": date(2024, 9, 5),
    "December 31 2024": date(2024, 12, 31),
    "05/Mar/2024": date(2024, 3, 5),
    "2024-Mar-05": date(2024, 3, 5),
    "5 marafon 2024": None,
    "5 decimal 2024": None,
    "mart 2025": None,
    "2025-03": None,
    "03.2025": None,
    "2025-W05": None,
    "2025-W05-3": None,
    "2025-Q1": None,
    "1-chorak 2025": None,
    "I квартал 2025": None,
    "10:30": None,
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
    ("berilgan_sana", ["45658", "ertaga"], None, ["2025-01-01", None]),
    ("Miqdor", ["45658", "ertaga"], None, [None, None]),
    ("Tug\u02bbilgan kuni", ["21.11.49"], None, ["1949-11-21"]),
    ("Дата рождения", ["09.05.72", "31.12.26"], None, ["1972-05-09", None]),
    ("Sana", ["03/04/2025", "05/05/2025"], None, [None, None]),
    ("Sana", ["05/05/2025", "06/06/25"], None, ["2025-05-05", "2025-06-06"]),
    ("Sana", ["25/04/2025", "01/02/2025"], "mdy", ["2025-04-25", "2025-02-01"]),
    ("Sana", ["25/04/2025", "05/26/2025", "01/02/2025"], "mdy", [None, "2025-05-26", "2025-01-02"]),
    ("Sana", ["24/12/05"], "ymd", ["2024-12-05"]),
    ("Sana", ["25.12.2024", "01/02/2024"], "mdy", ["2024-12-25", "2024-01-02"]),
    ("Sana", ["12-40-2025", "01-02-2025"], None, [None, None]),
]


def form_of(column: str, texts: list[str], order: DateOrder | None) -> dates.DateForm:
    rows = f"(SELECT unnest([{', '.join(map(sql.literal, texts))}]) AS cell)"
    return dates.facts_of(database.query(CON, dates.date_facts_sql("cell", rows))[0]).form(column, TODAY, order, order)


def value_of(expression: str) -> Any:
    return database.query(CON, f"SELECT {expression}")[0][0]


@pytest.mark.parametrize(("text", "day"), DATES.items())
def test_dates(text: str, day: date | None) -> None:
    assert value_of(dates.date_sql(sql.literal(text), form_of("x", [text], None))) == day


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
        ("05.01.2024, 10:30", "2024-01-05 10:30:00"),
        ("5 января 2024 г. в 10:30", "2024-01-05 10:30:00"),
        ("5-yanvar 2024 soat 9:05", "2024-01-05 09:05:00"),
        ("2024-01-05T10:30:00.123456789", "2024-01-05 10:30:00.123456"),
        ("2024-01-05T10:30:00Z", "2024-01-05 10:30:00"),
        ("2024-01-05T10:30:00+05:00", "2024-01-05 10:30:00"),
        ("2024-01-05 10:30:00 +0500", "2024-01-05 10:30:00"),
        ("2024-01-05 24:30", None),
        ("2024-01-05 10:60", None),
        ("12/25/2024 11:30 PM", "2024-12-25 23:30:00"),
        ("2024-01-05", "2024-01-05 00:00:00"),
        ("2024-01-05 25:00", None),
    ],
)
def test_times(text: str, moment: str | None) -> None:
    found = value_of(dates.moment_sql(sql.literal(text), form_of("x", [text], None)))
    assert (None if found is None else str(found)) == moment


def test_times_of_several_zones_are_those_of_utc() -> None:
    texts = ["2024-01-05T10:30:00+05:00", "2024-01-05T10:30:00-03:30", "2024-01-05T10:30Z", "2024-01-05 10:30"]
    form = form_of("Sana", texts, None)
    found = [value_of(dates.moment_sql(sql.literal(text), form)) for text in texts]
    hours = [None if moment is None else moment.strftime("%H:%M") for moment in found]
    assert hours == ["05:30", "14:00", "10:30", None]


def test_sisters_write_with_the_same_marks() -> None:
    def facts(*texts: str) -> dates.DateFacts:
        rows = f"(SELECT unnest([{', '.join(map(sql.literal, texts))}]) AS cell)"
        return dates.facts_of(database.query(CON, dates.date_facts_sql("cell", rows))[0])

    unclear, days, months, dashes = (
        facts("03/04/2025"),
        facts("25/04/2025"),
        facts("04/25/2025"),
        facts("04-25-2025"),
    )
    assert dates.sisters_order(unclear, [unclear, days]) == "dmy"
    assert dates.sisters_order(unclear, [months, unclear]) == "mdy"
    assert dates.sisters_order(unclear, [unclear, days, months]) is None
    assert dates.sisters_order(unclear, [unclear, dashes]) is None
    assert dates.sisters_order(dashes, [days]) is None


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"]))
def test_a_written_date_is_read_again(day: date, form: str) -> None:
    text = form.replace("%Y", f"{day.year:04}").replace("%m", f"{day.month:02}").replace("%d", f"{day.day:02}")
    assert value_of(dates.date_sql(sql.literal(text), dates.DateForm())) == day
