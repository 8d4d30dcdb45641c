"""period_compare: a total for each day, week, month, quarter or year beside the one of the period before.

Works on rows `p, k0, k1, ..., v`: the start of the period, the groups and the value. Weeks are ISO weeks, they start
on Monday. Every period between a group's first and last is there, also one without rows.
"""

from dataclasses import dataclass
from datetime import date

from engine import sql
from grammar import ToolError

from .order import ascending
from .registry import Made, Note, Table, executes, plain, unique_names
from .totals import COUNTS, Value, adding_up_limit, grouped_totals, rows_of, total_name, value_of

_STEPS = {"day": "1 DAY", "week": "7 DAYS", "month": "1 MONTH", "quarter": "3 MONTHS", "year": "1 YEAR"}
_NAMES = ("previous", "change", "change_percent")
_SMALLEST_SAFE = 1e-200
_FIRST_YEAR, _LAST_YEAR = -290_000, 294_000


@dataclass(frozen=True)
class _Spans:
    """What lies between first and last period of the groups: how many periods, how many rows of totals, the bounds."""

    periods: int
    totals: int
    first: object
    last: object
    largest: float
    smallest: float


@executes("period_compare", named=True)
def period_compare(
    table: Table,
    *,
    date_column: str,
    period: str,
    agg: str,
    value_column: str | None = None,
    group_by: list[str] | None = None,
) -> Made:
    """Total each period and compare it with the one before; change in percent from zero is empty."""
    groups = list(dict.fromkeys(group_by or []))
    value = value_of(table, value_column)
    day = _day(table, date_column)
    rows, raw = rows_of(table, groups, value_column, first_key=_start(day, period), more=f"{day} AS day")
    last = "max(t.day) AS last"
    grouped = grouped_totals(table, rows, len(groups) + 1, value, agg, dated=True, kept=True, more=last, raw=raw)
    notes: list[Note] = []
    if grouped.left_out:
        notes.append({"note": "empty_left_out", "column": date_column, "cells": grouped.left_out})
    notes += grouped.notes
    keys = [f"k{number + 1}" for number in range(len(groups))]
    listed = "".join(f", {key}" for key in keys)
    totals = f"SELECT k0 AS p{listed}, v FROM {grouped.source}"
    spans = _spans(table, totals, listed, period)
    limit = table.settings.tools.periods
    if spans.periods > limit:
        raise ToolError(
            "too_many_periods",
            argument="period",
            found=spans.periods,
            limit=limit,
            column=date_column,
            first=plain(spans.first),
            last=plain(spans.last),
        )
    if spans.periods > spans.totals:
        notes.append({"note": "empty_periods", "periods": spans.periods - spans.totals})
    compared = _compared(totals, keys, period, value, agg)
    if table.evidence:
        notes += _overflows(table, compared, spans, value, agg)
        notes += _growth_from_zero(table, compared)
        notes += _incomplete(table, grouped.source, period)
    names = unique_names(["period", *groups, total_name(value_column, agg), *_NAMES])
    made = ["p", *keys, "v", *_NAMES]
    selected = ", ".join(f"t.{part} AS {sql.name(name)}" for part, name in zip(made, names, strict=True))
    ordered = "".join(f", {part}" for part in [ascending(table, groups, [f"t.{key}" for key in keys])] if part)
    return Made(f"SELECT {selected} FROM ({compared}) AS t ORDER BY t.p ASC NULLS LAST{ordered}", notes)


def _day(table: Table, date_column: str) -> str:
    day = table.value(date_column)
    return day if table.type(date_column) == "DATE" else f"TRY_CAST({day} AS DATE)"


def _start(day: str, period: str) -> str:
    """Return the start of the period that a day lies in, NULL without a day.

    One so far off that DuckDB cannot count periods around it (a TIMESTAMP ends there) counts as none.
    """
    inside = f"year({day}) BETWEEN {_FIRST_YEAR} AND {_LAST_YEAR}"
    return f"(CASE WHEN {inside} THEN TRY(CAST(date_trunc({sql.literal(period)}, {day}) AS DATE)) END)"


def _growth_from_zero(table: Table, compared: str) -> list[Note]:
    """Say how often a change has no percent because the period before was zero."""
    cells = table.query(f"SELECT count(*) FROM ({compared}) WHERE previous = 0 AND v IS NOT NULL")[0][0]
    return [{"note": "growth_from_zero", "cells": cells}] if cells else []


def _incomplete(table: Table, totals: str, period: str) -> list[Note]:
    """Say that the last period is not over: today lies in it, or more days without rows end it than any before."""
    today = sql.literal(date.today())
    rows = table.query(
        f"WITH lasts AS (SELECT k0 AS p, max(last) AS last FROM {totals} GROUP BY 1), "
        f"ends AS (SELECT p, last, TRY(CAST(p + INTERVAL {_STEPS[period]} AS DATE)) AS until FROM lasts "
        "WHERE p IS NOT NULL), "
        "gaps AS (SELECT *, date_diff('day', last, until) AS gap FROM ends) "
        f"SELECT p, last FROM gaps AS g WHERE p = (SELECT max(p) FROM gaps) AND ((p <= {today} AND {today} < until) "
        "OR gap > (SELECT max(gap) FROM gaps AS before WHERE before.p < g.p))"
    )
    return [{"note": "incomplete_period", "period": plain(p), "last": plain(last)} for p, last in rows]


def _spans(table: Table, totals: str, listed: str, period: str) -> _Spans:
    grouped = f"GROUP BY {listed[2:]}" if listed else "HAVING count(*) > 0"
    spans = (
        "SELECT min(p) AS lo, max(p) AS hi, count(*) AS n, max(abs(CAST(v AS DOUBLE))) AS largest, "
        f"min(nullif(abs(CAST(v AS DOUBLE)), 0)) AS smallest FROM ({totals}) {grouped}"
    )
    row = table.query(
        f"SELECT coalesce(sum(date_diff({sql.literal(period)}, lo, hi) + 1), 0), coalesce(sum(n), 0), min(lo), "
        f"max(hi), coalesce(max(largest), 0), coalesce(min(smallest), 1) FROM ({spans})"
    )[0]
    return _Spans(int(row[0]), int(row[1]), *row[2:])


def _compared(totals: str, keys: list[str], period: str, value: Value, agg: str) -> str:
    listed = "".join(f", {key}" for key in keys)
    joined = "periods.p = totals.p" + "".join(f" AND periods.{k} IS NOT DISTINCT FROM totals.{k}" for k in keys)
    grouped = f"GROUP BY {listed[2:]}" if keys else "HAVING count(*) > 0"
    partition = f"PARTITION BY {listed[2:]} " if keys else ""
    total = "coalesce(totals.v, 0)" if agg in COUNTS else "totals.v"
    number = _change_type(value, agg)
    change = f"TRY(CAST(v AS {number}) - CAST(previous AS {number}))" if number else "TRY(v - previous)"
    percent = "100 * CAST(change AS DOUBLE) / nullif(CAST(previous AS DOUBLE), 0)"
    return (
        f"WITH totals AS ({totals}), "
        f"spans AS (SELECT min(p) AS lo, max(p) AS hi{listed} FROM totals {grouped}), "
        "periods AS (SELECT CAST(unnest(generate_series(CAST(lo AS TIMESTAMP), CAST(hi AS TIMESTAMP), "
        f"INTERVAL {_STEPS[period]})) AS DATE) AS p{listed} FROM spans), "
        f"complete AS (SELECT periods.p{''.join(f', periods.{key}' for key in keys)}, {total} AS v "
        f"FROM periods LEFT JOIN totals ON {joined}), "
        f"paired AS (SELECT *, lag(v) OVER ({partition}ORDER BY p ASC) AS previous FROM complete), "
        f"changed AS (SELECT *, {sql.finite(change) if number == 'DOUBLE' else change} AS change FROM paired) "
        f"SELECT *, {sql.finite(percent)} AS change_percent FROM changed"
    )


def _change_type(value: Value, agg: str) -> str | None:
    """Return the type in which to subtract; None: as it is."""
    if agg in COUNTS or value.column is None:
        return "HUGEINT"
    if agg in ("avg", "median") or value.duckdb_type in sql.FLOATS:
        return "DOUBLE"
    return "HUGEINT" if sql.is_integer(value.duckdb_type) else None


def _overflows(table: Table, compared: str, spans: _Spans, value: Value, agg: str) -> list[Note]:
    """Count changes that are too large for a number; looked at only where the totals come near the bounds."""
    if 2 * spans.largest < adding_up_limit(value, agg) and spans.smallest > _SMALLEST_SAFE:
        return []
    notes: list[Note] = []
    for column, filled in (("change", "previous IS NOT NULL"), ("change_percent", "previous <> 0")):
        condition = f"{column} IS NULL AND v IS NOT NULL AND {filled}"
        cells = table.query(f"SELECT count(*) FROM ({compared}) WHERE {condition}")[0][0]
        if cells:
            notes.append({"note": "overflow", "column": column, "cells": cells})
    return notes
