"""describe: one row for each column with what it holds."""

from engine import sql

from .registry import ROW, Made, Note, Table, executes
from .totals import aggregate, value_of


@executes("describe")
def describe(table: Table, *, columns: list[str] | None = None) -> Made:
    """Describe these columns or all of them, in their order; an empty table has columns, too."""
    chosen = list(dict.fromkeys(columns)) if columns else list(table.columns)
    listed = ", ".join(_described(table, column) for column in chosen)
    select = (
        f"SELECT unnest(described, recursive := true) FROM (SELECT [{listed}] AS described FROM {table.source} AS t)"
    )
    return Made(select, _without_mean(table, chosen))


def _described(table: Table, column: str) -> str:
    """Return the row of a column as a struct of aggregates; of a column that no tool handles only the counts."""
    value, kind = table.value(column), table.kind(column)
    of = value_of(table, column)
    low, high = (sql.canonical(aggregate(table, of, bound, value), of.duckdb_type) for bound in ("min", "max"))
    if kind == "other":
        low = high = "NULL"
    mean = aggregate(table, of, "avg", value) if kind == "number" else "NULL"
    return (
        f"{{'column': {sql.literal(column)}, 'kind': {sql.literal(kind)}, 'filled': count({value}), "
        f"'empty': count(*) - count({value}), 'distinct': count(DISTINCT {value}), "
        f"'min': CAST({low} AS VARCHAR), 'max': CAST({high} AS VARCHAR), 'mean': CAST({mean} AS DOUBLE)}}"
    )


def _without_mean(table: Table, columns: list[str]) -> list[Note]:
    """Name the columns whose numbers are too large to have a mean; only binary numbers can be."""
    binary = [column for column in columns if table.type(column) in sql.FLOATS]
    if not binary or not table.evidence:
        return []
    means = ", ".join(f"favg(CAST({table.value(column)} AS DOUBLE))" for column in binary)
    infinite = table.query(f"SELECT [NOT isfinite(mean) FOR mean IN [{means}]] FROM {table.source} AS {ROW}")[0][0]
    return [
        {"note": "overflow", "column": column, "cells": 1}
        for column, too_large in zip(binary, infinite, strict=True)
        if too_large
    ]
