"""Tools that keep, drop or order rows. Whatever stays keeps the table's own order, except where the tool orders."""

from typing import Any

from .conditions import matching
from .order import with_rank
from .registry import Made, Note, Table, cleaning_report, executes, plain
from .totals import totalled

_KEEPS_EMPTY = frozenset({"!=", "not_in"})
_ABOUT_EMPTY = frozenset({"is_empty", "not_empty"})
_LARGEST_LIMIT = 2**63 - 1


@executes("filter", lazy="in_order", named=True)
def filter_rows(table: Table, *, column: str, op: str, value: Any = None, values: list[Any] | None = None) -> Made:
    """Keep the rows that match; `!=` and `not_in` keep empty cells."""
    condition = matching(table, column, op, value, values)
    return _kept(table, condition.where, condition.notes, column if op in _KEEPS_EMPTY else None)


@executes("remove_rows", lazy="in_order", named=True)
def remove_rows(table: Table, *, column: str, op: str, value: Any = None, values: list[Any] | None = None) -> Made:
    """Remove the rows that filter would keep, and keep all others."""
    condition = matching(table, column, op, value, values)
    keeps_empty = op not in _KEEPS_EMPTY and op not in _ABOUT_EMPTY
    return _kept(table, f"NOT {condition.sql}", condition.notes, column if keeps_empty else None)


@executes("sort", lazy="reordered", named=True)
def sort(table: Table, *, by: str, descending: bool) -> Made:
    """Order all rows; empty cells last either way, equal ones in the table's own order."""
    source, place = table.numbered()
    ranked, rank = with_rank(table, source, by)
    order = f"{rank} {'DESC' if descending else 'ASC'} NULLS LAST, {place} ASC"
    return Made(f"SELECT {table.select_list()} FROM {ranked} ORDER BY {order}", rows=table.counted)


@executes("top_n", named=True)
def top_n(table: Table, *, by: str, n: int, descending: bool, group: dict[str, Any] | None = None) -> Made:
    """Keep the first n rows by a column; with `group`, total each group first and rank the groups."""
    if group is None:
        return _ranked(table, by, n, descending)
    groups = list(dict.fromkeys(group["columns"]))
    grouped = totalled(table, groups, by, group["agg"])
    over = table.over(grouped.select)
    ranked = _ranked(over, list(over.columns)[-1], n, descending)
    return Made(ranked.select, grouped.notes + ranked.notes)


@executes("remove_duplicates", named=True)
def remove_duplicates(table: Table, *, columns: list[str] | None = None) -> Made:
    """Keep the first of the rows that are the same in these columns or in all; empty cells are the same."""
    source, place = table.numbered()
    keys = [table.value(column) for column in dict.fromkeys(columns or table.columns)]
    firsts = f"SELECT min({place}) AS first FROM {source} AS t GROUP BY {', '.join(keys)}"
    prepared = table.prepared(firsts)
    select = (
        f"SELECT {table.select_list()} FROM {source} AS t "
        f"WHERE {place} IN (SELECT first FROM {prepared}) ORDER BY {place} ASC"
    )
    if not table.evidence:
        return Made(select)
    distinct = int(table.query(f"SELECT count(*) FROM {prepared}")[0][0])
    removed = table.rows - distinct
    named = {} if columns is None else {"columns": list(dict.fromkeys(columns))}
    report = cleaning_report(None, removed, distinct, **named)
    return Made(select, [{"note": "duplicates", "rows": removed}] if removed else [], [report], distinct)


def _kept(table: Table, condition: str, notes: list[Note], empty: str | None) -> Made:
    """Return the rows that fulfil a condition; `empty` is the column whose empty cells are kept with them."""
    select = f"SELECT {table.select_list()} FROM {table.source} AS t WHERE {condition}"
    if empty is None or not table.evidence:
        return Made(select, notes)
    cells, kept = table.tally(f"NOT {table.filled(empty)}", condition)
    note = {"note": "empty_kept", "column": empty, "cells": cells}
    return Made(select, notes + ([note] if cells else []), rows=kept)


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
    if not table.evidence:
        return []
    source, rank = with_rank(table, table.source, by)
    way, last = ("DESC", "min") if descending else ("ASC", "max")
    top = f"SELECT {rank} AS r FROM {source} ORDER BY r {way} NULLS LAST LIMIT {n}"
    before = table.query(
        f"WITH top AS MATERIALIZED ({top}), cut AS (SELECT {last}(r) AS r FROM top HAVING count(r) = count(*)) "
        "SELECT count(*) FROM top, cut WHERE top.r = cut.r"
    )[0][0]
    if not before:
        return []
    same = f"{rank} = (SELECT {last}(r) FROM ({top}))"
    value = f"any_value({table.value(by)})"
    if table.counted.known:
        ties, at_cut = table.query(f"SELECT count(*), {value} FROM {source} WHERE {same}")[0]
    else:
        found = f"count(*) FILTER (WHERE {same}), {value} FILTER (WHERE {same})"
        rows, ties, at_cut = table.query(f"SELECT count(*), {found} FROM {source}")[0]
        table.counted.told(rows)
    note = {"note": "ties_at_cut", "column": by, "value": plain(at_cut), "rows": ties - before}
    return [note] if ties > before else []
