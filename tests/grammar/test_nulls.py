"""Arguments that may be left out, written as null: the same calls, each decided on."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar import AnswerMatcher, Column, Scene, TableState, load_contracts, validate_answer, without_nulls
from grammar.state import Limits

CONTRACTS = load_contracts(Path(__file__).parents[2] / "prompt" / "tools.json")
LIMITS = Limits(20, 3, 6, 2, 3, 3, 10, 3)
COLUMNS = (Column("holat", "text", ("Faol", "Yopiq")), Column("qoldiq", "number"), Column("sana", "date"))
SCENE = Scene((TableState(COLUMNS, LIMITS, name="loans"),))
NULLS = AnswerMatcher(CONTRACTS, SCENE, nulls=True)


def text(*steps: dict[str, Any]) -> str:
    return json.dumps({"steps": steps}, ensure_ascii=False, separators=(",", ":"))


def total(**args: Any) -> dict[str, Any]:
    return {"tool": "group_and_total", "args": args}


@pytest.mark.parametrize(
    ("step", "accepted"),
    [
        (total(group_by=["holat"], value_column="qoldiq", agg="sum"), True),
        (total(group_by=None, value_column="qoldiq", agg="sum"), True),
        (total(group_by=["holat"], value_column=None, agg="count"), True),
        (total(value_column="qoldiq", agg="sum"), False),
        (total(group_by=["holat"], value_column=None, agg="sum"), False),
        ({"tool": "top_n", "args": {"by": "qoldiq", "n": 3, "descending": True, "group": None}}, True),
        ({"tool": "top_n", "args": {"by": "qoldiq", "n": 3, "descending": None}}, False),
        ({"tool": "sort", "args": {"by": "qoldiq", "descending": True}}, True),
    ],
)
def test_what_may_be_left_out_is_written_as_null(step: dict[str, Any], accepted: bool) -> None:
    assert NULLS.accepts(text(step)) is accepted


def test_a_later_step_sees_what_the_one_before_leaves() -> None:
    first = total(group_by=["holat"], value_column=None, agg="count")
    assert NULLS.accepts(text(first, {"tool": "sort", "args": {"by": "count", "descending": True}}))
    assert not NULLS.accepts(text(first, {"tool": "sort", "args": {"by": "qoldiq", "descending": True}}))


@given(st.randoms(use_true_random=False))
def test_any_answer_is_valid_without_its_nulls(chance: Any) -> None:
    state, written = NULLS.start(), b""
    while allowed := sorted(NULLS.first_bytes(state)):
        run = NULLS.forced(state) or bytes((chance.choice(allowed),))
        following = NULLS.advance(state, run)
        assert following is not None
        state, written = following, written + run
    validate_answer(CONTRACTS, SCENE, without_nulls(json.loads(written)))


def test_only_keys_are_dropped() -> None:
    value = {"a": None, "b": [{"c": None, "d": 1}, "x"], "e": {"f": None}, "g": False}
    assert without_nulls(value) == {"b": [{"d": 1}, "x"], "e": {}, "g": False}
