"""DuckDB files: attached read-only, so that their tables and views are opened without a copy."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grammar import unique_name

from . import sql
from .database import Connection, DatabaseError, execute, query
from .loading import Loaded
from .paths import FileError, table_name

DUCKDB_MAGIC = b"DUCK"
DUCKDB_MAGIC_AT = 8

_MAIN = "main"
_LOCK = "Could not set lock on file"
_HOLDER = re.compile(r"held in (?P<holder>.+?)(?: by user .+?)? \(PID (?P<process>\d+)\)")


def attach_duckdb(con: Connection, path: Path, taken: Sequence[str]) -> list[Loaded]:
    """Make a view, under its own name, of each table and view of the file; the file stays attached.

    A name that another schema has already used is preceded by that of its schema.
    A view that cannot be read is noted. Raises FileError `file_locked` (with the holder if it is known), `no_tables`,
    DatabaseError for a file that DuckDB cannot attach.
    """
    attached = _attached(con, path)
    loaded: list[Loaded] = []
    notes: list[dict[str, Any]] = []
    for schema, table in _tables(con, attached):
        known = [*taken, *(each.name for each in loaded)]
        name = table_name(table, known)
        if name != table and schema != _MAIN:
            name = table_name(f"{schema}.{table}", known)
        source = ".".join(sql.name(part) for part in (attached, schema, table))
        try:
            query(con, f"SELECT count(*) FROM {source}")
            execute(con, f"CREATE VIEW {sql.name(name)} AS FROM {source}")
        except DatabaseError as error:
            detail = str(error.facts.get("detail"))
            notes.append({"note": "table_not_opened", "table": table, "detail": detail})
            continue
        loaded.append(Loaded(name))
    if not loaded:
        execute(con, f"DETACH {sql.name(attached)}")
        raise FileError("no_tables", path=str(path), detail=notes[0]["detail"] if notes else None)
    loaded[0].notes.extend(notes)
    return loaded


def _attached(con: Connection, path: Path) -> str:
    """Return the name under which the file is attached to the connection, attaching it if it is not."""
    place = str(path.resolve())
    databases: dict[str, str] = dict(
        query(con, "SELECT path, database_name FROM duckdb_databases() WHERE path IS NOT NULL")
    )
    if place in databases:
        return databases[place]
    known = [name for (name,) in query(con, "SELECT database_name FROM duckdb_databases()")]
    name = unique_name("opened", known)
    try:
        execute(con, f"ATTACH {sql.literal(place)} AS {sql.name(name)} (TYPE duckdb, READ_ONLY)")
    except DatabaseError as error:
        detail = str(error.facts.get("detail"))
        if _LOCK in detail:
            holder = _HOLDER.search(detail)
            raise FileError("file_locked", path=str(path), **(holder.groupdict() if holder else {})) from error
        raise
    return name


def _tables(con: Connection, database: str) -> list[tuple[str, str]]:
    """Return schema and name of each table and view of an attached database, those of the main schema first."""
    own = f"WHERE database_name = {sql.literal(database)} AND NOT internal"
    rows = query(
        con,
        f"SELECT schema_name, table_name AS name FROM duckdb_tables() {own} UNION ALL "
        f"SELECT schema_name, view_name AS name FROM duckdb_views() {own} "
        f"ORDER BY schema_name <> {sql.literal(_MAIN)}, schema_name, name",
    )
    return [(schema, table) for schema, table in rows]
