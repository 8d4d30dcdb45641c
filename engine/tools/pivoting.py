"""pivot: the known values of one column become columns of their own, with a total in each cell.

Totals are taken for each group and value by the rules of `totals.py`, then laid side by side.
"""

from engine import sql

from .order import ascending
from .registry import ROW, Made, Note, Table, executes, unique_names
from .totals import COUNTS, projected, total_of, value_of


@executes("pivot", named=True)
def pivot(table: Table, *, rows: list[str], column: str, agg: str, value_column: str | None = None) -> Made:
    """Make one row for each group and one column for each value; a count is 0 where there are no rows."""
    groups = list(dict.fromkeys(rows))
    values = table.state.column(column).all_values() or ()
    value = value_of(table, value_column)
    keys = [f"k{number}" for number in range(len(groups))]
    spread = f"CAST(k{len(groups)} AS VARCHAR)"
    projected_rows = projected(table, [*groups, column], value_column)
    known = sql.any_of(spread, values)
    total = total_of(table, f"(SELECT * FROM {projected_rows} WHERE {known})", len(groups) + 1, value, agg)
    listed = "".join(f"{key}, " for key in keys)
    totals = (
        f"SELECT {listed}{spread} AS spread, {total.aggregate} AS total FROM {total.source} AS {ROW} "
        f"GROUP BY {listed}k{len(groups)}"
    )
    cells = [f"any_value({ROW}.total) FILTER ({ROW}.spread = {sql.literal(each)})" for each in values]
    if agg in COUNTS:
        cells = [f"coalesce({cell}, 0)" for cell in cells]
    names = [sql.name(name) for name in unique_names([*groups, *values])]
    places = [f"{ROW}.{key}" for key in keys]
    selected = [f"{part} AS {name}" for part, name in zip([*places, *cells], names, strict=True)]
    select = (
        f"SELECT {', '.join(selected)} FROM ({totals}) AS {ROW} "
        f"GROUP BY {', '.join(places)} ORDER BY {ascending(table, groups, places)}"
    )
    return Made(select, _left_out(table, column, projected_rows, spread, known) + total.notes)


def _left_out(table: Table, column: str, rows: str, spread: str, known: str) -> list[Note]:
    """Count the rows that have no value to be put under, and those whose value has no column."""
    empty, unknown = table.query(
        f"SELECT count(*) FILTER ({spread} IS NULL), count(*) FILTER ({spread} IS NOT NULL AND NOT {known}) FROM {rows}"
    )[0]
    notes: list[Note] = []
    if empty:
        notes.append({"note": "empty_left_out", "column": column, "cells": int(empty)})
    if unknown:
        notes.append({"note": "values_left_out", "column": column, "rows": int(unknown)})
    return notes
