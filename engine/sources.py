"""Sources: what a path is, told by its first bytes and its suffix, and which reader opens it.

A path is one file, a folder (each file in it is a table), or `-` for standard input. A file may hold several tables.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from . import sql
from .compressed import gzip_content, zip_content
from .database import Connection, DatabaseError, describe, kind_of, query
from .duckdb_file import DUCKDB_MAGIC, DUCKDB_MAGIC_AT, attach_duckdb
from .files import PARQUET_FILES, TEXT_FILES, OpenedTable, open_file
from .json_file import JSON_FILES, load_json
from .loading import Loaded
from .paths import FileError, check_file, table_name
from .settings import FileSettings
from .sqlite_file import SQLITE_MAGIC, load_sqlite

Source: TypeAlias = Literal["text", "parquet", "json", "sqlite", "duckdb", "gzip", "zip"]

DATABASE_FILES = (".sqlite", ".sqlite3", ".db", ".duckdb")
COMPRESSED = {".gz": "gzip", ".zip": "zip"}

# What may stand inside a compressed file: whatever is copied when it is opened.
PACKED_FILES = (*TEXT_FILES, *JSON_FILES)

_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_BEGINNING = 16


def open_sources(con: Connection, paths: Sequence[Path], settings: FileSettings) -> list[OpenedTable]:
    """Open each path as one table or several; FileError names the file that cannot be opened."""
    opened: list[OpenedTable] = []
    for path in paths:
        opened += _opened(con, path, [table.name for table in opened], settings)
    return opened


def recognised(path: Path) -> Source:
    """Return what a file is; FileError `unknown_format` if it is nothing that can be opened."""
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    suffix = path.suffix.lower()
    if beginning.startswith(_GZIP):
        return "gzip"
    if beginning.startswith(SQLITE_MAGIC):
        return "sqlite"
    if beginning.startswith(DUCKDB_MAGIC, DUCKDB_MAGIC_AT):
        return "duckdb"
    if beginning.startswith(_ZIP) and suffix == ".zip":
        return "zip"
    if suffix in DATABASE_FILES:
        raise FileError("no_database", path=str(path))
    if suffix in COMPRESSED:
        raise FileError("damaged", path=str(path))
    if suffix in TEXT_FILES:
        return "text"
    if suffix in PARQUET_FILES:
        return "parquet"
    if suffix in JSON_FILES:
        return "json"
    allowed = [*TEXT_FILES, *PARQUET_FILES, *JSON_FILES, *DATABASE_FILES, *COMPRESSED]
    raise FileError("unknown_format", path=str(path), found=suffix or "-", allowed=", ".join(allowed))


def _opened(con: Connection, path: Path, taken: Sequence[str], settings: FileSettings) -> list[OpenedTable]:
    check_file(path)
    source = recognised(path)
    if source == "gzip":
        with _named(path), gzip_content(path, PACKED_FILES, settings.unpacked_bytes) as content:
            return _from_copy(con, content, path, Path(path.stem).stem, taken, settings)
    if source == "zip":
        with _named(path), zip_content(path, PACKED_FILES, settings.unpacked_bytes) as content:
            return _from_copy(con, content, path, path.stem, taken, settings)
    return _loaded(con, path, source, path.stem, taken, settings)


def _from_copy(
    con: Connection, copy: Path, path: Path, wanted: str, taken: Sequence[str], settings: FileSettings
) -> list[OpenedTable]:
    tables = _loaded(con, copy, recognised(copy), wanted, taken, settings)
    return [replace(table, path=path) for table in tables]


def _loaded(
    con: Connection, path: Path, source: Source, wanted: str, taken: Sequence[str], settings: FileSettings
) -> list[OpenedTable]:
    if source in ("text", "parquet"):
        return [open_file(con, path, table_name(wanted, taken))]
    try:
        if source == "sqlite":
            loaded = load_sqlite(con, path, taken, settings)
        elif source == "duckdb":
            loaded = attach_duckdb(con, path, taken)
        else:
            loaded = [load_json(con, path, table_name(wanted, taken), settings)]
    except DatabaseError as error:
        raise FileError("unreadable_table", path=str(path), detail=error.facts.get("detail")) from error
    return [_described(con, path, each) for each in loaded]


def _described(con: Connection, path: Path, loaded: Loaded) -> OpenedTable:
    columns = describe(con, sql.name(loaded.name))
    rows = query(con, f"SELECT count(*) FROM {sql.name(loaded.name)}")[0][0]
    report = [{"column": column, "type": kind, "kind": kind_of(kind)} for column, kind in columns]
    return OpenedTable(loaded.name, path, rows, loaded.labels, report, loaded.notes)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let errors name the file that was asked for, not a copy of it."""
    try:
        yield
    except FileError as error:
        raise FileError(error.reason, **{**error.facts, "path": str(path)}) from error
