"""Tools that clean one column: each says how many cells it changed."""

from decimal import Decimal
from typing import Any

from engine import sql
from grammar import ToolError

from .conditions import moment
from .registry import Made, Table, cleaning_report, executes, plain
from .totals import projected, total_of, value_of


@executes("fill_empty", named=True)
def fill_empty(table: Table, *, column: str, method: str, value: Any = None) -> Made:
    """Fill the empty cells of a column and say how many; those that nothing can fill stay empty."""
    if method == "previous":
        source, place = table.numbered()
        before = f"last_value({table.value(column)} IGNORE NULLS) OVER (ORDER BY {place} ASC ROWS UNBOUNDED PRECEDING)"
        select = f"SELECT {table.select_list({column: before})} FROM {source} AS t ORDER BY {place} ASC"
        left = table.query(f"SELECT count(*) FROM (SELECT {before} AS v FROM {source} AS t) WHERE v IS NULL")[0][0]
        return _filled(table, column, method, select, int(left))
    if method == "value":
        filling = _given(table, column, value)
    elif method == "most_common":
        filling = _most_common(table, column)
    else:
        filling = _average(table, column, "avg" if method == "mean" else method)
    if filling is None:
        return _filled(table, column, method, _replaced(table, column, table.value(column)), None)
    duckdb_type, text = filling
    filled = f"coalesce(CAST({table.value(column)} AS {duckdb_type}), CAST({text} AS {duckdb_type}))"
    given = table.query(f"SELECT CAST({text} AS {duckdb_type})")[0][0]
    return _filled(table, column, method, _replaced(table, column, filled), 0, plain(given))


def _given(table: Table, column: str, value: Any) -> tuple[str, str] | None:
    """Return the type that the column takes and the value as SQL; None for blank text."""
    duckdb_type, kind = table.type(column), table.kind(column)
    if kind == "text":
        return (duckdb_type, sql.literal(str(value))) if str(value).strip(sql.BLANKS) else None
    if kind == "date":
        return duckdb_type, sql.literal(moment(column, value))
    if kind == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        number = Decimal(repr(value))
        return sql.widened(duckdb_type, number), sql.literal(number)
    if kind == "boolean" and isinstance(value, bool):
        return duckdb_type, sql.literal(value)
    raise ToolError("wrong_kind", argument="value", found=value, allowed=[kind])


def _most_common(table: Table, column: str) -> tuple[str, str] | None:
    source, place = table.numbered()
    most_common = (
        f"SELECT {table.value(column)} AS v FROM {source} AS t WHERE {table.filled(column)} "
        f"GROUP BY 1 ORDER BY count(*) DESC, min({place}) ASC LIMIT 1"
    )
    if not table.query(most_common):
        return None
    return table.type(column), f"({most_common})"


def _average(table: Table, column: str, agg: str) -> tuple[str, str] | None:
    total = total_of(table, projected(table, [], column), 0, value_of(table, column), agg)
    average = table.query(f"SELECT {total.aggregate} FROM {total.source} AS t")[0][0]
    if average is None:
        return None
    number, duckdb_type = Decimal(repr(average)), table.type(column)
    return (duckdb_type if sql.holds(duckdb_type, number) else "DOUBLE"), sql.literal(number)


def _filled(table: Table, column: str, method: str, select: str, left: int | None, value: Any = None) -> Made:
    """Return what a filling makes, with how many cells were filled and are left empty (`left` None: all of them)."""
    empty = table.count(f"NOT {table.filled(column)}")
    remaining = empty if left is None else left
    changed = empty - remaining
    more = {} if value is None else {"value": value}
    report = cleaning_report(column, changed, remaining, method=method, **more)
    note = {"note": "filled", "column": column, "cells": changed, "left": remaining}
    return Made(select, [note] if empty else [], [report])


def _replaced(table: Table, column: str, expression: str) -> str:
    return f"SELECT {table.select_list({column: expression})} FROM {table.source} AS t"
