"""Which columns of several opened tables can be keys of a join: of fitting kinds, and with values in common.

Measured once, at opening. Of each column some different values are drawn, always the same ones, and looked for in the
columns of the other tables, compared as join_table compares them. Two columns fit where a large enough share of the
values drawn from one stands in the other. Of a large table only a sample is read; what such a sample cannot tell fits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import permutations

from grammar import Column, TableState
from grammar.calls import JOINABLE
from grammar.state import Kind

from . import conversion, sql
from .database import Connection, describe, query
from .settings import Settings
from .value_counts import row_count, sample_of, temporary_table

_Place = tuple[str, str]


@dataclass(frozen=True)
class _Key:
    """A column as a key: where its values are read, `whole` if that is the whole table, and what is compared.

    Columns of one `form` can be compared with each other.
    """

    place: _Place
    form: Kind
    source: str
    whole: bool
    compared: str
    column: Column


def with_join_keys(con: Connection, states: Sequence[TableState], settings: Settings) -> list[TableState]:
    """Return the states of several tables, each column with the columns of the others that it can be joined to."""
    if len(states) < 2:
        return list(states)
    with ExitStack() as samples:
        keys: list[_Key] = []
        for state in states:
            source = sql.name(state.name)
            sample = samples.enter_context(sample_of(con, source, row_count(con, source), settings.profile))
            types = dict(describe(con, source))
            for column in state.offered():
                keys += _keys(con, state.name, column, types[column.name], (sample.source, sample.whole), settings)
        drawn = " UNION ALL ".join(_drawn(number, key, settings) for number, key in enumerate(keys))
        if not keys:
            return list(states)
        values = samples.enter_context(temporary_table(con, "join_values", drawn))
        fitting = _fitting(con, keys, values, settings)
    return [
        replace(
            state,
            columns=tuple(
                replace(column, joins=fitting.get((state.name, column.name), ())) for column in state.columns
            ),
        )
        for state in states
    ]


def _keys(
    con: Connection, table: str, column: Column, duckdb_type: str, read: tuple[str, bool], settings: Settings
) -> Iterator[_Key]:
    """Yield the ways in which a column can be compared: text also as numbers, where some of it can be read as such."""
    source, whole = read
    cell = sql.name(column.name)
    text = sql.letter_by_letter(sql.text(cell, duckdb_type)) if column.kind == "text" else cell
    value = sql.value_of(text, "VARCHAR" if column.kind == "text" else duckdb_type)
    place = (table, column.name)
    if column.kind != "text":
        compared = f"CAST(TRY_CAST({value} AS DATE) AS VARCHAR)" if column.kind == "date" else None
        yield _Key(place, column.kind, source, whole, compared or sql.canonical(value, duckdb_type), column)
        return
    compared = value if settings.tools.exact_text else sql.same_value(value)
    yield _Key(place, "text", source, whole, compared, column)
    some = f"(SELECT {text} AS v FROM {source} LIMIT {settings.profile.join_values})"
    form = conversion.facts_of(query(con, conversion.form_facts_sql("v", some))[0]).form(column.decimal)
    facts = conversion.NumberFacts(*query(con, conversion.number_facts_sql("v", some, form))[0])
    if facts.digits is not None:
        number = conversion.number_sql(text, facts.duckdb_type(), form)
        yield _Key(place, "number", source, whole, sql.canonical(number, facts.duckdb_type()), column)


def _drawn(number: int, key: _Key, settings: Settings) -> str:
    """Return the query for some of a key's different values, the same ones every time, with the key's number."""
    values = f"SELECT DISTINCT {key.compared} AS k FROM {key.source}"
    return (
        f"(SELECT {number} AS key, k FROM ({values}) WHERE k IS NOT NULL "
        f"ORDER BY hash(k), k LIMIT {settings.profile.join_values})"
    )


def _fitting(
    con: Connection, keys: Sequence[_Key], values: str, settings: Settings
) -> Mapping[_Place, tuple[_Place, ...]]:
    """Return for each column those of other tables that it can be joined to, in the order of the tables."""
    sizes = dict.fromkeys(range(len(keys)), 0)
    counted: list[tuple[int, int]] = query(con, f"SELECT key, count(*) FROM {values} GROUP BY key")
    sizes |= dict(counted)
    empty = {key.place for number, key in enumerate(keys) if not sizes[number] and key.form == key.column.kind}
    shares: dict[tuple[int, int], float] = {}
    for number, key in enumerate(keys):
        partners = [other for other, each in enumerate(keys) if _comparable(key, each) and sizes[other]]
        if partners and key.whole:
            held = f"k IN (SELECT {key.compared} FROM {key.source})"
            rows = query(
                con,
                f"SELECT key, count(*) FILTER (WHERE {held}) FROM {values} "
                f"WHERE key IN ({', '.join(map(str, partners))}) GROUP BY key",
            )
            shares |= {(other, number): count / sizes[other] for other, count in rows}
    fitting: dict[_Place, list[_Place]] = {}
    for (one, key), (two, other) in permutations(enumerate(keys), 2):
        if not _comparable(key, other):
            continue
        unknown = not (key.whole and other.whole) or key.place in empty or other.place in empty
        share = max(shares.get((one, two), 0.0), shares.get((two, one), 0.0))
        if unknown or share >= settings.profile.join_share:
            fitting.setdefault(key.place, []).append(other.place)
    return {place: _distinct(places) for place, places in fitting.items()}


def _comparable(key: _Key, other: _Key) -> bool:
    """Return whether two keys are of different tables, and join_table compares them in the form that both have."""
    kinds = (key.column.kind, other.column.kind)
    if key.place[0] == other.place[0] or key.form != other.form or kinds[1] not in JOINABLE[kinds[0]]:
        return False
    return key.form == "text" or kinds != ("text", "text")


def _distinct(places: Iterable[_Place]) -> tuple[_Place, ...]:
    return tuple(dict.fromkeys(places))
