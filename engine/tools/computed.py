"""Tools that add a column calculated from others: a number wherever there is one, and an empty cell elsewhere."""

from engine import sql

from .registry import ROW, Made, Note, Table, executes, unique_names
from .totals import adding, projected, value_of

_SHARE = "share"


@executes("add_share")
def add_share(table: Table, *, value_column: str, group_by: list[str] | None = None) -> Made:
    """Add each row's percent of the total of a column, or of its group's total; of a total of zero there is none."""
    groups = list(dict.fromkeys(group_by or []))
    rows = projected(table, groups, value_column)
    total = adding(table, rows, value_of(table, value_column))
    v, whole = (sql.name(name) for name in unique_names([*table.columns, "place", "v", "whole"])[-2:])
    source, place = table.numbered() if groups else (table.source, "")
    inner = f"SELECT {ROW}.*, {table.value(value_column)} AS {v} FROM {source} AS {ROW}"
    if groups:
        keys = ", ".join(table.value(column) for column in groups)
        of_group = f"{total(f'{ROW}.{v}')} OVER (PARTITION BY {keys})"
    else:
        of_group = f"(SELECT {total(f'{ROW}.v')} FROM {rows} AS {ROW})"
    share = _percent(f"{ROW}.{v}", f"{ROW}.{whole}")
    listed, name = added(table, share, _SHARE)
    select = f"SELECT {listed} FROM (SELECT {ROW}.*, {of_group} AS {whole} FROM ({inner}) AS {ROW}) AS {ROW}"
    if groups:
        select += f" ORDER BY {place} ASC"
    return Made(select, _share_notes(table, rows, len(groups), total(f"{ROW}.v"), value_column, name, select))


def added(table: Table, cell: str, wanted: str) -> tuple[str, str]:
    """Return the list for a SELECT of all columns and a new one, and the new one's name, clashes settled."""
    *names, name = unique_names([*table.columns, wanted])
    parts = [f"{ROW}.{sql.name(column)} AS {sql.name(kept)}" for column, kept in zip(table.columns, names, strict=True)]
    return ", ".join([*parts, f"{cell} AS {sql.name(name)}"]), name


def _percent(value: str, whole: str) -> str:
    """Return the percent as DOUBLE, NULL where there is none; divided first only where the other way overflows."""
    number, divisor = f"CAST({value} AS DOUBLE)", f"nullif({sql.finite(f'CAST({whole} AS DOUBLE)')}, 0)"
    return f"coalesce({sql.finite(f'100 * {number} / {divisor}')}, {sql.finite(f'{number} / {divisor} * 100')})"


def _share_notes(
    table: Table, rows: str, keys: int, total: str, value_column: str, name: str, select: str
) -> list[Note]:
    """Say which rows got no share and why, and that there are negative values."""
    if not table.rows:
        return [{"note": "no_rows"}]
    listed = ", ".join(f"{ROW}.k{number}" for number in range(keys))
    grouped = (
        f"SELECT CAST({total} AS DOUBLE) AS whole, count({ROW}.v) AS filled, count(*) AS n, "
        f"count(*) FILTER ({ROW}.v < 0) AS negative, max(abs(CAST({ROW}.v AS DOUBLE))) AS largest "
        f"FROM {rows} AS {ROW}" + (f" GROUP BY {listed}" if listed else "")
    )
    empty, of_zero, negative, far = table.query(
        "SELECT sum(n - filled), coalesce(sum(filled) FILTER (whole = 0), 0), sum(negative), "
        f"bool_or(filled > 0 AND whole <> 0 AND NOT isfinite(largest / abs(whole) * 100 + whole)) FROM ({grouped})"
    )[0]
    notes: list[Note] = []
    if empty:
        notes.append({"note": "empty_left_out", "column": value_column, "cells": int(empty)})
    if of_zero:
        notes.append({"note": "share_of_zero", "column": name, "cells": int(of_zero)})
    if far:
        shared = f"SELECT count({ROW}.{sql.name(name)}) FROM ({select}) AS {ROW}"
        without = table.rows - table.query(shared)[0][0]
        notes.append({"note": "overflow", "column": name, "cells": int(without - empty - of_zero)})
    if negative:
        notes.append({"note": "negative_values", "column": value_column, "cells": int(negative)})
    return notes
