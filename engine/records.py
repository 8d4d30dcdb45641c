"""Rows of delimited text, read so that no fault of the quotes and no missing cell loses anything.

A cell is quoted if it begins with a quote; the quote that ends it stands before a delimiter or at the end of the
line. Any other quote inside is a letter like others, one that is doubled (or, where the file does so, stands behind a
backslash) a single one. A quoted cell goes on over line breaks only while all its quotes are in order; where its end
does not come, the opening quote is a letter too.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_BLANKS = " \t\u00a0"


class Quoting(NamedTuple):
    """How cells are quoted: by which quote, and whether a backslash may stand before a quote or backslash inside."""

    quote: str = '"'
    backslash: bool = False

    @property
    def inner_quote(self) -> str:
        """How a quote is written inside quotes."""
        return f"\\{self.quote}" if self.backslash else self.quote * 2

    def inner(self, text: str) -> str:
        """Return the text between two quotes as it is meant."""
        if self.backslash:
            return re.sub(rf"\\([\\{self.quote}])|{self.quote * 2}", lambda found: found[1] or self.quote, text)
        return text.replace(self.quote * 2, self.quote)

    def next_quote(self, text: str, at: int) -> int:
        """Return the place of the next quote that no backslash disarms, -1 if there is none."""
        end = text.find(self.quote, at)
        while self.backslash and end >= 0 and (end - len(text[at:end].rstrip("\\")) - at) % 2:
            end = text.find(self.quote, end + 1)
        return end


PLAIN = Quoting()


class Record(NamedTuple):
    """One row: the line where it begins, how many lines it takes, its cells, its text, and whether quotes were odd."""

    line: int
    lines: int
    cells: list[str]
    text: str
    mended: bool


def records(lines: Iterable[str], delimiter: str, most_lines: int, quoting: Quoting = PLAIN) -> Iterator[Record]:
    """Yield the rows of a text given line by line, each line with its line break; a blank line has no cells.

    A quoted cell takes at most `most_lines` lines.
    """
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
        if quoting.quote in text:
            taken, cells = _taken(line, delimiter, quoting, source, waiting, most_lines)
            row = _quoted_row(taken, cells, number, delimiter, quoting)
        elif text.strip(blanks):
            row = Record(number, 1, text.split(delimiter), text, False)
        yield row
        number += row.lines


def _taken(
    line: str, delimiter: str, quoting: Quoting, source: Iterator[str], waiting: list[str], most_lines: int
) -> tuple[list[str], list[str] | None]:
    """Return the lines of the row that begins with this one, and its cells if its quotes are in order.

    These are more lines while a cell in perfect order is still open; lines taken in vain go back to `waiting`, the
    next one last.
    """
    taken = [line]
    cells = _cells(line.rstrip("\r\n"), delimiter, quoting, strict=True)
    while cells is None and len(taken) < most_lines:
        more = waiting.pop() if waiting else next(source, None)
        if more is None:
            break
        taken.append(more)
        if quoting.quote in more:
            cells = _cells("".join(taken).rstrip("\r\n"), delimiter, quoting, strict=True)
    if cells:
        return taken, cells
    waiting.extend(reversed(taken[1:]))
    return [line], None


def _quoted_row(taken: list[str], cells: list[str] | None, number: int, delimiter: str, quoting: Quoting) -> Record:
    text = "".join(taken).rstrip("\r\n")
    if cells:
        return Record(number, len(taken), cells, text, False)
    return Record(number, 1, _cells(text, delimiter, quoting, strict=False) or [text], text, True)


def _cells(text: str, delimiter: str, quoting: Quoting, *, strict: bool) -> list[str] | None:
    """Return the cells of a row; if strict, None where a quoted cell is still open and [] where a quote is wrong."""
    cells: list[str] = []
    at = 0
    while True:
        start = at
        while text.startswith(" ", start):
            start += 1
        if text.startswith(quoting.quote, start):
            found = (_strict if strict else _tolerant)(text, start + 1, delimiter, quoting)
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


def _strict(text: str, at: int, delimiter: str, quoting: Quoting) -> tuple[str, int] | _Wrong | None:
    """Return a quoted cell from behind its opening quote and the place behind it; None if it does not end."""
    begin = at
    while True:
        end = quoting.next_quote(text, at)
        if end < 0:
            return None
        if text.startswith(quoting.quote, end + 1):
            at = end + 2
            continue
        after = _behind_blanks(text, end + 1)
        if after >= len(text) or text.startswith(delimiter, after):
            return quoting.inner(text[begin:end]), after
        return _Wrong()


def _tolerant(text: str, at: int, delimiter: str, quoting: Quoting) -> tuple[str, int] | None:
    """Return a quoted cell that ends at its first quote before a delimiter or the end; None if there is none."""
    end = quoting.next_quote(text, at)
    while end >= 0:
        after = _behind_blanks(text, end + 1)
        if after >= len(text) or text.startswith(delimiter, after):
            return quoting.inner(text[at:end]), after
        end = quoting.next_quote(text, end + 1)
    return None


def _behind_blanks(text: str, at: int) -> int:
    while text.startswith(" ", at):
        at += 1
    return at
