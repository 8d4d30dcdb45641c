"""DuckDB: opening it, asking it, and turning its errors into ours. Nothing else imports duckdb."""

import os
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
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
_PLAIN_VIEW = re.compile(r" AS SELECT \* FROM ([^\n]+);$")
_INTERRUPTED_BY_CTRL_C = "Query interrupted"
_EXPRESSION_DEPTH = "max_expression_depth"
_NO_BAR = "SET enable_progress_bar = false"
_FOLLOWED = "SET enable_progress_bar_print = false; SET enable_progress_bar = true"
_RELIED_ON = {
    "preserve_insertion_order": ("true",),
    "default_order": ("ASC", "ASCENDING"),
    "default_null_order": ("NULLS_LAST",),
    "default_collation": ("",),
    "ieee_floating_point_ops": ("true",),
    _EXPRESSION_DEPTH: ("1000",),
}


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
        con = duckdb.connect(":memory:" if path is None else str(path), read_only=read_only, config=config)
    _without_bar(con)
    return con


def another(con: Connection) -> Connection:
    """Return a further connection to the same database, with temporary tables and views of its own.

    It ends with the connection that it was made from, where that one is closed.
    """
    with _our_errors():
        made = con.cursor()
    _without_bar(made)
    return made


def close(con: Connection) -> None:
    """Close a connection with its temporary tables; whatever is asked of it afterwards fails as `closed`."""
    con.close()


def _without_bar(con: Connection) -> None:
    """Let DuckDB draw no bar of its own; in a notebook without ipywidgets it could not, and refuses the setting."""
    with suppress(DatabaseError):
        execute(con, _NO_BAR)


def follow(con: Connection) -> None:
    """Let DuckDB count how far each statement is, for `done_of`; in a notebook it may refuse, and nobody asks there."""
    with suppress(DatabaseError):
        execute(con, _FOLLOWED)


def done_of(con: Connection) -> float | None:
    """Return how much of the statement that runs is done, from 0 to 1; None if that is not known. For any thread.

    It is known where `follow` was called before.
    """
    percent = con.query_progress()
    return None if percent < 0 else min(percent / 100, 1.0)


def execute(con: Connection, statement: str) -> None:
    """Run a statement for its effect; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        con.execute(statement)


def query(con: Connection, statement: str) -> list[Row]:
    """Run a statement and return its rows; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        return con.execute(statement).fetchall()


def fetch_frame(con: Connection, statement: str) -> Any:
    """Run a statement and return its rows as a pandas data frame; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        return con.execute(statement).df()


def fetch_arrow(con: Connection, statement: str) -> Any:
    """Run a statement and return its rows as a pyarrow table; raises DatabaseError, KeyboardInterrupt."""
    with _our_errors():
        return con.sql(statement).to_arrow_table()


def batches(con: Connection, statement: str, rows: int) -> Iterator[list[Row]]:
    """Run a statement and yield its rows, at most so many at once; raises DatabaseError, KeyboardInterrupt.

    Nothing else may run on the connection before the last batch has come.
    """
    with _our_errors():
        con.execute(statement)
    while True:
        with _our_errors():
            batch = con.fetchmany(rows)
        if not batch:
            return
        yield batch


def stop(con: Connection) -> None:
    """Stop what runs on the connection; called from another thread. The statement fails as `interrupted`."""
    con.interrupt()


def insert(con: Connection, table: str, types: Sequence[str], columns: Sequence[Sequence[object]]) -> None:
    """Append rows, given column by column as Python values, to a table (a quoted name); raises DatabaseError."""
    cells = ", ".join(f"unnest(${number}::{kind}[])" for number, kind in enumerate(types, 1))
    with _our_errors():
        con.execute(f"INSERT INTO {table} SELECT {cells}", list(columns))


@contextmanager
def steady(con: Connection) -> Iterator[None]:
    """Give the connection DuckDB's defaults for the time, where statements rely on them, then the caller's values.

    Only this connection's session is changed, and only where its values differ. DatabaseError `settings_locked` names
    the settings that differ on a connection whose configuration is locked.
    """
    restoring: list[str] = []
    try:
        _set_what_is_relied_on(con, restoring)
        yield
    except BaseException:
        with suppress(DatabaseError):
            _restore(con, restoring)
        raise
    _restore(con, restoring)


def _set_what_is_relied_on(con: Connection, restoring: list[str]) -> None:
    """Set what differs; `restoring` gets the statements that undo it."""
    asked = ", ".join(f"CAST(current_setting({sql.literal(key)}) AS VARCHAR)" for key in _RELIED_ON)
    found = dict(zip(_RELIED_ON, query(con, f"SELECT {asked}")[0], strict=True))
    different = [key for key, value in found.items() if _differs(key, value)]
    if not different:
        return
    if query(con, "SELECT CAST(current_setting('lock_configuration') AS VARCHAR)") == [("true",)]:
        raise DatabaseError("settings_locked", names=different)
    listed = sql.any_of("name", different)
    own = {row[0] for row in query(con, f"SELECT name FROM duckdb_settings() WHERE scope = 'LOCAL' AND {listed}")}
    for key in different:
        undo = f"SET SESSION {key} = {sql.literal(found[key])}" if key in own else f"RESET SESSION {key}"
        restoring.append(undo)
        execute(con, f"SET SESSION {key} = {sql.literal(_RELIED_ON[key][0])}")


def _differs(key: str, value: str) -> bool:
    if key == _EXPRESSION_DEPTH:
        return int(value) < int(_RELIED_ON[key][0])
    return value.upper() not in [meant.upper() for meant in _RELIED_ON[key]]


def _restore(con: Connection, statements: list[str]) -> None:
    """Run the statements, also in an aborted transaction, which takes none.

    Such a transaction can only be rolled back. So that is done, and another one is begun and aborted in its place: the
    caller finds what he would have found.
    """
    if not statements:
        return
    try:
        execute(con, "; ".join(statements))
    except DatabaseError as error:
        if error.reason != "transaction":
            raise
        execute(con, "; ".join(["ROLLBACK", *statements, "BEGIN"]))
        with suppress(DatabaseError):
            execute(con, "SELECT error('the transaction was aborted before')")


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
    found = _found(con, table)
    return None if found is None else ".".join(sql.name(part) for part in (found.database, found.schema, found.name))


def name_with_schema(con: Connection, table: str) -> str | None:
    """Return the quoted name of a table or view with its schema, None if there is none; of a temporary one in full."""
    found = _found(con, table)
    if found is None:
        return None
    parts = (found.database, found.schema, found.name) if found.database == "temp" else (found.schema, found.name)
    return ".".join(sql.name(part) for part in parts)


def has_collations(con: Connection) -> bool:
    """Return whether some table or view of the caller might hold text that does not compare by its letters alone."""
    made = " UNION ALL ".join(f"SELECT sql FROM duckdb_{sort}s() WHERE NOT internal" for sort in ("table", "view"))
    return bool(query(con, f"SELECT count(*) FROM ({made}) WHERE contains(upper(sql), 'COLLATE')")[0][0])


def keywords(con: Connection) -> set[str]:
    """Return the words of DuckDB's SQL, in lower case; a name that is none of them needs no quotes."""
    return {row[0] for row in query(con, "SELECT lower(keyword_name) FROM duckdb_keywords()")}


def is_view(con: Connection, table: str) -> bool:
    """Return whether a bare name means a view, as `find_table` finds it."""
    found = _found(con, table)
    return found is not None and found.sort == "view"


def table_behind(con: Connection, view: str) -> str | None:
    """Return the full quoted name of the table all of whose columns a view shows as they are, None for other views.

    The view is given by its full quoted name; what is no view is the table itself.
    """
    place = [sql.literal(part) for part in sql.name_parts(view) or ()]
    at = "(database_name, schema_name, {}) = ({})"
    found = query(con, f"SELECT sql FROM duckdb_views() WHERE {at.format('view_name', ', '.join(place))}")
    if not found:
        return view
    shown = _PLAIN_VIEW.search(found[0][0])
    parts = None if shown is None else sql.name_parts(shown[1])
    if parts is None or len(parts) not in (2, 3):
        return None
    full = parts if len(parts) == 3 else [parts[0], "main", parts[1]]
    table = ", ".join(sql.literal(part) for part in full)
    known = query(con, f"SELECT count(*) FROM duckdb_tables() WHERE {at.format('table_name', table)}")[0][0]
    name = ".".join(sql.name(part) for part in full)
    return name if known and describe(con, name) == describe(con, view) else None


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


def make_temporary(con: Connection, table: str, select: str, mark: str) -> int:
    """Make a temporary table of a SELECT and leave a comment on it that tells it from the caller's own.

    Returns the number of its rows.
    """
    rows = query(con, f"CREATE TEMP TABLE {temporary(table)} AS {select}")[0][0]
    execute(con, f"COMMENT ON TABLE {temporary(table)} IS {sql.literal(mark)}")
    return int(rows)


def make_temporary_view(con: Connection, view: str, select: str, mark: str) -> None:
    """Make a temporary view of a SELECT and leave a comment on it that tells it from the caller's own."""
    execute(con, f"CREATE TEMP VIEW {temporary(view)} AS {select}")
    execute(con, f"COMMENT ON VIEW {temporary(view)} IS {sql.literal(mark)}")


def temporary(table: str) -> str:
    """Return the full quoted name of a temporary table or view."""
    return f"temp.main.{sql.name(table)}"


def taken_temporary(con: Connection, names: list[str], mark: str) -> list[str]:
    """Return which of the names a temporary table or view has that does not have this comment."""
    listed = sql.any_of("lower(name)", [name.lower() for name in names])
    foreign = f"database_name = 'temp' AND comment IS DISTINCT FROM {sql.literal(mark)} AND {listed}"
    return [entry.name for entry in _catalogue(con, foreign)]


def drop_temporary(con: Connection, mark: str, keeping: Collection[str] = ()) -> None:
    """Drop the temporary tables and views that have this comment, except those of the names that are kept."""
    marked = _catalogue(con, f"database_name = 'temp' AND comment = {sql.literal(mark)}")
    for entry in reversed(marked):
        if entry.name not in keeping:
            execute(con, f"DROP {entry.sort} {temporary(entry.name)}")


class _Entry(NamedTuple):
    database: str
    schema: str
    name: str
    sort: str


def _found(con: Connection, table: str) -> _Entry | None:
    found = _catalogue(
        con,
        f"lower(name) = lower({sql.literal(table)}) AND NOT internal AND (database_name = 'temp' OR "
        "(database_name = current_database() AND schema_name IN (current_schema(), 'main')))",
    )
    if not found:
        return None
    in_use = query(con, "SELECT current_schema()")[0][0]
    return max(found, key=lambda entry: (entry.database == "temp", entry.schema == in_use, entry.name == table))


def _catalogue(con: Connection, condition: str) -> list[_Entry]:
    """Return the tables and views that fulfil a condition over the catalogue's columns and `name`."""
    listed = " UNION ALL ".join(
        f"SELECT database_name, schema_name, {sort}_name AS name, {sql.literal(sort)} AS sort FROM duckdb_{sort}s() "
        f"WHERE {condition}"
        for sort in ("table", "view")
    )
    return [_Entry(*row) for row in query(con, listed)]


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
