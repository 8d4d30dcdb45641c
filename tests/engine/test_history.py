"""Which steps an answer of a conversation means."""

from typing import Any

import pytest

from engine.history import effective_steps, starting_table
from grammar import ToolError


def plan(*tools: str, **more: str) -> dict[str, Any]:
    return {**more, "steps": [{"tool": tool, "args": {}} for tool in tools]}


QUESTION = {"question": {"kind": "which_column", "options": ["a"]}}
CASES = [
    ("the first plan", [], plan("a", "b"), ["a", "b"], None),
    ("the first plan over a named table", [], plan("a", table="loans"), ["a"], "loans"),
    ("on the result", [plan("a", table="t")], plan("b", on="result"), ["a", "b"], "t"),
    ("on the result of a result", [plan("a"), plan("b", on="result")], plan("c", on="result"), ["a", "b", "c"], None),
    ("on the table again", [plan("a", table="t")], plan("b", on="table"), ["b"], None),
    ("on another table", [plan("a", table="t")], plan("b", on="table", table="u"), ["b"], "u"),
    ("a result after starting again", [plan("a"), plan("b", on="table")], plan("c", on="result"), ["b", "c"], None),
    ("questions are skipped", [plan("a"), QUESTION, QUESTION], plan("b", on="result"), ["a", "b"], None),
    ("a question runs nothing", [plan("a")], QUESTION, [], None),
    ("more steps than one answer may have", [plan(*"abcd")], plan(*"efgh", on="result"), list("abcdefgh"), None),
]


@pytest.mark.parametrize(
    ("history", "answer", "tools", "table"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_steps_and_table(history: list[Any], answer: dict[str, Any], tools: list[str], table: str | None) -> None:
    assert [step["tool"] for step in effective_steps(history, answer)] == tools
    assert starting_table(history, answer) == table


@pytest.mark.parametrize("history", [[], [QUESTION], [plan("a", on="result")]])
def test_there_must_be_a_result_to_go_on_from(history: list[Any]) -> None:
    with pytest.raises(ToolError) as raised:
        effective_steps(history, plan("b", on="result"))
    assert raised.value.reason == "no_result_yet"


NO_STEPS = [
    ({"steps": ["x"]}, "not_a_step"),
    ({"steps": [{"tool": "a", "args": {}}, 5]}, "not_a_step"),
    ({"steps": [None]}, "not_a_step"),
    ({"steps": [[["tool", "a"]]]}, "not_a_step"),
    ({"steps": None}, "not_a_plan"),
    ({"steps": {"tool": "a"}}, "not_a_plan"),
    ({"steps": "a"}, "not_a_plan"),
    (None, "not_a_plan"),
    ("steps", "not_a_plan"),
]


@pytest.mark.parametrize(("answer", "reason"), NO_STEPS)
def test_what_is_no_plan_is_refused(answer: Any, reason: str) -> None:
    for history, last in (([], answer), ([answer], plan("b", on="result"))):
        with pytest.raises(ToolError) as raised:
            effective_steps(history, last)
        assert raised.value.reason == reason
        assert raised.value.found is not None


def test_steps_are_copies() -> None:
    first = plan("a")
    effective_steps([first], plan("b", on="result"))[0]["tool"] = "changed"
    assert first["steps"][0]["tool"] == "a"
