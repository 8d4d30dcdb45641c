"""Opening files: a path becomes a table of a DuckDB connection, and a report says what was concluded.

A text file is read without guessing types; then each column gets a type on the evidence of all its values, and only
where every filled cell has the plain form of that type. A path is one file, never a pattern.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import sql
from .database import Connection, DatabaseError, describe, execute, kind_of, query
from .load_options import AS_FOUND, LoadOptions
from .load_report import ColumnReport, LoadReport
from .paths import FileError, check_file, one_file
from .settings import FileSettings
from .text_file import load_text
from .unchanged import FileMark, file_mark

TEXT_FILES = (".csv", ".tsv", ".txt")
PARQUET_FILES = (".parquet",)

__all__ = ["FileError", "OpenedTable", "open_file"]


@dataclass(frozen=True)
class OpenedTable:
    """A file as a table: its name in the connection, where it came from, and what was concluded of each column.

    `labels` maps column names to the names in the file, where they differ. `notes` are what a person should know of
    how it was opened, in the form of evidence (a `note` and its facts). `left` is the mark of a file that statements
    read where it lies.
    """

    name: str
    path: Path
    rows: int
    labels: dict[str, str] = field(default_factory=dict)
    report: LoadReport = field(default_factory=LoadReport)
    notes: list[dict[str, Any]] = field(default_factory=list)
    left: FileMark | None = None


def open_file(
    con: Connection, path: Path, name: str, settings: FileSettings, options: LoadOptions = AS_FOUND
) -> OpenedTable:
    """Open one file as the table `name` of the connection; FileError says what is wrong with it."""
    check_file(path)
    left = file_mark(path) if path.suffix.lower() in PARQUET_FILES else None
    try:
        labels, report = _load(con, path, name, settings, options)
    except DatabaseError as error:
        raise FileError("unreadable_table", path=str(path), detail=error.facts.get("detail")) from error
    return OpenedTable(name, path, report.rows, labels, report, left=left)


def _load(
    con: Connection, path: Path, name: str, settings: FileSettings, options: LoadOptions
) -> tuple[dict[str, str], LoadReport]:
    """Make the table `name` in the way that fits the file's suffix; return labels and report."""
    suffix = path.suffix.lower()
    if suffix in TEXT_FILES:
        return load_text(con, path, name, settings, options)
    if suffix in PARQUET_FILES:
        return {}, _load_parquet(con, path, name)
    allowed = [*TEXT_FILES, *PARQUET_FILES]
    raise FileError("unknown_format", path=str(path), found=suffix or "-", allowed=", ".join(allowed))


def _load_parquet(con: Connection, path: Path, name: str) -> LoadReport:
    """Make a view of a Parquet file: nothing is copied, statements read the file."""
    source = f"read_parquet({one_file(path)}, hive_partitioning = false)"
    execute(con, f"CREATE VIEW {sql.name(name)} AS FROM {source}")
    rows = query(con, f"SELECT count(*) FROM {sql.name(name)}")[0][0]
    columns = tuple(ColumnReport(column, kind_of(kind), kind) for column, kind in describe(con, sql.name(name)))
    return LoadReport(rows_in=rows, rows=rows, columns=columns)
