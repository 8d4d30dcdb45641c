"""A conversation: which steps an answer means, given the answers before it.

An answer is a plan or a question. A plan with `"on": "result"` goes on from the result of the plan before; any other
starts again from the opened table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from grammar import ToolError

Answer = Mapping[str, Any]
_STEP_FORM = '{"tool": ..., "args": {...}}'


def effective_steps(history: Sequence[Answer], answer: Answer) -> list[dict[str, Any]]:
    """Return all steps to run, from the opened table on; none for a question.

    Raises ToolError where an answer goes on from a result and there is none, and for what is no plan or step.
    """
    return [step for plan in _chain(history, answer) for step in _steps(plan)]


def starting_table(history: Sequence[Answer], answer: Answer) -> str | None:
    """Return the name of the table that the steps start from, None where the answer does not name one.

    Raises ToolError where an answer goes on from a result and there is none.
    """
    chain = _chain(history, answer)
    return chain[0].get("table") if chain else None


def _steps(plan: Answer) -> list[dict[str, Any]]:
    steps = plan["steps"]
    if not isinstance(steps, list | tuple):
        raise ToolError("not_a_plan", argument="steps", found=_shown(steps), allowed=[f"[{_STEP_FORM}, ...]"])
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Mapping):
            raise ToolError("not_a_step", step=number, found=_shown(step), allowed=[_STEP_FORM])
    return [dict(step) for step in steps]


def _shown(value: Any) -> Any:
    return "null" if value is None else value


def _chain(history: Sequence[Answer], answer: Answer) -> list[Answer]:
    """Return the plans of which each goes on from the one before, the last one being the answer."""
    for each in (*history, answer):
        if not isinstance(each, Mapping):
            raise ToolError("not_a_plan", found=_shown(each), allowed=[f'{{"steps": [{_STEP_FORM}, ...]}}'])
    if "steps" not in answer:
        return []
    chain: list[Answer] = [answer]
    earlier = [plan for plan in history if "steps" in plan]
    while chain[0].get("on") == "result":
        if not earlier:
            raise ToolError("no_result_yet", argument="on", found="result", allowed=["table"])
        chain.insert(0, earlier.pop())
    return chain
