"""Which text is which number or date, asked of a real DuckDB."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from databases import opened
from hypothesis import given
from hypothesis import strategies as st

from engine import conversion, database, sql

CON = opened()

NUMBERS = {
    "0": "0",
    "-12": "-12",
    "+7": "7",
    " 3 500 ": "3500",
    "1\u00a0200\u202f300,5": "1200300.5",
    "12,50": "12.50",
    "007": "007",
    "1 23": None,
    "1234 567": None,
    "1,2,3": None,
    "1.234,5": None,
    "1e5": None,
    "nan": None,
    "12 UZS": None,
    "1.": None,
    ".5": None,
    "-": None,
    "": None,
    "٣": None,
}
DATES = {
    "2024-02-29": date(2024, 2, 29),
    "29.02.2024": date(2024, 2, 29),
    "1.2.2024": date(2024, 2, 1),
    " 2024-01-05 00:00:00.000 ": date(2024, 1, 5),
    "9999-12-31": date(9999, 12, 31),
    "2024-1-5": None,
    "2023-02-29": None,
    "31.04.2024": None,
    "01.02.24": None,
    "01/02/2024": None,
    "2024-01-05 12:00": None,
    "0000-01-01": None,
    "01.01.0000": None,
    "": None,
}
TYPES = [
    (["1", "2 000"], "BIGINT"),
    (["9223372036854775808"], "HUGEINT"),
    (["1", "0,5"], "DECIMAL(18,1)"),
    (["1.00"], "DECIMAL(18,2)"),
    (["0.1234567890123456789"], "DECIMAL(38,19)"),
    (["1" * 30, "0." + "1" * 8], "DECIMAL(38,8)"),
    (["1" * 30, "0." + "1" * 9], "DOUBLE"),
    (["1" * 40], "DOUBLE"),
    (["x", "5"], "BIGINT"),
    (["x"], "BIGINT"),
    ([], "BIGINT"),
]


def value_of(expression: str) -> Any:
    return database.query(CON, f"SELECT {expression}")[0][0]


@pytest.mark.parametrize(("text", "number"), NUMBERS.items())
def test_numbers(text: str, number: str | None) -> None:
    assert value_of(conversion.number_text(sql.literal(text))) == number


@pytest.mark.parametrize(("text", "day"), DATES.items())
def test_dates(text: str, day: date | None) -> None:
    assert value_of(conversion.date_sql(sql.literal(text))) == day


@pytest.mark.parametrize(("texts", "duckdb_type"), TYPES)
def test_the_type_that_holds_all_numbers(texts: list[str], duckdb_type: str) -> None:
    rows = f"SELECT unnest(CAST([{', '.join(map(sql.literal, texts))}] AS VARCHAR[])) AS cell"
    facts = database.query(CON, f"SELECT {conversion.number_facts_sql('cell')} FROM ({rows})")[0]
    assert conversion.NumberFacts(*facts).duckdb_type() == duckdb_type


@given(st.decimals(-(10**12), 10**12, places=4), st.sampled_from(".,"), st.sampled_from(["", " ", "\u00a0", "\u202f"]))
def test_a_written_number_is_read_again(number: Decimal, point: str, thousands: str) -> None:
    text = f"{number:,.4f}".replace(",", "t").replace(".", point).replace("t", thousands)
    assert value_of(conversion.number_sql(sql.literal(text), "DECIMAL(18,4)")) == number


@given(st.dates(), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y"]))
def test_a_written_date_is_read_again(day: date, form: str) -> None:
    text = form.replace("%Y", f"{day.year:04}").replace("%m", f"{day.month:02}").replace("%d", f"{day.day:02}")
    assert value_of(conversion.date_sql(sql.literal(text))) == day


@pytest.mark.parametrize(
    ("text", "leading"), [("007", True), ("-01", True), ("0", False), ("0,5", False), ("0x", False)]
)
def test_leading_zeros(text: str, leading: bool) -> None:
    assert value_of(conversion.leading_zero_sql(sql.literal(text))) is leading
