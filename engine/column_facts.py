"""Facts about the columns of a table: cells, different values, range, mean, frequent values.

A column with few different values is counted, and everything about it is exact. Those with many are described
together in one look at all rows, by sketches where counting would cost too much; such facts are named in `approximate`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from grammar.state import Kind

from . import sql
from .database import Connection, describe, kind_of, query
from .settings import ProfileSettings
from .value_counts import Sample, counts_sql

_MEAN_FIGURES = 12
_ORDERED = ("number", "date", "boolean")


class Described(NamedTuple):
    """A column as DuckDB describes it."""

    name: str
    kind: Kind
    type: str


@dataclass(frozen=True)
class ColumnFacts:
    """What a column holds.

    `low` and `high` are the least and greatest number or date, `shortest` and `longest` the lengths of texts in
    characters, `frequent` the values that stand in the most rows. `approximate` names the facts that are estimates.
    """

    column: str
    kind: Kind
    type: str
    filled: int
    empty: int
    distinct: int
    low: Any = None
    high: Any = None
    mean: float | None = None
    shortest: int | None = None
    longest: int | None = None
    frequent: tuple[tuple[Any, int], ...] = ()
    approximate: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the facts as JSON has them."""
        return {
            "column": self.column,
            "kind": self.kind,
            "type": self.type,
            "filled": self.filled,
            "empty": self.empty,
            "distinct": self.distinct,
            "min": self.low,
            "max": self.high,
            "mean": self.mean,
            "shortest": self.shortest,
            "longest": self.longest,
            "frequent": [{"value": value, "rows": rows} for value, rows in self.frequent],
            "approximate": list(self.approximate),
        }


def described(con: Connection, source: str) -> list[Described]:
    """Return the columns of a table in order."""
    return [Described(name, kind_of(kind), kind) for name, kind in describe(con, source)]


def counted_facts(con: Connection, column: Described, counts: str, rows: int, settings: ProfileSettings) -> ColumnFacts:
    """Return the exact facts of a column of so many rows, of which `counts` is the query for `v` and `n`."""
    low, high = ("min(v)", "max(v)") if column.kind in _ORDERED else ("NULL", "NULL")
    mean = "sum(CAST(v AS DOUBLE) * n) / sum(n)" if column.kind == "number" else "NULL"
    shortest, longest = ("min(length(v))", "max(length(v))") if column.kind == "text" else ("NULL", "NULL")
    first = f"SELECT v, n FROM c WHERE n > 1 ORDER BY n DESC, v ASC LIMIT {int(settings.frequent_values)}"
    frequent = f"SELECT list({{'v': v, 'n': n}} ORDER BY n DESC, v ASC) FROM ({first})"
    row = query(
        con,
        f"WITH c AS MATERIALIZED ({counts}) SELECT coalesce(sum(n), 0), count(*), {low}, {high}, {mean}, {shortest}, "
        f"{longest}, ({frequent}) FROM c",
    )[0]
    filled, distinct, least, most, average, shorter, longer, often = row
    return ColumnFacts(
        column.name,
        column.kind,
        column.type,
        int(filled),
        rows - int(filled),
        int(distinct),
        least,
        most,
        _steady(average),
        shorter,
        longer,
        tuple((each["v"], each["n"]) for each in often or ()),
    )


def sketched_facts(
    con: Connection, source: str, columns: Sequence[Described], rows: int, sample: Sample, settings: ProfileSettings
) -> dict[str, ColumnFacts]:
    """Return the facts of columns with many different values: one look at all rows, frequent values by the sample."""
    if not columns:
        return {}
    wanted = [each for column in columns for each in _sketches(column)]
    row = query(con, f"SELECT {', '.join(wanted)} FROM {source}")[0]
    width = len(wanted) // len(columns)
    found = {}
    for place, column in enumerate(columns):
        filled, distinct, low, high, mean, shortest, longest, unblank = row[place * width : (place + 1) * width]
        if unblank is False:
            filled = _filled_texts(con, source, column)
        frequent = _frequent_in_sample(con, column, rows, sample, settings)
        found[column.name] = ColumnFacts(
            column.name,
            column.kind,
            column.type,
            filled,
            rows - filled,
            min(distinct, filled),
            low,
            high,
            _steady(mean),
            shortest,
            longest,
            frequent,
            ("distinct", "frequent") if frequent else ("distinct",),
        )
    return found


def _steady(mean: float | None) -> float | None:
    """Return a mean without its last figures, which depend on the order in which the numbers were added up."""
    return None if mean is None else float(f"{mean:.{_MEAN_FIGURES}g}")


def _sketches(column: Described) -> list[str]:
    """Return the aggregates for filled cells, different values, range, mean, lengths, and whether no text is blank."""
    cell = sql.name(column.name)
    if column.kind == "text":
        text = sql.text(cell, column.type)
        lengths = [f"min(length({text}))", f"max(length({text}))"]
        unblank = f"bool_and({sql.starts_unblank(cell)})" if column.type == "VARCHAR" else "NULL"
        return [f"count({cell})", f"approx_count_distinct({cell})", "NULL", "NULL", "NULL", *lengths, unblank]
    value = sql.value_of(cell, column.type)
    low, high = (f"min({value})", f"max({value})") if column.kind in _ORDERED else ("NULL", "NULL")
    mean = f"avg(CAST({value} AS DOUBLE))" if column.kind == "number" else "NULL"
    return [f"count({value})", f"approx_count_distinct({value})", low, high, mean, "NULL", "NULL", "NULL"]


def _filled_texts(con: Connection, source: str, column: Described) -> int:
    value = sql.value_of(sql.name(column.name), column.type)
    return int(query(con, f"SELECT count({value}) FROM {source}")[0][0])


def _frequent_in_sample(
    con: Connection, column: Described, rows: int, sample: Sample, settings: ProfileSettings
) -> tuple[tuple[Any, int], ...]:
    """Return the values that hold a share of the sample, with the rows of the table that this stands for."""
    least, counts = sample.rows * settings.frequent_share, counts_sql(sample.source, column.name, column.type)
    found = query(con, f"{counts} AND n >= {least} ORDER BY n DESC, v ASC LIMIT {int(settings.frequent_values)}")
    return tuple((value, round(count * rows / sample.rows)) for value, count in found)
