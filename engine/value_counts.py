"""The different values of columns, each with its count: exact where they are few, which a sample tells beforehand."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from grammar import unique_name

from . import sql
from .database import (
    Connection,
    DatabaseError,
    describe,
    drop_temporary,
    kind_of,
    make_temporary,
    query,
    tables,
    temporary,
)
from .settings import ProfileSettings

Listed: TypeAlias = Mapping[str, tuple[tuple[str, int], ...]]
"""For each column all its values with the number of rows that hold them, the most frequent first."""

_SEED = 1
_SLICE = 2048
_MARK = "tez: for the time of one look at a table"


@dataclass(frozen=True)
class Sample:
    """Rows of a table as an SQL source: all of them (`whole`), or some of many, always the same ones."""

    source: str
    rows: int
    whole: bool


def row_count(con: Connection, source: str) -> int:
    """Return how many rows a table has."""
    return int(query(con, f"SELECT count(*) FROM {source}")[0][0])


@contextmanager
def sample_of(con: Connection, source: str, rows: int, settings: ProfileSettings) -> Iterator[Sample]:
    """Give a table of up to `exact_rows` rows whole, of a larger one about `sample_rows`, while the block runs."""
    if rows <= settings.exact_rows:
        yield Sample(source, rows, whole=True)
        return
    with temporary_table(con, "sample", f"SELECT * FROM {_sampled(con, source, rows, settings)}") as sample:
        yield Sample(sample, row_count(con, sample), whole=False)


@contextmanager
def temporary_table(con: Connection, wanted: str, select: str) -> Iterator[str]:
    """Make a temporary table of a SELECT for the time of the block; gives its full quoted name."""
    name = unique_name(wanted, tables(con, everywhere=True))
    mark = f"{_MARK} ({name})"
    make_temporary(con, name, select, mark)
    try:
        yield temporary(name)
    finally:
        drop_temporary(con, mark)


def counts_sql(source: str, column: str, duckdb_type: str) -> str:
    """Return the query for the different filled values `v` of a column and the number `n` of rows with each."""
    cell = sql.letter_by_letter(sql.name(column)) if duckdb_type == "VARCHAR" else sql.name(column)
    counted = f"SELECT {cell} AS v, count(*) AS n FROM {source} GROUP BY 1"
    value = sql.text("v", duckdb_type) if kind_of(duckdb_type) == "text" else "v"
    return f"SELECT {value} AS v, n FROM ({counted}) WHERE {sql.filled('v', duckdb_type)}"


def given_counts_sql(counts: Sequence[tuple[str, int]]) -> str:
    """Return the query of `counts_sql` for values that are known already."""
    if not counts:
        return "SELECT CAST(NULL AS VARCHAR) AS v, CAST(NULL AS BIGINT) AS n WHERE FALSE"
    rows = ", ".join(f"({sql.literal(value)}, {int(count)})" for value, count in counts)
    return f"SELECT v, n FROM (VALUES {rows}) AS given (v, n)"


def listed_values(con: Connection, source: str, settings: ProfileSettings) -> Listed:
    """Return the values of those text columns that have few enough and none too long; exact, whatever the size.

    In a large table a column of which a sample shows too many values already is not looked at further.
    """
    texts = [(name, kind) for name, kind in describe(con, source) if kind_of(kind) == "text"]
    rows, most = row_count(con, source), settings.listed_values
    if texts and rows > settings.exact_rows:
        counts = ", ".join(f"count(DISTINCT {sql.value_of(sql.name(name), kind)})" for name, kind in texts)
        seen = query(con, f"SELECT {counts} FROM {_sampled(con, source, rows, settings)}")[0]
        texts = [column for column, values in zip(texts, seen, strict=True) if values <= most]
    listed: dict[str, tuple[tuple[str, int], ...]] = {}
    for name, kind in texts:
        counted = counts_sql(source, name, kind)
        values = query(con, f"{counted} ORDER BY n DESC, v ASC LIMIT {int(most) + 1}")
        if len(values) <= most and all(len(value) <= settings.listed_value_length for value, _ in values):
            listed[name] = tuple((value, int(count)) for value, count in values)
    return listed


def diverse(con: Connection, sample: Sample, columns: Sequence[str], settings: ProfileSettings) -> set[str]:
    """Return the columns that seem to have too many different values to count each of them."""
    if sample.whole or not columns:
        return set()
    counts = ", ".join(f"count(DISTINCT {sql.name(name)})" for name in columns)
    seen: tuple[Any, ...] = query(con, f"SELECT {counts} FROM {sample.source}")[0]
    return {name for name, values in zip(columns, seen, strict=True) if values > sample.rows * settings.diverse_share}


def _sampled(con: Connection, source: str, rows: int, settings: ProfileSettings) -> str:
    """Return what stands after FROM for about `sample_rows` rows: slices at even distances, the same ones every time.

    What has no row numbers, as a view, is sampled by DuckDB, which does not always take the same rows.
    """
    if not _has_row_numbers(con, source):
        percent = min(100.0, 100 * settings.sample_rows / rows)
        return f"{source} TABLESAMPLE system({percent:.6f} PERCENT) REPEATABLE ({_SEED})"
    slices = max(1, min(settings.sample_rows, rows) // _SLICE)
    width = min(_SLICE, settings.sample_rows)
    starts = [place * rows // slices for place in range(slices)]
    return f"{source} WHERE {' OR '.join(f'rowid BETWEEN {start} AND {start + width - 1}' for start in starts)}"


def _has_row_numbers(con: Connection, source: str) -> bool:
    """Return whether `rowid` means the number of a row here, not a column of that name."""
    if any(name.lower() == "rowid" for name, _ in describe(con, source)):
        return False
    try:
        query(con, f"SELECT rowid FROM {source} LIMIT 0")
    except DatabaseError:
        return False
    return True
