"""SQLite files: every table becomes a table, read through Python's sqlite3 without ever writing to the file."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from . import sql
from .database import Connection, execute
from .loading import Loaded, Sort, as_type, column_names, differing, make_table, mixed, type_of
from .paths import FileError, table_name
from .settings import FileSettings

SQLITE_MAGIC = b"SQLite format 3\x00"

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_EXACT_IN_DOUBLE = 2**53
_BOOLEANS = ("BOOL", "BOOLEAN")


def load_sqlite(con: Connection, path: Path, taken: Sequence[str], settings: FileSettings) -> list[Loaded]:
    """Make a table of each table and view of the file, under its own name; one that cannot be read is noted.

    A column's type comes from the values found; BOOLEAN also needs to be declared, for SQLite has only 0 and 1.
    Raises FileError `unreadable_table`, `sqlite_locked`, `no_tables`.
    """
    loaded: list[Loaded] = []
    notes: list[dict[str, Any]] = []
    try:
        with _errors(path), closing(_connection(path)) as source:
            source.execute("BEGIN")
            for table, is_stored in _tables(source):
                name = table_name(table, [*taken, *(each.name for each in loaded)])
                try:
                    loaded.append(_load(con, source, table, name, settings))
                except sqlite3.OperationalError as error:
                    if is_stored:
                        raise
                    notes.append({"note": "table_not_opened", "table": table, "detail": str(error)})
    except BaseException:
        for each in loaded:
            execute(con, f"DROP TABLE {sql.name(each.name)}")
        raise
    if not loaded:
        raise FileError("no_tables", path=str(path), detail=notes[0]["detail"] if notes else None)
    loaded[0].notes.extend(notes)
    return loaded


def _connection(path: Path) -> sqlite3.Connection:
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    source.text_factory = bytes
    return source


def _tables(source: sqlite3.Connection) -> list[tuple[str, bool]]:
    """Return the names of tables, views and virtual tables, and whether the file holds their rows, these first."""
    rows = source.execute(
        "SELECT name, type = 'table' FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'"
    )
    names = [(_text(name), bool(is_stored)) for name, is_stored in rows]
    return sorted(
        (each for each in names if not each[0].startswith("sqlite_")), key=lambda each: (not each[1], each[0])
    )


def _load(con: Connection, source: sqlite3.Connection, table: str, name: str, settings: FileSettings) -> Loaded:
    declared = {
        _text(column): _text(kind).upper()
        for column, kind in source.execute("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", (table,))
    }
    columns = column_names(declared)
    kinds: dict[str, str] = {}
    notes: list[dict[str, Any]] = []
    for column, original in columns.items():
        sorts = _sorts(source, table, original, declared[original])
        kinds[column] = type_of(sorts)
        note = mixed(column, sorts)
        notes += [note] if note else []
    broken: Counter[str] = Counter()
    make_table(con, name, kinds, _rows(source, table, columns, kinds, broken), settings.batch_rows)
    notes += [{"note": "broken_text", "column": column, "cells": cells} for column, cells in broken.items()]
    return Loaded(name, differing(columns), notes)


def _sorts(source: sqlite3.Connection, table: str, column: str, declared: str) -> Counter[Sort]:
    """Return how many cells of each sort a column holds, empty ones left out."""
    cell, exact = sql.name(column), _EXACT_IN_DOUBLE
    rows = source.execute(
        f"SELECT CASE typeof({cell}) WHEN 'integer' THEN iif({cell} BETWEEN -{exact} AND {exact}, 'whole', 'big') "
        f"WHEN 'real' THEN 'number' WHEN 'blob' THEN 'bytes' ELSE 'text' END AS sort, count(*), "
        f"sum({cell} NOT IN (0, 1)) FROM {sql.name(table)} WHERE {cell} IS NOT NULL GROUP BY sort"
    ).fetchall()
    sorts: Counter[Sort] = Counter({cast(Sort, _text(sort)): count for sort, count, _ in rows})
    if declared in _BOOLEANS and set(sorts) == {"whole"} and not rows[0][2]:
        return Counter({"boolean": sorts["whole"]})
    return sorts


def _rows(
    source: sqlite3.Connection,
    table: str,
    columns: Mapping[str, str],
    kinds: Mapping[str, str],
    broken: Counter[str],
) -> Iterator[list[Any]]:
    """Yield the rows; text that is no UTF-8 keeps its bytes written out, and is counted in `broken`."""
    cells = ", ".join(f"{sql.name(original)}, typeof({sql.name(original)}) = 'text'" for original in columns.values())
    for row in source.execute(f"SELECT {cells} FROM {sql.name(table)}"):
        values = []
        for (column, kind), value, is_text in zip(kinds.items(), row[::2], row[1::2], strict=True):
            if is_text:
                try:
                    value = value.decode()
                except UnicodeDecodeError:
                    broken[column] += 1
                    value = value.decode(errors="backslashreplace")
            elif kind == "BOOLEAN" and value is not None:
                value = bool(value)
            values.append(as_type(value, kind))
        yield values


def _text(value: bytes) -> str:
    return value.decode(errors="backslashreplace")


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in _LOCKED:
            raise FileError("sqlite_locked", path=str(path)) from error
        raise FileError("unreadable_table", path=str(path), detail=str(error)) from error
