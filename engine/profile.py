"""What a table holds: the state that grammar and prompt are made from, and the profile that a person reads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace

from grammar import Column, Scene, TableState

from . import sql
from .column_facts import ColumnFacts, Described, counted_facts, described, sketched_facts
from .database import Connection, describe, kind_of, query
from .day_order import as_columns, day_orders, with_orders_of
from .problems import Problem, Texts, cell_problems, duplicates, outliers, text_problems
from .settings import Settings, limits
from .value_counts import (
    Listed,
    counts_sql,
    diverse,
    given_counts_sql,
    listed_values,
    row_count,
    sample_of,
    temporary_table,
)


@dataclass(frozen=True)
class Profile:
    """A table as a person wants to know it: its rows, facts about its columns, and problems worth fixing."""

    rows: int
    columns: tuple[ColumnFacts, ...]
    problems: tuple[Problem, ...]


def table_state(
    con: Connection,
    table: str,
    settings: Settings,
    labels: Mapping[str, str] | None = None,
    source: str | None = None,
    orders: Iterable[Column] | None = None,
    listed: Listed | None = None,
) -> TableState:
    """Return the state of a table: columns, kinds, and the values of those text columns that have few enough.

    `source` is what stands after FROM for it, where that is not its quoted name. `orders` are its text columns with
    what is known of their dates and decimals, looked for where it is not given; `listed` are the values where they are
    known already.
    """
    read_from = sql.name(table) if source is None else source
    known = listed_values(con, read_from, settings.profile) if listed is None else listed
    columns = []
    for name, duckdb_type in describe(con, read_from):
        values = tuple(value for value, _ in known[name]) if name in known else None
        columns.append(Column(name, kind_of(duckdb_type), values, (labels or {}).get(name, "")))
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


def profile(
    con: Connection,
    table: str,
    settings: Settings,
    listed: Listed | None = None,
    known: Iterable[Column] = (),
) -> Profile:
    """Return what a table holds and what is worth fixing in it.

    `listed` are the values of its text columns, `known` columns with what is known of their dates and decimals. Up to
    `exact_rows` rows everything is exact; in a larger table what is estimated says so.
    """
    source, bounds = sql.name(table), settings.profile
    columns, rows = described(con, source), row_count(con, source)
    values = listed_values(con, source, bounds) if listed is None else listed
    by_name = {column.name: column for column in known}
    with sample_of(con, source, rows, bounds) as sample:
        many = diverse(con, sample, [column.name for column in columns if column.name not in values], bounds)
        sketched = [column for column in columns if column.name in many]
        facts = sketched_facts(con, source, sketched, rows, sample, bounds)
        problems: list[Problem] = []
        for column in columns:
            about = by_name.get(column.name, Column(column.name, column.kind))
            if column.name in facts:
                counts = counts_sql(sample.source, column.name, column.type)
                weight = rows / sample.rows
                problems += _problems(con, facts[column.name], Texts(counts, about, weight), rows, settings)
                continue
            with _counted(con, source, column, values.get(column.name)) as counts:
                facts[column.name] = counted_facts(con, column, counts, rows, bounds)
                problems += _problems(con, facts[column.name], Texts(counts, about), rows, settings)
        told = tuple(facts[column.name] for column in columns)
        problems += outliers(con, source, told, sample, bounds)
        problems += duplicates(con, source, told, sample, bounds)
    return Profile(rows, told, tuple(problems))


def _counted(
    con: Connection, source: str, column: Described, listed: Sequence[tuple[str, int]] | None
) -> AbstractContextManager[str]:
    """Give the query for the different values of a column; those of a text column are kept, to be asked often."""
    if listed is not None:
        return nullcontext(given_counts_sql(listed))
    counts = counts_sql(source, column.name, column.type)
    return _kept(con, counts) if column.kind == "text" else nullcontext(counts)


@contextmanager
def _kept(con: Connection, counts: str) -> Iterator[str]:
    with temporary_table(con, "counts", counts) as name:
        yield f"SELECT v, n FROM {name}"


def _problems(con: Connection, facts: ColumnFacts, texts: Texts, rows: int, settings: Settings) -> Iterator[Problem]:
    yield from cell_problems(facts, rows)
    if facts.kind == "text" and facts.filled:
        yield from text_problems(con, facts, texts, settings)


def matching_values(con: Connection, source: str, name: str, request: str, settings: Settings) -> tuple[str, ...]:
    """Return the values of a text column that stand in the request, whatever their case, the longest first.

    `source` is what stands after FROM for its table.
    """
    cell = sql.name(name)
    held = f"contains({sql.same_value(sql.literal(request))}, {sql.same_value(cell)})"
    rows = query(
        con,
        f"SELECT DISTINCT CAST({cell} AS VARCHAR) AS value FROM {source} "
        f"WHERE length({sql.trimmed(cell)}) BETWEEN {settings.prompt.matched_length} AND "
        f"{settings.profile.listed_value_length} AND {held} "
        f"ORDER BY length(value) DESC, value LIMIT {settings.prompt.matched_values}",
    )
    return tuple(row[0] for row in rows)
