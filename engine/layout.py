"""How a text file is laid out: delimiter, quotes, the lines of the column names, and the title lines above."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import sql
from .dialect import can_be_names, delimiter_of, quoting_of
from .header import Row, is_data, is_group_row, joined
from .load_options import LoadOptions
from .loading import value_text
from .paths import FileError
from .records import PLAIN, Quoting, Record, records
from .settings import FileSettings

_FEWEST_FOR_TITLE = 3


@dataclass(frozen=True)
class Layout:
    """The layout of a text file.

    `header` is the line of the column names (0: there are none), `header_rows` how many rows they take, `labels` are
    the names, `data` is the number of the first line below; `titles` are the filled lines above, `blanks` counts the
    blank ones there. A `regular` header and usual quotes leave rows that DuckDB may read as they stand.
    """

    delimiter: str
    header: int
    labels: tuple[str, ...]
    data: int
    titles: tuple[Record, ...] = ()
    blanks: int = 0
    regular: bool = True
    header_rows: int = 1
    quoting: Quoting = PLAIN


def layout_of(path: Path, settings: FileSettings, options: LoadOptions) -> Layout:
    """Return the layout of a UTF-8 file; FileError if it holds no line, or not the one that was named."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = file.readlines(settings.sample_bytes)[
            : max(settings.sample_lines, options.header_to or options.header or 0)
        ]
    quoting = quoting_of(lines, settings, options.delimiter)
    delimiter = options.delimiter or delimiter_of(lines, settings, quoting)
    rows = [row for row in records(lines, delimiter, settings.quoted_lines, quoting) if row.cells]
    if not rows:
        raise FileError("blank_file", path=str(path))
    width = _width(rows)
    if options.header is None:
        top, bottom = _header_places(rows, width, settings)
    elif options.header == 0:
        top, bottom = 0, -1
    else:
        top = _place(path, rows, options.header, len(lines))
        bottom = _place(path, rows, options.header_to or options.header, len(lines))
    return _layout(rows, top, bottom, width, delimiter, quoting, from_start=options.header == 0)


def _layout(
    rows: Sequence[Record],
    top: int,
    bottom: int,
    width: int,
    delimiter: str,
    quoting: Quoting,
    *,
    from_start: bool,
) -> Layout:
    """Return the layout with the names in these rows, or none where `bottom` lies above `top`."""
    header = rows[top : bottom + 1]
    titles = [row for row in rows[:top] if any(cell.strip() for cell in row.cells)]
    begin = 1 if from_start else rows[top].line
    labels = _labels([row.cells for row in header], width)
    data = header[-1].line + header[-1].lines if header else begin
    looked_at = header or rows[top : top + 1]
    return Layout(
        delimiter,
        header[-1].line if header else 0,
        labels,
        data,
        tuple(titles),
        data - 1 - sum(row.lines for row in [*titles, *header]),
        quoting == PLAIN
        and all(len(row.cells) == len(labels) and row.lines == 1 and not row.mended for row in looked_at),
        len(header),
        quoting,
    )


def _place(path: Path, rows: Sequence[Record], line: int, lines: int) -> int:
    places = [place for place, row in enumerate(rows) if row.line == line]
    if not places:
        raise FileError("no_header", path=str(path), found=line, allowed=lines)
    return places[0]


def _labels(header: Sequence[list[str]], width: int) -> tuple[str, ...]:
    """Return the names as they stand in the rows of the header, one for each column."""
    if not header:
        return ("",) * width
    *groups, names = header
    labels = list(names)
    if groups:
        found = joined(_filled(groups[0]), _filled(names))
        labels = ["" if label is None else value_text(label) for label in found]
    labels += [""] * (width - len(labels))
    while len(labels) > width and not labels[-1].strip():
        labels.pop()
    return tuple(labels)


def _width(rows: Sequence[Record]) -> int:
    """Return how many cells most rows have; where most have one, how many most of the others have, or the first."""
    counted = Counter(len(row.cells) for row in rows)
    if len(counted) > 1:
        counted.pop(1, None)
        if len(rows[0].cells) > 1 and max(counted.values()) * 2 < len(rows):
            return len(rows[0].cells)
    return max(counted, key=lambda width: (counted[width], width))


def _header_places(rows: Sequence[Record], width: int, settings: FileSettings) -> tuple[int, int]:
    """Return the first and the last row that hold the column names; the last lies above the first if none does."""
    cells = [_filled(row.cells) for row in rows]
    place = _names_place(cells, width, settings)
    for top in (place, place - 1):
        if top >= 0 and _is_group_row(cells, top, settings):
            return top, top + 1
    return (place, place - 1) if _is_data(cells, place, settings) else (place, place)


def _names_place(rows: Sequence[Row], width: int, settings: FileSettings) -> int:
    """Return which row holds the column names: the first one if it is wide enough, else the first that is all names.

    A row above it is a title: it fills only cells at its beginning, and fewer than half of them. Where the first wide
    row below titles is data, the names are missing: its place is returned.
    """
    needed = max(2, math.ceil(width / 2))
    for place, row in enumerate(rows):
        filled = [cell.strip() for cell in row if cell is not None]
        if width == 1 or len(filled) >= needed:
            titled = width >= _FEWEST_FOR_TITLE and all(sum(c is not None for c in above) < 2 for above in rows[:place])
            named = not place or can_be_names(filled) or (titled and _is_data(rows, place, settings))
            return place if named else 0
        if filled and row[0] is None:
            return place if _is_group_row(rows, place, settings) else 0
    return 0


def _is_group_row(rows: Sequence[Row], place: int, settings: FileSettings) -> bool:
    if place + 1 >= len(rows):
        return False
    data = rows[place + 2 : place + 2 + settings.header_rows]
    return is_group_row(rows[place], rows[place + 1], data, settings.alike_share)


def _is_data(rows: Sequence[Row], place: int, settings: FileSettings) -> bool:
    return is_data(rows[place], rows[place + 1 : place + 1 + settings.header_rows], settings.alike_share)


def _filled(cells: Sequence[str]) -> list[str | None]:
    """Return the cells of a row, None for one that is blank."""
    return [cell if cell.strip(sql.BLANKS) else None for cell in cells]
