"""Conversations as data: where they stand, what they keep, and that a document holds all of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import Conversation, ConversationError, Turn, conversation_of
from engine.history import effective_steps, starting_table

QUESTION = {"question": {"kind": "which_column", "options": ["a", "b"]}}


def sort(by: str) -> dict[str, Any]:
    return {"tool": "sort", "args": {"by": by, "descending": True}}


def plan(*columns: str, **head: str) -> dict[str, Any]:
    return {**head, "steps": [sort(column) for column in columns]}


def talked(*answers: dict[str, Any]) -> Conversation:
    made = Conversation(files=("a.csv",))
    for number, answer in enumerate(answers, 1):
        made = made.added(f"request {number}", answer)
    return made


THREE = talked(plan("a"), plan("b", on="result"), plan("c", on="table"))


def test_undo_redo_and_back_move_where_it_stands() -> None:
    assert [turn.request for turn in THREE.undone().now] == ["request 1", "request 2"]
    assert THREE.undone().redone() == THREE
    assert THREE.back_to(1).redone().redone() == THREE
    assert THREE.back_to(1).added("other", plan("d", on="result")).turns[1:] == (Turn("other", plan("d", on="result")),)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda: Conversation().undone(), "nothing_to_undo"),
        (lambda: THREE.redone(), "nothing_to_redo"),
        (lambda: THREE.back_to(0), "no_such_turn"),
        (lambda: THREE.back_to(4), "no_such_turn"),
        (lambda: Conversation().changed(plan("a")), "no_turn_yet"),
        (lambda: Conversation().switched(False, "t"), "no_turn_yet"),
        (lambda: talked(plan("a"), QUESTION).switched(False, "t"), "no_plan"),
        (lambda: talked(plan("a")).switched(False, "t"), "no_result_before"),
        (lambda: talked(QUESTION).with_kept("k", "t"), "no_result"),
    ],
)
def test_what_is_not_there_is_said(act: Any, reason: str) -> None:
    with pytest.raises(ConversationError) as caught:
        act()
    assert caught.value.reason == reason


def test_the_scope_is_switched_there_and_back() -> None:
    two = THREE.undone()
    assert two.scope() == "result"
    over_table = two.switched(False, "t")
    assert over_table == plan("b", on="table")
    assert two.changed(over_table).switched(False, "t") == plan("b", on="result")
    assert two.switched(True, "t") == plan("b", on="table", table="t")


def test_a_kept_result_is_its_whole_plan_and_later_plans_name_their_tables() -> None:
    kept = THREE.undone().with_kept("k", "t")
    assert kept.kept[0].plan == {"table": "t", "steps": [sort("a"), sort("b")]}
    assert [turn.answer for turn in kept.turns] == [
        plan("a", table="t"),
        plan("b", on="result"),
        plan("c", on="table", table="t"),
    ]


def test_the_oldest_turns_are_forgotten_without_loss_to_the_others() -> None:
    long = talked(plan("a"), plan("b", on="result"), QUESTION, plan("c", on="result"), plan("d", on="table"))
    short = long.bounded(2, "t")
    assert [turn.request for turn in short.turns] == ["request 4", "request 5"]
    assert [turn.request for turn in long.bounded(3, "t").turns] == ["request 2", "request 4", "request 5"]
    assert short.answers[0] == {"steps": [sort("a"), sort("b"), sort("c")]}
    assert short.undone().plan("t") == long.undone().plan("t")
    assert long.bounded(5, "t") == long


columns = st.sampled_from("abcd")
plans = st.builds(
    lambda on, names: plan(*names, on=on),
    st.sampled_from(["result", "table"]),
    st.lists(columns, min_size=1, max_size=3),
)
answers = st.lists(st.one_of(plans, st.just(QUESTION)), max_size=12)


def valid(drawn: list[dict[str, Any]]) -> Conversation:
    """The first plan of a conversation has no scope."""
    made, follows = Conversation(), False
    for answer in drawn:
        if "steps" in answer and not follows:
            answer, follows = {"steps": answer["steps"]}, True
        made = made.added("r", answer)
    return made


@given(answers, st.data())
def test_a_document_holds_the_whole_conversation(drawn: list[dict[str, Any]], data: st.DataObject) -> None:
    made = valid(drawn)
    if made.turns:
        made = made.back_to(data.draw(st.integers(1, len(made.turns))))
    if made.result_at is not None and data.draw(st.booleans()):
        made = made.with_kept("kept", "t")
    assert conversation_of(json.loads(json.dumps(made.as_json()))) == made


@given(answers, st.integers(2, 6))
def test_a_bounded_conversation_makes_the_same_tables(drawn: list[dict[str, Any]], most: int) -> None:
    made = valid(drawn)
    short = made.bounded(most, "t")
    assert len(short.turns) == min(most, len(made.turns))
    while short.at:
        assert short.plan("t") == made.plan("t")
        short, made = short.undone(), made.undone()
        if made.at < len(drawn) - most + 1:
            return


@given(answers)
def test_the_plan_of_the_result_is_that_of_its_answers(drawn: list[dict[str, Any]]) -> None:
    made = valid(drawn)
    plans = [answer for answer in made.answers if "steps" in answer]
    whole = made.plan("t")
    if not plans:
        assert whole is None
    else:
        assert whole == {
            "table": starting_table(plans[:-1], plans[-1]) or "t",
            "steps": effective_steps(plans[:-1], plans[-1]),
        }


GOOD = THREE.with_kept("k", "t").as_json()


@pytest.mark.parametrize(
    "change",
    [
        {"tez_conversation": 2},
        {"at": 4},
        {"at": -1},
        {"at": True},
        {"at": None},
        {"files": "a"},
        {"files": [1]},
        {"turns": {}},
        {"turns": ["x"]},
        {"turns": [{"request": "", "answer": plan("a")}], "at": 1},
        {"turns": [{"request": "r", "answer": {}}], "at": 1},
        {"turns": [{"request": "r", "answer": {"steps": []}}], "at": 1},
        {"turns": [{"request": "r", "answer": {"steps": [{"tool": 1, "args": {}}]}}], "at": 1},
        {"turns": [{"request": "r", "answer": {"steps": [{"tool": "sort"}]}}], "at": 1},
        {"turns": [{"request": "r", "answer": plan("a", on="all")}], "at": 1},
        {"turns": [{"request": "r", "answer": {"question": {"kind": "x"}}}], "at": 1},
        {"kept": [{"name": "k"}]},
        {"kept": [{"name": "k", "plan": plan("a")}, {"name": "K", "plan": plan("a")}]},
    ],
)
def test_what_is_no_conversation_is_refused(change: dict[str, Any]) -> None:
    assert conversation_of(GOOD).as_json() == GOOD
    with pytest.raises(ConversationError, match="not a conversation"):
        conversation_of({**GOOD, **change})


@pytest.mark.parametrize("document", [None, [], 1, "x", {}])
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(ConversationError, match="not a conversation"):
        conversation_of(document)


def test_a_plan_over_a_result_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConversationError, match="not a conversation"):
        conversation_of({**GOOD, "turns": [{"request": "r", "answer": plan("a", on="result")}], "at": 1})
