"""DuckDB: opening it, asking it, and turning its errors into ours. Nothing else imports duckdb."""

import os
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import duckdb

from grammar.errors import TezError
from grammar.state import Kind

from . import sql
from .settings import DatabaseSettings

Connection: TypeAlias = duckdb.DuckDBPyConnection
Row: TypeAlias = tuple[Any, ...]

_NUMBERS = sql.FLOATS | {
    f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
}
_REASONS: tuple[tuple[type[duckdb.Error], str], ...] = (
    (duckdb.OutOfMemoryException, "out_of_memory"),
    (duckdb.InterruptException, "interrupted"),
    (duckdb.IOException, "disk"),
    (duckdb.PermissionException, "refused"),
    (duckdb.ConnectionException, "closed"),
    (duckdb.TransactionException, "transaction"),
    (duckdb.Error, "failed"),
)
_INTERRUPTED_BY_CTRL_C = "Query interrupted"


class DatabaseError(TezError):
    """DuckDB could not do what was asked; `detail` is the first line of its own words."""


def connect(settings: DatabaseSettings, path: Path | None = None, *, read_only: bool = False) -> Connection:
    """Open a database, in memory without a path, that never reaches for the network; DatabaseError if it cannot be."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": settings.memory_limit,
        "temp_directory": str(Path(tempfile.gettempdir()) / f"tez-{os.getpid()}"),
    }
    if settings.threads is not None:
        config["threads"] = settings.threads
    with _our_errors():
        return duckdb.connect(":memory:" if path is None else str(path), read_only=read_only, config=config)


def execute(con: Connection, statement: str) -> None:
    """Run a statement for its effect; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        con.execute(statement)


def query(con: Connection, statement: str) -> list[Row]:
    """Run a statement and return its rows; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        return con.execute(statement).fetchall()


def insert(con: Connection, table: str, types: Sequence[str], columns: Sequence[Sequence[object]]) -> None:
    """Append rows, given column by column as Python values, to a table (a quoted name); raises DatabaseError."""
    cells = ", ".join(f"unnest(${number}::{kind}[])" for number, kind in enumerate(types, 1))
    with _our_errors():
        con.execute(f"INSERT INTO {table} SELECT {cells}", list(columns))


def kind_of(duckdb_type: str) -> Kind:
    """Return the kind of the columns of a DuckDB type, as DESCRIBE writes it."""
    if duckdb_type in _NUMBERS or sql.decimal_shape(duckdb_type) is not None:
        return "number"
    if duckdb_type in sql.DAYS_AND_TIMES:
        return "date"
    if duckdb_type == "BOOLEAN":
        return "boolean"
    if duckdb_type in ("VARCHAR", "UUID") or (duckdb_type.startswith("ENUM(") and not duckdb_type.endswith("]")):
        return "text"
    return "other"


def describe(con: Connection, source: str) -> list[tuple[str, str]]:
    """Return name and type of each column of a source: a quoted table name, or a query in brackets.

    A view may have a column of no type at all, only NULL; a table made of it gets INTEGER, and so it is called here.
    """
    rows = query(con, f"DESCRIBE SELECT * FROM {source}")
    return [(row[0], "INTEGER" if row[1] == '"NULL"' else row[1]) for row in rows]


def find_table(con: Connection, table: str) -> str | None:
    """Return the full quoted name of the table or view that a bare name means, None if there is none.

    Only the catalogue is asked: a bare name in a statement could also mean a file or a variable of the program. A
    temporary one comes first, then the schema in use; letter case only counts where two names differ in nothing else.
    """
    found = _catalogue(
        con,
        f"lower(name) = lower({sql.literal(table)}) AND NOT internal AND (database_name = 'temp' OR "
        "(database_name = current_database() AND schema_name IN (current_schema(), 'main')))",
    )
    if not found:
        return None
    in_use = query(con, "SELECT current_schema()")[0][0]
    best = max(found, key=lambda entry: (entry.database == "temp", entry.schema == in_use, entry.name == table))
    return ".".join(sql.name(part) for part in (best.database, best.schema, best.name))


def tables(con: Connection, *, everywhere: bool = False) -> list[str]:
    """Return the names of the tables and views in use; `everywhere` adds DuckDB's own and other schemas'."""
    seen = "TRUE" if everywhere else "NOT internal AND database_name IN ('temp', current_database())"
    return sorted({entry.name for entry in _catalogue(con, seen)})


def drop(con: Connection, names: Collection[str]) -> None:
    """Drop the tables and views of these names."""
    for entry in _catalogue(con, "NOT internal AND database_name = current_database()"):
        if entry.name in names:
            execute(con, f"DROP {entry.sort} {sql.name(entry.name)}")


def is_read_only(con: Connection) -> bool:
    """Return whether lasting tables cannot be made here."""
    rows = query(con, "SELECT readonly FROM duckdb_databases() WHERE database_name = current_database()")
    return bool(rows and rows[0][0])


def drop_temporary(con: Connection, prefix: str) -> None:
    """Drop the temporary tables and views whose name is the prefix and digits."""
    pattern = sql.literal(f"{re.escape(prefix)}[0-9]+")
    for entry in _catalogue(con, f"database_name = 'temp' AND regexp_full_match(name, {pattern})"):
        execute(con, f"DROP {entry.sort} IF EXISTS temp.{sql.name(entry.schema)}.{sql.name(entry.name)}")


class _Entry(NamedTuple):
    database: str
    schema: str
    name: str
    sort: str


def _catalogue(con: Connection, condition: str) -> list[_Entry]:
    """Return the tables and views that fulfil a condition over `database_name`, `schema_name`, `name`, `internal`."""
    return [
        _Entry(row[0], row[1], row[2], sort)
        for sort in ("table", "view")
        for row in query(
            con, f"SELECT database_name, schema_name, {sort}_name AS name FROM duckdb_{sort}s() WHERE {condition}"
        )
    ]


@contextmanager
def _our_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        reason = next(reason for family, reason in _REASONS if isinstance(error, family))
        raise DatabaseError(reason, detail=str(error).split("\n", 1)[0]) from error
    except RuntimeError as error:
        if str(error) == _INTERRUPTED_BY_CTRL_C:
            raise KeyboardInterrupt from error
        raise
