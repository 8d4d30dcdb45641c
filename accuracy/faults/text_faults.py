"""Faults of the text and its bytes: delimiters, quotes, line ends, encodings, and what the file is packed in."""

import codecs
from typing import Final, Literal

from .draft import Draft, UnfitError
from .value_faults import Fault


def delimiter(mark: str) -> Fault:
    """Return the fault of this mark between cells."""

    def fault(draft: Draft) -> None:
        draft.delimiter = mark

    return fault


def quote_all(draft: Draft) -> None:
    """Put every cell between quotes."""
    draft.quote_all = True


def inner_marks(draft: Draft) -> None:
    """Put the delimiter into text, which therefore needs quotes."""
    place = draft.places("text")[-1]
    for number, row in enumerate(draft.rows):
        if number % 3 == 0 and row[place] is not None:
            row[place] = f"{row[place]}{draft.delimiter} {draft.delimiter}2"


def inner_lines(draft: Draft) -> None:
    """Put line breaks into text."""
    place = draft.places("text")[-1]
    for number, row in enumerate(draft.rows):
        if number % 4 == 1 and row[place] is not None:
            row[place] = f"{row[place]}\n2"


def doubled_quotes(draft: Draft) -> None:
    """Put quotes into text, doubled as they should be."""
    _quotes(draft, '{} "2"')


def inner_quote(draft: Draft) -> None:
    """Put a single quote mark, as in 15" monitor, into cells between quotes, not doubled."""
    _quotes(draft, '{} 15" x', bare=True)


def open_quote(draft: Draft) -> None:
    """Let a cell begin with a quote that nothing ends."""
    _quotes(draft, '"{}', bare=True)


def _quotes(draft: Draft, pattern: str, *, bare: bool = False) -> None:
    place = draft.places("text")[-1]
    found = [number for number, row in enumerate(draft.rows) if row[place] is not None]
    if not found:
        raise UnfitError
    for number in found[:: max(3, len(found) // 2)]:
        text = pattern.format(draft.rows[number][place])
        if bare and (draft.delimiter in text or "\n" in text):
            raise UnfitError
        draft.rows[number][place] = text
        if bare:
            draft.bare.add(number)


def line_end(mark: str, *, at_the_end: bool = True) -> Fault:
    """Return the fault of this line end; with or without one behind the last row."""

    def fault(draft: Draft) -> None:
        draft.newline, draft.last_newline = mark, at_the_end

    return fault


def encoding(name: str, mark: bytes = b"") -> Fault:
    """Return the fault of this encoding, with this byte-order mark."""

    def fault(draft: Draft) -> None:
        texts = [*(draft.header or ()), *(cell for line in draft.lines() for cell in line.cells)]
        if name not in ("utf-8", "utf-16-le", "utf-16-be"):
            _check_letters(texts, name)
        draft.encoding, draft.mark = name, mark

    return fault


def _check_letters(texts: list[str], name: str) -> None:
    """Raise UnfitError unless the texts hold letters beyond ASCII and all of them are in the encoding."""
    if all(text.isascii() for text in texts):
        raise UnfitError
    try:
        "".join(texts).encode(name)
    except UnicodeEncodeError as error:
        raise UnfitError from error


def source(kind: Literal["xlsx", "json", "jsonl"]) -> Fault:
    """Return the fault of being no delimited text."""

    def fault(draft: Draft) -> None:
        draft.source = kind

    return fault


def packed(kind: Literal["gz", "zip"]) -> Fault:
    """Return the fault of being compressed."""

    def fault(draft: Draft) -> None:
        draft.packing = kind

    return fault


BOM: Final = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
