"""How a text file is laid out: its delimiter, the line of the column names, and the title lines above."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from .load_options import LoadOptions
from .paths import FileError
from .records import Record, records

DELIMITERS = ("\t", ";", "|", ",")
NO_DELIMITER = "\x1f"
_SAMPLE_LINES = 1000
_SAMPLE_LENGTH = 1 << 20
_REGULAR = 0.9
_NUMBER_OR_DATE = re.compile(r"[-+(]?[\d\s.,:/-]*\d[\d\s.,:/%)-]*")


@dataclass(frozen=True)
class Layout:
    """The layout of a text file.

    `header` is the line of the column names (0: there are none), `labels` the names as they stand there, `data` the
    number of the first line below; `titles` are the filled lines above, `blanks` counts the blank ones there.
    """

    delimiter: str
    header: int
    labels: tuple[str, ...]
    data: int
    titles: tuple[Record, ...] = ()
    blanks: int = 0
    regular: bool = True


def layout_of(path: Path, options: LoadOptions) -> Layout:
    """Return the layout of a UTF-8 file; FileError if it holds no line, or not the one that was named."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = file.readlines(_SAMPLE_LENGTH)[: max(_SAMPLE_LINES, options.header or 0)]
    delimiter = options.delimiter or delimiter_of(lines)
    rows = [row for row in records(lines, delimiter) if row.cells]
    if not rows:
        raise FileError("blank_file", path=str(path))
    width = _width(rows)
    if options.header is None:
        place = _header_place(rows, width)
    elif options.header == 0:
        return Layout(delimiter, 0, ("",) * width, 1, regular=len(rows[0].cells) == width)
    else:
        places = [place for place, row in enumerate(rows) if row.line == options.header]
        if not places:
            raise FileError("no_header", path=str(path), found=options.header, allowed=len(lines))
        place = places[0]
    header = rows[place]
    labels = header.cells + [""] * (width - len(header.cells))
    while len(labels) > width and not labels[-1].strip():
        labels.pop()
    titles = [row for row in rows[:place] if any(cell.strip() for cell in row.cells)]
    blanks = header.line - 1 - sum(row.lines for row in titles)
    regular = len(header.cells) == len(labels) and header.lines == 1 and not header.mended
    return Layout(delimiter, header.line, tuple(labels), header.line + header.lines, tuple(titles), blanks, regular)


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter of these lines; NO_DELIMITER where they are single cells.

    The first one that splits nearly all lines alike is taken, in an order in which a comma comes last, since it also
    stands inside numbers and text. Otherwise the one that splits most lines alike, into the most cells.
    """
    best, best_score = NO_DELIMITER, 0.0
    for delimiter in DELIMITERS:
        rows = [row.cells for row in islice(records(lines, delimiter), _SAMPLE_LINES) if row.cells]
        widths = Counter(len(cells) for cells in rows)
        wide = [(count * math.log2(width), width) for width, count in widths.items() if width > 1]
        if not wide:
            continue
        score, width = max(wide)
        share = widths[width] / len(rows)
        if share >= _REGULAR and len(rows[0]) > 1:
            return delimiter
        score /= len(rows)
        if delimiter == "," and _is_prose(lines):
            continue
        if len(rows[0]) == 1 and not any(len(cells) > 1 and _names(cells) for cells in rows):
            continue
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _is_prose(lines: Sequence[str]) -> bool:
    """Return whether the commas are those of sentences: blanks follow most of them."""
    return sum(line.count(", ") for line in lines) * 2 > sum(line.count(",") for line in lines)


def _width(rows: Sequence[Record]) -> int:
    """Return how many cells most rows have; where most have one, how many most of the others have, or the first."""
    counted = Counter(len(row.cells) for row in rows)
    if len(counted) > 1:
        counted.pop(1, None)
        if len(rows[0].cells) > 1 and max(counted.values()) * 2 < len(rows):
            return len(rows[0].cells)
    return max(counted, key=lambda width: (counted[width], width))


def _header_place(rows: Sequence[Record], width: int) -> int:
    """Return which row holds the column names: the first one if it is wide enough, else the first that is all names.

    A row above it is a title: it fills only cells at its beginning, and fewer than half of them.
    """
    needed = max(2, math.ceil(width / 2))
    for place, row in enumerate(rows):
        filled = [cell.strip() for cell in row.cells if cell.strip()]
        if width == 1 or len(filled) >= needed:
            return place if not place or _names(filled) else 0
        if filled and not row.cells[0].strip():
            return 0
    return 0


def _names(cells: Sequence[str]) -> bool:
    """Return whether these cells can be column names: none is a number or a date, unless years stand among names."""
    return sum(bool(_NUMBER_OR_DATE.fullmatch(cell)) for cell in cells) * 2 < len(cells)
