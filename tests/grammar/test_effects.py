"""The state after a step, by the cases of `cases/grammar/effects.json`."""

import json
from pathlib import Path
from typing import Any

import pytest
from strategies import CONTRACTS, LIMITS

from grammar import Column, Scene, TableState, by_name, state_after
from grammar.calls import call_shapes
from grammar.check import checked_step
from grammar.matcher import AnswerMatcher

CASES = json.loads((Path(__file__).parents[1] / "cases" / "grammar" / "effects.json").read_text())
LOANS = TableState(
    (
        Column("viloyat", "text", ("Buxoro", "Xiva")),
        Column("valyuta", "text", ("UZS", "USD")),
        Column("qoldiq", "number"),
        Column("sana", "date"),
        Column("count", "number"),
        Column("period", "text"),
        Column("geo", "other"),
    ),
    LIMITS,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_state_after_the_steps(case: dict[str, Any]) -> None:
    state = LOANS
    for number, step in enumerate(case["steps"], 1):
        checked = checked_step(by_name(CONTRACTS), state, step, number)
        state = state_after(by_name(CONTRACTS)[checked["tool"]], state, checked["args"])
    assert [f"{column.name}: {column.kind}" for column in state.columns] == case["columns"]
    assert list(state.groups) == case["groups"]
    known = [column.name for column in state.columns if column.values is not None]
    assert known == case["known_values"]


TOYS: list[dict[str, Any]] = [
    {
        "name": "label",
        "description": "Add a column",
        "args": {"name": {"type": "string"}, "column": {"ref": "column"}},
        "effects": {"columns": [{"all": True}, {"named_by": "name", "kind": "text"}]},
        "explain": {"uz": "{name}", "ru": "{name}", "en": "{name}"},
    }
]


def test_a_tool_may_add_a_column_that_the_call_names() -> None:
    after = state_after(TOYS[0], LOANS, {"name": "Viloyat", "column": "sana"})
    assert [column.name for column in after.columns][-1] == "Viloyat_2"
    assert after.columns[:-1] == LOANS.columns


def test_a_step_cannot_name_a_column_that_is_gone() -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((LOANS,)))
    first = '{"steps":[{"tool":"group_and_total","args":{"group_by":["viloyat"],"value_column":"qoldiq","agg":"sum"}}'
    sort = ',{"tool":"sort","args":{"by":"'
    assert matcher.is_prefix(first + sort + 'qoldiq"')
    assert matcher.is_prefix(first + sort + 'viloyat"')
    assert not matcher.is_prefix(first + sort + 'valyuta"')
    assert not matcher.is_prefix(first + ',{"tool":"period_compare"')


def test_numbers_made_by_a_step_are_offered_to_the_next() -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((LOANS,)))
    total = ',{"tool":"group_and_total","args":{"value_column":"period","agg":"sum"}}'
    fix = '{"steps":[{"tool":"fix_numbers","args":{"column":"period"}}'
    assert matcher.is_prefix(fix + total)
    assert not matcher.is_prefix('{"steps":[' + total[1:])


def test_only_tools_that_the_state_allows_are_offered() -> None:
    texts = TableState((Column("a", "text"),), LIMITS)
    bare = TableState((), LIMITS)
    offered = {contract["name"] for contract in CONTRACTS if call_shapes(contract, texts)}
    assert "period_compare" not in offered
    assert {"filter", "fix_numbers", "sort"} <= offered
    assert {contract["name"] for contract in CONTRACTS if call_shapes(contract, bare)} == {
        "group_and_total",
        "remove_duplicates",
    }


def test_a_column_of_another_kind_is_never_offered() -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((LOANS,)))
    assert not matcher.is_prefix('{"steps":[{"tool":"sort","args":{"by":"geo"')
