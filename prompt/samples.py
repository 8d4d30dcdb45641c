"""The examples of a domain: which of them hold for the open tables and which come nearest to a request."""

from collections.abc import Mapping, Sequence
from typing import Any

from grammar.check import checked_step
from grammar.contracts import Contract
from grammar.effects import state_after
from grammar.errors import ToolError
from grammar.script import fold, word_spans
from grammar.state import TableState
from grammar.stems import likeness, word_keys

Example = Mapping[str, Any]


def fitting(
    examples: Sequence[Example], contracts: Mapping[str, Contract], states: Sequence[TableState]
) -> list[dict[str, Any]]:
    """Return the examples that could be answers about these tables, as `{"request", "answer"}`.

    Where several tables are open, a plan gets the name of the first table that it holds for.
    """
    kept = []
    for example in examples:
        answer = example["answer"]
        if "question" in answer:
            if _options_exist(answer["question"]["options"], states):
                kept.append({"request": example["request"], "answer": answer})
            continue
        table = next((state for state in states if _holds(answer, contracts, state)), None)
        if table is not None:
            named = {"table": table.name, "steps": answer["steps"]} if len(states) > 1 else answer
            kept.append({"request": example["request"], "answer": named})
    return kept


def most_alike(examples: Sequence[Example], request: str, limit: int) -> list[Example]:
    """Return at most `limit` examples whose requests share most words with this one, the most alike last."""
    wanted = _keys(request)
    scored = []
    for place, example in enumerate(examples):
        words = _keys(example["request"])
        shared = sum(max((likeness(word, other) for other in words), default=0.0) for word in wanted)
        scored.append((-shared / (1 + len(words)) ** 0.5, place, example))
    nearest = sorted(scored, key=lambda each: each[:2])[:limit]
    return [example for _, _, example in reversed(nearest)]


def _holds(answer: Mapping[str, Any], contracts: Mapping[str, Contract], state: TableState) -> bool:
    if answer.get("table", state.name) != state.name or len(answer["steps"]) > state.limits.max_steps:
        return False
    try:
        for number, step in enumerate(answer["steps"], 1):
            checked = checked_step(contracts, state, step, number)
            state = state_after(contracts[checked["tool"]], state, checked["args"])
    except ToolError:
        return False
    return True


def _options_exist(options: Sequence[Any], states: Sequence[TableState]) -> bool:
    names = {state.name for state in states}
    names |= {column.name for state in states for column in state.offered()}
    names |= {value for state in states for column in state.offered() for value in column.values or ()}
    return all(option in names for option in options)


def _keys(text: str) -> list[Mapping[str, float]]:
    folded = fold(text).text
    return [word_keys(folded[start:end]) for start, end in word_spans(folded)]
