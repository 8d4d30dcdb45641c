"""Where the table stands on a sheet: title lines, the row of names, the columns in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

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
    """The columns in use (their places and labels), the first row of data, and the lines above the names."""

    places: tuple[int, ...]
    labels: tuple[object, ...]
    first: int
    titles: tuple[str, ...]


def find_layout(head: Sequence[Row], later: Sequence[int], merged: Sequence[Merged]) -> Layout:
    """Return the layout of a sheet from its first rows; `later` are the columns in use after them.

    The row of names is the first one with a name in every column in use (one missing in four is forgiven), no matter
    what lines stand above it. Cells merged side by side over a second row of names give both names to each column.
    """
    rows = _unmerged(head, merged)
    top = _names_row(rows, later, merged)
    bottom = top
    if _groups(top, rows, merged) and top + 1 < len(rows) and _all_texts(rows[top + 1]):
        bottom = top + 1
    elif top > 0 and _groups(top - 1, rows, merged) and _all_texts(rows[top]):
        top -= 1
    places = sorted(
        _used(head, bottom + 1, later) | {place for row in rows[top : bottom + 1] for place in _filled(row)}
    )
    labels = tuple(_label([rows[number][place] for number in range(top, bottom + 1)]) for place in places)
    titles = tuple(" ".join(value_text(row[place]) for place in _filled(row)) for row in head[:top] if _filled(row))
    return Layout(tuple(places), labels, bottom + 1, titles)


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


def _label(parts: Sequence[object]) -> object:
    """Return the names above a column as one, each said once."""
    said = dict.fromkeys(value_text(part) for part in parts if part is not None)
    return " ".join(said) or None
