"""Sources: what a path is, told by its first bytes and its suffix, and which reader opens it.

A path is one file, a folder (each file in it is a table), or `-` for standard input. A file may hold several tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from prompt.context import domain_files

from . import sql
from .compressed import gzip_content, standard_input, zip_content, zip_names
from .database import Connection, DatabaseError, drop, is_view, query, tables
from .duckdb_file import DUCKDB_MAGIC, DUCKDB_MAGIC_AT, attach_duckdb
from .files import PARQUET_FILES, TEXT_FILES, OpenedTable, open_file
from .json_file import JSON_FILES, load_json
from .load_options import AS_FOUND, LoadOptions
from .load_report import LoadReport
from .loading import Loaded
from .named_columns import check_named
from .paths import FileError, check_file, check_path, table_name
from .settings import FileSettings
from .spreadsheet import SPREADSHEET_FILES, ZIP_MAGIC, load_sheet
from .sqlite_file import SQLITE_MAGIC, load_sqlite
from .text_columns import read_texts
from .unchanged import file_mark

Source: TypeAlias = Literal["text", "parquet", "json", "spreadsheet", "sqlite", "duckdb", "gzip", "zip"]

STANDARD_INPUT = "-"
DATABASE_FILES = (".sqlite", ".sqlite3", ".db", ".duckdb")
COMPRESSED = {".gz": "gzip", ".zip": "zip"}

# What may stand inside a compressed file: whatever is copied when it is opened.
PACKED_FILES = (*TEXT_FILES, *JSON_FILES, *SPREADSHEET_FILES)

_COPIED: tuple[Source, ...] = ("text", "json", "spreadsheet", "sqlite")
_USES: Mapping[str, tuple[Source, ...]] = {
    "encoding": ("text",),
    "delimiter": ("text",),
    "header": ("text", "spreadsheet", "json"),
    "keep_totals": ("text", "spreadsheet"),
}
_INPUT_TABLE = "input"
_HIDDEN = (".", "~$")
_BESIDE_DATABASES = ("-wal", "-shm", "-journal", ".wal")
_GZIP = b"\x1f\x8b"
_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin")
_BEGINNING = 16


def open_sources(
    con: Connection,
    paths: Sequence[Path],
    settings: FileSettings,
    sheet: str | None = None,
    options: LoadOptions = AS_FOUND,
) -> list[OpenedTable]:
    """Open each path as one table or several; FileError names the file that cannot be opened.

    `sheet` names the one to open of each workbook. Standard input can be read once: FileError `input_twice`.
    """
    if [str(path) for path in paths].count(STANDARD_INPUT) > 1:
        raise FileError("input_twice", path=STANDARD_INPUT)
    for path in paths:
        if str(path) != STANDARD_INPUT:
            check_path(path)
    _check_uses(paths, sheet, options)
    opened: list[OpenedTable] = []
    for path in paths:
        opened += _opened(_Opening(con, [table.name for table in opened], settings, sheet, options), path)
    check_named(options.types, [[column.column for column in table.report.columns] for table in opened])
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
    if suffix in SPREADSHEET_FILES or (beginning.startswith(ZIP_MAGIC) and _is_workbook(path)):
        return "spreadsheet"
    if beginning.startswith(ZIP_MAGIC) and suffix == ".zip":
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
    allowed = [*TEXT_FILES, *PARQUET_FILES, *JSON_FILES, *SPREADSHEET_FILES, *DATABASE_FILES, *COMPRESSED]
    raise FileError("unknown_format", path=str(path), found=suffix or "-", allowed=", ".join(allowed))


def _check_uses(paths: Sequence[Path], sheet: str | None, options: LoadOptions) -> None:
    """Raise FileError if there is a sheet or an option that none of the paths can have a use for."""
    if sheet is not None and not any(_may_be(path, ("spreadsheet",)) for path in paths):
        raise FileError("no_workbook", path=", ".join(map(str, paths)), found=sheet)
    for option, sources in _USES.items():
        given = getattr(options, option)
        if given is not None and given is not False and not any(_may_be(path, sources) for path in paths):
            raise FileError(
                "option_without_use", path=", ".join(map(str, paths)), option=f"--{option.replace('_', '-')}"
            )


def _may_be(path: Path, sources: Sequence[Source]) -> bool:
    """Return whether a path is of one of these sources, or something that may hold one."""
    if not path.is_file():
        return True
    check_file(path)
    return recognised(path) in (*sources, "gzip", "zip")


def _is_workbook(path: Path) -> bool:
    """Return whether a zip under any name is an Excel workbook."""
    return bool(set(_WORKBOOKS).intersection(zip_names(path)))


class _Opening(NamedTuple):
    """What opening one path needs to know beside it."""

    con: Connection
    taken: Sequence[str]
    settings: FileSettings
    sheet: str | None
    options: LoadOptions


def _opened(opening: _Opening, path: Path) -> list[OpenedTable]:
    if str(path) == STANDARD_INPUT:
        with standard_input(path, opening.settings.unpacked_bytes) as copy:
            return _from_copy(opening, copy, path, _INPUT_TABLE)
    if path.is_dir():
        return _folder(opening, path)
    check_file(path)
    source, bound = recognised(path), opening.settings.unpacked_bytes
    if source == "gzip":
        with gzip_content(path, PACKED_FILES, bound) as content:
            return _from_copy(opening, content, path, Path(path.stem).stem)
    if source == "zip":
        with zip_content(path, PACKED_FILES, bound) as content:
            return _from_copy(opening, content, path, path.stem)
    return _loaded(opening, path, source, path.stem)


def _folder(opening: _Opening, folder: Path) -> list[OpenedTable]:
    """Open every file that lies in a folder; those that cannot be opened are noted if at least one can."""
    opened: list[OpenedTable] = []
    notes: list[dict[str, Any]] = []
    for path in _files(folder, opening.settings.folder_files):
        taken = [*opening.taken, *(table.name for table in opened)]
        before = tables(opening.con)
        try:
            opened += _opened(opening._replace(taken=taken), path)
        except FileError as error:
            drop(opening.con, set(tables(opening.con)) - set(before))
            notes.append({"note": "file_not_opened", "path": path.name, "reason": error.reason, "facts": error.facts})
    if not opened:
        raise FileError("folder_without_tables", path=str(folder), found=[note["path"] for note in notes] or None)
    return [replace(opened[0], notes=[*notes, *opened[0].notes]), *opened[1:]]


def _files(folder: Path, most: int) -> list[Path]:
    """Return the files of a folder by name, without hidden ones, the words of a domain, and what databases keep."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise FileError("unreadable", path=str(folder), found=error.strerror) from error
    words = domain_files(folder)
    files = [
        path
        for path in entries
        if path.is_file()
        and path.name not in words
        and not path.name.startswith(_HIDDEN)
        and not path.name.endswith(_BESIDE_DATABASES)
    ]
    if len(files) > most:
        raise FileError("folder_too_large", path=str(folder), found=len(files), allowed=most)
    return files


def _from_copy(opening: _Opening, copy: Path, path: Path, wanted: str) -> list[OpenedTable]:
    """Open a temporary file; only what is copied into the connection can come from one."""
    with _named(copy, path):
        source = recognised(copy)
        if source not in _COPIED:
            raise FileError("packed_twice", path=str(path), found=source)
        return [replace(table, path=path) for table in _loaded(opening, copy, source, wanted)]


def _loaded(opening: _Opening, path: Path, source: Source, wanted: str) -> list[OpenedTable]:
    con, taken, settings, sheet, options = opening
    name = table_name(wanted, taken)
    if source == "text":
        return [open_file(con, path, name, settings, options)]
    try:
        if source == "sqlite":
            loaded = load_sqlite(con, path, taken, settings)
        elif source == "duckdb":
            loaded = attach_duckdb(con, path, taken)
        elif source == "spreadsheet":
            loaded = [load_sheet(con, path, name, settings, sheet, options)]
        elif source == "parquet":
            mark = file_mark(path)
            loaded = [Loaded(open_file(con, path, name, settings, options).name)]
            described = _described(con, path, loaded[0], options, is_left=True)
            return [replace(described, left=mark if is_view(con, name) else None)]
        else:
            loaded = load_json(con, path, wanted, taken, settings, options)
        return [_described(con, path, each, options, is_left=source == "duckdb") for each in loaded]
    except DatabaseError as error:
        raise FileError("unreadable_table", path=str(path), detail=error.facts.get("detail")) from error


def _described(con: Connection, path: Path, loaded: Loaded, options: LoadOptions, *, is_left: bool) -> OpenedTable:
    """Return a loaded table with its report; a file that `is_left` as it is has its texts read only if asked."""
    if loaded.report is not None:
        return OpenedTable(loaded.name, path, loaded.report.rows, loaded.labels, loaded.report, loaded.notes)
    columns = read_texts(con, loaded.name, options, is_left=is_left)
    rows = query(con, f"SELECT count(*) FROM {sql.name(loaded.name)}")[0][0]
    report = LoadReport(rows_in=rows, rows=rows, columns=columns)
    return OpenedTable(loaded.name, path, rows, loaded.labels, report, loaded.notes)


@contextmanager
def _named(copy: Path, path: Path) -> Iterator[None]:
    """Let errors, and what others say in them, name the file that was asked for, not a copy of it."""
    try:
        yield
    except FileError as error:
        facts = {
            name: fact.replace(str(copy), str(path)) if isinstance(fact, str) else fact
            for name, fact in error.facts.items()
        }
        raise type(error)(error.reason, **facts) from error
