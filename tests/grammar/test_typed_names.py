"""What a typed name means, by the cases of `cases/grammar/typed_names.json`, and that an exact name always wins."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, LIMITS, texts

from grammar import Column, TableState, ToolError, by_name, checked_step, meant_columns, meant_names, same_name
from prompt.words import Language, error_text

CASES = json.loads((Path(__file__).parents[1] / "cases" / "grammar" / "typed_names.json").read_text("utf-8"))
# The columns of a file with the names Сумма, сумма and СУММА.
THREE = (
    Column("Сумма", "number"),
    Column("сумма_2", "number", label="сумма"),
    Column("СУММА_3", "number", label="СУММА"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_a_typed_name_means(case: dict[str, Any]) -> None:
    assert meant_names(case["typed"], case["names"]) == case["meant"]


@given(st.lists(texts, min_size=1, max_size=8, unique=True), st.data())
def test_an_exact_name_always_wins(names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    assert meant_names(name, names) == [name]


@given(st.lists(texts, max_size=6, unique_by=same_name), texts)
def test_a_typed_name_means_only_names_that_there_are(names: list[str], typed: str) -> None:
    meant = meant_names(typed, names)
    assert set(meant) <= set(names)
    assert len(set(meant)) == len(meant)


@given(st.lists(texts, min_size=1, max_size=6, unique_by=same_name), st.data())
def test_the_same_name_in_other_letter_case_means_it(names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    assert meant_names(f" {same_name(name)}\u00a0", names) == [name]


def test_a_label_that_three_columns_share_brings_a_question_that_lists_them() -> None:
    assert [column.name for column in meant_columns("сумма", THREE)] == ["Сумма", "сумма_2", "СУММА_3"]
    assert [column.name for column in meant_columns("Сумма", THREE)] == ["Сумма"]
    step = {"tool": "sort", "args": {"by": "сумма", "descending": True}}
    with pytest.raises(ToolError) as caught:
        checked_step(by_name(CONTRACTS), TableState(THREE, LIMITS), step, 1)
    error = caught.value
    assert (error.reason, error.argument, error.allowed) == ("ambiguous_column", "by", ["Сумма", "сумма_2", "СУММА_3"])
    for language in get_args(Language):
        assert "сумма_2" in error_text(error, language)


def test_a_plan_may_name_a_column_in_look_alike_letters() -> None:
    state = TableState((Column("Cумма", "number"), Column("Ҳудуд", "text")), LIMITS)
    step = {"tool": "group_and_total", "args": {"agg": "sum", "value_column": "Сумма", "group_by": ["hudud"]}}
    checked = checked_step(by_name(CONTRACTS), state, step, 1)
    assert checked["args"] == {"agg": "sum", "value_column": "Cумма", "group_by": ["Ҳудуд"]}


def test_a_label_names_its_column() -> None:
    columns = (Column("Summa_2", "number", label="Summa"), Column("Izoh", "text", label="  Izoh "))
    assert [column.name for column in meant_columns("summa", columns)] == ["Summa_2"]
