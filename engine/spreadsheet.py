"""Excel and ODS workbooks: one sheet becomes a table, its cells typed per column on the evidence of all of them."""

import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from grammar import meant_names, unique_name

from . import sql
from .column_types import typed
from .compressed import zip_size
from .database import Connection, execute, kind_of, query
from .dates import is_day
from .load_options import LoadOptions
from .load_report import ColumnReport, LoadReport, SetAside, Tally
from .loading import Loaded, Sort, column_names, differing, make_table, mixed, sort_of, type_of, value_text
from .machine import environment_with
from .named_columns import named_kinds
from .paths import FileError
from .raw_table import RawTable
from .set_aside import put_aside
from .settings import FileSettings
from .sheet_layout import Layout, Merged, Row, find_layout
from .sheet_tables import cell_range, lower_tables, side_tables

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


def load_sheet(
    con: Connection, path: Path, name: str, settings: FileSettings, wanted: str | None, options: LoadOptions
) -> Loaded:
    """Make a table of one sheet: the `wanted` one, else the first visible one that is not empty.

    Rows that are no data are set aside as in a text file. Columns of one sort of cells have its type; those of texts
    or of several sorts are typed like the columns of a text file. Raises FileError `no_such_sheet`, `empty_sheet`,
    `empty_workbook`, `no_header`, `workbook_encrypted`, `workbook_fails`, `too_large`, `unreadable_table`, `damaged`.
    """
    _check(path, settings)
    with _copied(path, settings, wanted) as sheet:
        found = _found(path, sheet, settings, options)
        columns = column_names(found.layout.labels)
        tally = Tally(settings.listed_rows)
        for number, cells in found.layout.titles:
            tally.put_aside(SetAside(number + 1, "title", cells))
        return _loaded(con, name, sheet, found, columns, tally, settings, options)


@dataclass(frozen=True)
class _Found:
    """The first table of a sheet, the row below it (None: it goes to the end), and the cells of other tables.

    `apart` counts the columns of other tables.
    """

    layout: Layout
    end: int | None
    others: tuple[str, ...]
    apart: int


def _found(path: Path, sheet: _Sheet, settings: FileSettings, options: LoadOptions) -> _Found:
    named = _named_rows(path, options)
    head, later = _surveyed(sheet, max(settings.header_rows, named[1] + 1 if named else 0))
    if named and named[1] >= 0 and (named[1] >= len(head) or all(cell is None for cell in head[named[1]])):
        raise FileError("no_header", path=str(path), found=named[1] + 1, allowed=len(head))
    merged, left, alike = _merged(sheet), sheet.facts["left"], settings.alike_share
    layout = find_layout(head, [place for place, cells in enumerate(later) if cells], merged, alike, named)
    sides = side_tables(sheet.rows(), layout)
    if sides:
        theirs = {place for places, _ in sides for place in places}
        head = [[None if place in theirs else cell for place, cell in enumerate(row)] for row in head]
        ours = [place for place, cells in enumerate(later) if cells and place not in theirs]
        layout = find_layout(head, ours, merged, alike, named)
    lower = lower_tables(sheet.rows(), layout, settings.header_rows, alike)
    others = [cell_range(places, rows, left) for places, rows in sides]
    others += [cell_range(layout.places, rows, left) for rows in lower]
    apart = sum(len(places) for places, _ in sides)
    return _Found(layout, lower[0][0] if lower else None, tuple(others), apart)


def _named_rows(path: Path, options: LoadOptions) -> tuple[int, int] | None:
    """Return the rows that a person names as those of the names, counted from 0; the last above the first for none."""
    if options.header is None:
        return None
    if options.header == 0:
        return 0, -1
    return options.header - 1, (options.header_to or options.header) - 1


def _loaded(
    con: Connection,
    name: str,
    sheet: _Sheet,
    found: _Found,
    columns: Mapping[str, str],
    tally: Tally,
    settings: FileSettings,
    options: LoadOptions,
) -> Loaded:
    layout, raw, line = found.layout, unique_name("raw", [name]), unique_name("line", columns)
    labels = ["" if label is None else value_text(label) for label in layout.labels]
    texts = {line: "BIGINT", **dict.fromkeys(columns, "VARCHAR")}
    make_table(con, raw, texts, _data(sheet, found, tally), settings.batch_rows, temporary=True)
    table = f"temp.{sql.name(raw)}"
    try:
        rows_in = query(con, f"SELECT count(*) FROM {table}")[0][0] + tally.counts.total()
        apart = RawTable(table, list(columns), sql.name(line))
        left = put_aside(con, apart, labels, tally, settings, keep_totals=options.keep_totals)
        sorts = _sorts(sheet, found, left)
        reports, selected = _typed(con, table, dict(zip(columns, sorts, strict=True)), options)
        execute(con, f"CREATE TABLE {sql.name(name)} AS SELECT {', '.join(selected)} FROM {table}")
    finally:
        execute(con, f"DROP TABLE {table}")
    report = LoadReport(
        header=0 if layout.names is None else layout.names + 1,
        header_rows=layout.name_rows,
        rows_in=rows_in,
        rows=query(con, f"SELECT count(*) FROM {sql.name(name)}")[0][0],
        set_aside=tuple(tally.set_aside),
        counts={why: count for why, count in tally.counts.items() if count},
        columns=tuple(reports),
    )
    notes = _notes(sheet, found)
    for column, counted, said in zip(columns, sorts, reports, strict=True):
        note = mixed(column, counted) if said.type == "VARCHAR" and said.share is None else None
        notes += [note] if note else []
    return Loaded(name, differing(columns), notes, report)


def _typed(
    con: Connection, raw: str, sorts: Mapping[str, Counter[Sort]], options: LoadOptions
) -> tuple[list[ColumnReport], list[str]]:
    """Return what is concluded of each column of the table `raw` of texts, and the SQL that makes it."""
    kinds = {column: type_of(found) for column, found in sorts.items()}
    named = named_kinds(options.types, list(sorts))
    open_ones = [
        column
        for column, kind in kinds.items()
        if kind == "VARCHAR" or column in named or (kind == "BIGINT" and is_day(column))
    ]
    settled = dict(zip(open_ones, typed(con, raw, open_ones, options, date.today()), strict=True)) if open_ones else {}
    reports, selected = [], []
    for column, kind in kinds.items():
        if column in settled:
            reports.append(settled[column].report)
            selected.append(settled[column].expression)
            continue
        cell, filled = sql.name(column), sorts[column].total()
        reports.append(ColumnReport(column, kind_of(kind), kind, (), filled, filled))
        value = f"unhex({cell})" if kind == "BLOB" else f"CAST({cell} AS {kind})"
        selected.append(f"{value} AS {cell}")
    return reports, selected


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
        facts = _read(path, copy, settings, wanted)
        sheets = facts.get("sheets", [])
        meant = [] if wanted is None else meant_names(wanted, sheets)
        if meant and meant != [wanted]:
            if len(meant) > 1:
                raise FileError("ambiguous_sheet", path=str(path), found=wanted, allowed=meant)
            facts = _read(path, copy, settings, meant[0])
        elif wanted is not None and sheets and not meant:
            raise FileError("no_such_sheet", path=str(path), found=wanted, allowed=sheets)
        if "sheet" not in facts:
            raise FileError("empty_workbook" if wanted is None else "empty_sheet", path=str(path), found=wanted)
        yield _Sheet(facts, copy)


def _read(path: Path, copy: Path, settings: FileSettings, wanted: str | None) -> dict[str, Any]:
    """Let a process of its own copy a sheet, and return what it found."""
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
        facts: dict[str, Any] = pickle.load(file)
    if "encrypted" in facts:
        raise FileError("workbook_encrypted", path=str(path))
    if "error" in facts:
        raise FileError("unreadable_table", path=str(path), detail=facts["error"])
    return facts


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


def _data(sheet: _Sheet, found: _Found, tally: Tally) -> Iterator[list[Any]]:
    """Yield the rows of the first table, each behind its line; count blank rows and those of other tables."""
    layout = found.layout
    above = {number for number, _ in layout.titles} | set(range(layout.first - layout.name_rows, layout.first))
    for number, cells in _rows(sheet, found):
        if number < layout.first:
            tally.counts["blank"] += number not in above
        elif all(cell is None for cell in cells):
            tally.counts["blank"] += 1
        elif found.end is not None and number >= found.end:
            tally.put_aside(SetAside(number + 1, "other_table", tuple(value_text(c) for c in cells if c is not None)))
        else:
            yield [number + 1, *cells]


def _sorts(sheet: _Sheet, found: _Found, left: Set[int]) -> list[Counter[Sort]]:
    """Return how many cells of each sort the columns hold, without the lines that left the table."""
    sorts: list[Counter[Sort]] = [Counter() for _ in found.layout.places]
    for number, cells in _rows(sheet, found):
        if found.end is not None and number >= found.end:
            break
        if number >= found.layout.first and number + 1 not in left:
            _count(sorts, cells)
    return sorts


def _rows(sheet: _Sheet, found: _Found) -> Iterator[tuple[int, Row]]:
    """Yield number and cells of each row, in the columns of the first table.

    Rows of data that a cell merged downwards covers have its value; a row with nothing else stays blank.
    """
    layout = found.layout
    starting: dict[int, list[Merged]] = {}
    for area in _merged(sheet):
        if area.top >= layout.first and area.bottom > area.top and area.left in layout.places:
            starting.setdefault(area.top, []).append(area)
    lasting: dict[int, tuple[int, object]] = {}
    for number, row in enumerate(sheet.rows()):
        cells = [row[place] for place in layout.places]
        if lasting and any(cell is not None for cell in cells):
            for place, (bottom, value) in lasting.items():
                if number <= bottom and cells[place] is None:
                    cells[place] = value
        lasting |= {layout.places.index(area.left): (area.bottom, row[area.left]) for area in starting.get(number, ())}
        yield number, cells


def _covered(sheet: _Sheet, found: _Found) -> int:
    """Return how many cells of the first table take the value of a cell merged downwards."""
    return sum(
        cell is not None and row[place] is None
        for row, (_, cells) in zip(sheet.rows(), _rows(sheet, found), strict=True)
        for place, cell in zip(found.layout.places, cells, strict=True)
    )


def _notes(sheet: _Sheet, found: _Found) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    others = [name for name in sheet.facts["sheets"] if name != sheet.facts["sheet"]]
    if others:
        notes.append({"note": "other_sheets", "sheet": sheet.facts["sheet"], "others": others})
    if found.others:
        notes.append({"note": "other_tables", "sheet": sheet.facts["sheet"], "cells": list(found.others)})
    covered = _covered(sheet, found) if any(area.bottom > area.top for area in _merged(sheet)) else 0
    if covered:
        notes.append({"note": "merged_cells", "cells": covered})
    blank = sheet.facts["width"] - len(found.layout.places) - found.apart
    if blank:
        notes.append({"note": "blank_columns", "columns": blank})
    if sheet.facts["errors"]:
        notes.append({"note": "error_cells", "cells": sheet.facts["errors"]})
    return notes
