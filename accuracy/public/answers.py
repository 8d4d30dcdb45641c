"""Whether a table answers a question, as the question's own set compares answers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from itertools import permutations
from typing import Any, Final

from .questions import SPIDER, TABFACT, WIKISQL, Question

# The official evaluator of WikiTableQuestions takes numbers as equal within this.
NEAR: Final = 1e-6
# So many columns are tried in every order, as Spider's evaluation does; beyond, they are taken as they stand.
MOST_PERMUTED: Final = 5

_WRITTEN_DAYS: Final = ("%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y")
_CITATION = re.compile(r"(\[(nb |note )?\w+\]|[*†‡•♦])+$")
_ASIDE = re.compile(r"\s*\([^)]*\)\s*$")
_DATE = re.compile(r"^(\d{4}|xx)-(\d{1,2}|xx)-(\d{1,2}|xx)$")


def answers(question: Question, result: Mapping[str, Any]) -> bool:
    """Return whether a result (`columns`, all `rows`) is the answer of the question.

    - WikiSQL: the same values, each as often (execution accuracy, Zhong and others, "Seq2SQL", 2017), without regard
      to letter case.
    - Spider: the same rows, each as often, in the same order where the gold has an order, with the columns in any
      order (Zhong and others, "Semantic Evaluation for Text-to-SQL with Distilled Test Suites", 2020).
    - WikiTableQuestions: the same set of values, numbers within 1e-6, dates by their parts, text normalised (Pasupat
      and Liang, "Compositional Semantic Parsing on Semi-Structured Tables", 2015, its official evaluator).
    - TabFact: a statement is judged true by a table that has rows and in which not every cell is empty, zero or false.
      The set asks for a verdict and Tez gives tables, so this reading of them is ours.
    """
    rows = [tuple(row) for row in result["rows"]]
    if question.form == TABFACT:
        return _holds(rows) == bool(question.answer[0][0])
    if question.form == SPIDER:
        return _same_rows(rows, question.answer, question.ordered)
    wanted = [cell for row in question.answer for cell in row]
    if rows and len(rows[0]) != 1:
        return False
    found = [row[0] for row in rows]
    if question.form == WIKISQL:
        return Counter(map(_plain, found)) == Counter(map(_plain, wanted))
    return same_values(found, wanted)


def same_values(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Return whether two lists are the same set of values, as WikiTableQuestions compares them."""
    ours, theirs = _different(found), _different(wanted)
    return len(ours) == len(theirs) and all(any(_match(mine, each) for mine in ours) for each in theirs)


def _holds(rows: Sequence[Sequence[Any]]) -> bool:
    return any(cell not in (None, "", 0, False) for row in rows for cell in row)


def _same_rows(found: Sequence[Sequence[Any]], wanted: Sequence[Sequence[Any]], ordered: bool) -> bool:
    ours = [tuple(map(_plain, row)) for row in found]
    theirs = [tuple(map(_plain, row)) for row in wanted]
    width = len(theirs[0]) if theirs else 0
    if len(ours) != len(theirs) or any(len(row) != width for row in ours):
        return False
    orders: Iterable[Sequence[int]] = permutations(range(width)) if width <= MOST_PERMUTED else [range(width)]
    return any(_same_lists([tuple(row[place] for place in order) for row in ours], theirs, ordered) for order in orders)


def _same_lists(ours: Sequence[Hashable], theirs: Sequence[Hashable], ordered: bool) -> bool:
    return list(ours) == list(theirs) if ordered else Counter(ours) == Counter(theirs)


def _plain(cell: Any) -> Hashable:
    """Return what stands for a cell: a rounded number where it is one or reads as one (a percent sign is no part of
    it), a day where it is one or names one, else text in small letters."""
    if isinstance(cell, bool) or cell is None:
        return str(cell).lower()
    if isinstance(cell, (datetime, date)):
        return _day(cell)
    text = str(cell).strip()
    number = _number(cell if not isinstance(cell, str) else text.removesuffix("%"))
    return round(number, 6) if number is not None else _written_day(text) or text.lower()


def _written_day(text: str) -> str | None:
    """Return the day that an English text names, as `2008-11-11`: Tez opens such columns as dates."""
    for form in _WRITTEN_DAYS:
        with suppress(ValueError):
            return str(datetime.strptime(text, form).date())
    return None


def _day(moment: date | datetime) -> str:
    if isinstance(moment, datetime):
        return str(moment.date() if moment.time() == time() else moment)
    return str(moment)


def _number(cell: Any) -> float | None:
    if isinstance(cell, (int, float, Decimal)):
        return float(cell)
    try:
        return float(str(cell).strip().replace(",", ""))
    except ValueError:
        return None


def _different(cells: Iterable[Any]) -> list[Hashable]:
    return list(dict.fromkeys(map(_value, cells)))


def _value(cell: Any) -> Hashable:
    """Return a value of WikiTableQuestions: a number, a date as (year, month, day), or normalised text."""
    if isinstance(cell, (datetime, date)):
        return (cell.year, cell.month, cell.day)
    text = normalised(str(cell))
    number = _number(text)
    if number is not None:
        return number
    found = _DATE.match(text)
    return tuple(None if part == "xx" else int(part) for part in found.groups()) if found else text


def _match(mine: Hashable, other: Hashable) -> bool:
    if isinstance(mine, float) and isinstance(other, float):
        return abs(mine - other) < NEAR
    return mine == other


def normalised(text: str) -> str:
    """Return a text as the official evaluator of WikiTableQuestions normalises it.

    Accents, citations, what stands in brackets at the end, quotes around all of it and a final dot go; dashes and
    quotes become plain, blanks single, letters small.
    """
    text = "".join(each for each in unicodedata.normalize("NFKD", text) if unicodedata.category(each) != "Mn")
    text = re.sub("[‘’´`]", "'", text)
    text = re.sub("[“”]", '"', text)
    text = re.sub("[‐‑‒–—−]", "-", text)
    before = None
    while before != text:
        before = text
        text = _CITATION.sub("", text.strip())
        text = _ASIDE.sub("", text.strip()) or text
        text = re.sub(r'^"([^"]*)"$', r"\1", text.strip())
    return re.sub(r"\s+", " ", text.removesuffix(".")).strip().lower()
