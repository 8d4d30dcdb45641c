"""Excel and ODS workbooks: one sheet becomes a table, its cells typed per column on the evidence of all of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from . import sql
from .compressed import zip_size
from .database import Connection
from .loading import Loaded, Sort, column_names, differing, make_table, mixed, read_dates, sort_of, type_of
from .paths import FileError
from .settings import FileSettings
from .sheet_layout import Layout, Merged, Row, find_layout

SPREADSHEET_FILES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
ZIP_MAGIC = b"PK\x03\x04"

_PANIC = "PanicException"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def load_sheet(con: Connection, path: Path, name: str, settings: FileSettings, wanted: str | None) -> Loaded:
    """Make a table of one sheet: the `wanted` one, else the first visible one that is not empty.

    Empty rows and columns are left out; a column of several sorts of cells is text. Raises FileError `no_such_sheet`,
    `empty_sheet`, `workbook_encrypted`, `too_large`, `unreadable_table`, `damaged`.
    """
    _check(path, settings)
    with path.open("rb") as file, _errors(path):
        book = CalamineWorkbook.from_filelike(file)
        sheet = _chosen(book, path, wanted)
        head, later = _surveyed(sheet, settings.header_rows)
        layout = find_layout(head, [column for column, sorts in enumerate(later) if sorts], _merged(sheet))
        for row in head[layout.first :]:
            _count(later, row)
        columns = column_names(layout.labels)
        kinds = {column: type_of(later[place]) for column, place in zip(columns, layout.places, strict=True)}
        blank: Counter[str] = Counter()
        make_table(con, name, kinds, _data(sheet, layout, blank), settings.batch_rows)
        notes = _notes(book, sheet, layout, blank["rows"])
        for column, place in zip(columns, layout.places, strict=True):
            note = mixed(column, later[place])
            notes += [note] if note else []
    texts = [column for column, place in zip(columns, layout.places, strict=True) if set(later[place]) == {"text"}]
    read_dates(con, name, texts)
    return Loaded(name, differing(columns), notes)


def _check(path: Path, settings: FileSettings) -> None:
    with path.open("rb") as file:
        beginning = file.read(len(OLE_MAGIC))
    if beginning.startswith(ZIP_MAGIC):
        if zip_size(path) > settings.unpacked_bytes:
            raise FileError("too_large", path=str(path), allowed=settings.unpacked_bytes)
    elif beginning != OLE_MAGIC:
        raise FileError("damaged", path=str(path))
    elif path.stat().st_size <= settings.unpacked_bytes and _ENCRYPTED in path.read_bytes():
        raise FileError("workbook_encrypted", path=str(path))


def _chosen(book: CalamineWorkbook, path: Path, wanted: str | None) -> CalamineSheet:
    names = _sheets(book)
    if wanted is not None:
        if wanted not in names:
            raise FileError("no_such_sheet", path=str(path), found=wanted, allowed=names)
        sheet = book.get_sheet_by_name(wanted)
        if not any(_filled(row) for row in sheet.iter_rows()):
            raise FileError("empty_sheet", path=str(path), found=wanted)
        return sheet
    for name in names:
        sheet = book.get_sheet_by_name(name)
        if any(_filled(row) for row in sheet.iter_rows()):
            return sheet
    raise FileError("empty_workbook", path=str(path))


def _sheets(book: CalamineWorkbook) -> list[str]:
    """Return the names of the sheets that hold cells, the visible ones first."""
    known = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    return [each.name for each in sorted(known, key=lambda each: each.visible != SheetVisibleEnum.Visible)]


def _cells(values: Sequence[Any]) -> Row:
    """Return a row in which an empty cell, also one of blanks only, is None."""
    return [None if isinstance(value, str) and not value.strip(sql.BLANKS) else value for value in values]


def _filled(values: Sequence[Any]) -> bool:
    return any(cell is not None for cell in _cells(values))


def _surveyed(sheet: CalamineSheet, header_rows: int) -> tuple[list[Row], list[Counter[Sort]]]:
    """Return the rows up to the first `header_rows` from the first filled one, and what the rows after them hold.

    That is for each column how many cells of each sort.
    """
    head: list[Row] = []
    most: int | None = None
    later: list[Counter[Sort]] = [Counter() for _ in range(sheet.width)]
    for values in sheet.iter_rows():
        row = _cells(values)
        if most is None and any(cell is not None for cell in row):
            most = len(head) + header_rows
        if most is None or len(head) < most:
            head.append(row)
        else:
            _count(later, row)
    return head, later


def _count(sorts: Sequence[Counter[Sort]], row: Row) -> None:
    for counted, cell in zip(sorts, row, strict=True):
        if cell is not None:
            counted[sort_of(cell)] += 1


def _merged(sheet: CalamineSheet) -> list[Merged]:
    """Return the merged ranges with columns counted as in the rows, from the first used one."""
    left = sheet.start[1] if sheet.start else 0
    return [
        Merged(top, first - left, bottom, last - left)
        for (top, first), (bottom, last) in sheet.merged_cell_ranges or ()
    ]


def _data(sheet: CalamineSheet, layout: Layout, blank: Counter[str]) -> Iterator[Row]:
    for number, values in enumerate(sheet.iter_rows()):
        if number < layout.first:
            continue
        row = _cells(values)
        if all(cell is None for cell in row):
            blank["rows"] += 1
            continue
        yield [row[place] for place in layout.places]


def _notes(book: CalamineWorkbook, sheet: CalamineSheet, layout: Layout, blank_rows: int) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    others = [name for name in _sheets(book) if name != sheet.name]
    if others:
        notes.append({"note": "other_sheets", "sheet": sheet.name, "others": others})
    if layout.titles:
        notes.append({"note": "title_lines", "lines": len(layout.titles), "texts": list(layout.titles)})
    blank_columns = sheet.width - len(layout.places)
    if blank_rows or blank_columns:
        notes.append({"note": "blank_left_out", "rows": blank_rows, "columns": blank_columns})
    return notes


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn what calamine raises into FileError; a broken file can also make it panic, which is no Exception."""
    try:
        yield
    except PasswordError as error:
        raise FileError("workbook_encrypted", path=str(path)) from error
    except CalamineError as error:
        raise FileError("unreadable_table", path=str(path), detail=str(error)) from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise FileError("unreadable_table", path=str(path), detail=str(error)) from error
