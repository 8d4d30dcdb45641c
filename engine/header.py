"""Where the names of columns stand, by one rule for text files and sheets: one row, two rows, or nowhere.

A row is a list of cells, None where empty. In a text file cells are text; in a sheet they may be values.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any, Literal, TypeAlias

from grammar.names import APOSTROPHES

from . import sql
from .conversion import CURRENCIES, MISSING
from .loading import value_text
from .set_aside import is_total

Row: TypeAlias = Sequence[Any]
Kind: TypeAlias = Literal["number", "date"]

_UNIT = "|".join(re.escape(word) for words in CURRENCIES.values() for word in words)
_NUMBER = re.compile(
    rf"[-−+(]?\s*(?:{_UNIT})?\s*[-−+]?\d[\d\s.,]*(?:[eE][-+]?\d+)?\s*(?:%|{_UNIT})?\.?\s*[)-]?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:\d{1,4}([./-])\d{1,2}\1\d{1,4}|\d{1,2}[\s.-]*[^\W\d_]{3,}\.?[\s,.-]*\d{2,4})(?:[\sT,]+\d{1,2}:\d{2}\S*)?"
)
_NO_APOSTROPHES = dict.fromkeys(map(ord, f"'{APOSTROPHES}"))
_WHOLE = re.compile(r"\d{1,9}")
_VALUES: tuple[Kind, ...] = ("number", "date")
_YEARS = range(1900, 2101)
_FEWEST_COUNTED = 3
_FEWEST_OVER = 2
_LONGEST_GROUP = 60


def cell_kind(cell: object) -> Kind | Literal["text"] | None:
    """Return what a cell looks like; None for an empty one and for a word for nothing."""
    match cell:
        case None:
            return None
        case bool():
            return "text"
        case int() | float():
            return "number"
        case date() | datetime() | time():
            return "date"
    text = value_text(cell).strip(sql.BLANKS)
    if not text or text.casefold() in MISSING:
        return None
    text = text.translate(_NO_APOSTROPHES)
    if _DATE.fullmatch(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else "text"


def is_data(row: Row, below: Sequence[Row], alike: float) -> bool:
    """Return whether a row that could hold the names is data: in columns of numbers or dates it holds such too.

    `alike` is the share of cells that speaks for a column. Years and numbers counted up by one are names where the
    rows below do not go on with them. A table of text only has no such column: its first row holds names.
    """
    kinds = column_kinds(below, alike)
    found = {place: cell_kind(row[place]) for place in kinds if place < len(row)}
    if any(kind is not None and kind != kinds[place] for place, kind in found.items()):
        return False
    same = [place for place, kind in found.items() if kind is not None]
    return bool(same) and not _are_names([row[place] for place in same], [_cells(below, place) for place in same])


def is_group_row(above: Row, below: Row, data: Sequence[Row], alike: float) -> bool:
    """Return whether a row names groups of columns over the names in the row below.

    A group stretches right over empty cells. The row below holds names where they repeat from group to group, or
    where text stands over columns of numbers or dates.
    """
    filled = [place for place, cell in enumerate(above) if cell is not None]
    names = {place for place, cell in enumerate(below) if cell is not None}
    first = min([*filled, *names], default=0)
    if not filled or len(names) < 2 or filled == [first] or any(_is_title(above[place]) for place in filled):
        return False
    groups = _groups(above, names)
    wide = [tuple(value_text(below[place]) for place in group) for group in groups if len(group) > 1]
    if not wide or any(cell_kind(below[place]) == "date" for place in names):
        return False
    texts = all(cell_kind(below[place]) != "number" for place in names)
    if len(wide) > 1 and len(set(wide)) == 1 and (texts or _all_years([c for group in wide for c in group])):
        return True
    kinds = column_kinds(data, alike)
    over = [cell_kind(below[place]) for place in names & kinds.keys()]
    return texts and len(over) >= _FEWEST_OVER and all(kind == "text" for kind in over)


def joined(above: Row | None, below: Row, *, stretch: bool = True) -> list[object]:
    """Return the names of the columns: those of the row above, stretched right if asked, before those below."""
    if above is None:
        return list(below)
    width = max(len(above), len(below))
    names = {place for place, cell in enumerate(below) if cell is not None}
    parts: list[list[object]] = [[] for _ in range(width)]
    for place, cell in enumerate(above):
        if cell is not None:
            parts[place].append(cell)
    for group in _groups(above, names) if stretch else []:
        for place in group[1:]:
            parts[place].append(above[group[0]])
    for place in names:
        parts[place].append(below[place])
    return [_label(each) for each in parts]


def _groups(above: Row, names: set[int]) -> list[list[int]]:
    """Return the places under each filled cell of the row above: its own, and those right of it that it covers."""
    groups: list[list[int]] = []
    width = max([len(above) - 1, *names]) + 1
    for place in range(width):
        if place < len(above) and above[place] is not None:
            groups.append([place])
        elif groups and place in names and groups[-1][-1] == place - 1:
            groups[-1].append(place)
    return [group for group in groups if group[0] in names]


def _label(parts: Sequence[object]) -> object:
    """Return the names above a column as one, each said once."""
    said = dict.fromkeys(value_text(part).strip(sql.BLANKS) for part in parts)
    return parts[0] if len(parts) == 1 else " ".join(said) or None


def _is_title(cell: object) -> bool:
    text = value_text(cell).strip(sql.BLANKS)
    return len(text) > _LONGEST_GROUP or text.endswith(":")


def column_kinds(rows: Sequence[Row], alike: float) -> dict[int, Kind]:
    """Return the columns of these rows, total rows left out, in which nearly all filled cells are numbers or dates."""
    counts: dict[int, Counter[str]] = {}
    for row in rows:
        first = next((cell for cell in row if cell is not None), None)
        if isinstance(first, str) and is_total(first):
            continue
        for place, cell in enumerate(row):
            kind = cell_kind(cell)
            if kind is not None:
                counts.setdefault(place, Counter())[kind] += 1
    found: dict[int, Kind] = {}
    for place, counted in counts.items():
        for wanted in _VALUES:
            if counted[wanted] >= alike * counted.total():
                found[place] = wanted
    return found


def _cells(rows: Sequence[Row], place: int) -> list[object]:
    return [row[place] for row in rows if place < len(row) and row[place] is not None]


def _are_names(cells: Sequence[object], below: Sequence[Sequence[object]]) -> bool:
    """Return whether numbers in the row of names are names: years over other numbers, or 1, 2, 3, ... over data."""
    texts = [value_text(cell).strip(sql.BLANKS) for cell in cells]
    if _all_years(texts):
        return not any(_all_years([value_text(cell).strip(sql.BLANKS) for cell in column]) for column in below)
    if len(texts) < _FEWEST_COUNTED or not all(_WHOLE.fullmatch(text) for text in texts):
        return False
    first = int(texts[0])
    return [int(text) for text in texts] == list(range(first, first + len(texts)))


def _all_years(texts: Sequence[object]) -> bool:
    return all(isinstance(text, str) and _WHOLE.fullmatch(text) and int(text) in _YEARS for text in texts)
