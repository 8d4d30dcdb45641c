"""Tools that keep, drop or order rows. Whatever stays keeps the table's own order, except where the tool orders."""

from typing import Any

from engine import sql

from .conditions import Condition, matching
from .order import with_rank
from .registry import Made, Note, Table, cleaning_report, executes, plain, unique_names
from .totals import totalled

_KEEPS_EMPTY = frozenset({"!=", "not_in"})
_ABOUT_EMPTY = frozenset({"is_empty", "not_empty"})
_LARGEST_LIMIT = 2**63 - 1


@executes("filter")
def filter_rows(table: Table, *, column: str, op: str, value: Any = None, values: list[Any] | None = None) -> Made:
    """Keep the rows that match; `!=` and `not_in` keep empty cells."""
    condition = matching(table, column, op, value, values)
    notes = condition.notes + (_empty_kept(table, column) if op in _KEEPS_EMPTY else [])
    return Made(_kept(table, condition.sql), notes)


@executes("remove_rows")
def remove_rows(table: Table, *, column: str, op: str, value: Any = None, values: list[Any] | None = None) -> Made:
    """Remove the rows that filter would keep, and keep all others."""
    condition: Condition = matching(table, column, op, value, values)
    keeps_empty = op not in _KEEPS_EMPTY and op not in _ABOUT_EMPTY
    notes = condition.notes + (_empty_kept(table, column) if keeps_empty else [])
    return Made(_kept(table, f"NOT {condition.sql}"), notes)


@executes("sort")
def sort(table: Table, *, by: str, descending: bool) -> Made:
    """Order all rows; empty cells last either way, equal ones in the table's own order."""
    source, place = table.numbered()
    ranked, rank = with_rank(table, source, by)
    order = f"{rank} {'DESC' if descending else 'ASC'} NULLS LAST, {place} ASC"
    return Made(f"SELECT {table.select_list()} FROM {ranked} ORDER BY {order}")


@executes("top_n")
def top_n(table: Table, *, by: str, n: int, descending: bool, group: dict[str, Any] | None = None) -> Made:
    """Keep the first n rows by a column; with `group`, total each group first and rank the groups."""
    if group is None:
        return _ranked(table, by, n, descending)
    groups = list(dict.fromkeys(group["columns"]))
    grouped = totalled(table, groups, by, group["agg"])
    over = table.over(grouped.select)
    ranked = _ranked(over, list(over.columns)[-1], n, descending)
    return Made(ranked.select, grouped.notes + ranked.notes)


@executes("remove_duplicates")
def remove_duplicates(table: Table, *, columns: list[str] | None = None) -> Made:
    """Keep the first of the rows that are the same in these columns or in all; empty cells are the same."""
    keys = [table.value(column) for column in dict.fromkeys(columns or table.columns)]
    names = [sql.name(name) for name in unique_names(["key"] * len(keys))]
    aliased = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
    distinct = table.query(f"SELECT count(*) FROM (SELECT DISTINCT {aliased} FROM {table.source} AS t)")[0][0]
    source, place = table.numbered()
    select = (
        f"SELECT {table.select_list()} FROM {source} AS t "
        f"QUALIFY row_number() OVER (PARTITION BY {', '.join(keys)} ORDER BY {place} ASC) = 1 ORDER BY {place} ASC"
    )
    removed = table.rows - int(distinct)
    named = {} if columns is None else {"columns": list(dict.fromkeys(columns))}
    report = cleaning_report(None, removed, table.rows - removed, **named)
    return Made(select, [{"note": "duplicates", "rows": removed}] if removed else [], [report])


def _kept(table: Table, condition: str) -> str:
    return f"SELECT {table.select_list()} FROM {table.source} AS t WHERE {condition}"


def _empty_kept(table: Table, column: str) -> list[Note]:
    cells = table.count(f"NOT {table.filled(column)}")
    return [{"note": "empty_kept", "column": column, "cells": cells}] if cells else []


def _ranked(table: Table, by: str, n: int, descending: bool) -> Made:
    source, place = table.numbered()
    limit = min(n, _LARGEST_LIMIT)
    ranked, rank = with_rank(table, source, by)
    select = (
        f"SELECT {table.select_list()} FROM {ranked} "
        f"ORDER BY {rank} {'DESC' if descending else 'ASC'} NULLS LAST, {place} ASC LIMIT {limit}"
    )
    return Made(select, _ties(table, by, limit, descending))


def _ties(table: Table, by: str, n: int, descending: bool) -> list[Note]:
    """Say how many rows beyond the cut have the same value as the last row before it."""
    if n >= table.rows:
        return []
    source, rank = with_rank(table, table.source, by)
    rows = table.query(
        f"WITH ranked AS (SELECT {rank} AS r, {table.value(by)} AS v FROM {source}), "
        f"top AS (SELECT r FROM ranked ORDER BY r {'DESC' if descending else 'ASC'} NULLS LAST LIMIT {n}), "
        f"cut AS (SELECT {'min' if descending else 'max'}(r) AS r FROM top HAVING count(r) = count(*)) "
        "SELECT (SELECT any_value(v) FROM ranked WHERE r = cut.r), "
        "(SELECT count(*) FROM ranked WHERE r = cut.r) - (SELECT count(*) FROM top WHERE r = cut.r) FROM cut"
    )
    if not rows or not rows[0][1]:
        return []
    return [{"note": "ties_at_cut", "column": by, "value": plain(rows[0][0]), "rows": rows[0][1]}]
