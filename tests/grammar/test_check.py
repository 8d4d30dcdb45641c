"""What is said of a step that cannot run, by the cases of `cases/grammar/refused.json`."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, LIMITS, states, written_answers

from grammar import AnswerMatcher, Column, Scene, TableState, ToolError, by_name, checked_step, state_after
from prompt.words import Language, error_text

CASES = json.loads((Path(__file__).parents[1] / "cases" / "grammar" / "refused.json").read_text())
TABLE = TableState(
    (
        Column("viloyat", "text"),
        Column("valyuta", "text"),
        Column("qoldiq", "number"),
        Column("sana", "date"),
        Column("faol", "boolean"),
    ),
    LIMITS,
)
BY_NAME = by_name(CONTRACTS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_a_wrong_step_is_explained(case: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        checked_step(BY_NAME, TABLE, case["step"], 2)
    error = caught.value
    assert (error.reason, error.argument, error.found) == (case["reason"], case["argument"], case["found"])
    assert set(case["allowed"]) <= set(error.allowed)
    if case["reason"] not in ("unknown_tool", "not_a_step", "unknown_key"):
        assert error.step == 2


def test_dates_whose_day_is_unclear_are_refused_with_what_settles_them() -> None:
    state = TableState((Column("Sana", "text", day_order="unclear"), Column("izoh", "text")), LIMITS)
    with pytest.raises(ToolError) as caught:
        checked_step(BY_NAME, state, {"tool": "fix_dates", "args": {"column": "SANA"}}, 3)
    error = caught.value
    assert (error.reason, error.step, error.tool, error.argument, error.found, error.allowed) == (
        "unclear_dates",
        3,
        "fix_dates",
        "column",
        "Sana",
        ["izoh"],
    )
    for language in get_args(Language):
        assert "--dates dmy" in error_text(error, language)
        assert "Sana" in error_text(error, language)


def test_only_what_fits_the_rest_of_a_call_is_allowed() -> None:
    with pytest.raises(ToolError) as caught:
        checked_step(BY_NAME, TABLE, {"tool": "group_and_total", "args": {"agg": "sum"}}, 1)
    assert caught.value.allowed == ["qoldiq"]
    with pytest.raises(ToolError) as caught:
        checked_step(BY_NAME, TABLE, {"tool": "group_and_total", "args": {"agg": "min"}}, 1)
    assert caught.value.allowed == ["viloyat", "valyuta", "qoldiq", "sana", "faol"]


@pytest.mark.parametrize("number", [float("nan"), [1, float("nan")]])
def test_what_is_not_a_number_is_refused(number: Any) -> None:
    args = {"op": "in", "values": number} if isinstance(number, list) else {"op": "=", "value": number}
    with pytest.raises(ToolError) as caught:
        checked_step(BY_NAME, TABLE, {"tool": "filter", "args": {"column": "qoldiq", **args}}, 1)
    assert caught.value.argument == list(args)[1]


@pytest.mark.parametrize("number", [10**308, -(10**9000)], ids=["309 figures", "9001 figures"])
def test_numbers_have_a_most_of_figures(number: int) -> None:
    checked_step(BY_NAME, TABLE, step_about(10**308 - 1), 1)
    for args in (step_about(number)["args"], {"column": "qoldiq", "op": "in", "values": [1, number]}):
        with pytest.raises(ToolError) as caught:
            checked_step(BY_NAME, TABLE, {"tool": "filter", "args": args}, 3)
        assert caught.value.reason == "number_too_long"
        assert (caught.value.step, caught.value.facts["limit"]) == (3, 308)
        assert "308" in str(caught.value)


def step_about(number: int) -> dict[str, Any]:
    return {"tool": "filter", "args": {"column": "qoldiq", "op": "=", "value": number}}


MET_HALF_WAY = [
    ("top_n", {"by": "qoldiq", "n": 1.0, "descending": True}, {"n": 1}),
    ("top_n", {"by": "qoldiq", "n": 1, "descending": " FALSE"}, {"descending": False}),
    ("filter", {"column": "faol", "op": "=", "value": "True"}, {"value": True}),
    ("filter", {"column": "faol", "op": "in", "values": ["false", True]}, {"values": [False, True]}),
    ("filter", {"column": "viloyat", "op": "in", "values": ["false"]}, {"values": ["false"]}),
    ("filter", {"column": "qoldiq", "op": "=", "value": 2.0}, {"value": 2.0}),
    ("fill_empty", {"column": "faol", "method": "value", "value": "true"}, {"value": True}),
]


@pytest.mark.parametrize(("tool", "args", "exact"), MET_HALF_WAY)
def test_values_as_a_person_writes_them(tool: str, args: dict[str, Any], exact: dict[str, Any]) -> None:
    checked = checked_step(BY_NAME, TABLE, {"tool": tool, "args": args}, 1)["args"]
    assert checked == {**args, **exact}
    for name, value in exact.items():
        assert type(checked[name]) is type(value)


@pytest.mark.parametrize(
    ("args", "exact"),
    [
        ({"by": "VILOYAT", "descending": True}, {"by": "viloyat", "descending": True}),
        ({"by": " Qoldiq ", "descending": False}, {"by": "qoldiq", "descending": False}),
    ],
)
def test_names_match_without_case(args: dict[str, Any], exact: dict[str, Any]) -> None:
    assert checked_step(BY_NAME, TABLE, {"tool": "sort", "args": args}, 1)["args"] == exact


def test_names_match_in_every_script_and_apostrophe() -> None:
    state = TableState((Column("Город", "text"), Column("o\u02bblcham", "number")), LIMITS)
    step = {"tool": "group_and_total", "args": {"group_by": ["город"], "value_column": "O'lcham", "agg": "sum"}}
    args = checked_step(BY_NAME, state, step, 1)["args"]
    assert args == {"group_by": ["Город"], "value_column": "o\u02bblcham", "agg": "sum"}


def test_a_name_that_fits_two_columns_is_refused() -> None:
    state = TableState((Column("Summa", "number"), Column("summa", "number")), LIMITS)
    with pytest.raises(ToolError, match="ambiguous column"):
        checked_step(BY_NAME, state, {"tool": "sort", "args": {"by": "SUMMA", "descending": True}}, 1)
    exact = checked_step(BY_NAME, state, {"tool": "sort", "args": {"by": "summa", "descending": True}}, 1)
    assert exact["args"]["by"] == "summa"


def test_nulls_are_left_out_and_long_texts_are_fine() -> None:
    long = "x" * 500
    step = {"tool": "filter", "args": {"column": "viloyat", "op": "=", "value": long, "values": None}}
    assert checked_step(BY_NAME, TABLE, step, 1)["args"] == {"column": "viloyat", "op": "=", "value": long}


@given(st.data(), states())
def test_every_written_plan_passes_unchanged_but_for_repeated_columns(data: st.DataObject, state: TableState) -> None:
    answer = json.loads(data.draw(written_answers(AnswerMatcher(CONTRACTS, Scene((state,))))))
    for number, step in enumerate(answer.get("steps", []), 1):
        checked = checked_step(BY_NAME, state, step, number)
        assert checked == {"tool": step["tool"], "args": without_repeated_columns(step["args"])}
        state = state_after(BY_NAME[step["tool"]], state, checked["args"])


def without_repeated_columns(args: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in args.items():
        if name in ("columns", "group_by", "rows"):
            value = list(dict.fromkeys(value))
        elif name == "group":
            value = without_repeated_columns(value)
        kept[name] = value
    return kept
