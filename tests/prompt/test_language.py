"""The language of a request, on a table of short texts."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompt.language import LANGUAGES, Language, detect_language

CASES: list[list[str]] = json.loads((Path(__file__).parents[1] / "cases" / "language.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "language"), CASES)
@pytest.mark.parametrize("fallback", LANGUAGES)
def test_language_of_requests(text: str, language: str, fallback: Language) -> None:
    assert detect_language(text, fallback) == (fallback if language == "fallback" else language)


@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_has_a_language(text: str, fallback: Language) -> None:
    assert detect_language(text, fallback) in LANGUAGES
