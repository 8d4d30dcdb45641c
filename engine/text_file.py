"""Text files as tables: read without guessing types, then each column typed on the evidence of all its values."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from grammar import unique_name

from . import sql
from .column_types import Typed, typed
from .database import Connection, execute, query
from .dialect import NO_DELIMITER
from .encoding import UTF8, Encoding, Outside, encoding_of, write_utf8
from .layout import layout_of
from .load_options import LoadOptions
from .load_report import LoadReport, SetAside, Tally
from .loading import column_names, differing
from .raw_table import RawTable
from .records import PLAIN
from .set_aside import put_aside, put_blank_aside
from .settings import FileSettings
from .text_rows import TextFile, TextRows, read_carefully, read_rows, temporary_text


def load_text(
    con: Connection, path: Path, name: str, settings: FileSettings, options: LoadOptions, *, careful: bool = False
) -> tuple[dict[str, str], LoadReport]:
    """Make the table `name` of a text file; return the labels of columns that are named otherwise, and the report.

    With `careful`, nothing is read by a short way; the result is the same. Raises FileError, EncodingError,
    DatabaseError.
    """
    encoding = encoding_of(path, options.encoding)
    with _as_utf8(path, encoding) as (readable, outside):
        layout = layout_of(readable, settings, options)
        columns = column_names(layout.labels)
        tally = Tally(settings.listed_rows)
        for title in layout.titles:
            tally.put_aside(SetAside(title.line, "title", tuple(title.cells)))
        tally.counts["blank"] += layout.blanks
        file = TextFile(readable, layout, list(columns), settings)
        if careful:
            rows = read_carefully(con, file, sql.name(name), tally)
        else:
            rows = read_rows(con, file, sql.name(name), options, tally)
        try:
            rows_in = rows.count + tally.counts.total()
            found = _settled(con, rows, options, tally)
            kept = _with_name_or_value(columns, found)
            _convert(con, name, rows, kept)
        except BaseException:
            execute(con, f"DROP TABLE IF EXISTS {sql.name(name)}")
            raise
    left = query(con, f"SELECT count(*) FROM {sql.name(name)}")[0][0]
    report = LoadReport(
        encoding=encoding.name,
        encoding_told_by=encoding.told_by,
        delimiter=None if layout.delimiter == NO_DELIMITER else layout.delimiter,
        header=layout.header,
        header_rows=layout.header_rows,
        quote=None if layout.quoting == PLAIN else layout.quoting.inner_quote,
        rows_in=rows_in,
        rows=left,
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


def _settled(con: Connection, rows: TextRows, options: LoadOptions, tally: Tally) -> list[Typed]:
    """Take out of the table what is no data, and say of each column what it is."""
    file, forms = rows.file, rows.forms
    raw = RawTable(rows.table, file.columns, values=forms.keys(), written=lambda places: rows.written(con, places))
    put_blank_aside(con, raw, tally)
    put_aside(con, raw, file.layout.labels, tally, file.settings, keep_totals=options.keep_totals)
    return typed(con, rows.table, file.columns, options, date.today(), forms)


def _convert(con: Connection, name: str, rows: TextRows, kept: list[Typed]) -> None:
    """Make the columns of the table what they were found to be, unless they are already."""
    selected = [column.expression for column in kept]
    if rows.line is None and selected == [sql.name(column) for column in rows.file.columns]:
        return
    converted = sql.name(unique_name("converted", [name]))
    execute(con, f"CREATE TABLE {converted} AS SELECT {', '.join(selected)} FROM {rows.table}")
    execute(con, f"DROP TABLE {rows.table}")
    execute(con, f"ALTER TABLE {converted} RENAME TO {sql.name(name)}")


def _with_name_or_value(labels: Mapping[str, str], found: list[Typed]) -> list[Typed]:
    """Return the columns without those that have neither a name nor a filled cell, unless none has either."""
    return [each for each in found if each.report.filled or labels[each.report.column].strip(sql.BLANKS)] or found


@contextmanager
def _as_utf8(path: Path, encoding: Encoding) -> Iterator[tuple[Path, Outside]]:
    """Give the path of the same text as UTF-8 (the file itself where it is, else a temporary one), and what is not."""
    if encoding.name == UTF8 and encoding.pure:
        yield path, Outside()
        return
    with temporary_text() as target:
        with target.open("wb") as out:
            outside = write_utf8(path, encoding, out)
        yield target, outside
