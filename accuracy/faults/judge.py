"""Holds a file as a reader opened it against what it means: its shape, its values, and what is gone without a word."""

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from grammar import TezError

from .clean import NO, YES
from .readers import Opened
from .truth import TrueColumn, Truth

_BLANKS: Final = " \t\u00a0\u200b"
_NUMBERS: Final = (int, float, Decimal)


@dataclass(frozen=True)
class Verdict:
    """What a reader made of one file.

    `shape`: the rows and columns of the table and their names; `cells` and `right_cells` count those of columns whose
    meaning can be known, `values` says that all of them are right. Of the `unclear` columns `asked` stayed text and
    were reported. `rows_lost` rows of data, and `silent` rows, lines and cells, are neither in the table nor reported.
    """

    file: str
    faults: tuple[str, ...]
    reader: str
    opened: bool
    refused: str | None = None
    shape: bool = False
    values: bool = False
    cells: int = 0
    right_cells: int = 0
    unclear: int = 0
    asked: int = 0
    rows_lost: int = 0
    silent: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def judge(truth: Truth, reader: str, found: Opened | TezError) -> Verdict:
    """Return what the reader made of the file."""
    cells = sum(column.decidable for column in truth.columns) * len(truth.rows)
    unclear = sum(not column.decidable for column in truth.columns)
    if isinstance(found, TezError):
        return Verdict(truth.file, truth.faults, reader, False, str(found), cells=cells, unclear=unclear)
    places = _places(truth, found)
    lost = [row[truth.key] for row in truth.rows if _as_key(row[truth.key]) not in places]
    shape = (
        len(found.columns) == len(truth.columns)
        and len(found.rows) == len(truth.rows)
        and all(_named(true, name) for true, (name, _) in zip(truth.columns, found.columns, strict=True))
    )
    right, wrong = _right_cells(truth, found, places)
    return Verdict(
        truth.file,
        truth.faults,
        reader,
        True,
        shape=shape,
        values=right == cells,
        cells=cells,
        right_cells=right,
        unclear=unclear,
        asked=sum(_asked(found, place) for place, column in enumerate(truth.columns) if not column.decidable),
        rows_lost=sum(str(key) not in found.said for key in lost),
        silent=tuple(_silent(truth, found, places)),
        wrong=tuple(wrong),
    )


def _as_key(value: object) -> str:
    """Return what stands for a value by which a row is found again, whatever type a reader has given it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip(_BLANKS)


def _places(truth: Truth, found: Opened) -> Mapping[str, int]:
    """Return in which row of the table each key stands, in the first column that holds it, else within any cell."""
    keys = {_as_key(row[truth.key]) for row in truth.rows}
    places: dict[str, int] = {}
    for number, row in enumerate(found.rows):
        for cell in row:
            key = _as_key(cell)
            if key in keys and key not in places:
                places[key] = number
                break
    for key in keys - places.keys():
        inside = [number for number, row in enumerate(found.rows) if any(key in str(cell) for cell in row)]
        if inside:
            places[key] = inside[0]
    return places


def _named(true: TrueColumn, name: str) -> bool:
    """Return whether a column's name is the true one; a second one of the same name may carry a number."""
    return name.strip(_BLANKS).casefold().startswith(true.name.casefold())


def _right_cells(truth: Truth, found: Opened, places: Mapping[str, int]) -> tuple[int, list[str]]:
    """Return how many cells of decidable columns are right, and examples of wrong ones."""
    right = 0
    wrong: dict[str, str] = {}
    for row in truth.rows:
        number = places.get(_as_key(row[truth.key]))
        cells: Sequence[Any] = () if number is None else found.rows[number]
        for place, column in enumerate(truth.columns):
            if not column.decidable:
                continue
            if place < len(cells) and _same(row[place], cells[place], column.kind):
                right += 1
            else:
                got = cells[place] if place < len(cells) else None
                wrong.setdefault(column.name, f"{column.name}: {row[place]!r} is {got!r}")
    return right, list(wrong.values())


def _same(true: Any, cell: Any, kind: str) -> bool:
    """Return whether a cell is the true value in a type that fits it; an empty text is an empty cell."""
    if true is None:
        return cell is None or (isinstance(cell, str) and not cell.strip(_BLANKS))
    match kind:
        case "whole" | "decimal":
            number = isinstance(cell, _NUMBERS) and not isinstance(cell, bool)
            return number and math.isclose(float(cell), true, rel_tol=1e-9)
        case "date":
            return isinstance(cell, datetime.date) and _moment(cell) == _moment(datetime.datetime.fromisoformat(true))
        case "boolean" if isinstance(cell, bool):
            return cell == (true in YES) and cell != (true in NO)
    return isinstance(cell, str) and cell.strip(_BLANKS) == true


def _moment(day: datetime.date) -> datetime.datetime:
    if isinstance(day, datetime.datetime):
        return day
    return datetime.datetime.combine(day, datetime.time())


def _asked(found: Opened, place: int) -> bool:
    """Return whether a column stayed text and the report says that something is open there."""
    if place >= len(found.columns):
        return False
    name, kind = found.columns[place]
    report = found.reports.get(name)
    return kind == "VARCHAR" and report is not None and (report.settle is not None or report.share is not None)


def _silent(truth: Truth, found: Opened, places: Mapping[str, int]) -> list[str]:
    """Return what is neither in the table nor in the report: rows, lines that are no data, cells."""
    silent = []
    for row in truth.rows:
        key = row[truth.key]
        if _as_key(key) not in places and str(key) not in found.said:
            silent.append(f"row {key}")
    shown = found.said + json.dumps([found.columns, found.rows], ensure_ascii=False, default=str)
    for line in truth.aside:
        gone = [cell for cell in line if json.dumps(cell.strip(), ensure_ascii=False)[1:-1] not in shown]
        if gone:
            silent.append(f"line {gone}")
    if found.report is not None and found.report.rows_in != found.report.rows + sum(found.report.counts.values()):
        silent.append(f"rows: {found.report.rows_in} in, {found.report.rows} loaded, {found.report.counts} set aside")
    return silent + _lost_cells(truth, found, places)


def _lost_cells(truth: Truth, found: Opened, places: Mapping[str, int]) -> list[str]:
    """Return the columns that hold fewer filled cells than they should, beyond those reported as not readable."""
    rows = [(row, found.rows[places[key]]) for row in truth.rows if (key := _as_key(row[truth.key])) in places]
    said = sum(report.missing + report.unreadable for report in found.reports.values())
    if len(found.columns) != len(truth.columns):
        missing = sum(max(0, _filled(true) - _filled(cells)) for true, cells in rows)
        return [f"cells: {missing}"] if missing > said else []
    lost = []
    for place, (name, _) in enumerate(found.columns):
        report = found.reports.get(name)
        gone = sum(true[place] is not None and cells[place] is None for true, cells in rows)
        if gone > (report.missing + report.unreadable if report else 0):
            lost.append(f"cells of {name}: {gone}")
    return lost


def _filled(row: Sequence[object]) -> int:
    return sum(cell is not None for cell in row)
