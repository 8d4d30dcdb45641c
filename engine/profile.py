"""What a table holds: the state that grammar and prompt are made from, and the profile that a person reads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grammar import Column, Scene, TableState

from . import sql
from .database import Connection, describe, kind_of, query
from .day_order import as_columns, day_orders, with_orders_of
from .settings import Settings, limits


def table_state(
    con: Connection,
    table: str,
    settings: Settings,
    labels: Mapping[str, str] | None = None,
    source: str | None = None,
    orders: Iterable[Column] | None = None,
) -> TableState:
    """Return the state of a table: columns, kinds, and the values of those text columns that have few enough.

    `source` is what stands after FROM for it, where that is not its quoted name. `orders` are its text columns with
    what is known of their dates and decimals, looked for where it is not given.
    """
    columns = []
    read_from = sql.name(table) if source is None else source
    for name, duckdb_type in describe(con, read_from):
        kind = kind_of(duckdb_type)
        values = _listed_values(con, read_from, name, duckdb_type, settings) if kind == "text" else None
        columns.append(Column(name, kind, values, (labels or {}).get(name, "")))
    state = TableState(tuple(columns), limits(settings), name=table)
    if orders is None:
        orders = as_columns(day_orders(con, read_from, dict(describe(con, read_from))))
    return with_orders_of(state, orders)


def opened_scene(states: Sequence[TableState], result: TableState | None = None) -> Scene:
    """Return the scene of these opened tables, each of which knows the others."""
    tables = tuple(replace(state, others=tuple(other for other in states if other is not state)) for state in states)
    if result is not None:
        names = {other.name for other in result.others}
        result = replace(result, others=tuple(state for state in states if state.name in names))
    return Scene(tables, result)


def profile(con: Connection, table: str, settings: Settings) -> list[dict[str, Any]]:
    """Return for each column its kind, filled and empty cells, distinct values, range and frequent values."""
    described = []
    rows = query(con, f"SELECT count(*) FROM {sql.name(table)}")[0][0]
    for name, duckdb_type in describe(con, sql.name(table)):
        cell, kind = sql.value_of(sql.name(name), duckdb_type), kind_of(duckdb_type)
        facts: dict[str, Any] = {"column": name, "kind": kind, "type": duckdb_type}
        ordered = kind in ("number", "date")
        bounds = f"min({cell}), max({cell})" if ordered else "NULL, NULL"
        filled, distinct, low, high = query(
            con, f"SELECT count({cell}), count(DISTINCT {cell}), {bounds} FROM {sql.name(table)}"
        )[0]
        facts |= {"filled": filled, "empty": rows - filled, "distinct": distinct, "min": low, "max": high}
        if kind in ("text", "boolean"):
            facts["frequent"] = _frequent(con, table, cell, settings.prompt.shown_values)
        described.append(facts)
    return described


def _frequent(con: Connection, table: str, cell: str, most: int) -> list[dict[str, Any]]:
    rows = query(
        con,
        f"SELECT {cell} AS value, count(*) AS n FROM {sql.name(table)} WHERE {cell} IS NOT NULL "
        f"GROUP BY ALL ORDER BY n DESC, value LIMIT {int(most)}",
    )
    return [{"value": value, "rows": count} for value, count in rows]


def _listed_values(
    con: Connection, source: str, name: str, duckdb_type: str, settings: Settings
) -> tuple[str, ...] | None:
    """Return the column's own values, the most frequent first; None if there are too many or too long ones."""
    text = sql.letter_by_letter(sql.text(sql.value_of(sql.name(name), duckdb_type), duckdb_type))
    most = settings.profile.listed_values
    rows = query(
        con,
        f"SELECT {text} AS value, count(*) AS n FROM {source} WHERE {text} IS NOT NULL "
        f"GROUP BY ALL ORDER BY n DESC, value LIMIT {int(most) + 1}",
    )
    if len(rows) > most or any(len(value) > settings.profile.listed_value_length for value, _ in rows):
        return None
    return tuple(value for value, _ in rows)


def matching_values(con: Connection, table: str, name: str, request: str, settings: Settings) -> tuple[str, ...]:
    """Return the values of a text column that stand in the request, whatever their case, the longest first."""
    cell = sql.name(name)
    held = f"contains({sql.same_value(sql.literal(request))}, {sql.same_value(cell)})"
    rows = query(
        con,
        f"SELECT DISTINCT CAST({cell} AS VARCHAR) AS value FROM {sql.name(table)} "
        f"WHERE length({sql.trimmed(cell)}) BETWEEN {settings.prompt.matched_length} AND "
        f"{settings.profile.listed_value_length} AND {held} "
        f"ORDER BY length(value) DESC, value LIMIT {settings.prompt.matched_values}",
    )
    return tuple(row[0] for row in rows)
