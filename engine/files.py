"""Opening files: a path becomes a table of a DuckDB connection, and a report says what was concluded.

A text file is read without guessing types; then each column gets a type on the evidence of all its values, and only
where every filled cell has the plain form of that type. A path is one file, never a pattern.
"""

import codecs
import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grammar import unique_name

from . import sql
from .database import Connection, DatabaseError, describe, execute, kind_of, query
from .paths import FileError, check_file, one_file, table_name

TEXT_FILES = (".csv", ".tsv", ".txt")
PARQUET_FILES = (".parquet",)

_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff]")
_READ_SIZE = 1 << 20

_WHOLE_NUMBER = r"-?(0|[1-9]\d{0,14})"
_NUMBER = rf"{_WHOLE_NUMBER}(\.\d{{1,15}})?"
_DATE = r"(19|20)\d{2}-\d{2}-\d{2}"
_TIMESTAMP = rf"{_DATE}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,6}})?)?"
_BOOLEAN = r"(?i)(true|false)"

# The types that a text column may get, the most special first: DuckDB type and the form that every filled cell has.
_TYPES = (
    ("BOOLEAN", _BOOLEAN),
    ("BIGINT", _WHOLE_NUMBER),
    ("DOUBLE", _NUMBER),
    ("DATE", _DATE),
    ("TIMESTAMP", rf"{_DATE}|{_TIMESTAMP}"),
)


@dataclass(frozen=True)
class OpenedTable:
    """A file as a table: its name in the connection, where it came from, and what was concluded of each column.

    `labels` maps column names to the names in the file, where they differ. `notes` are what a person should know of
    how it was opened, in the form of evidence (a `note` and its facts).
    """

    name: str
    path: Path
    rows: int
    labels: dict[str, str] = field(default_factory=dict)
    report: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)


def open_files(con: Connection, paths: Sequence[Path]) -> list[OpenedTable]:
    """Open each file as a table named after it; FileError names the file that cannot be opened."""
    opened: list[OpenedTable] = []
    for path in paths:
        opened.append(open_file(con, path, table_name(path.stem, [table.name for table in opened])))
    return opened


def open_file(con: Connection, path: Path, name: str) -> OpenedTable:
    """Open one file as the table `name` of the connection; FileError says what is wrong with it."""
    check_file(path)
    suffix = path.suffix.lower()
    try:
        if suffix in PARQUET_FILES:
            execute(con, f"CREATE TABLE {sql.name(name)} AS FROM read_parquet({one_file(path)})")
            labels: dict[str, str] = {}
        elif suffix in TEXT_FILES:
            labels = _load_text(con, path, name)
        else:
            allowed = [*TEXT_FILES, *PARQUET_FILES]
            raise FileError("unknown_format", path=str(path), found=suffix or "-", allowed=", ".join(allowed))
    except DatabaseError as error:
        raise FileError("unreadable_table", path=str(path), detail=error.facts.get("detail")) from error
    columns = describe(con, sql.name(name))
    rows = query(con, f"SELECT count(*) FROM {sql.name(name)}")[0][0]
    report = [{"column": column, "type": kind, "kind": kind_of(kind)} for column, kind in columns]
    return OpenedTable(name, path, rows, labels, report)


def _load_text(con: Connection, path: Path, name: str) -> dict[str, str]:
    _check_encoding(path)
    delimiter, quote = _dialect(con, path)
    header = _header(path, delimiter, quote)
    columns: dict[str, str] = {}
    for number, label in enumerate(header, 1):
        cleaned = _ZERO_WIDTH.sub("", label).strip(sql.BLANKS) or f"column_{number}"
        columns[unique_name(cleaned, columns)] = label
    raw = unique_name("raw", [name])
    listed = ", ".join(f"{sql.name(column)}: 'VARCHAR'" for column in columns)
    execute(
        con,
        f"CREATE TEMP TABLE {sql.name(raw)} AS FROM read_csv({one_file(path)}, auto_detect = false, header = true, "
        f"delim = {sql.literal(delimiter)}, quote = {sql.literal(quote)}, escape = {sql.literal(quote)}, "
        f"columns = {{{listed}}})",
    )
    try:
        typed = ", ".join(_typed(con, raw, column) for column in columns)
        execute(con, f"CREATE TABLE {sql.name(name)} AS SELECT {typed} FROM temp.{sql.name(raw)}")
    finally:
        execute(con, f"DROP TABLE temp.{sql.name(raw)}")
    return {column: label for column, label in columns.items() if column != label}


def _check_encoding(path: Path) -> None:
    """Raise FileError, with the line and the byte, unless the whole file is UTF-8."""
    line = 1
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while block := file.read(_READ_SIZE):
                line += decoder.decode(block).count("\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            raise FileError(
                "not_utf8", path=str(path), line=line, found=f"0x{error.object[error.start]:02X}"
            ) from error


def _dialect(con: Connection, path: Path) -> tuple[str, str]:
    found = query(con, f"SELECT delimiter, quote FROM sniff_csv({one_file(path)}, all_varchar = true)")
    delimiter, quote = found[0]
    return delimiter, quote if quote != "(empty)" else '"'


def _header(path: Path, delimiter: str, quote: str) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            return next(csv.reader(file, delimiter=delimiter, quotechar=quote), [])
        except csv.Error as error:
            raise FileError("unreadable_table", path=str(path), detail=str(error)) from error


def _typed(con: Connection, raw: str, column: str) -> str:
    """Return a column as an expression of the type whose form every filled cell has; as it is where there is none.

    Each column is asked for alone: one statement about hundreds of them takes DuckDB many times as long to plan.
    """
    cell = sql.name(column)
    counts = [f"count({cell})", "count(*) FILTER (padded)"]
    for duckdb_type, form in _TYPES:
        fits = f"regexp_full_match({cell}, {sql.literal(form)}) AND TRY_CAST({cell} AS {duckdb_type}) IS NOT NULL"
        counts.append(f"count(*) FILTER ({fits})")
    trimmed = sql.trimmed(cell)
    cells = f"SELECT nullif({trimmed}, '') AS {cell}, {cell} <> {trimmed} AS padded FROM temp.{sql.name(raw)}"
    filled, padded, *fitting = query(con, f"SELECT {', '.join(counts)} FROM ({cells})")[0]
    for (duckdb_type, _), count in zip(_TYPES, fitting, strict=True):
        if filled and count == filled:
            return f"TRY_CAST({trimmed if padded else cell} AS {duckdb_type}) AS {cell}"
    return cell
