"""How the cells of a text file are set apart: its delimiter and its quotes, told from its first lines."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from .header import cell_kind
from .records import PLAIN, Quoting, Record, records
from .settings import FileSettings

DELIMITERS = ("\t", ";", "|", ",")
NO_DELIMITER = "\x1f"
_SINGLE_QUOTED = re.compile(r"(?m)(?:^|[\t;|,]) *'")


def delimiter_of(lines: Sequence[str], settings: FileSettings, quoting: Quoting = PLAIN) -> str:
    """Return the delimiter of these lines; NO_DELIMITER where they are single cells.

    The first one that splits nearly all lines alike is taken, in an order in which a comma comes last, since it also
    stands inside numbers and text. Otherwise the one that splits most lines alike, into the most cells.
    """
    best, best_score = NO_DELIMITER, 0.0
    for delimiter in DELIMITERS:
        rows = [row.cells for row in _rows(lines, delimiter, settings, quoting)]
        widths = Counter(len(cells) for cells in rows)
        wide = [(count * math.log2(width), width) for width, count in widths.items() if width > 1]
        if not wide:
            continue
        score, width = max(wide)
        share = widths[width] / len(rows)
        if share >= settings.alike_share and len(rows[0]) > 1:
            return delimiter
        score /= len(rows)
        if delimiter == "," and _is_prose(lines):
            continue
        if len(rows[0]) == 1 and not any(len(cells) > 1 and can_be_names(cells) for cells in rows):
            continue
        if score > best_score:
            best, best_score = delimiter, score
    return best


def quoting_of(lines: Sequence[str], settings: FileSettings, delimiter: str | None = None) -> Quoting:
    """Return how these lines quote cells: another way than usual only where they consistently do.

    A backslash before a quote counts where fewer rows are odd with it than without, single quotes likewise, or
    where nearly all rows below the first hold a cell in them, if none is out of order.
    """
    text = "".join(lines)
    tried = {PLAIN: _tried(lines, settings, PLAIN, delimiter)} if "\\" in text or "'" in text else {}
    if '\\"' in text:
        escaped = Quoting(backslash=True)
        tried[escaped] = _tried(lines, settings, escaped, delimiter)
        if _odd(tried[escaped]) < _odd(tried[PLAIN]):
            return escaped
    if _SINGLE_QUOTED.search(text) and not any('"' in row.text for row in tried[PLAIN]):
        for single in (Quoting("'"), Quoting("'", backslash=True)):
            rows = _tried(lines, settings, single, delimiter)
            consistent = _odd(rows) < _odd(tried[PLAIN]) or _are_quoted(rows[1:] or rows, settings.alike_share)
            if consistent and not any(row.mended for row in rows):
                return single
    return PLAIN


def can_be_names(cells: Sequence[str]) -> bool:
    """Return whether these cells can be column names: none is a number or a date, unless years stand among names."""
    return sum(cell_kind(cell) in ("number", "date") for cell in cells) * 2 < len(cells)


def _tried(lines: Sequence[str], settings: FileSettings, quoting: Quoting, delimiter: str | None) -> list[Record]:
    return _rows(lines, delimiter or delimiter_of(lines, settings, quoting), settings, quoting)


def _rows(lines: Sequence[str], delimiter: str, settings: FileSettings, quoting: Quoting) -> list[Record]:
    return [row for row in records(lines, delimiter, settings.quoted_lines, quoting) if row.cells]


def _odd(rows: Sequence[Record]) -> int:
    """Return how many rows have quotes out of order, or not as many cells as most."""
    widths = Counter(len(row.cells) for row in rows)
    width = max(widths, key=lambda each: widths[each], default=0)
    return sum(row.mended or len(row.cells) != width for row in rows)


def _are_quoted(rows: Sequence[Record], alike: float) -> bool:
    """Return whether nearly all of these rows hold a cell in single quotes."""
    quoted = sum(bool(_SINGLE_QUOTED.search(row.text)) for row in rows)
    return bool(rows) and quoted >= alike * len(rows)


def _is_prose(lines: Sequence[str]) -> bool:
    """Return whether the commas are those of sentences: blanks follow most of them."""
    return sum(line.count(", ") for line in lines) * 2 > sum(line.count(",") for line in lines)
