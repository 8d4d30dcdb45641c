"""Text files as tables: read without guessing types, then each column typed on the evidence of all its values.

A regular file is read by DuckDB as it stands. One with ragged rows or faulty quotes is first written anew, row by row,
with the line of each row beside it; rows are never held beyond the one at hand.
"""

import csv
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from grammar import unique_name

from . import sql
from .column_types import Typed, typed
from .database import Connection, DatabaseError, execute, query
from .dialect import NO_DELIMITER
from .encoding import UTF8, Encoding, Outside, encoding_of, write_utf8
from .layout import Layout, layout_of
from .load_options import LoadOptions
from .load_report import LoadReport, Reject, SetAside, Tally
from .loading import column_names, differing
from .paths import one_file
from .records import PLAIN, records
from .set_aside import put_aside, put_blank_aside
from .settings import FileSettings

_BLOCK = 1 << 20


@dataclass(frozen=True)
class _Raw:
    """The text of a file as a table: its quoted name, the SQL for the line of a row, and how many rows it had."""

    table: str
    line: str
    rows: int


def load_text(
    con: Connection, path: Path, name: str, settings: FileSettings, options: LoadOptions
) -> tuple[dict[str, str], LoadReport]:
    """Make the table `name` of a text file; return the labels of columns that are named otherwise, and the report.

    Raises FileError, EncodingError, DatabaseError.
    """
    encoding = encoding_of(path, options.encoding)
    with _as_utf8(path, encoding) as (readable, outside):
        layout = layout_of(readable, settings, options)
        columns = column_names(layout.labels)
        tally = Tally(settings.listed_rows)
        for title in layout.titles:
            tally.put_aside(SetAside(title.line, "title", tuple(title.cells)))
        tally.counts["blank"] += layout.blanks
        raw = _read(con, readable, unique_name("raw", [name]), layout, list(columns), tally, settings.quoted_lines)
    try:
        rows_in = raw.rows + tally.counts.total()
        put_blank_aside(con, raw.table, list(columns), tally)
        put_aside(
            con, raw.table, list(columns), raw.line, layout.labels, tally, settings, keep_totals=options.keep_totals
        )
        found = typed(con, raw.table, list(columns), options, date.today())
        kept = _with_name_or_value(columns, found)
        selected = ", ".join(column.expression for column in kept)
        execute(con, f"CREATE TABLE {sql.name(name)} AS SELECT {selected} FROM {raw.table}")
    finally:
        execute(con, f"DROP TABLE {raw.table}")
    rows = query(con, f"SELECT count(*) FROM {sql.name(name)}")[0][0]
    report = LoadReport(
        encoding=encoding.name,
        encoding_told_by=encoding.told_by,
        delimiter=None if layout.delimiter == NO_DELIMITER else layout.delimiter,
        header=layout.header,
        header_rows=layout.header_rows,
        quote=None if layout.quoting == PLAIN else layout.quoting.inner_quote,
        rows_in=rows_in,
        rows=rows,
        set_aside=tuple(tally.set_aside),
        rejects=tuple(tally.rejects),
        counts={why: count for why, count in tally.counts.items() if count},
        padded=tally.padded,
        mended=tally.mended,
        blank_columns=len(found) - len(kept),
        bytes_outside=outside.count,
        first_outside=outside.line,
        columns=tuple(column.report for column in kept),
    )
    return differing({column.report.column: columns[column.report.column] for column in kept}), report


def _with_name_or_value(labels: Mapping[str, str], found: list[Typed]) -> list[Typed]:
    """Return the columns without those that have neither a name nor a filled cell, unless none has either."""
    return [each for each in found if each.report.filled or labels[each.report.column].strip(sql.BLANKS)] or found


@contextmanager
def _as_utf8(path: Path, encoding: Encoding) -> Iterator[tuple[Path, Outside]]:
    """Give the path of the same text as UTF-8 (the file itself where it is, else a temporary one), and what is not."""
    if encoding.name == UTF8 and encoding.pure:
        yield path, Outside()
        return
    with _temporary() as target:
        with target.open("wb") as out:
            outside = write_utf8(path, encoding, out)
        yield target, outside


@contextmanager
def _temporary() -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(prefix="tez-", suffix=".csv", delete=False) as file:
        target = Path(file.name)
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)


def _read(
    con: Connection, path: Path, name: str, layout: Layout, columns: list[str], tally: Tally, quoted_lines: int
) -> _Raw:
    """Read the rows of a file as text, and count the blank lines among them."""
    table = f"temp.{sql.name(name)}"
    if layout.regular:
        try:
            _copy(con, path, table, columns, layout.delimiter, skip=layout.data - 1)
        except DatabaseError as error:
            if error.reason != "failed":
                raise
        else:
            raw = _counted(con, path, table, layout, columns, tally)
            if raw is not None:
                return raw
            execute(con, f"DROP TABLE {table}")
    line = unique_name("line", columns)
    with _temporary() as target:
        _write_anew(path, target, layout, tally, quoted_lines)
        _copy(con, target, table, [line, *columns], ",", skip=0)
    rows = query(con, f"SELECT count(*) FROM {table}")[0][0]
    return _Raw(table, f"CAST({sql.name(line)} AS BIGINT)", rows)


def _copy(con: Connection, path: Path, table: str, columns: list[str], delimiter: str, skip: int) -> None:
    listed = ", ".join(f"{sql.name(column)}: 'VARCHAR'" for column in columns)
    execute(
        con,
        f"CREATE TEMP TABLE {table} AS FROM read_csv({one_file(path)}, auto_detect = false, header = false, "
        f"skip = {skip}, delim = {sql.literal(delimiter)}, quote = '\"', escape = '\"', columns = {{{listed}}})",
    )


def _counted(con: Connection, path: Path, table: str, layout: Layout, columns: list[str], tally: Tally) -> _Raw | None:
    """Account for every line of a file that DuckDB read: a row, a part of one, or blank; None if that cannot be."""
    lines, quoted = _lines(path)
    rows = query(con, f"SELECT count(*) FROM {table}")[0][0]
    inner = 0
    if quoted:
        breaks = " + ".join(
            f"coalesce(length({cell}) - length(replace(replace({cell}, chr(13) || chr(10), chr(10)), chr(10), '')) "
            f"- length({cell}) + length(replace({cell}, chr(13) || chr(10), chr(10))), 0)"
            for cell in map(sql.name, columns)
        )
        inner = int(query(con, f"SELECT coalesce(sum({breaks}), 0) FROM {table}")[0][0])
    blank = lines - (layout.data - 1) - rows - inner
    if blank < 0 or (blank and blank != _blank_lines(path, layout.data)):
        return None
    tally.counts["blank"] += blank
    line = f"rowid + {layout.data}" if not blank and not inner else "NULL"
    return _Raw(table, line, rows)


def _lines(path: Path) -> tuple[int, bool]:
    """Return how many lines a file has, and whether there is a quote in it."""
    lines, quoted, carriage, last = 0, False, 0, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            lines += block.count(b"\n")
            carriage += block.count(b"\r")
            quoted = quoted or b'"' in block
            last = block[-1:]
    if not lines:
        lines = carriage
    return lines + (last not in (b"\n", b"\r")), quoted


def _blank_lines(path: Path, first: int) -> int:
    """Return how many lines from the first one on are blank."""
    with path.open("rb") as file:
        return sum(not line.strip() for number, line in enumerate(file, 1) if number >= first)


def _write_anew(path: Path, target: Path, layout: Layout, tally: Tally, quoted_lines: int) -> None:
    """Write the rows of a file as regular ones, the line of each before its cells.

    Short rows are filled up with empty cells; long ones are rejected unless what is too much is empty.
    """
    width = len(layout.labels)
    with (
        path.open(encoding="utf-8-sig", newline="") as lines,
        target.open("w", encoding=UTF8, newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n")
        for row in records(lines, layout.delimiter, quoted_lines, layout.quoting):
            if row.line < layout.data:
                continue
            if not row.cells:
                tally.counts["blank"] += 1
                continue
            cells = row.cells
            if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
                cells = cells[:width]
            if len(cells) > width:
                tally.reject(Reject(row.line, "too_many_cells", row.text))
                continue
            tally.mended += row.mended
            tally.padded += len(cells) < width
            writer.writerow([row.line, *cells, *[""] * (width - len(cells))])
