"""Requests in words: the parts of a request, phrased by the templates of a language.

`phrases/LANGUAGE.json` has several ways for every part. A slot `{name:form}` stands for a word in a case or number.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from . import uzbek
from .bank import Bank, Concept
from .meanings import (
    Best,
    Calculated,
    Columns,
    Distinct,
    Drawn,
    Mended,
    Order,
    Part,
    Periods,
    Share,
    Spread,
    Top,
    TopGroups,
    Total,
    Where,
    Written,
)
from .tables import Made, MadeTable

_SLOT = re.compile(r"\{(\w+)((?::\w+)*)\}")
_FOLDER: Final = Path(__file__).parent / "phrases"
_UZBEK_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "gen": uzbek.genitive,
    "acc": uzbek.accusative,
    "abl": uzbek.ablative,
    "loc": uzbek.locative,
    "dat": uzbek.dative,
    "plur": uzbek.plural,
    "sing": uzbek.singular,
}
_DAYS: Final = {">=": "since", ">": "after", "<": "before", "<=": "until"}
# How often a column is called by its name in the file, and a number is written with a word.
BY_NAME: Final = 0.15
IN_WORDS: Final = 0.25


@cache
def phrases(language: str) -> Mapping[str, Any]:
    """Return the templates of a language."""
    found: dict[str, Any] = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


class Phraser:
    """Phrases requests about one table in one language; all choices come from `random`."""

    def __init__(self, random: Random, bank: Bank, table: MadeTable, language: str) -> None:
        self._random = random
        self._bank = bank
        self._table = table
        self._language = language
        self._phrases = phrases(language)
        self._rows = table.domain.rows[language]

    def request(self, parts: Sequence[Part]) -> str:
        """Return a request that means these parts."""
        before = [part for part in parts if isinstance(part, Where) and not part.drop]
        cleaning = [
            part for part in parts if isinstance(part, (Mended, Distinct)) or (isinstance(part, Where) and part.drop)
        ]
        rest = [part for part in parts if part not in before and part not in cleaning]
        text = self._main(before, rest) if rest or before else ""
        for part in reversed(cleaning):
            said = self._cleaning(part)
            text = said + self._say("then", rest=text) if text else said
        return text

    def further(self, part: Part) -> str:
        """Return a request that goes on from a result with this part."""
        if isinstance(part, Where):
            said = self._wheres([part])
            return self._say("further_where", wheres=said.rstrip() if self._language == "uz" else said)
        return self._after(part).lstrip(" ,;")

    def _main(self, before: Sequence[Where], rest: Sequence[Part]) -> str:
        wheres = self._wheres(before)
        core = rest[0] if rest else None
        text = self._core(core, wheres, alone=not before)
        return "".join([text if len(rest) < 2 else text.rstrip("?"), *map(self._after, rest[1:])])

    def _core(self, part: Part | None, wheres: str, alone: bool) -> str:
        match part:
            case None:
                return self._say("list", wheres=wheres)
            case Total():
                return self._total(part, wheres)
            case Top():
                return self._top(part, wheres)
            case TopGroups():
                key = "top_groups_one" if part.n == 1 else "top_groups"
                total = self._aggregate(part.agg, part.value)
                return self._say(
                    key,
                    _way(part.descending),
                    group=self._word(part.group),
                    total=total,
                    n=self._n(part.n),
                    wheres=wheres,
                )
            case Periods():
                total = self._aggregate(part.agg, part.value)
                return self._say("periods", part.period, total=total, column=self._word(part.day), wheres=wheres)
            case Spread():
                total = self._aggregate(part.agg, part.value)
                return self._say(
                    "pivot", total=total, rows_by=self._word(part.rows), column=self._word(part.column), wheres=wheres
                )
            case Calculated():
                right = self._word(part.right) if isinstance(part.right, Made) else f"{part.right:g}"
                said = self._say("calculated", part.op, name=part.name, left=self._word(part.left), right=right)
                return said if alone else self._say("list", wheres=wheres) + self._say("then", rest=said)
            case Written():
                return self._say("written", "only", wheres=wheres, format=self._say("formats", part.format))
            case Columns() if alone:
                return self._say("describe" if part.describe else "select", columns=self._listed(part.columns))
            case Order() if alone and part.by is not None:
                return self._say("order_only", _way(part.descending), column=self._word(part.by))
            case _:
                return self._say("list", wheres=wheres) + self._after(part)

    def _after(self, part: Part) -> str:
        match part:
            case Order(by=None):
                return self._say("order_total", _way(part.descending))
            case Order():
                assert part.by is not None
                key = "order_dates" if part.by.concept.kind == "date" else "order"
                return self._say(key, _way(part.descending), column=self._word(part.by))
            case Best():
                return self._say("best", _way(part.descending), n=self._n(part.n))
            case Columns():
                return self._say("show", columns=self._listed(part.columns))
            case Share():
                return self._say("share")
            case Drawn():
                return self._say("drawn", part.kind)
            case Written():
                return self._say("written", "one", format=self._say("formats", part.format))
            case _:
                return self._say("then", rest=self._core(part, "", alone=True))

    def _cleaning(self, part: Part) -> str:
        match part:
            case Mended():
                value = "" if part.value is None else str(part.value)
                return self._say("mended", part.how, column=self._word(part.column), value=value)
            case Distinct():
                return (
                    self._say("distinct_by", columns=self._listed(part.columns))
                    if part.columns
                    else self._say("distinct")
                )
            case _:
                assert isinstance(part, Where)
                return self._say("drop", wheres=self._wheres([part]))

    def _total(self, part: Total, wheres: str) -> str:
        counts = part.agg == "count"
        if not part.groups:
            if counts:
                return self._say("ask_count", wheres=wheres)
            return self._say("ask_total", total=self._aggregate(part.agg, part.value), wheres=wheres)
        by = self._by(part.groups)
        if counts:
            return self._say("ask_count_by", by=by, wheres=wheres)
        return self._say("ask_total_by", total=self._aggregate(part.agg, part.value), by=by, wheres=wheres)

    def _by(self, groups: Sequence[Made]) -> str:
        if len(groups) == 1:
            return self._say("by", group=self._word(groups[0]))
        return self._say("by_two", group=self._word(groups[0]), other=self._word(groups[1]))

    def _top(self, part: Top, wheres: str) -> str:
        sort = "date" if part.by.concept.kind == "date" else "number"
        key = "top_one" if part.n == 1 else "top"
        return self._say(
            key, f"{sort}_{_way(part.descending)}", n=self._n(part.n), column=self._word(part.by), wheres=wheres
        )

    def _aggregate(self, agg: str, value: Made | None) -> str:
        return self._say("total", agg, value="" if value is None else self._word(value))

    def _wheres(self, conditions: Sequence[Where]) -> str:
        """Return the conditions with the blank that belongs there: in Uzbek they stand before the rows."""
        said = self._say("and").join(self._where(each) for each in conditions)
        if not said:
            return ""
        return said + " " if self._language == "uz" else " " + said

    def _where(self, part: Where) -> str:
        key = _DAYS[part.op] if part.column.concept.kind == "date" and part.op in _DAYS else part.op
        column = self._word(part.column)
        if isinstance(part.value, tuple):
            values = self._joined([self._cell(part.column, each) for each in part.value])
            return self._say("where", key, column=column, values=values)
        return self._say("where", key, column=column, value=self._value(part))

    def _value(self, part: Where) -> str:
        if part.value is None:
            return ""
        if part.column.concept.kind == "date":
            return self._day(date.fromisoformat(part.value))
        return self._cell(part.column, part.value) if isinstance(part.value, str) else self._number(part.value)

    def _cell(self, column: Made, cell: str) -> str:
        if self._random.random() < 0.5:
            return cell
        return self._bank.translated(column.concept, cell, self._table.language, self._language)

    def _day(self, day: date) -> str:
        facts = {"day": day.day, "month": self._phrases["months"][day.month - 1], "year": day.year}
        if self._random.random() < 0.3:
            return self._random.choice((str(day), f"{day:%d.%m.%Y}"))
        if day.day == 1 and day.month == 1:
            return self._say("first_of_year", **facts)
        return self._say("first_of_month" if day.day == 1 else "day", **facts)

    def _number(self, number: float) -> str:
        """Return a number in figures, sometimes with blanks between thousands or with a word for them."""
        for size, name in ((1_000_000, "million"), (1000, "thousand")):
            if abs(number) >= size and (number / size * 10).is_integer() and self._random.random() < 0.4:
                return f"{number / size:g} {self._say(name)}"
        if abs(number) >= 10_000 and self._random.random() < 0.3:
            return f"{number:,}".replace(",", " ")
        return f"{number:g}" if abs(number) < 100_000 else str(number)

    def _n(self, n: int) -> str:
        names = self._phrases["numbers"]
        return names[n - 1] if n <= len(names) and self._random.random() < IN_WORDS else str(n)

    def _listed(self, columns: Sequence[Made]) -> str:
        return self._joined([self._word(column) for column in columns], word="and")

    def _joined(self, words: Sequence[str], word: str = "or") -> str:
        return ", ".join(words[:-1]) + self._say(word) + words[-1] if len(words) > 1 else words[0]

    def _word(self, column: Made) -> str:
        """Return what a column is called: by its concept's words, or by its name in the file."""
        if self._random.random() < BY_NAME and column.name not in self._table.glossary:
            return column.name
        return self._called(column.concept)

    def _called(self, concept: Concept) -> str:
        words = concept.words[self._language]
        return words[0] if self._random.random() < 0.6 else self._random.choice(words)

    def _say(self, key: str, sort: str | None = None, **facts: Any) -> str:
        found = self._phrases[key] if sort is None else self._phrases[key][sort]
        return self._filled(self._random.choice(found), {"rows": self._rows, **facts})

    def _filled(self, template: str, facts: Mapping[str, Any]) -> str:
        def fill(slot: "re.Match[str]") -> str:
            forms = [form for form in slot[2].split(":") if form]
            return self._form(str(facts[slot[1]]), forms)

        return _SLOT.sub(fill, template)

    def _form(self, word: str, forms: Sequence[str]) -> str:
        if not forms or not word:
            return word
        if self._language == "uz":
            for form in forms:
                word = _UZBEK_FORMS[form](word)
            return word
        if self._language == "ru":
            from .russian import inflected

            return inflected(word, *forms)
        return word


def _way(descending: bool) -> str:
    return "down" if descending else "up"
