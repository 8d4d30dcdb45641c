"""The rows of a text file as a table of the database, and the way back from a row to its line.

DuckDB reads a regular file as it stands, columns of a quick form as what they are, all others as text; every line is
then accounted for. One with ragged rows or faulty quotes is first written anew, row by row, with the line of each row
beside it; rows are never held beyond the one at hand.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from grammar import unique_name

from . import sql
from .database import Connection, DatabaseError, execute, query
from .encoding import UTF8
from .file_sample import file_sample
from .layout import Layout
from .load_options import LoadOptions
from .load_report import Reject, Tally
from .named_columns import named_kinds
from .paths import one_file
from .quick_forms import QuickForm, doubted, expressions, quick_form
from .records import PLAIN, Record, records
from .set_aside import may_be_total
from .settings import FileSettings

_BLOCK = 1 << 20
_NEW_LINE = ord("\n")
# Two quoted pieces in one cell, of which DuckDB and `records` make different texts.
_TWO_QUOTED = re.compile(rb'" +"')
_PIECE = 1 << 10


class TextFile(NamedTuple):
    """A UTF-8 file, its layout, the names of its columns, and how files are read."""

    path: Path
    layout: Layout
    columns: list[str]
    settings: FileSettings

    def records(self) -> Iterator[Record]:
        """Yield the rows below the column names, blank ones too."""
        with self.path.open(encoding="utf-8-sig", newline="") as lines:
            for row in self.parsed(lines):
                if row.line >= self.layout.data:
                    yield row

    def parsed(self, lines: Iterable[str]) -> Iterator[Record]:
        """Yield the rows of these lines, whose numbers begin at 1."""
        return records(lines, self.layout.delimiter, self.settings.quoted_lines, self.layout.quoting)


@dataclass(frozen=True)
class TextRows:
    """The rows of a text file in a table: its quoted name, how many there are, and the columns of a quick form.

    `line` is the column with the line of each row, beside theirs; without it, `first_line` is the line of the first row
    if each row takes one line and none is blank, and None where lines have to be counted again.
    """

    file: TextFile
    table: str
    count: int
    forms: Mapping[str, QuickForm]
    line: str | None = None
    first_line: int | None = None

    def written(self, con: Connection, places: Sequence[int]) -> dict[int, Record]:
        """Return the rows at these places (DuckDB's rowid) of the table as they stand in the file."""
        if self.line is not None:
            listed = sql.any_of("rowid", places)
            lines = query(con, f"SELECT rowid, CAST({sql.name(self.line)} AS BIGINT) FROM {self.table} WHERE {listed}")
            return _at_lines(self.file, dict(lines))
        if self.first_line is not None:
            return _whole_lines(self.file, {place: place + self.first_line for place in places})
        return _at_places(self.file, set(places))


def read_rows(con: Connection, file: TextFile, table: str, options: LoadOptions, tally: Tally) -> TextRows:
    """Make the table (a quoted name) of the rows of a file, and count in the tally what is no row.

    DatabaseError if the rows cannot be stored.
    """
    forms, lines = _foreseen(file, options), _lines(file.path)
    if file.layout.regular and not lines.pieces:
        try:
            forms = _copied(con, file, table, file.columns, forms, f"skip = {file.layout.data - 1}")
        except DatabaseError as error:
            if error.reason != "failed":
                raise
        else:
            counted = _counted(con, TextRows(file, table, _count(con, table), forms), lines, tally)
            if counted is not None:
                return counted
            execute(con, f"DROP TABLE {table}")
    return read_carefully(con, file, table, tally, forms)


def read_carefully(
    con: Connection, file: TextFile, table: str, tally: Tally, forms: Mapping[str, QuickForm] = MappingProxyType({})
) -> TextRows:
    """Make the table of the rows of a file that is written anew before, whatever its rows are like."""
    line = unique_name("line", file.columns)
    with temporary_text() as target:
        _write_anew(file, target, tally)
        anew = file._replace(path=target)
        kept = _copied(con, anew, table, [line, *file.columns], forms, r"new_line = '\n'")
    return TextRows(file, table, _count(con, table), kept, line)


def _count(con: Connection, table: str) -> int:
    return int(query(con, f"SELECT count(*) FROM {table}")[0][0])


def _foreseen(file: TextFile, options: LoadOptions) -> dict[str, QuickForm]:
    """Return the quick forms that columns have in rows from all over the file."""
    sample, labels = file_sample(file.path, file.layout, file.settings), file.layout.labels
    lasting = [cells for cells in sample.first if any(map(str.strip, cells))][: -file.settings.tail_rows]
    lasting = [cells for cells in lasting if cells[0] != labels[0] and not may_be_total(cells)]
    typed = named_kinds(options.types, file.columns)
    forms = {}
    for place, (column, label) in enumerate(zip(file.columns, labels, strict=True)):
        if column not in typed:
            cells = [row[place] for row in (*sample.first, *sample.others) if row[place]]
            form = quick_form(column, label, cells, [row[place] for row in lasting if row[place]], options)
            if form is not None:
                forms[column] = form
    return forms


def _copied(
    con: Connection,
    file: TextFile,
    table: str,
    columns: list[str],
    forms: Mapping[str, QuickForm],
    further: str,
) -> dict[str, QuickForm]:
    """Make the table of a regular file and return the quick forms of its columns, without those found in doubt."""
    listed = ", ".join(f"{sql.name(column)}: 'VARCHAR'" for column in columns)
    source = (
        f"read_csv({one_file(file.path)}, auto_detect = false, header = false, "
        f"hive_partitioning = false, {further}, delim = {sql.literal(file.layout.delimiter)}, "
        f"quote = '\"', escape = '\"', columns = {{{listed}}})"
    )
    try:
        execute(con, f"CREATE TABLE {table} AS SELECT {', '.join(expressions(columns, forms))} FROM {source}")
        return dict(forms)
    except DatabaseError as error:
        if error.reason != "failed" or not doubted(str(error.facts.get("detail"))):
            raise
    doubts = ", ".join(f"count(*) FILTER ({form.doubtful(sql.name(column))})" for column, form in forms.items())
    counts = query(con, f"SELECT {doubts} FROM {source}")[0]
    kept = {column: form for (column, form), count in zip(forms.items(), counts, strict=True) if not count}
    execute(con, f"CREATE TABLE {table} AS SELECT {', '.join(expressions(columns, kept))} FROM {source}")
    return kept


@dataclass(frozen=True)
class _Lines:
    """The lines of a file: how many, by which byte they end, and whether quotes are in it, or pieces of quoted text."""

    count: int
    by_feed: bool
    quoted: bool
    pieces: bool


def _lines(path: Path) -> _Lines:
    feeds, carriages, quoted, pieces, last = 0, 0, False, False, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            feeds += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _NEW_LINE))
            carriages += block.count(b"\r") if b"\r" in block else 0
            if b'"' in block:
                quoted = True
                pieces = pieces or bool(_TWO_QUOTED.search(last + block))
            last = block[-_PIECE:]
    count = (feeds or carriages) + (last[-1:] not in (b"\n", b"\r"))
    return _Lines(count, feeds > 0 or not carriages, quoted, pieces)


def _counted(con: Connection, rows: TextRows, lines: _Lines, tally: Tally) -> TextRows | None:
    """Account for every line of a file that DuckDB read: a row, a part of one, or blank; None if that cannot be."""
    first = rows.file.layout.data
    blank = lines.count - (first - 1) - rows.count
    if not blank:
        return replace(rows, first_line=first if lines.by_feed else None)
    if lines.quoted:
        for cell in [sql.name(column) for column in rows.file.columns if column not in rows.forms]:
            breaks = f"length({cell}) - length(replace({cell}, chr(10), ''))"
            within = f"CASE WHEN contains({cell}, chr(10)) THEN {breaks} ELSE 0 END"
            counts = query(con, f"SELECT coalesce(sum({within}), 0), coalesce(max({within}), 0) FROM {rows.table}")
            inner, most = counts[0]
            blank -= int(inner)
            if most >= rows.file.settings.quoted_lines - 1:
                return None
    if blank < 0 or (blank and blank != _blank_lines(rows.file.path, first)):
        return None
    tally.counts["blank"] += blank
    return rows


def _blank_lines(path: Path, first: int) -> int:
    """Return how many lines from the first one on are blank."""
    with path.open("rb") as file:
        return sum(not line.strip() for number, line in enumerate(file, 1) if number >= first)


def _write_anew(file: TextFile, target: Path, tally: Tally) -> None:
    """Write the rows of a file as regular ones, the line of each before its cells.

    Short rows are filled up with empty cells; long ones are rejected unless what is too much is empty.
    """
    width, delimiter, quote = len(file.columns), file.layout.delimiter, file.layout.quoting.quote
    with target.open("w", encoding=UTF8, newline="") as out:
        for row in file.records():
            cells = row.cells
            if not cells:
                tally.counts["blank"] += 1
                continue
            if len(cells) == width and quote not in row.text and PLAIN.quote not in row.text:
                out.write(f"{row.line}{delimiter}{row.text}\n")
                continue
            if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
                cells = cells[:width]
            if len(cells) > width:
                tally.reject(Reject(row.line, "too_many_cells", row.text))
                continue
            tally.mended += row.mended
            tally.padded += len(cells) < width
            written = [f'"{cell.replace(PLAIN.quote, PLAIN.inner_quote)}"' for cell in cells]
            out.write(delimiter.join([str(row.line), *written, *[""] * (width - len(cells))]) + "\n")


@contextmanager
def temporary_text() -> Iterator[Path]:
    """Give the path of an empty temporary text file, which is gone afterwards."""
    with tempfile.NamedTemporaryFile(prefix="tez-", suffix=".csv", delete=False) as file:
        target = Path(file.name)
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)


def _at_lines(file: TextFile, lines: Mapping[int, int]) -> dict[int, Record]:
    """Return the rows that begin at these lines, each by its key."""
    places = {line: place for place, line in lines.items()}
    last = max(places, default=0)
    rows = takewhile(lambda row: row.line <= last, file.records())
    return {places[row.line]: row for row in rows if row.line in places}


def _at_places(file: TextFile, places: set[int]) -> dict[int, Record]:
    """Return the rows at these places, counted from 0."""
    rows = islice((row for row in file.records() if row.cells), max(places, default=-1) + 1)
    return {place: row for place, row in enumerate(rows) if place in places}


def _whole_lines(file: TextFile, lines: Mapping[int, int]) -> dict[int, Record]:
    """Return the rows that are these lines, each by its key, of a file in which each row is a line."""
    places = {line: place for place, line in lines.items()}
    found = {}
    with file.path.open("rb") as source:
        for number, line in enumerate(islice(source, max(places, default=0)), 1):
            if number in places:
                text = line.decode("utf-8-sig" if number == 1 else UTF8)
                found[places[number]] = next(file.parsed([text]))._replace(line=number)
    return found
