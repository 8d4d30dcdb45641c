"""A look at the first rows of a table of text, which spares most columns a closer one.

One cell that can be no number, no date, no yes or no and no word for nothing settles that a column stays text. What
cells look like is told more generously here than where they are converted.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from grammar.names import APOSTROPHES

from . import conversion, sql
from .database import Connection, query

YES_NO = (("ha", "yo'q"), ("ҳа", "йўқ"), ("да", "нет"), ("yes", "no"), ("rost", "yolg'on"))

_ROWS = 300
_FEWEST_LIKE_VALUES = 0.05
_CURRENCY = "|".join(re.escape(word) for words in conversion.CURRENCIES.values() for word in words)
LIKE_VALUE = (
    rf"(?i)^[\s(+−–‐‑﹣－-]*(?:(?:so'm|{_CURRENCY})\.? ?)?[+−–-]?\d"
    r"|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d"
)
_VALUE = re.compile(LIKE_VALUE)
_DATE = re.compile(
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}(?:st|nd|rd|th)?[ ./-]*[a-zа-я]{3}|[a-z]{3,}\.? \d"
    r"|\d{4}[ -]*(?:yil|йил|г|[a-zа-я]{3})",
    re.IGNORECASE,
)
# Columns of these names hold codes, however much they look like numbers.
_CODE_NAME = re.compile(
    r"\b(?:stir|inn|инн|стир|pinfl|jshshir|жшшир|пинфл|mfo|мфо|okpo|окпо|oked|оквэд|iban|swift|bic|бик|snils|снилс|"
    r"tel|telefon|phone|телефон|тел|passport|pasport|паспорт|hisob[ _-]?raqami|р/с)\b"
)
_CODE = re.compile("0[0-9]+")
_TO_PLAIN_APOSTROPHE = {ord(mark): "'" for mark in APOSTROPHES}
_WORDS = {"true", "false", *(word for pair in YES_NO for word in pair), *conversion.MISSING}


class Sample(NamedTuple):
    """What the first cells of a column look like: which sorts there are, and whether values stand amid other text.

    `codes` says that there are figures with a leading zero.
    """

    text: bool
    words: bool
    numbers: bool
    dates: bool
    mixed: bool
    codes: bool = False


def is_code_name(column: str) -> bool:
    """Return whether a column of this name holds codes."""
    return bool(_CODE_NAME.search(column.lower()))


def sampled(con: Connection, raw: str, columns: Sequence[str]) -> dict[str, Sample]:
    """Return what the first cells of each column look like."""
    if not columns:
        return {}
    rows = query(con, f"SELECT {', '.join(map(sql.name, columns))} FROM {raw} LIMIT {_ROWS}")
    return {column: _sample(set_of) for column, set_of in zip(columns, _transposed(rows, len(columns)), strict=True)}


def _transposed(rows: Sequence[tuple[str | None, ...]], width: int) -> list[list[str]]:
    return [[str(row[place]) for row in rows if row[place]] for place in range(width)]


def _sample(cells: Sequence[str]) -> Sample:
    text = words = numbers = dates = codes = 0
    for cell in cells:
        bare = cell.strip(sql.BLANKS)
        if _VALUE.match(bare):
            is_date = bool(_DATE.match(bare))
            dates += is_date
            numbers += not is_date
            codes += bool(_CODE.fullmatch(bare))
        elif bare.lower().translate(_TO_PLAIN_APOSTROPHE) in _WORDS:
            words += 1
        elif bare:
            text += 1
    like = numbers + dates
    return Sample(
        text > 0, words > 0, numbers > 0, dates > 0, like > 0 and like >= len(cells) * _FEWEST_LIKE_VALUES, codes > 0
    )
