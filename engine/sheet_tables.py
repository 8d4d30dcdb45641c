"""Several tables on one sheet, side by side or one below the other: where the first one ends and the others stand.

Only the first is opened; the places of the others are reported, never mixed into it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .header import Row, cell_kind, column_kinds
from .loading import value_text
from .set_aside import is_total
from .sheet_layout import Layout

_LETTERS = 26
_MOST_TITLES = 3
_FEWEST_COLUMNS = 2


@dataclass
class _Run:
    """The rows of a block of columns that fill two or more of them: first, last, whether blank ones lie between."""

    places: tuple[int, ...]
    first: int = -1
    last: int = -1
    dense: bool = True
    waiting: bool = False

    def see(self, number: int, row: Row) -> None:
        """Take note of a row of the sheet that is not blank as a whole."""
        filled = sum(row[place] is not None for place in self.places)
        if not filled:
            self.waiting = self.first >= 0
        elif filled >= _FEWEST_COLUMNS:
            self.first = number if self.first < 0 else self.first
            self.last = number
            self.dense = self.dense and not self.waiting


def side_tables(rows: Iterable[Row], layout: Layout) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """Return the tables that stand right of the first one: their columns, and their first and last row.

    Blank columns set blocks of at least two columns apart. A block is a table of its own if it repeats names of the
    first one, its first name among them, or if it has no blank rows but ends in another row.
    """
    blocks = _blocks(layout.places)
    if len(blocks) < 2:
        return []
    labels = dict(zip(layout.places, layout.labels, strict=True))
    runs = [_Run(tuple(block)) for block in blocks]
    for number, row in enumerate(rows):
        filled = [row[place] for place in layout.places if row[place] is not None]
        if number < layout.first or not filled or _is_total_across(row, blocks[0]):
            continue
        for run in runs:
            run.see(number, row)
    first, *others = runs
    known = [value_text(labels[place]) for place in first.places if labels[place] is not None]
    found = []
    for run in others:
        names = [value_text(labels[place]) for place in run.places if labels[place] is not None]
        again = len(names) > 1 and names[:1] == known[:1] and set(known).issuperset(names)
        if again or (run.dense and first.dense and run.last != first.last and len(names) == len(run.places)):
            top = run.first if layout.names is None else layout.names
            found.append((run.places, (top, max(run.last, top))))
    return found


def lower_tables(rows: Iterable[Row], layout: Layout, look_ahead: int, alike: float) -> list[tuple[int, int]]:
    """Return the first and the last row of each table that begins below blank rows, under names of its own.

    At most `look_ahead` rows of a block are looked at.
    """
    found: list[tuple[int, int]] = []
    names = [value_text(label) for label in layout.labels if label is not None]
    kinds = None
    for block in _row_blocks(rows, layout, look_ahead):
        if kinds is None:
            kinds = set(column_kinds([row for _, row in block.head], alike))
        elif _begins_table([row for _, row in block.head], names, kinds, alike):
            found.append((block.head[0][0], block.last))
        elif found:
            found[-1] = (found[-1][0], block.last)
    return found


def cell_range(places: Sequence[int], rows: tuple[int, int], left: int) -> str:
    """Return the range of cells as spreadsheets name it; `left` is the first column of the sheet in use."""
    first, last = (_column(place + left) for place in (min(places), max(places)))
    return f"{first}{rows[0] + 1}:{last}{rows[1] + 1}"


@dataclass
class _RowBlock:
    """Rows without a blank one between them: the first of them with their numbers, and the number of the last."""

    head: list[tuple[int, Row]]
    last: int


def _row_blocks(rows: Iterable[Row], layout: Layout, look_ahead: int) -> Iterator[_RowBlock]:
    block: _RowBlock | None = None
    for number, whole in enumerate(rows):
        if number < layout.first:
            continue
        row = [whole[place] for place in layout.places]
        if all(cell is None for cell in row):
            if block is not None:
                yield block
            block = None
        elif block is None:
            block = _RowBlock([(number, row)], number)
        else:
            block.last = number
            if len(block.head) < look_ahead:
                block.head.append((number, row))
    if block is not None:
        yield block


def _begins_table(rows: Sequence[Row], names: Sequence[str], kinds: set[int], alike: float) -> bool:
    """Return whether these rows begin another table: texts over numbers or dates, or only texts where those stood.

    Title lines may stand above its names. The same names once more do not begin another table.
    """
    top = next((number for number, row in enumerate(rows) if len(_filled(row)) >= _FEWEST_COLUMNS), None)
    if top is None or top > _MOST_TITLES:
        return False
    row, below = rows[top], rows[top + 1 :]
    filled = _filled(row)
    said = [value_text(row[place]) for place in filled]
    if not below or said == list(names) or any(cell_kind(row[place]) != "text" for place in filled):
        return False
    values = column_kinds(below, alike).keys() & set(filled)
    stood = kinds & {place for each in below for place in _filled(each)}
    found = ({cell_kind(each[place]) for each in below} - {None} for place in stood)
    return bool(values) or any(each == {"text"} for each in found)


def _blocks(places: Sequence[int]) -> list[list[int]]:
    """Return the columns in use as blocks with blank columns between them; a block of one column joins the next."""
    blocks = [[places[0]]]
    for before, place in pairwise(places):
        if place - before > 1:
            blocks.append([])
        blocks[-1].append(place)
    wide: list[list[int]] = []
    for block in blocks:
        if wide and (len(block) < _FEWEST_COLUMNS or len(wide[-1]) < _FEWEST_COLUMNS):
            wide[-1] += block
        else:
            wide.append(block)
    return wide


def _is_total_across(row: Row, first: Sequence[int]) -> bool:
    """Return whether the first block holds nothing but the word for a total, whose numbers stand in other blocks."""
    filled = [row[place] for place in first if row[place] is not None]
    return len(filled) == 1 and isinstance(filled[0], str) and is_total(filled[0])


def _filled(row: Row) -> list[int]:
    return [place for place, cell in enumerate(row) if cell is not None]


def _column(place: int) -> str:
    """Return the letters of a column counted from 0."""
    letters = ""
    while place >= 0:
        letters = chr(ord("A") + place % _LETTERS) + letters
        place = place // _LETTERS - 1
    return letters
