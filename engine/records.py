"""Rows of delimited text, read so that no fault of the quotes and no missing cell loses anything.

A cell is quoted if it begins with a quote; the quote that ends it stands before a delimiter or at the end of the
line. Any other quote inside is a letter like others. A quoted cell goes on over line breaks only while all its quotes
are in order; where its end does not come, the opening quote is a letter too.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

QUOTE = '"'
_MOST_LINES = 1000
_BLANKS = " \t\u00a0"


class Record(NamedTuple):
    """One row: the line where it begins, how many lines it takes, its cells, its text, and whether quotes were odd."""

    line: int
    lines: int
    cells: list[str]
    text: str
    mended: bool


def records(lines: Iterable[str], delimiter: str) -> Iterator[Record]:
    """Yield the rows of a text given line by line, each line with its line break; a blank line has no cells."""
    source = iter(lines)
    waiting: list[str] = []
    blanks = _BLANKS.replace(delimiter, "")
    number = 1
    while True:
        line = waiting.pop() if waiting else next(source, None)
        if line is None:
            return
        text = line.rstrip("\r\n")
        row = Record(number, 1, [], text, False)
        if QUOTE in text:
            row = _quoted_row(line, number, delimiter, source, waiting)
        elif text.strip(blanks):
            row = Record(number, 1, text.split(delimiter), text, False)
        yield row
        number += row.lines


def _quoted_row(line: str, number: int, delimiter: str, source: Iterator[str], waiting: list[str]) -> Record:
    """Return the row that begins with this line, taking further lines while a cell in perfect order is still open.

    Lines taken in vain go back to `waiting`, the next one last.
    """
    taken = [line]
    cells = _cells(line.rstrip("\r\n"), delimiter, strict=True)
    while cells is None and len(taken) < _MOST_LINES:
        more = waiting.pop() if waiting else next(source, None)
        if more is None:
            break
        taken.append(more)
        if QUOTE in more:
            cells = _cells("".join(taken).rstrip("\r\n"), delimiter, strict=True)
    if cells:
        return Record(number, len(taken), cells, "".join(taken).rstrip("\r\n"), False)
    waiting.extend(reversed(taken[1:]))
    text = line.rstrip("\r\n")
    return Record(number, 1, _cells(text, delimiter, strict=False) or [text], text, True)


def _cells(text: str, delimiter: str, *, strict: bool) -> list[str] | None:
    """Return the cells of a row; if strict, None where a quoted cell is still open and [] where a quote is wrong."""
    cells: list[str] = []
    at = 0
    while True:
        start = at
        while text.startswith(" ", start):
            start += 1
        if text.startswith(QUOTE, start):
            found = _strict(text, start + 1, delimiter) if strict else _tolerant(text, start + 1, delimiter)
            if found is None or isinstance(found, _Wrong):
                if strict:
                    return None if found is None else []
            else:
                cells.append(found[0])
                at = found[1] + len(delimiter)
                if found[1] >= len(text):
                    return cells
                continue
        end = text.find(delimiter, at)
        cells.append(text[at:] if end < 0 else text[at:end])
        if end < 0:
            return cells
        at = end + len(delimiter)


class _Wrong:
    """A quote stands where none may."""


def _strict(text: str, at: int, delimiter: str) -> tuple[str, int] | _Wrong | None:
    """Return a quoted cell from behind its opening quote and the place behind it; None if it does not end."""
    pieces: list[str] = []
    while True:
        end = text.find(QUOTE, at)
        if end < 0:
            return None
        pieces.append(text[at:end])
        if text.startswith(QUOTE, end + 1):
            pieces.append(QUOTE)
            at = end + 2
            continue
        after = _behind_blanks(text, end + 1)
        return ("".join(pieces), after) if after >= len(text) or text.startswith(delimiter, after) else _Wrong()


def _tolerant(text: str, at: int, delimiter: str) -> tuple[str, int] | None:
    """Return a quoted cell that ends at its first quote before a delimiter or the end; None if there is none."""
    end = text.find(QUOTE, at)
    while end >= 0:
        after = _behind_blanks(text, end + 1)
        if after >= len(text) or text.startswith(delimiter, after):
            return text[at:end].replace(QUOTE * 2, QUOTE), after
        end = text.find(QUOTE, end + 1)
    return None


def _behind_blanks(text: str, at: int) -> int:
    while text.startswith(" ", at):
        at += 1
    return at
