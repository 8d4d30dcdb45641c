"""Excel workbooks, written row by row. The only module that knows XlsxWriter."""

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from . import database, sql
from .database import Connection
from .new_file import ExportError
from .settings import ExportSettings, FileForm

if TYPE_CHECKING:
    from .export import Column, Note

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""The size of a sheet, the row of names included: Excel's specifications and limits."""

_LONGEST_TEXT = 32_767
_FIGURES = 15
_FIRST_DAY = date(1900, 3, 1)
_LONGEST_TITLE = 31
_NO_TITLE = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LEAST_WIDTH = 8
_OPTIONS = {
    "constant_memory": True,
    "strings_to_numbers": False,
    "strings_to_formulas": False,
    "strings_to_urls": False,
}
_CUT: dict[str, Any] = {"note": "cut_texts", "limit": _LONGEST_TEXT}
_LONG: dict[str, Any] = {"note": "long_numbers"}
_OLD: dict[str, Any] = {"note": "old_dates"}

Write = Callable[[int, int, Any], None]


@dataclass
class _Sheet:
    """The sheet that is being written, with the formats of its cells and what a person should know of them."""

    sheet: Any
    day: Any
    moment: Any
    notes: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def note(self, note: Mapping[str, Any], column: str) -> None:
        """Count a cell that was changed."""
        counted = self.notes.setdefault((note["note"], column), {**note, "column": column, "cells": 0})
        counted["cells"] += 1


def write_workbook(
    con: Connection,
    source: str,
    columns: Sequence["Column"],
    path: Path,
    form: FileForm,
    settings: ExportSettings,
    title: str,
) -> list["Note"]:
    """Write the rows of a source to a workbook of one sheet; ExportError if they do not fit a sheet."""
    rows = int(database.query(con, f"SELECT count(*) FROM {source}")[0][0])
    if rows >= MOST_ROWS:
        raise ExportError("too_many_rows", rows=rows, most=MOST_ROWS - 1)
    if len(columns) > MOST_COLUMNS:
        raise ExportError("too_many_columns", columns=len(columns), most=MOST_COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        book = xlsxwriter.Workbook(str(path), {**_OPTIONS, "tmpdir": folder})
        sheet = _Sheet(
            book.add_worksheet(sheet_title(title)),
            book.add_format({"num_format": form.dates}),
            book.add_format({"num_format": f"{form.dates} hh:mm:ss"}),
        )
        bold = book.add_format({"bold": True})
        for place, column in enumerate(columns):
            sheet.sheet.write_string(0, place, column.name[:_LONGEST_TEXT], bold)
        sheet.sheet.freeze_panes(1, 0)
        _write_rows(con, source, columns, sheet, settings)
        try:
            book.close()
        except XlsxWriterException as error:
            raise ExportError("not_written", path=str(path), found=str(error)) from error
    return list(sheet.notes.values())


def sheet_title(title: str) -> str:
    """Return a title that Excel takes: 31 characters, none of its marks, no apostrophe at its ends, not History."""
    cleaned = _NO_TITLE.sub("_", title)[:_LONGEST_TITLE].strip("' ")
    return "Tez" if not cleaned or cleaned.casefold() == "history" else cleaned


def _write_rows(
    con: Connection, source: str, columns: Sequence["Column"], sheet: _Sheet, settings: ExportSettings
) -> None:
    writers = [_writer(column, sheet) for column in columns]
    widths = [max(_LEAST_WIDTH, len(column.name)) for column in columns]
    cells = ", ".join(_fetched(column) for column in columns)
    row = 0
    for batch in database.batches(con, f"SELECT {cells} FROM {source}", settings.batch_rows):
        if not row:
            for place, width in enumerate(widths):
                longest = max((len(str(values[place])) for values in batch if values[place] is not None), default=0)
                sheet.sheet.set_column(place, place, min(max(width, longest) + 2, settings.column_width))
        for values in batch:
            row += 1
            for place, (write, value) in enumerate(zip(writers, values, strict=True)):
                if value is not None and value != "":
                    write(row, place, value)


def _fetched(column: "Column") -> str:
    """Return the cell that is fetched: numbers and booleans as they are, anything else as text."""
    match column.kind:
        case "number":
            return sql.value_of(column.cell, column.type)
        case "boolean":
            return column.cell
        case "date":
            cell = sql.value_of(column.cell, column.type)
            return f"CAST({cell if column.type == 'DATE' else f'CAST({cell} AS TIMESTAMP)'} AS VARCHAR)"
        case _:
            return column.text


def _writer(column: "Column", sheet: _Sheet) -> Write:
    """Return the function that writes a filled cell of a column."""

    def text(row: int, place: int, value: str) -> None:
        units = value.encode("utf-16-le")
        if len(units) > 2 * _LONGEST_TEXT:
            value = units[: 2 * _LONGEST_TEXT].decode("utf-16-le", "ignore")
            sheet.note(_CUT, column.name)
        sheet.sheet.write_string(row, place, value)

    def exact(row: int, place: int, value: int | Decimal) -> None:
        if Decimal(f"{value:.{_FIGURES}g}") == value:
            sheet.sheet.write_number(row, place, value)
        else:
            sheet.note(_LONG, column.name)
            sheet.sheet.write_string(row, place, f"{value:f}" if isinstance(value, Decimal) else str(value))

    def number(row: int, place: int, value: float) -> None:
        sheet.sheet.write_number(row, place, value)

    def boolean(row: int, place: int, value: bool) -> None:
        sheet.sheet.write_boolean(row, place, value)

    def moment(row: int, place: int, value: str) -> None:
        found = _moment(value)
        if found is None or found.date() < _FIRST_DAY:
            sheet.note(_OLD, column.name)
            sheet.sheet.write_string(row, place, value)
        else:
            sheet.sheet.write_datetime(row, place, found, sheet.day if column.type == "DATE" else sheet.moment)

    match column.kind:
        case "number":
            return number if column.type in sql.FLOATS else exact
        case "boolean":
            return boolean
        case "date":
            return moment
        case _:
            return text


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
