"""What a table holds, in one line, as its domain says or from its rows, for prompts of several tables and people."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grammar import TableState
from prompt.words import Language, screen_text

from . import database, sql
from .database import Connection
from .domain import Domain
from .files import OpenedTable
from .settings import Settings

_KEYS = ("text", "number")


def with_descriptions(
    con: Connection, domain: Domain, tables: Sequence[OpenedTable], states: Sequence[TableState], settings: Settings
) -> Domain:
    """Return the domain that describes each of these tables, if there are several; as it is if there is one.

    What the domain's own file says stays. Raises DatabaseError.
    """
    if len(tables) == 1:
        return domain
    known: Mapping[str, str] = domain.context.get("tables", {})
    rows = {table.name: table.rows for table in tables}
    more = {
        state.name: description(con, state, rows[state.name], settings, "en")
        for state in states
        if state.name not in known
    }
    return replace(domain, context={**domain.context, "tables": {**more, **known}}, derived=frozenset(more))


def table_line(
    con: Connection, domain: Domain, table: OpenedTable, state: TableState, settings: Settings, language: Language
) -> str:
    """Return the line for a person that says what an opened table holds. Raises DatabaseError."""
    own = None if table.name in domain.derived else domain.context.get("tables", {}).get(table.name)
    facts = _facts(con, state, table.rows, settings) if own is None else {"text": own}
    columns = sum(1 for _ in state.offered())
    return screen_text("table_line", language, table=table.name, rows=table.rows, columns=columns, **facts)


def description(con: Connection, state: TableState, rows: int, settings: Settings, language: Language) -> str:
    """Return a table's rows, the column of which it has one row for each value, and the span of its first dates."""
    return screen_text("table_facts", language, rows=rows, **_facts(con, state, rows, settings))


def _facts(con: Connection, state: TableState, rows: int, settings: Settings) -> dict[str, str | None]:
    """Return the facts of a table's columns as words name them; of one above `profile.exact_rows` none."""
    columns = list(state.offered())[: settings.prompt.columns] if rows <= settings.profile.exact_rows else []
    keys = [column.name for column in columns if column.kind in _KEYS]
    dates = [column.name for column in columns if column.kind == "date"][:1]
    asked = [f"count(DISTINCT {sql.name(name)})" for name in keys]
    asked += [f"CAST({end}({sql.name(name)}) AS DATE)" for name in dates for end in ("min", "max")]
    found = database.query(con, f"SELECT {', '.join(asked)} FROM {sql.name(state.name)}")[0] if asked else ()
    key = next((name for name, count in zip(keys, found, strict=False) if count == rows > 1), None)
    first, last = found[len(keys) :] if dates else (None, None)
    date = None if first is None else dates[0]
    return {"each": key, "date": date, "first": str(first), "last": str(last)}
