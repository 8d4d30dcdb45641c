"""Names of columns: when two are the same, and how a clash is settled."""

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence

from .state import Column

APOSTROPHES = "\u02bb\u02bc\u2018\u2019`\u00b4"
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
_UNSEEN = re.compile("[\x00\u200b-\u200d\u2060\ufeff]")
_TO_PLAIN = (*((mark, "'") for mark in APOSTROPHES), ("İ", "i"))
_BETWEEN = "\x00"


def same_name(text: str) -> str:
    """Return the form under which two names are the same name, and so are two values.

    Outer blanks, letter case in every script and the kind of apostrophe do not count. Texts that the database takes as
    spellings of one value have the same form.
    """
    return unicodedata.normalize("NFC", _composed(text).strip(BLANKS))


def same_names(texts: Sequence[str]) -> list[str]:
    """Return `same_name` of each text; much faster for many, as they are put into their form together."""
    if any(_BETWEEN in text for text in texts):
        return [same_name(text) for text in texts]
    parts = _composed(_BETWEEN.join(texts)).split(_BETWEEN)
    stripped = _BETWEEN.join(part.strip(BLANKS) for part in parts)
    return unicodedata.normalize("NFC", stripped).split(_BETWEEN) if texts else []


def _composed(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    for mark, plain in _TO_PLAIN:
        text = text.replace(mark, plain)
    return text.casefold()


def clean_name(text: str, otherwise: str) -> str:
    """Return a text as the name of a column: without outer blanks and letters of no width; `otherwise` for no text."""
    return _UNSEEN.sub("", text).strip(BLANKS) or otherwise


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return `name`, or the first of `name_2`, `name_3`, ... that is the same name as none of those taken."""
    return free_name(name, {same_name(other) for other in taken})


def free_name(name: str, forms: Container[str]) -> str:
    """Return `name`, or the first of `name_2`, `name_3`, ... whose `same_name` form is none of these forms."""
    candidate, number = name, 1
    while same_name(candidate) in forms:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def find_column(name: str, columns: Iterable[Column]) -> Column | None:
    """Return the column of exactly this name, else the only one that has the same name, else None."""
    alike = []
    for column in columns:
        if column.name == name:
            return column
        if same_name(column.name) == same_name(name):
            alike.append(column)
    return alike[0] if len(alike) == 1 else None
