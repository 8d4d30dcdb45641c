"""In what an answer that is not right differs from the one wanted."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .cases import Case
from .outcomes import ASKED, CRASHED, INVALID, RIGHT, RIGHT_ROWS

Answer = Mapping[str, Any]

NO_ANSWER: Final = "no answer at all"
NO_QUESTION: Final = "a question was due"
OTHER_QUESTION: Final = "another question was due"
OTHER_START: Final = "works on the wrong table"
SAME_CALLS: Final = "same calls as the gold, another table"


def failure(outcome: str, case: Case, answer: Any, error: Mapping[str, Any] | None) -> str | None:
    """Return the kind of failure in a few words; None for a right answer.

    A wrong plan is held against the gold plan that it is most like: what it works on, its tools, then the names of the
    arguments that differ.
    """
    if outcome == RIGHT:
        return None
    if outcome in (CRASHED, INVALID):
        told = NO_ANSWER if error is None else ".".join(filter(None, (error["class"], error["reason"])))
        return f"{outcome}: {told}"
    if outcome == ASKED:
        return f"asked: {answer['question']['kind']}"
    if case.asks:
        return OTHER_QUESTION if "question" in answer else NO_QUESTION
    kind = _difference(answer, min(case.gold, key=lambda gold: _distance(answer, gold)))
    return f"more or other columns; {kind}" if outcome == RIGHT_ROWS else kind


def _distance(answer: Answer, gold: Answer) -> tuple[bool, bool, int]:
    return (
        _start(answer) != _start(gold),
        _tools(answer) != _tools(gold),
        len(_different_arguments(answer["steps"], gold["steps"])),
    )


def _difference(answer: Answer, gold: Answer) -> str:
    if _start(answer) != _start(gold):
        return OTHER_START
    given, wanted = _tools(answer), _tools(gold)
    if given != wanted:
        if len(given) < len(wanted) and _is_part(given, wanted):
            return "a step is missing"
        if len(given) > len(wanted) and _is_part(wanted, given):
            return "a step too many"
        return "another order of tools" if sorted(given) == sorted(wanted) else "other tools"
    different = _different_arguments(answer["steps"], gold["steps"])
    return f"arguments: {', '.join(different)}" if different else SAME_CALLS


def _start(answer: Answer) -> tuple[object, object]:
    return answer.get("on"), answer.get("table")


def _tools(answer: Answer) -> list[str]:
    return [str(step.get("tool")) for step in answer["steps"]]


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether `short` is left when some items of `long` are taken out."""
    rest = iter(long)
    return all(item in rest for item in short)


def _different_arguments(given: Sequence[Answer], wanted: Sequence[Answer]) -> list[str]:
    """Return the names of the arguments, as `tool.argument`, that differ in steps of the same tools."""
    found = set()
    for mine, gold in zip(given, wanted, strict=False):
        left, right = mine.get("args") or {}, gold["args"]
        found |= {f"{gold['tool']}.{name}" for name in left.keys() | right.keys() if left.get(name) != right.get(name)}
    return sorted(found)
