"""Names and values in SQL, and the normal forms of text, asked of a real DuckDB."""

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from databases import opened
from hypothesis import given
from hypothesis import strategies as st
from strategies import characters, texts

from engine import database, sql
from grammar import ToolError, same_name

CON = opened()


def value_of(expression: str) -> Any:
    return database.query(CON, f"SELECT {expression}")[0][0]


@given(texts)
def test_any_name_survives(name: str) -> None:
    database.execute(CON, f"CREATE OR REPLACE TEMP TABLE {sql.name('t' + name)} AS SELECT 7 AS {sql.name(name)}")
    assert database.describe(CON, sql.name("t" + name)) == [(name, "INTEGER")]
    assert database.query(CON, f"SELECT t.{sql.name(name)} FROM {sql.name('t' + name)} AS t") == [(7,)]
    database.execute(CON, f"DROP TABLE {sql.name('t' + name)}")


@given(
    st.none()
    | st.booleans()
    | st.text(characters)
    | st.integers(-(2**127), 2**127 - 1)
    | st.floats(allow_nan=False)
    | st.dates()
    | st.datetimes()
    | st.decimals(-(10**20), 10**20, places=5)
)
def test_any_value_survives(value: object) -> None:
    found = value_of(sql.literal(value))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("value", [10**60, -(10**60), Decimal(10) ** 60])
def test_a_number_beyond_128_bits_is_a_double(value: int | Decimal) -> None:
    assert value_of(sql.literal(value)) == float(value)


def test_not_a_number_is_written() -> None:
    assert math.isnan(value_of(sql.literal(math.nan)))


@pytest.mark.parametrize("write", [sql.name, sql.literal])
def test_half_a_character_is_refused(write: Any) -> None:
    with pytest.raises(ToolError, match="broken text"):
        write("a\ud800b")


def test_no_other_values() -> None:
    with pytest.raises(TypeError):
        sql.literal([1])


SAME = [
    ("Toshkent", "  TOSHKENT\u00a0", True),
    ("Ўзбекистон", "ўзбекистон", True),
    ("ΟΔΟΣ", "οδος", True),
    ("O'zbek", "Oʻzbek", True),
    ("O’zbek", "o`ZBEK", True),
    ("é", "e\u0301", True),
    ("\u200bХива\ufeff", "хива", True),
    ("Toshkent", "Тoshkent", False),
    ("a b", "a  b", False),
    ("ozbek", "o'zbek", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_normal_form_of_values(one: str, other: str, same: bool) -> None:
    assert value_of(f"{sql.same_value(sql.literal(one))} = {sql.same_value(sql.literal(other))}") is same


def test_text_compares_by_its_letters_whatever_its_collation() -> None:
    database.execute(CON, "CREATE OR REPLACE TEMP TABLE c (a VARCHAR COLLATE nocase)")
    database.execute(CON, "INSERT INTO c VALUES ('A'), ('a')")
    assert value_of("count(DISTINCT a) FROM c") == 1
    assert value_of(f"count(DISTINCT {sql.letter_by_letter('a')}) FROM c") == 2


@given(st.text(st.sampled_from(sql.BLANKS + "aЖ'~\x7f\x00")))
def test_trimming(text: str) -> None:
    assert value_of(sql.trimmed(sql.literal(text))) == text.strip(sql.BLANKS)
    assert value_of(sql.filled(sql.literal(text), "VARCHAR")) is (text.strip(sql.BLANKS) != "")
    assert value_of(sql.empty(sql.literal(text), "VARCHAR")) is (text.strip(sql.BLANKS) == "")


EMPTY = [
    ("CAST(NULL AS VARCHAR)", "VARCHAR", True),
    ("CAST('nan' AS DOUBLE)", "DOUBLE", True),
    ("CAST('-inf' AS FLOAT)", "FLOAT", True),
    ("0.0::DOUBLE", "DOUBLE", False),
    ("DATE 'infinity'", "DATE", True),
    ("TIMESTAMP '2024-01-01'", "TIMESTAMP", False),
    ("NULL::BOOLEAN", "BOOLEAN", True),
    ("FALSE", "BOOLEAN", False),
]


@pytest.mark.parametrize(("cell", "duckdb_type", "empty"), EMPTY)
def test_empty_cells(cell: str, duckdb_type: str, empty: bool) -> None:
    assert value_of(sql.empty(cell, duckdb_type)) is empty
    assert value_of(f"{sql.value_of(cell, duckdb_type)} IS NULL") is empty


def test_blanks_are_all_that_python_knows_and_the_zero_width_ones() -> None:
    assert {chr(code) for code in range(0x110000) if chr(code).isspace()} | set("\u200b\u2060\ufeff") == set(sql.BLANKS)


WIDENED = [
    ("TINYINT", "100", "TINYINT"),
    ("TINYINT", "300", "HUGEINT"),
    ("BIGINT", "1.5", "DECIMAL(20,1)"),
    ("HUGEINT", "1.5", "DOUBLE"),
    ("UHUGEINT", "-1", "DOUBLE"),
    ("DECIMAL(4,2)", "1.005", "DECIMAL(5,3)"),
    ("DECIMAL(38,2)", "1.005", "DOUBLE"),
    ("FLOAT", "1e300", "DOUBLE"),
    ("DOUBLE", "0.1", "DOUBLE"),
]


@pytest.mark.parametrize(("duckdb_type", "number", "wider"), WIDENED)
def test_a_type_for_one_more_number(duckdb_type: str, number: str, wider: str) -> None:
    assert sql.widened(duckdb_type, Decimal(number)) == wider


def test_dates_and_moments_keep_their_type() -> None:
    assert value_of(f"typeof({sql.literal(date(2024, 1, 5))})") == "DATE"
    assert value_of(f"typeof({sql.literal(datetime(2024, 1, 5))})") == "TIMESTAMP"


def test_spellings_of_one_value_have_the_same_form_in_the_state_whatever_their_letters() -> None:
    letters = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    con = opened()
    database.execute(con, "CREATE TABLE letters(letter VARCHAR)")
    database.insert(con, "letters", ["VARCHAR"], [letters])
    rows = database.query(con, f"SELECT letter, {sql.same_value('letter')} FROM letters")
    assert len(rows) == len(letters)
    assert [letter for letter, form in rows if same_name(letter) != same_name(form)] == []


@pytest.mark.parametrize("shape", ["SELECT n FROM base WHERE {0}", "SELECT CASE WHEN {0} THEN n END FROM base"])
def test_a_long_list_of_values_keeps_the_order_of_rows(shape: str) -> None:
    """DuckDB makes a join of a long list after IN, and a join lets the order of many rows go."""
    con = opened()
    database.execute(
        con, "CREATE TABLE base AS SELECT (range * 7919) % 600011 AS n, 'v' || range % 12 AS t FROM range(600011)"
    )
    values = [f"v{number}" for number in range(8)]
    database.execute(con, f"CREATE TEMP TABLE made AS {shape.format(sql.any_of('t', values))}")
    kept = [n if t in values else None for n, t in database.query(con, "SELECT n, t FROM base")]
    expected = kept if "CASE" in shape else [n for n in kept if n is not None]
    assert [row[0] for row in database.query(con, "FROM made")] == expected
