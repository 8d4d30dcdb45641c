"""A conversation: which steps an answer means, given the answers before it.

An answer is a plan or a question. A plan with `"on": "result"` goes on from the result of the plan before; any other
starts again from the opened table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from grammar import ToolError

Answer = Mapping[str, Any]


def effective_steps(history: Sequence[Answer], answer: Answer) -> list[dict[str, Any]]:
    """Return all steps to run, from the opened table on; none for a question.

    Raises ToolError where an answer goes on from a result and there is none.
    """
    return [dict(step) for plan in _chain(history, answer) for step in plan["steps"]]


def starting_table(history: Sequence[Answer], answer: Answer) -> str | None:
    """Return the name of the table that the steps start from, None where the answer does not name one.

    Raises ToolError where an answer goes on from a result and there is none.
    """
    chain = _chain(history, answer)
    return chain[0].get("table") if chain else None


def _chain(history: Sequence[Answer], answer: Answer) -> list[Answer]:
    """Return the plans of which each goes on from the one before, the last one being the answer."""
    if "steps" not in answer:
        return []
    chain: list[Answer] = [answer]
    earlier = [plan for plan in history if "steps" in plan]
    while chain[0].get("on") == "result":
        if not earlier:
            raise ToolError("no_result_yet", argument="on", found="result", allowed=["table"])
        chain.insert(0, earlier.pop())
    return chain
