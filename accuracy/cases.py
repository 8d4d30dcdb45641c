"""Reads the cases of the benchmark, and refuses a file that is not exactly as README.md beside them says."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from grammar.errors import TezError

LANGUAGES: Final = ("uz", "ru", "en")
QUESTION_KINDS: Final = ("which_column", "which_value", "which_table", "not_in_table")
SCOPES: Final = ("result", "table")


class CaseError(TezError):
    """A file of cases breaks the form of cases; names the file, the line and what is wrong."""


@dataclass(frozen=True)
class Turn:
    """One earlier turn of a conversation: what was asked, and the answer (a plan or a question)."""

    request: str
    answer: dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One request with what should come of it.

    `tables` are file names in the folder of the domain, the first is the one that `sql` calls `base`. `gold` are
    acceptable answers, the first the one to learn from; in a gold question `options` are those that must at
    least be offered. `sql` gives the table that the user should get and is None where he should be asked;
    `ordered` says that the request asks for an order.
    """

    id: str
    lang: str
    request: str
    domain: str
    tables: tuple[str, ...]
    history: tuple[Turn, ...]
    gold: tuple[dict[str, Any], ...]
    sql: str | None
    ordered: bool
    tags: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether the right answer is a question or a refusal."""
        return self.sql is None


def load_cases(path: Path) -> tuple[Case, ...]:
    """Read the cases of one file, one JSON object a line.

    Raises CaseError where the file is empty or not UTF-8, a line is no JSON object, a key is missing, unknown or
    given twice, a value has the wrong form, or two cases share an id or a request.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError("unreadable", file=str(path), found=str(error)) from error
    if not text.strip():
        raise CaseError("no_cases", file=str(path))
    lines = text.removesuffix("\n").split("\n")
    cases = tuple(_Line(path, number).case(line) for number, line in enumerate(lines, 1))
    seen: dict[tuple[str, str], int] = {}
    for number, case in enumerate(cases, 1):
        for key, value in (("id", case.id), ("request", case.request.strip().casefold())):
            first = seen.setdefault((key, value), number)
            if first != number:
                raise CaseError("twice", file=str(path), line=number, key=key, found=value, first=first)
    return cases


@dataclass(frozen=True)
class _Line:
    """Checks one line; knows where it stands, for the errors."""

    path: Path
    number: int

    def case(self, line: str) -> Case:
        try:
            data = json.loads(line, object_pairs_hook=self._once)
        except json.JSONDecodeError as error:
            raise self._wrong("line", str(error), "a JSON object") from error
        self._keys(data, "line", {field.name for field in fields(Case)})
        case = Case(
            id=self._text(data, "id"),
            lang=self._text(data, "lang"),
            request=self._text(data, "request"),
            domain=self._text(data, "domain"),
            tables=self._texts(data, "tables"),
            history=tuple(self._turn(turn) for turn in self._list(data, "history")),
            gold=tuple(self._answer(answer, "gold") for answer in self._list(data, "gold")),
            sql=None if data["sql"] is None else self._text(data, "sql"),
            ordered=self._flag(data, "ordered"),
            tags=self._texts(data, "tags"),
        )
        self._whole(case)
        return case

    def _whole(self, case: Case) -> None:
        """Check what concerns several keys at once."""
        if case.lang not in LANGUAGES:
            raise self._wrong("lang", case.lang, "|".join(LANGUAGES))
        prefix, _, digits = case.id.rpartition("-")
        if prefix != f"{case.domain}-{case.lang}" or len(digits) != 3 or not digits.isdecimal():
            raise self._wrong("id", case.id, f"{case.domain}-{case.lang}-NNN")
        if not case.gold or not case.tables:
            raise self._wrong("gold" if case.tables else "tables", "[]", "at least one")
        if any(("question" in answer) != case.asks for answer in case.gold):
            raise self._wrong("sql", case.sql, "SQL for plans, null for questions")
        if case.asks and case.ordered:
            raise self._wrong("ordered", True, "false for questions")
        follows = any("steps" in turn.answer for turn in case.history)
        for answer in case.gold:
            if "steps" in answer and ("on" in answer) != follows:
                raise self._wrong("gold", answer, "on after an earlier plan, and only then")

    def _once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise self._wrong("line", [key for key, _ in pairs], "each key once")
        return made

    def _keys(self, data: Any, where: str, allowed: set[str], needed: set[str] | None = None) -> None:
        if not isinstance(data, Mapping):
            raise self._wrong(where, data, "an object")
        if not (allowed if needed is None else needed) <= data.keys() <= allowed:
            raise self._wrong(where, sorted(data), ", ".join(sorted(allowed)))

    def _text(self, data: Mapping[str, Any], key: str) -> str:
        value = data[key]
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(key, value, "a text")
        return value

    def _texts(self, data: Mapping[str, Any], key: str) -> tuple[str, ...]:
        values = self._list(data, key)
        if not all(isinstance(value, str) and value for value in values) or len(set(values)) < len(values):
            raise self._wrong(key, values, "a list of different texts")
        return tuple(values)

    def _list(self, data: Mapping[str, Any], key: str) -> list[Any]:
        value = data[key]
        if not isinstance(value, list):
            raise self._wrong(key, value, "a list")
        return value

    def _flag(self, data: Mapping[str, Any], key: str) -> bool:
        value = data[key]
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true|false")
        return value

    def _turn(self, turn: Any) -> Turn:
        self._keys(turn, "history", {"request", "answer"})
        return Turn(self._text(turn, "request"), self._answer(turn["answer"], "history"))

    def _answer(self, answer: Any, where: str) -> dict[str, Any]:
        """Check the outer form of an answer; whether the table allows it is checked where the table is known."""
        if isinstance(answer, Mapping) and "question" in answer:
            self._keys(answer, where, {"question"})
            question = answer["question"]
            self._keys(question, where, {"kind", "options"})
            if question["kind"] not in QUESTION_KINDS:
                raise self._wrong(where, question["kind"], "|".join(QUESTION_KINDS))
            self._texts(question, "options")
            return dict(answer)
        self._keys(answer, where, {"on", "table", "steps"}, {"steps"})
        if "on" in answer and answer["on"] not in SCOPES:
            raise self._wrong(where, answer["on"], "|".join(SCOPES))
        steps = self._list(answer, "steps")
        if not steps:
            raise self._wrong(where, steps, "at least one step")
        for step in steps:
            self._keys(step, where, {"tool", "args"})
            if not isinstance(step["tool"], str) or not isinstance(step["args"], Mapping):
                raise self._wrong(where, step, "a tool and its args")
        return dict(answer)

    def _wrong(self, key: str, found: Any, allowed: str) -> CaseError:
        return CaseError("wrong", file=str(self.path), line=self.number, key=key, found=found, allowed=allowed)
