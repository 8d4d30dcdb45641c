"""Reading a workbook with calamine, in a process of its own: `python workbook.py PATH COPY MEMORY ROWS [SHEET]`.

A broken workbook can make calamine panic or ask for more memory than there is, which ends its process; in a process of
its own that is an error like any other. The cells of one sheet go to the file COPY: pickled, first a dict with what is
known of the sheet, then lists of at most ROWS rows, an empty one last. This module is run as a script and imports
nothing of Tez.
"""

import pickle
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

_BOOK = "xl/workbook.xml"
_LINKS = "xl/_rels/workbook.xml.rels"
_ERROR_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*\bt=["']e["'][^>]*>""")
_READ_SIZE = 1 << 20


def main(arguments: list[str]) -> int:
    """Copy the cells of a sheet, the first one that is not empty if none is named; the copy says what went wrong."""
    path, copy, memory, rows, *wanted = arguments
    _limit(int(memory))
    with Path(path).open("rb") as file, Path(copy).open("wb") as copied:
        try:
            book = CalamineWorkbook.from_filelike(file)
            names = _names(book)
            sheet = _chosen(book, names, wanted)
            pickle.dump({"sheets": names, **({} if sheet is None else _facts(Path(path), sheet))}, copied)
            for batch in _batches(sheet, int(rows)) if sheet else ():
                pickle.dump(batch, copied)
        except PasswordError:
            copied.seek(0)
            pickle.dump({"encrypted": True}, copied)
        except CalamineError as error:
            copied.seek(0)
            pickle.dump({"error": str(error)}, copied)
    return 0


def _limit(memory: int) -> None:
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounds = [bound for bound in (memory, soft, hard) if bound != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))


def _names(book: CalamineWorkbook) -> list[str]:
    """Return the names of the sheets that hold cells, the visible ones first."""
    known = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    return [each.name for each in sorted(known, key=lambda each: each.visible != SheetVisibleEnum.Visible)]


def _chosen(book: CalamineWorkbook, names: list[str], wanted: list[str]) -> CalamineSheet | None:
    for name in wanted or names:
        sheet = book.get_sheet_by_name(name) if name in names else None
        if sheet is not None and any(_filled(row) for row in sheet.iter_rows()):
            return sheet
    return None


def _filled(row: list[Any]) -> bool:
    return any(not isinstance(cell, str) or cell.strip() for cell in row)


def _facts(path: Path, sheet: CalamineSheet) -> dict[str, Any]:
    """Return what is known of a sheet: name, width, first column in use, merged ranges, cells that hold an error."""
    return {
        "sheet": sheet.name,
        "width": sheet.width,
        "left": sheet.start[1] if sheet.start else 0,
        "merged": sheet.merged_cell_ranges or [],
        "errors": _error_cells(path, sheet.name),
    }


def _error_cells(path: Path, sheet: str) -> int:
    """Return how many cells of a sheet of an .xlsx hold an error such as #DIV/0!, which calamine gives as empty.

    0 for other kinds of workbooks.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            book = ElementTree.fromstring(archive.read(_BOOK))
            links = {each.get("Id"): each.get("Target", "") for each in ElementTree.fromstring(archive.read(_LINKS))}
            places = {
                each.get("name"): links.get(value)
                for each in book.iter()
                if each.tag.endswith("}sheet")
                for key, value in each.items()
                if key.endswith("}id")
            }
            target = places.get(sheet) or ""
            with archive.open(target.removeprefix("/") if target.startswith("/") else f"xl/{target}") as cells:
                return sum(_counted(cells))
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, OSError):
        return 0


def _counted(cells: IO[bytes]) -> Iterator[int]:
    rest = b""
    while block := cells.read(_READ_SIZE):
        whole, mark, rest = (rest + block).rpartition(b">")
        yield len(_ERROR_CELL.findall(whole + mark))


def _batches(sheet: CalamineSheet, size: int) -> Iterator[list[list[Any]]]:
    batch: list[list[Any]] = []
    for row in sheet.iter_rows():
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
    yield []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
