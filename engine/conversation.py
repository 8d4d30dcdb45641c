"""A conversation as data: what was asked and answered, where it stands, and which results were kept as tables.

Nothing here runs anything: `engine.talk` does. A conversation never changes, each of its methods returns another one.
As JSON it holds requests and plans, no rows, and its plans make the same tables again from the same files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grammar import TezError, same_name

from .history import Answer, effective_steps, starting_table

FORM = 1


class ConversationError(TezError):
    """A conversation does not have what is asked of it, or a document is no conversation."""


@dataclass(frozen=True)
class Turn:
    """One request with its answer, a plan or a question."""

    request: str
    answer: dict[str, Any]

    @property
    def is_plan(self) -> bool:
        """Return whether the answer is a plan."""
        return "steps" in self.answer


@dataclass(frozen=True)
class Kept:
    """A result that became a further opened table: its name, and the whole plan that makes it."""

    name: str
    plan: dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """The turns, of which the first `at` count now and the others can be had again, and the kept tables.

    `files` are the names of the files that it is about.
    """

    files: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    at: int = 0
    kept: tuple[Kept, ...] = ()

    @property
    def now(self) -> tuple[Turn, ...]:
        """Return the turns that count."""
        return self.turns[: self.at]

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Return the answers that count, oldest first."""
        return [turn.answer for turn in self.now]

    @property
    def history(self) -> list[dict[str, Any]]:
        """Return what `session.ask` takes as history."""
        return [{"request": turn.request, "answer": turn.answer} for turn in self.now]

    @property
    def result_at(self) -> int | None:
        """Return the number, from 1, of the turn that made the current result; None without one."""
        return next((number for number in range(self.at, 0, -1) if self.turns[number - 1].is_plan), None)

    def plan(self, first_table: str) -> dict[str, Any] | None:
        """Return the whole plan of the current result, from an opened table on; None without a result.

        `first_table` is the table of plans that name none.
        """
        number = self.result_at
        return None if number is None else self._whole(number, first_table)

    def added(self, request: str, answer: Answer) -> "Conversation":
        """Return the conversation with one more turn; those that were undone are gone."""
        return replace(self, turns=(*self.now, Turn(request, dict(answer))), at=self.at + 1)

    def undone(self) -> "Conversation":
        """Return the conversation before its last turn. ConversationError `nothing_to_undo`."""
        if not self.at:
            raise ConversationError("nothing_to_undo")
        return replace(self, at=self.at - 1)

    def redone(self) -> "Conversation":
        """Return the conversation after the next turn that was undone. ConversationError `nothing_to_redo`."""
        if self.at == len(self.turns):
            raise ConversationError("nothing_to_redo")
        return replace(self, at=self.at + 1)

    def back_to(self, number: int) -> "Conversation":
        """Return the conversation right after a turn, by its number from 1. ConversationError `no_such_turn`."""
        if not 1 <= number <= len(self.turns):
            raise ConversationError("no_such_turn", found=number, most=len(self.turns))
        return replace(self, at=number)

    def changed(self, answer: Answer) -> "Conversation":
        """Return the conversation with another answer to the last request. ConversationError `no_turn_yet`."""
        if not self.at:
            raise ConversationError("no_turn_yet")
        last = Turn(self.turns[self.at - 1].request, dict(answer))
        return replace(self, turns=(*self.turns[: self.at - 1], last))

    def scope(self) -> str | None:
        """Return what the last plan works on, `result` or `table`; None without a plan."""
        number = self.result_at
        return None if number is None else str(self.turns[number - 1].answer.get("on", "table"))

    def switched(self, several: bool, first_table: str) -> dict[str, Any]:
        """Return the last answer over the other scope: the opened table instead of the result before, or the reverse.

        With `several` tables open an answer over a table names it. ConversationError where there is no answer
        (`no_turn_yet`), the last one is no plan (`no_plan`) or there is no result before it (`no_result_before`).
        """
        if not self.at:
            raise ConversationError("no_turn_yet")
        if not self.turns[self.at - 1].is_plan:
            raise ConversationError("no_plan")
        before, answer = self.answers[:-1], self.answers[-1]
        if not any("steps" in each for each in before):
            raise ConversationError("no_result_before")
        if answer.get("on") == "result":
            start = starting_table(before, answer) or first_table
            return {"on": "table", **({"table": start} if several else {}), "steps": answer["steps"]}
        return {"on": "result", "steps": answer["steps"]}

    def with_kept(self, name: str, first_table: str) -> "Conversation":
        """Return the conversation whose current result is also a table of this name. ConversationError `no_result`.

        From now on several tables are open, so every plan that starts from one names it.
        """
        plan = self.plan(first_table)
        if plan is None:
            raise ConversationError("no_result")
        turns = tuple(replace(turn, answer=_naming(turn.answer, first_table)) for turn in self.turns)
        return replace(self, turns=turns, kept=(*self.kept, Kept(name, plan)))

    def bounded(self, most: int, first_table: str) -> "Conversation":
        """Return the conversation with the last `most` turns, those before forgotten without loss to the others.

        The first turn left is a plan that holds all it went on from: where it would be a question, it is the last plan
        before it instead.
        """
        dropped = len(self.turns) - most
        if dropped <= 0 or dropped >= self.at:
            return self
        turns = list(self.turns[dropped:])
        number = next((place for place in range(dropped + 1, 0, -1) if self.turns[place - 1].is_plan), None)
        if number is not None:
            turn, before = self.turns[number - 1], [each.answer for each in self.turns[: number - 1]]
            whole = self._whole(number, first_table)
            if starting_table(before, turn.answer) is None:
                del whole["table"]
            turns[0] = replace(turn, answer=whole)
        return replace(self, turns=tuple(turns), at=self.at - dropped)

    def as_json(self) -> dict[str, Any]:
        """Return the conversation as a JSON document."""
        return {
            "tez_conversation": FORM,
            "files": list(self.files),
            "at": self.at,
            "turns": [{"request": turn.request, "answer": turn.answer} for turn in self.turns],
            "kept": [{"name": each.name, "plan": each.plan} for each in self.kept],
        }

    def _whole(self, number: int, first_table: str) -> dict[str, Any]:
        before = [turn.answer for turn in self.turns[: number - 1]]
        answer = self.turns[number - 1].answer
        return {"table": starting_table(before, answer) or first_table, "steps": effective_steps(before, answer)}


def conversation_of(document: Any) -> Conversation:
    """Return the conversation of a JSON document; ConversationError `not_a_conversation` says where it is none."""
    _check(isinstance(document, Mapping), "", document)
    _check(document.get("tez_conversation") == FORM, "tez_conversation", document.get("tez_conversation"))
    turns = tuple(
        Turn(_text(each.get("request"), f"turns.{place}"), _answer(each.get("answer"), f"turns.{place}"))
        for place, each in enumerate(_objects(document, "turns"), 1)
    )
    kept = tuple(
        Kept(_text(each.get("name"), f"kept.{place}"), _whole_plan(each.get("plan"), f"kept.{place}"))
        for place, each in enumerate(_objects(document, "kept"), 1)
    )
    names = [same_name(each.name) for each in kept]
    _check(len(set(names)) == len(names), "kept", names)
    at, files = document.get("at"), document.get("files")
    _check(isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= len(turns), "at", at)
    _check(isinstance(files, list) and all(isinstance(each, str) for each in files), "files", files)
    found = Conversation(tuple(files or ()), turns, at or 0, kept)
    plans = [turn.answer for turn in turns if turn.is_plan]
    _check(not plans or plans[0].get("on") != "result", "turns", plans[:1])
    return found


def _naming(answer: dict[str, Any], table: str) -> dict[str, Any]:
    """Return a plan that starts from a table with the table's name; any other answer as it is."""
    if "steps" not in answer or "table" in answer or answer.get("on") == "result":
        return answer
    head = {"on": answer["on"]} if "on" in answer else {}
    return {**head, "table": table, "steps": answer["steps"]}


def _check(holds: bool, where: str, found: Any) -> None:
    if not holds:
        raise ConversationError("not_a_conversation", place=where or "-", found=str(found)[:80])


def _objects(document: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    found = document.get(key)
    _check(isinstance(found, list) and all(isinstance(each, Mapping) for each in found), key, found)
    return found or ()


def _text(value: Any, where: str) -> str:
    _check(isinstance(value, str) and bool(value.strip()), where, value)
    return str(value)


def _answer(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, Mapping) and "question" in value:
        question = value["question"]
        fits = isinstance(question, Mapping) and isinstance(question.get("kind"), str) and len(value) == 1
        _check(fits and isinstance(question.get("options"), list), where, value)
        return dict(value)
    return _plan(value, where)


def _plan(value: Any, where: str) -> dict[str, Any]:
    """Return a plan whose outer form is right; whether the tables allow it is seen when it runs."""
    _check(isinstance(value, Mapping) and {"steps"} <= value.keys() <= {"on", "table", "steps"}, where, value)
    _check(value.get("on", "table") in ("result", "table"), where, value.get("on"))
    _check(isinstance(value.get("table", ""), str), where, value.get("table"))
    steps = value["steps"]
    _check(isinstance(steps, list) and bool(steps), where, steps)
    for step in steps:
        fits = isinstance(step, Mapping) and step.keys() == {"tool", "args"} and isinstance(step["tool"], str)
        _check(fits and isinstance(step["args"], Mapping), where, step)
    return dict(value)


def _whole_plan(value: Any, where: str) -> dict[str, Any]:
    """Return a plan that names the opened table which it starts from."""
    plan = _plan(value, where)
    _check("table" in plan and plan.get("on", "table") == "table", where, value)
    return plan
