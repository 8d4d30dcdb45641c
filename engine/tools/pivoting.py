"""pivot: the known values of one column become columns of their own, with a total in each cell.

Totals are taken for each group and value by the rules of `totals.py`, then laid side by side.
"""

from collections.abc import Sequence

from engine import sql

from .order import ascending
from .registry import ROW, Made, Note, Table, executes, unique_names
from .totals import COUNTS, Grouped, grouped_totals, projected, value_of


@executes("pivot", named=True)
def pivot(table: Table, *, rows: list[str], column: str, agg: str, value_column: str | None = None) -> Made:
    """Make one row for each group and one column for each value; a count is 0 where there are no rows."""
    groups = list(dict.fromkeys(rows))
    values = table.state.column(column).all_values() or ()
    value = value_of(table, value_column)
    spread = sql.text(table.value(column), table.type(column))
    rows_of_groups = projected(table, groups, value_column, first_key=spread)
    totals = grouped_totals(table, rows_of_groups, len(groups) + 1, value, agg, dated=True, kept=True)
    cells = [f"any_value({ROW}.v) FILTER ({ROW}.k0 = {sql.literal(each)})" for each in values]
    if agg in COUNTS:
        cells = [f"coalesce({cell}, 0)" for cell in cells]
    names = [sql.name(name) for name in unique_names([*groups, *values])]
    keys = [f"{ROW}.k{number}" for number in range(1, len(groups) + 1)]
    selected = [f"{part} AS {name}" for part, name in zip([*keys, *cells], names, strict=True)]
    select = (
        f"SELECT {', '.join(selected)} FROM {totals.source} AS {ROW} "
        f"GROUP BY {', '.join(keys)} ORDER BY {ascending(table, groups, keys)}"
    )
    return Made(select, _left_out(table, column, totals, values) + totals.notes)


def _left_out(table: Table, column: str, totals: Grouped, values: Sequence[str]) -> list[Note]:
    """Count the rows that have no value to be put under, and those whose value has no column."""
    if not table.evidence:
        return []
    notes: list[Note] = []
    if totals.left_out:
        notes.append({"note": "empty_left_out", "column": column, "cells": totals.left_out})
    known = sql.any_of("k0", values)
    unknown = table.query(f"SELECT coalesce(sum(seen), 0) FROM {totals.source} WHERE NOT {known}")[0][0]
    if unknown:
        notes.append({"note": "values_left_out", "column": column, "rows": int(unknown)})
    return notes
