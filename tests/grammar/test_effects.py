"""The state after a step, by the cases of `cases/grammar/effects.json`."""

import json
from pathlib import Path
from typing import Any

import pytest
from strategies import CONTRACTS, LIMITS

from grammar import Column, Scene, TableState, ToolError, by_name, state_after, validate_answer
from grammar.calls import call_shapes
from grammar.check import checked_step
from grammar.matcher import AnswerMatcher

CASES = json.loads((Path(__file__).parents[1] / "cases" / "grammar" / "effects.json").read_text())
REGIONS = TableState(
    (
        Column("hudud", "text", ("Buxoro", "Navoiy")),
        Column("Sana", "date"),
        Column("VALYUTA", "text", ("EUR",)),
        Column("aholi", "number"),
        Column("qoldiq", "text"),
        Column("shakl", "other"),
    ),
    LIMITS,
    name="hududlar",
)
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
    others=(REGIONS,),
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
        "describe",
        "export",
        "group_and_total",
        "remove_duplicates",
    }


UNCLEAR = TableState(
    (Column("Sana", "text", day_order="unclear"), Column("Muddat", "text", day_order="dmy"), Column("n", "number")),
    LIMITS,
)
FIX = '{"tool":"fix_dates","args":{"column":"'
BEFORE = {
    "at once": "",
    "after rows left": '{"tool":"filter","args":{"column":"n","op":">","value":1}},',
    "in another place": '{"tool":"select_columns","args":{"columns":["n","Sana","Muddat"]}},',
    "after a change of spelling": '{"tool":"unify_spelling","args":{"column":"Sana"}},',
    "after cells are filled": '{"tool":"fill_empty","args":{"column":"Sana","method":"previous"}},',
    "as a group": '{"tool":"group_and_total","args":{"group_by":["Sana","Muddat"],"agg":"count"}},',
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_dates_whose_day_is_unclear_are_not_offered_for_conversion(before: str) -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((UNCLEAR,)))
    assert matcher.is_prefix('{"steps":[' + before + FIX + 'Muddat"')
    assert not matcher.is_prefix('{"steps":[' + before + FIX + 'Sana"')
    written = json.loads('{"steps":[' + before + FIX + 'Sana"}}]}')
    with pytest.raises(ToolError):
        validate_answer(CONTRACTS, Scene((UNCLEAR,)), written)


def test_unclear_dates_can_still_become_something_else() -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((UNCLEAR,)))
    assert matcher.is_prefix('{"steps":[{"tool":"sort","args":{"by":"Sana"')
    fixed = '{"steps":[{"tool":"fix_numbers","args":{"column":"Sana"}},{"tool":"sort","args":{"by":"Sana"'
    assert matcher.is_prefix(fixed)
    state = state_after(by_name(CONTRACTS)["fix_numbers"], UNCLEAR, {"column": "Sana"})
    assert state.columns[0] == Column("Sana", "number")


def test_without_clear_dates_the_tool_is_not_offered() -> None:
    state = TableState((UNCLEAR.columns[0],), LIMITS)
    assert call_shapes(by_name(CONTRACTS)["fix_dates"], state) == ()
    assert call_shapes(by_name(CONTRACTS)["fix_numbers"], state) != ()


def test_a_column_of_another_kind_is_never_offered() -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((LOANS,)))
    assert not matcher.is_prefix('{"steps":[{"tool":"sort","args":{"by":"geo"')
