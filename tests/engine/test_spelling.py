"""Which spellings are one value: by the cases of `cases/spelling.json`, and what holds of any."""

import json
from pathlib import Path
from typing import Any

import pytest
from databases import SETTINGS
from hypothesis import given
from hypothesis import strategies as st

from engine.tools.spelling import Spelling, merged
from grammar.script import reading

CASES = json.loads((Path(__file__).parents[1] / "cases" / "spelling.json").read_text(encoding="utf-8"))
RULES = SETTINGS.tools.spelling

texts = st.text(st.sampled_from("abcdeo'ʻ ёеЕАаokТт1-."), min_size=1, max_size=9).filter(
    lambda text: text.strip() != ""
)
columns = st.lists(st.tuples(texts, st.integers(1, 30)), max_size=12, unique_by=lambda pair: pair[0])


def spellings(pairs: list[tuple[str, int]]) -> list[Spelling]:
    return [Spelling(text, rows, first) for first, (text, rows) in enumerate(pairs)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_case(case: dict[str, Any]) -> None:
    kept = merged(spellings(case["spellings"]), RULES)
    assert kept == {text: group[0] for group in case["groups"] for text in group[1:]}


@given(columns)
def test_merging_is_deterministic_has_no_chains_and_never_touches_digits(pairs: list[tuple[str, int]]) -> None:
    kept = merged(spellings(pairs), RULES)
    assert kept == merged(spellings(pairs), RULES)
    assert not kept.keys() & set(kept.values())
    for before, after in kept.items():
        assert [sign for sign in before if sign.isdigit()] == [sign for sign in after if sign.isdigit()]


@given(columns)
def test_a_merged_column_has_nothing_left_to_merge_by_reading(pairs: list[tuple[str, int]]) -> None:
    kept = merged(spellings(pairs), RULES)
    left = {kept.get(text, text) for text, _ in pairs}
    assert len({reading(text) for text in left}) == len(left)


@given(texts)
def test_a_reading_reads_as_itself(text: str) -> None:
    assert reading(reading(text)) == reading(text)
