"""Excel and ODS workbooks: one sheet becomes a table, its cells typed per column on the evidence of all of them."""

import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import sql
from .compressed import zip_size
from .database import Connection
from .loading import Loaded, Sort, column_names, differing, make_table, mixed, read_dates, sort_of, type_of
from .machine import environment_with
from .paths import FileError
from .settings import FileSettings
from .sheet_layout import Layout, Merged, Row, find_layout

SPREADSHEET_FILES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
ZIP_MAGIC = b"PK\x03\x04"

_READER = "workbook.py"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True)
class _Sheet:
    """A sheet as the reader copied it: its facts, and the file that its rows stand in."""

    facts: dict[str, Any]
    copy: Path

    def rows(self) -> Iterator[Row]:
        """Yield the rows from the first one of the sheet; an empty cell, also one of blanks only, is None."""
        with self.copy.open("rb") as file:
            pickle.load(file)
            while batch := pickle.load(file):
                for values in batch:
                    yield _cells(values)


def load_sheet(con: Connection, path: Path, name: str, settings: FileSettings, wanted: str | None) -> Loaded:
    """Make a table of one sheet: the `wanted` one, else the first visible one that is not empty.

    Empty rows and columns are left out; a column of several sorts of cells is text. Raises FileError `no_such_sheet`,
    `empty_sheet`, `empty_workbook`, `workbook_encrypted`, `workbook_fails`, `too_large`, `unreadable_table`, `damaged`.
    """
    _check(path, settings)
    with _copied(path, settings, wanted) as sheet:
        head, later = _surveyed(sheet, settings.header_rows)
        layout = find_layout(head, [column for column, sorts in enumerate(later) if sorts], _merged(sheet))
        for row in head[layout.first :]:
            _count(later, row)
        columns = column_names(layout.labels)
        kinds = {column: type_of(later[place]) for column, place in zip(columns, layout.places, strict=True)}
        blank: Counter[str] = Counter()
        make_table(con, name, kinds, _data(sheet, layout, blank), settings.batch_rows)
    notes = _notes(sheet, layout, blank["rows"])
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


@contextmanager
def _copied(path: Path, settings: FileSettings, wanted: str | None) -> Iterator[_Sheet]:
    """Give a sheet that a process of its own has read, for as long as its copy is needed."""
    with tempfile.TemporaryDirectory(prefix="tez-") as folder:
        copy = Path(folder) / "sheet"
        asked = [str(path.absolute()), str(copy), str(settings.workbook_memory), str(settings.batch_rows)]
        command = [sys.executable, "-P", str(Path(__file__).with_name(_READER)), *asked]
        environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        try:
            ended = subprocess.run(
                [*command, *([] if wanted is None else [wanted])],
                env=environment,
                capture_output=True,
                timeout=settings.workbook_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise FileError("workbook_slow", path=str(path), allowed=settings.workbook_seconds) from None
        if ended.returncode:
            raise FileError("workbook_fails", path=str(path), code=ended.returncode)
        with copy.open("rb") as file:
            facts = pickle.load(file)
        _check_sheet(path, facts, wanted)
        yield _Sheet(facts, copy)


def _check_sheet(path: Path, facts: dict[str, Any], wanted: str | None) -> None:
    if "encrypted" in facts:
        raise FileError("workbook_encrypted", path=str(path))
    if "error" in facts:
        raise FileError("unreadable_table", path=str(path), detail=facts["error"])
    if wanted is not None and wanted not in facts["sheets"]:
        raise FileError("no_such_sheet", path=str(path), found=wanted, allowed=facts["sheets"])
    if "sheet" not in facts:
        raise FileError("empty_workbook" if wanted is None else "empty_sheet", path=str(path), found=wanted)


def _cells(values: Sequence[Any]) -> Row:
    """Return a row in which an empty cell, also one of blanks only, is None."""
    return [None if isinstance(value, str) and not value.strip(sql.BLANKS) else value for value in values]


def _surveyed(sheet: _Sheet, header_rows: int) -> tuple[list[Row], list[Counter[Sort]]]:
    """Return the rows up to the first `header_rows` from the first filled one, and what the rows after them hold.

    That is for each column how many cells of each sort.
    """
    head: list[Row] = []
    most: int | None = None
    later: list[Counter[Sort]] = [Counter() for _ in range(sheet.facts["width"])]
    for row in sheet.rows():
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


def _merged(sheet: _Sheet) -> list[Merged]:
    """Return the merged ranges with columns counted as in the rows, from the first used one."""
    left = sheet.facts["left"]
    return [Merged(top, first - left, bottom, last - left) for (top, first), (bottom, last) in sheet.facts["merged"]]


def _data(sheet: _Sheet, layout: Layout, blank: Counter[str]) -> Iterator[Row]:
    for number, row in enumerate(sheet.rows()):
        if number < layout.first:
            continue
        if all(cell is None for cell in row):
            blank["rows"] += 1
            continue
        yield [row[place] for place in layout.places]


def _notes(sheet: _Sheet, layout: Layout, blank_rows: int) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    others = [name for name in sheet.facts["sheets"] if name != sheet.facts["sheet"]]
    if others:
        notes.append({"note": "other_sheets", "sheet": sheet.facts["sheet"], "others": others})
    if layout.titles:
        notes.append({"note": "title_lines", "lines": len(layout.titles), "texts": list(layout.titles)})
    if sheet.facts["errors"]:
        notes.append({"note": "error_cells", "cells": sheet.facts["errors"]})
    blank_columns = sheet.facts["width"] - len(layout.places)
    if blank_rows or blank_columns:
        notes.append({"note": "blank_left_out", "rows": blank_rows, "columns": blank_columns})
    return notes
