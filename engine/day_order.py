"""In which order the text columns of a table write day and month: what tells it, or that nothing does."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from grammar import Column, DayOrder, TableState

from . import dates, sql
from .column_sample import sampled
from .database import Connection, kind_of, query
from .dates import DateFacts


def day_orders(con: Connection, source: str, types: Mapping[str, str]) -> dict[str, DayOrder]:
    """Return the order for those text columns that hold dates between slashes or hyphens, `unclear` if nothing tells.

    `types` maps the columns of `source` to their DuckDB types. Where a column itself does not tell, its sisters with
    the same marks may.
    """
    facts = date_facts(con, source, types)
    orders: dict[str, DayOrder] = {}
    for column, found in facts.items():
        if found.slashed:
            sisters = dates.sisters_order(found, facts.values())
            orders[column] = found.form(column, date.today(), sisters=sisters).slashed or "unclear"
    return orders


def as_columns(orders: Mapping[str, DayOrder]) -> list[Column]:
    """Return text columns with these orders, as `with_orders_of` takes them."""
    return [Column(column, "text", day_order=order) for column, order in orders.items()]


def with_orders_of(state: TableState, known: Iterable[Column]) -> TableState:
    """Return the state with the orders and decimal marks that the text columns of the same names are known to have."""
    by_name = {column.name: column for column in known if column.kind == "text"}
    columns = [
        replace(column, day_order=by_name[column.name].day_order, decimal=by_name[column.name].decimal)
        if column.name in by_name and column.kind == "text"
        else column
        for column in state.columns
    ]
    return replace(state, columns=tuple(columns))


def with_labels_of(state: TableState, known: Iterable[Column]) -> TableState:
    """Return the state with the labels that the columns of the same names are known to have."""
    labels = {column.name: column.label for column in known}
    return replace(
        state,
        columns=tuple(replace(column, label=labels.get(column.name, column.label)) for column in state.columns),
    )


def with_values_of(state: TableState, known: Iterable[Column]) -> TableState:
    """Return the state with the values that the text columns of the same names are known to have."""
    by_name = {column.name: column for column in known if column.kind == "text"}
    columns = [
        replace(column, values=by_name[column.name].values, complete=by_name[column.name].complete)
        if column.name in by_name and column.kind == "text"
        else column
        for column in state.columns
    ]
    return replace(state, columns=tuple(columns))


def date_facts(con: Connection, source: str, types: Mapping[str, str]) -> dict[str, DateFacts]:
    """Return how the dates of those text columns are written that begin with some."""
    texts = [column for column, duckdb_type in types.items() if kind_of(duckdb_type) == "text"]
    if not texts:
        return {}
    samples = sampled(con, source, texts)
    return {
        column: dates.facts_of(query(con, dates.date_facts_sql(sql.text(sql.name(column), types[column]), source))[0])
        for column in texts
        if samples[column].dates
    }
