"""Text files as tables: read without guessing types, then each column typed on the evidence of all its values."""

import csv
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grammar import unique_name

from . import sql
from .database import Connection, execute, query
from .encoding import UTF8, Encoding, encoding_of, write_utf8
from .file_error import FileError, one_file
from .load_options import LoadOptions

_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff]")

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


def load_text(con: Connection, path: Path, name: str, options: LoadOptions) -> dict[str, str]:
    """Make the table `name` of a text file and return the labels of the columns whose name is not their label.

    Raises FileError, EncodingError, DatabaseError.
    """
    encoding = encoding_of(path, options.encoding)
    with _as_utf8(path, encoding) as readable:
        return _load(con, readable, name)


@contextmanager
def _as_utf8(path: Path, encoding: Encoding) -> Iterator[Path]:
    """Give the path of the same text as UTF-8: the file itself where it is, else a temporary one."""
    if encoding.name == UTF8 and encoding.told_by != "option":
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="tez-", suffix=".csv", delete=False) as file:
        target = Path(file.name)
    try:
        with target.open("wb") as out:
            write_utf8(path, encoding, out)
        yield target
    finally:
        target.unlink(missing_ok=True)


def _load(con: Connection, path: Path, name: str) -> dict[str, str]:
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
