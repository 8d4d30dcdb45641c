"""Real DuckDB tables for tests: making them, random ones, and a hash that tells whether one was touched."""

import hashlib
import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from hypothesis import strategies as st
from strategies import CONTRACTS, texts, written_answers

from engine import database, sql
from engine.settings import limits, load_settings
from grammar import AnswerMatcher, Column, Scene, TableState

SETTINGS = load_settings()
BASE = "base"


@dataclass(frozen=True)
class Contents:
    """A table's columns (name and DuckDB type) and its rows of Python values."""

    columns: list[tuple[str, str]]
    rows: list[list[Any]]


def opened() -> database.Connection:
    """Return an empty database in memory."""
    return database.connect(SETTINGS.database)


def make_table(con: database.Connection, contents: Contents, name: str = BASE) -> None:
    """Make a table of these contents, in the place of one of this name; values are cast to the columns' types."""
    columns = ", ".join(f"{sql.name(column)} {duckdb_type}" for column, duckdb_type in contents.columns)
    database.execute(con, f"CREATE OR REPLACE TABLE {sql.name(name)} ({columns})")
    types = [duckdb_type for _, duckdb_type in contents.columns]
    rows = [
        "(" + ", ".join(f"CAST({sql.literal(cell)} AS {t})" for cell, t in zip(row, types, strict=True)) + ")"
        for row in contents.rows
    ]
    if rows:
        database.execute(con, f"INSERT INTO {sql.name(name)} VALUES {', '.join(rows)}")


def state_of(contents: Contents, name: str = BASE) -> TableState:
    """Return the state of a table of these contents, with no values known."""
    columns = tuple(Column(column, database.kind_of(duckdb_type)) for column, duckdb_type in contents.columns)
    return TableState(columns, limits(SETTINGS), name=name)


def content_hash(con: database.Connection, name: str = BASE) -> str:
    """Return a hash of a table's columns, types and rows in order."""
    source = sql.name(name)
    described = database.describe(con, source)
    digest = hashlib.sha256(repr(described).encode())
    cells = ", ".join(f"CAST({sql.name(column)} AS VARCHAR)" for column, _ in described)
    for row in database.query(con, f"SELECT {cells} FROM {source}"):
        digest.update(repr(row).encode())
    return digest.hexdigest()


SPELLINGS = ["Toshkent", "TOSHKENT ", "toshkent", "O'zbek", "Oʻzbek", "o‘ZBEK", "Город", "ГОРОД", "", "  ", "\u00a0"]
NUMBERS_AS_TEXT = [
    "12",
    "1 200",
    "3,5",
    "007",
    "n/a",
    "2024-01-05",
    "05.01.2024",
    "31.02.2024",
    "03/04/2025",
    "25/04/2025",
]
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "VARCHAR": st.sampled_from(SPELLINGS + NUMBERS_AS_TEXT) | texts,
    "BIGINT": st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1),
    "UTINYINT": st.integers(0, 255),
    "HUGEINT": st.integers(-3, 3) | st.integers(-(2**127), 2**127 - 1),
    "DECIMAL(4,2)": st.decimals(-99, 99, places=2),
    "DECIMAL(38,2)": st.decimals(-(10**35), 10**35, places=2) | st.decimals(-9, 9, places=2),
    "DOUBLE": st.sampled_from([0.0, -1.5, 2.5, 1e308, -1e308, 5e-324]) | st.floats(allow_subnormal=False),
    "FLOAT": st.floats(width=32),
    "DATE": st.dates(date(2023, 11, 1), date(2024, 3, 1)),
    "TIMESTAMP": st.datetimes(datetime(2023, 11, 1), datetime(2024, 3, 1)),
    "BOOLEAN": st.booleans(),
    "ENUM('b', 'a', ' ')": st.sampled_from(["b", "a", " "]),
    "BLOB": st.sampled_from(["ab", "c"]),
}


def _as_catalogue(name: str) -> str:
    """Return the form in which DuckDB compares names: ASCII letters in lower case."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 8, types: list[str] | None = None) -> Contents:
    """A random table: names and values of any characters, empty cells of every sort, extreme numbers."""
    names = draw(st.lists(texts, min_size=1, max_size=5, unique_by=_as_catalogue))
    chosen = [draw(st.sampled_from(types or list(CELLS))) for _ in names]
    row = st.tuples(*(st.none() | CELLS[duckdb_type] for duckdb_type in chosen)).map(list)
    return Contents(list(zip(names, chosen, strict=True)), draw(st.lists(row, max_size=max_rows)))


@st.composite
def plans(draw: st.DrawFn) -> tuple[Contents, list[dict[str, Any]]]:
    """A table and a plan for it that the grammar lets be written."""
    contents = draw(tables(max_rows=6))
    matcher = AnswerMatcher(CONTRACTS, Scene((state_of(contents),)))
    answer = json.loads(draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))
    return contents, answer["steps"]
