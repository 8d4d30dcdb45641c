"""Where the table stands on a sheet: title lines, the rows of names, the columns in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from .header import is_data, is_group_row, joined
from .loading import value_text

Row: TypeAlias = list[Any]

# The row of names may lack a name in one of so many columns.
_ONE_NAME_MISSING_IN = 4


class Merged(NamedTuple):
    """A merged range, all four places within it."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class Layout:
    """The columns in use (their places and labels), the rows of names, the first row of data, the lines above.

    Rows are counted from 0. `names` is the last of `name_rows` rows of names, None where there are none.
    """

    places: tuple[int, ...]
    labels: tuple[object, ...]
    names: int | None
    name_rows: int
    first: int
    titles: tuple[tuple[int, tuple[str, ...]], ...]


def find_layout(
    head: Sequence[Row],
    later: Sequence[int],
    merged: Sequence[Merged],
    alike: float,
    named: tuple[int, int] | None = None,
) -> Layout:
    """Return the layout of a sheet from its first rows; `later` are the columns in use after them.

    The row of names is the first one with a name in every column in use (one missing in four is forgiven), no matter
    what lines stand above it. Cells merged side by side, or a row of groups, over a second row of names give both
    names to each column. A first row that is data has no names above it. `named` are the first and the last row that a
    person says hold the names, the last above the first where there are none. `alike` is as in `header.is_data`.
    """
    rows = _unmerged(head, merged)
    top, bottom = named or _names_rows(rows, later, merged, alike)
    places = sorted(
        _used(head, bottom + 1, later) | {place for row in rows[top : bottom + 1] for place in _filled(row)}
    )
    labels: list[object] = [None] * (max(places, default=-1) + 1)
    if bottom >= top:
        above = rows[top] if bottom > top else None
        labels = joined(above, rows[bottom], stretch=not any(area.top == area.bottom == top for area in merged))
    titles = tuple(
        (number, tuple(value_text(row[place]) for place in sorted(_filled(row))))
        for number, row in enumerate(head[:top])
        if _filled(row)
    )
    found = tuple(labels[place] for place in places)
    return Layout(tuple(places), found, bottom if bottom >= top else None, bottom - top + 1, bottom + 1, titles)


def _names_rows(rows: Sequence[Row], later: Sequence[int], merged: Sequence[Merged], alike: float) -> tuple[int, int]:
    """Return the first and the last row of names; the last lies above the first where there are none."""
    top = _names_row(rows, later, merged)
    if _groups(top, rows, merged) and top + 1 < len(rows) and _all_texts(rows[top + 1]):
        return top, top + 1
    if top > 0 and _groups(top - 1, rows, merged) and _all_texts(rows[top]):
        return top - 1, top
    for first in (top, top - 1):
        apart = 0 <= first < len(rows) - 1 and not any(area.top <= first <= area.bottom for area in merged)
        if apart and is_group_row(rows[first], rows[first + 1], rows[first + 2 :], alike):
            return first, first + 1
    return (top, top - 1) if is_data(rows[top], rows[top + 1 :], alike) else (top, top)


def _names_row(rows: Sequence[Row], later: Sequence[int], merged: Sequence[Merged]) -> int:
    for number, row in enumerate(rows):
        used = _used(rows, number, later)
        missing = used - _filled(row)
        if not _filled(row) or len(missing) * _ONE_NAME_MISSING_IN > len(used) or _is_one_range(number, row, merged):
            continue
        above = rows[number - 1] if number else []
        if not _all_texts(row) and len(_filled(above)) > 1 and _all_texts(above):
            return number - 1
        return number
    return max(range(len(rows)), key=lambda number: (len(_filled(rows[number])), -number))


def _unmerged(head: Sequence[Row], merged: Sequence[Merged]) -> list[Row]:
    """Return the rows with the value of a merged range in all of its cells."""
    rows = [list(row) for row in head]
    for area in merged:
        if area.top < len(rows) and 0 <= area.left < len(rows[area.top]):
            value = rows[area.top][area.left]
            for row in rows[area.top : area.bottom + 1]:
                row[area.left : area.right + 1] = [value] * len(row[area.left : area.right + 1])
    return rows


def _groups(number: int, rows: Sequence[Row], merged: Sequence[Merged]) -> bool:
    """Return whether names in this row are merged side by side, over names in the next row.

    A single merged range that begins with the table is a title.
    """
    within = [area for area in merged if area.top == area.bottom == number and area.right > area.left]
    if not within or not _is_one_range(number, rows[number], merged):
        return bool(within)
    return within[0].left > min(_filled(rows[number + 1]), default=0) if number + 1 < len(rows) else False


def _is_one_range(number: int, row: Row, merged: Sequence[Merged]) -> bool:
    """Return whether all filled cells of a row are one merged range, as a title's are."""
    filled = _filled(row)
    return any(
        area.top <= number <= area.bottom and area.right > area.left and filled <= set(range(area.left, area.right + 1))
        for area in merged
    )


def _used(rows: Sequence[Row], first: int, later: Sequence[int]) -> set[int]:
    return set(later).union(*(_filled(row) for row in rows[first:]))


def _filled(row: Row) -> set[int]:
    return {place for place, cell in enumerate(row) if cell is not None}


def _all_texts(row: Row) -> bool:
    return all(cell is None or isinstance(cell, str) for cell in row)
