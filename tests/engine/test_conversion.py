"""Which text is which number, asked of a real DuckDB."""

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
    "1.234,5": "1234.5",
    "1,234.5": "1234.5",
    "1'250": "1250",
    "1.250.000": "1250000",
    "1,250": None,
    "1.250": "1.250",
    "3 500 so'm": "3500",
    "3 500 soʻm": "3500",
    "12 000 сум": "12000",
    "100 руб.": "100",
    "$5.20": "5.20",
    "-$5": "-5",
    "12,5%": "12.5",
    "(250)": "-250",
    "250-": "-250",
    "−250": "-250",
    "5 dona": None,
    "1e5": None,
    "nan": None,
    "12 UZS": "12",
    "1.": None,
    ".5": None,
    "-": None,
    "": None,
    "٣": None,
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


@pytest.mark.parametrize(("texts", "duckdb_type"), TYPES)
def test_the_type_that_holds_all_numbers(texts: list[str], duckdb_type: str) -> None:
    rows = f"SELECT unnest(CAST([{', '.join(map(sql.literal, texts))}] AS VARCHAR[])) AS cell"
    facts = database.query(CON, conversion.number_facts_sql("cell", f"({rows})"))[0]
    assert conversion.NumberFacts(*facts).duckdb_type() == duckdb_type


@given(st.decimals(-(10**12), 10**12, places=4), st.sampled_from(".,"), st.sampled_from(["", " ", "\u00a0", "\u202f"]))
def test_a_written_number_is_read_again(number: Decimal, point: str, thousands: str) -> None:
    text = f"{number:,.4f}".replace(",", "t").replace(".", point).replace("t", thousands)
    assert value_of(conversion.number_sql(sql.literal(text), "DECIMAL(18,4)")) == number


@pytest.mark.parametrize(
    ("text", "leading"), [("007", True), ("-01", True), ("0", False), ("0,5", False), ("0x", False)]
)
def test_leading_zeros(text: str, leading: bool) -> None:
    assert value_of(conversion.leading_zero_sql(conversion.number_text(sql.literal(text)))) is leading


FORMS: list[tuple[list[str], list[str | None]]] = [
    (["1,250", "12,5"], [None, "12.5"]),
    (["1,250", "980"], [None, "980"]),
    (["1,250", "12.5"], ["1250", "12.5"]),
    (["1,250", "2,000,000"], ["1250", "2000000"]),
    (["1,250", "0,250"], ["1.250", "0.250"]),
    (["1,250", "3 500,5"], ["1.250", "3500.5"]),
    (["1.250", "12,5"], ["1250", "12.5"]),
    (["1.250", "0.5"], ["1.250", "0.5"]),
    (["1.250", "980"], [None, "980"]),
    (["1.250", "12500"], ["1.250", "12500"]),
    (["1.250", "0.750"], ["1.250", "0.750"]),
    (["1.250", "2.000.000"], ["1250", "2000000"]),
    (["1.250", "0.5", "12,5"], [None, "0.5", "12.5"]),
    (["3 500 so'm", "12 000 сум", "$5.20", "12,5%", "250-"], ["3500", "12000", None, "12.5", "-250"]),
    (["$5", "$6.5", "7 so'm"], ["5", "6.5", None]),
]


@pytest.mark.parametrize(("texts", "numbers"), FORMS)
def test_a_mark_means_what_the_whole_column_shows(texts: list[str], numbers: list[str | None]) -> None:
    rows = f"(SELECT unnest([{', '.join(map(sql.literal, texts))}]) AS cell)"
    form = conversion.facts_of(database.query(CON, conversion.form_facts_sql("cell", rows))[0]).form()
    assert [value_of(conversion.number_text(sql.literal(text), form)) for text in texts] == numbers


@pytest.mark.parametrize(("mark", "number"), [(",", "1.250"), (".", "1250")])
def test_a_named_decimal_mark_settles_it(mark: str, number: str) -> None:
    form = conversion.FormFacts(1, 1, 0, 0, 0, 0, 0, 0, 0, {"": 2}).form(mark)
    assert value_of(conversion.number_text(sql.literal("1,250"), form)) == number


@pytest.mark.parametrize(
    ("text", "missing"),
    [(" N/A", True), ("-", True), ("yoʻq", True), ("Нет данных", True), ("nan", True), ("0", False), ("", False)],
)
def test_words_for_nothing(text: str, missing: bool) -> None:
    assert value_of(conversion.missing_sql(sql.literal(text))) is missing
