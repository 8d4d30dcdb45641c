"""Totals: what sum, count, avg, min, max, median and count_distinct mean, and group_and_total.

A total works on rows `k0, k1, ..., v`: the group keys (NULL where the cell is empty) and the value (likewise).
It never overflows: what is too large for the type becomes an empty cell and is counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from engine import sql
from grammar.effects import COUNT_NAME

from .order import alphabet, ascending
from .registry import Made, Note, Table, executes, unique_names

COUNTS = frozenset({"count", "count_distinct"})
_ADDS_UP = frozenset({"sum", "avg", "median"})
_COUNTS_EACH_ROW = _ADDS_UP | {"count"}
_SMALL_DECIMAL = 18
_SHORT = frozenset({"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT"})
_DECIMAL_WIDTH = 38
_LARGEST_SUM = {"HUGEINT": 1.7e38, "UHUGEINT": 1.7e38}
_LARGEST_DOUBLE = 1.7e308
_ROUNDING = 0.99


@dataclass(frozen=True)
class Value:
    """The value to total: its DuckDB type, and its column (None for counting rows)."""

    column: str | None
    duckdb_type: str


@dataclass(frozen=True)
class Total:
    """A total: the aggregate over `v`, the rows to take it from, and the notes."""

    aggregate: str
    source: str
    notes: list[Note]


@dataclass(frozen=True)
class _Counted:
    rows: int
    empty: int
    too_large: bool


@dataclass(frozen=True)
class RawRows:
    """Rows with text as it stands among their keys, and the condition over totals of them that a key is blank."""

    rows: str
    blank: str


@dataclass(frozen=True)
class Grouped:
    """One total per group: `source` has the rows `k0, k1, ..., v`; `left_out` counts the rows that were not wanted."""

    source: str
    notes: list[Note]
    left_out: int = 0


@executes("group_and_total", named=True)
def group_and_total(
    table: Table, *, agg: str, group_by: list[str] | None = None, value_column: str | None = None
) -> Made:
    """Total a column, or count rows, for each group or for the whole table; no rows give no row."""
    return totalled(table, list(dict.fromkeys(group_by or [])), value_column, agg)


def totalled(table: Table, groups: list[str], value_column: str | None, agg: str) -> Made:
    """Return the table of one total per group: the groups in ascending order, empty last, then the total."""
    value = value_of(table, value_column)
    rows, raw = rows_of(table, groups, value_column)
    grouped = grouped_totals(table, rows, len(groups), value, agg, raw=raw)
    keys = [f"k{number}" for number in range(len(groups))]
    names = [sql.name(name) for name in unique_names([*groups, total_name(value_column, agg)])]
    selected = [f"t.{part} AS {name}" for part, name in zip([*keys, "v"], names, strict=True)]
    ordered = ascending(table, groups, [f"t.{key}" for key in keys])
    select = f"SELECT {', '.join(selected)} FROM {grouped.source} AS t" + (f" ORDER BY {ordered}" if keys else "")
    return Made(select, grouped.notes)


def grouped_totals(
    table: Table,
    rows: str,
    keys: int,
    value: Value,
    agg: str,
    *,
    dated: bool = False,
    kept: bool = False,
    more: str = "",
    raw: RawRows | None = None,
) -> Grouped:
    """Return one total per group of rows `k0, ..., v`, from one scan wherever no sum can leave its type.

    `dated`: rows whose first key is empty are not wanted. `kept`: the totals are read more than once. `more` is one
    more aggregate, for evidence. `raw` are the rows with text as it stands among the keys: they are taken where no
    group turns out to be of blank text.
    """
    guarded = agg == "sum" and not _cannot_overflow(table, value) and _counted(table, rows, value, agg).too_large
    source = _guarded(rows, keys, value.duckdb_type) if guarded else rows
    listed = "".join(f"t.k{number}, " for number in range(keys))
    grouping = f"GROUP BY {listed[:-2]}" if keys else "HAVING count(*) > 0"
    counts = ""
    if table.evidence:
        counts = f", count(*) AS seen, count(t.{'raw' if guarded else 'v'}) AS filled" + (f", {more}" if more else "")

    def select(rows: str) -> str:
        return f"SELECT {listed}{aggregate(table, value, agg)} AS v{counts} FROM {rows} AS t {grouping}"

    totals = None
    if raw is not None and not guarded:
        totals = table.prepared(select(raw.rows))
        if table.query(f"SELECT count(*) FROM {totals} AS t WHERE {raw.blank}")[0][0]:
            totals = None
    if totals is None:
        totals = table.prepared(select(source)) if kept or table.evidence else f"({select(source)})"
    wanted = f"(SELECT * FROM {totals} WHERE k0 IS NOT NULL)" if dated else totals
    if not table.evidence:
        return Grouped(wanted, [])
    every, seen, filled, overflows = map(
        int,
        table.query(
            "SELECT coalesce(sum(seen), 0), coalesce(sum(seen) FILTER (WHERE wanted), 0), "
            "coalesce(sum(filled) FILTER (WHERE wanted), 0), "
            "count(*) FILTER (WHERE wanted AND v IS NULL AND filled > 0) "
            f"FROM (SELECT *, {'k0 IS NOT NULL' if dated else 'TRUE'} AS wanted FROM {totals})"
        )[0],
    )
    table.counted.told(every)
    return Grouped(wanted, _notes(table, value, agg, seen, filled, overflows), every - seen)


def _notes(table: Table, value: Value, agg: str, seen: int, filled: int, overflows: int) -> list[Note]:
    if not seen:
        return [{"note": "no_rows"}]
    if value.column is None:
        return []
    notes: list[Note] = []
    if filled < seen:
        notes.append({"note": "empty_left_out", "column": value.column, "cells": seen - filled})
    if overflows and agg in _ADDS_UP:
        notes.append({"note": "overflow", "column": value.column, "cells": overflows})
    if agg in _COUNTS_EACH_ROW:
        notes += repetition(table, value.column)
    return notes


def total_name(value_column: str | None, agg: str) -> str:
    """Return the name of the total's column before clashes are settled."""
    return COUNT_NAME if value_column is None or agg in COUNTS else value_column


def value_of(table: Table, value_column: str | None) -> Value:
    """Return the value that a column gives."""
    return Value(value_column, "BIGINT" if value_column is None else table.type(value_column))


def rows_of(
    table: Table, groups: list[str], value_column: str | None, *, first_key: str | None = None, more: str = ""
) -> tuple[str, RawRows | None]:
    """Return the rows of `projected`, and those with text as it stands where a large table has text among the keys."""
    rows = projected(table, groups, value_column, first_key=first_key, more=more)
    first = 0 if first_key is None else 1
    texts = [number for number, column in enumerate(groups, first) if table.kind(column) == "text"]
    if not texts or not table.prepares or table.most_rows <= table.settings.tools.copied_rows:
        return rows, None
    raw = projected(table, groups, value_column, first_key=first_key, more=more, as_they_are=True)
    blank = " OR ".join(
        f"(t.k{number} IS NOT NULL AND NOT {sql.filled(f't.k{number}', 'VARCHAR')})" for number in texts
    )
    return rows, RawRows(raw, blank)


def projected(
    table: Table,
    groups: list[str],
    value_column: str | None,
    *,
    first_key: str | None = None,
    more: str = "",
    as_they_are: bool = False,
) -> str:
    """Return the rows `k0, k1, ..., v` of a table, in brackets.

    `first_key` is an expression before the groups, `more` a column behind them. `as_they_are` leaves blank text in the
    groups.
    """
    raw = {column for column in groups if as_they_are and table.kind(column) == "text"}
    cells = [table.cell(column) if column in raw else table.value(column) for column in groups]
    keys = ([] if first_key is None else [first_key]) + cells
    parts = [f"{key} AS k{number}" for number, key in enumerate(keys)]
    value = "CAST(NULL AS BIGINT)" if value_column is None else table.value(value_column)
    parts.append(f"{value} AS v")
    return f"(SELECT {', '.join([*parts, more] if more else parts)} FROM {table.source} AS t)"


def total_of(table: Table, rows: str, keys: int, value: Value, agg: str) -> Total:
    """Return the total over rows `k0, ..., v`, after a look at them for empty cells and for sums that are too large."""
    counted = _counted(table, rows, value, agg)
    if not counted.rows:
        return Total(aggregate(table, value, agg), rows, [{"note": "no_rows"}])
    notes: list[Note] = []
    if value.column is not None and counted.empty:
        notes.append({"note": "empty_left_out", "column": value.column, "cells": counted.empty})
    total = Total(aggregate(table, value, agg), rows, notes)
    if counted.too_large:
        if _is_exact(value.duckdb_type) and agg == "sum":
            total = Total(total.aggregate, _guarded(rows, keys, value.duckdb_type), notes)
        cells = _overflows(table, total, rows, keys, value, agg)
        if cells:
            notes.append({"note": "overflow", "column": value.column, "cells": cells})
    return total


def repetition(table: Table, column: str) -> list[Note]:
    """Warn that the same cell of a column may be counted more than once, because a join repeated it."""
    return [{"note": "repeated_values", "column": column}] if table.state.column(column).repeated else []


def adding(table: Table, rows: str, value: Value) -> Callable[[str], str]:
    """Return what makes a cell the call of its sum over these rows: exact, or as DOUBLE where it might overflow."""
    if value.duckdb_type in sql.FLOATS or _counted(table, rows, value, "sum").too_large:
        return lambda cell: f"fsum(CAST({cell} AS DOUBLE))"
    return lambda cell: _exact_sum(cell, value.duckdb_type)


def _exact_sum(cell: str, duckdb_type: str) -> str:
    return f"sum(CAST({cell} AS HUGEINT))" if duckdb_type == "UHUGEINT" else f"sum({cell})"


def _counted(table: Table, rows: str, value: Value, agg: str) -> _Counted:
    """Count rows and empty cells, and say whether adding up could leave the type."""
    adds_up = agg in _ADDS_UP
    reach = "sum(abs(CAST(v AS DOUBLE)))" if adds_up else "NULL"
    rows_in, filled, bound = table.query(f"SELECT count(*), count(v), {reach} FROM {rows}")[0]
    limit = _limit(value.duckdb_type) if agg == "sum" else float("inf")
    return _Counted(rows_in, rows_in - filled, adds_up and bound is not None and not bound < limit)


def aggregate(table: Table, value: Value, agg: str, cell: str = "t.v") -> str:
    """Return the aggregate over cells that are NULL where they are empty; NULL where it is too large for a DOUBLE."""
    if value.column is None:
        return "count(*)"
    match agg:
        case "count":
            return f"count({cell})"
        case "count_distinct":
            return f"count(DISTINCT {cell})"
        case "min" | "max":
            letters = alphabet(table, value.column)
            return f"{agg}({cell})" if letters is None else f"arg_{agg}({cell}, row({letters.key(cell)}, {cell}))"
        case "median":
            return f"median({cell})" if value.duckdb_type in _SHORT else sql.finite(f"median(CAST({cell} AS DOUBLE))")
        case "avg":
            return sql.finite(f"avg({cell})" if _is_small(value.duckdb_type) else f"favg(CAST({cell} AS DOUBLE))")
        case _:
            if value.duckdb_type in sql.FLOATS:
                return sql.finite(f"fsum(CAST({cell} AS DOUBLE))")
            return _exact_sum(cell, value.duckdb_type)


def _is_exact(duckdb_type: str) -> bool:
    return duckdb_type not in sql.FLOATS


def _cannot_overflow(table: Table, value: Value) -> bool:
    """Return whether adding up cells of this type never fails; a sum of FLOAT or DOUBLE becomes infinite instead."""
    if value.duckdb_type in sql.FLOATS or _is_small(value.duckdb_type):
        return True
    shape = sql.decimal_shape(value.duckdb_type)
    return shape is not None and table.most_rows < Decimal(10) ** (_DECIMAL_WIDTH - shape[0]) / 2


def _is_small(duckdb_type: str) -> bool:
    """Return whether sums of this type cannot overflow, however many rows there are."""
    shape = sql.decimal_shape(duckdb_type)
    if shape is not None:
        return shape[0] <= _SMALL_DECIMAL
    return sql.is_integer(duckdb_type) and duckdb_type not in _LARGEST_SUM


def _limit(duckdb_type: str) -> float:
    """Return what a sum of absolute values must stay below so that no partial sum leaves the type of the sum."""
    if _is_small(duckdb_type) or duckdb_type in sql.FLOATS:
        return float("inf")
    shape = sql.decimal_shape(duckdb_type)
    if shape is not None:
        return float(Decimal(10) ** (_DECIMAL_WIDTH - shape[1])) * _ROUNDING
    return _LARGEST_SUM[duckdb_type] * _ROUNDING


def adding_up_limit(value: Value, agg: str) -> float:
    """Return the size below which two totals can be subtracted without leaving their type."""
    if agg in COUNTS:
        return _LARGEST_SUM["HUGEINT"] * _ROUNDING
    if agg in ("avg", "median") or (agg not in COUNTS and value.duckdb_type in sql.FLOATS):
        return _LARGEST_DOUBLE
    duckdb_type = "HUGEINT" if agg in COUNTS else value.duckdb_type
    return min(_limit(duckdb_type), _LARGEST_SUM["HUGEINT"] * _ROUNDING)


def _guarded(rows: str, keys: int, duckdb_type: str) -> str:
    """Return the rows with the value left out in every group whose sum may be too large for its type."""
    groups = ", ".join(f"k{number}" for number in range(keys))
    window = f"PARTITION BY {groups}" if groups else ""
    limit = sql.literal(_limit(duckdb_type))
    bound = f"SELECT *, v AS raw, sum(abs(CAST(v AS DOUBLE))) OVER ({window}) AS bound FROM {rows}"
    return f"(SELECT * REPLACE (CASE WHEN bound < {limit} THEN v END AS v) FROM ({bound}))"


def _overflows(table: Table, total: Total, rows: str, keys: int, value: Value, agg: str) -> int:
    """Count the groups that have filled cells but no total."""
    listed = "".join(f"t.k{number}, " for number in range(keys))
    grouped = f"GROUP BY {listed[:-2]}" if listed else ""
    if total.source != rows:
        limit = sql.literal(_limit(value.duckdb_type))
        inner = f"SELECT sum(abs(CAST(t.v AS DOUBLE))) AS bound FROM {rows} AS t {grouped}"
        return int(table.query(f"SELECT count(*) FROM ({inner}) WHERE bound >= {limit}")[0][0])
    inner = f"SELECT {total.aggregate} AS total, count(t.v) AS filled FROM {rows} AS t {grouped}"
    return int(table.query(f"SELECT count(*) FROM ({inner}) WHERE total IS NULL AND filled > 0")[0][0])
