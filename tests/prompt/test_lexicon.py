"""The common lexicon: its form, its index, and that every word finds its concept."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import ROOT
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts
from uzbek_cyrillic import in_cyrillic

from engine.domain import common_lexicon
from prompt.lexicon import UNKNOWN, Lexicon, LexiconError, meaning_of
from prompt.lexicon_index import LANGUAGES, concepts_of, index_text, words_of

FOLDER = ROOT / "domains" / "common"
SOURCE = (FOLDER / "lexicon.json").read_text("utf-8")
SCHEMA = json.loads((ROOT / "prompt" / "lexicon.schema.json").read_text("utf-8"))
CONTENT = json.loads(SOURCE)
CONCEPTS = concepts_of(CONTENT)
LEXICON = common_lexicon()
NAMES = [concept[0] for concept in LEXICON.concepts]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests" / "cases" / "lexicon.json").read_text("utf-8"))


def found(phrase: str, *, names: bool = False) -> set[str]:
    """Return the concepts that all words of the phrase stand for together."""
    words = words_of(phrase)
    return {NAMES[concept] for end, concept, _ in LEXICON.spans(words, names=names)[0] if end == len(words)}


def test_the_file_has_its_form() -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(CONTENT)
    assert len(CONCEPTS) >= 800
    assert sum(len(theme) for theme in CONTENT["themes"].values()) == len(CONCEPTS)


def test_the_index_is_fresh() -> None:
    assert (FOLDER / "lexicon.index.json").read_text("utf-8") == index_text(SOURCE), "run: make docs"


def test_every_word_finds_its_concept() -> None:
    lost = [
        (name, phrase)
        for name, concept in CONCEPTS.items()
        for language in LANGUAGES
        for phrase in concept[language]
        if name not in found(phrase)
    ]
    assert lost == []


def test_every_uzbek_word_finds_its_concept_in_cyrillic() -> None:
    lost = [
        (name, phrase, in_cyrillic(phrase))
        for name, concept in CONCEPTS.items()
        for phrase in concept["uz"]
        if not set(words_of(phrase)) & set(CONTENT["latin_only"]) and name not in found(in_cyrillic(phrase))
    ]
    assert lost == []


def test_every_abbreviation_finds_its_concept_in_names_only() -> None:
    for name, concept in CONCEPTS.items():
        for phrase in concept.get("names", ()):
            assert name in found(phrase, names=True), phrase


def test_no_word_stands_in_two_concepts_unless_on_purpose() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for name, concept in CONCEPTS.items():
        for language in LANGUAGES:
            for phrase in concept[language]:
                owners[" ".join(words_of(phrase)).replace("ё", "е")].add(name)
    assert {word for word, names in owners.items() if len(names) > 1} == set(CONTENT["ambiguous"])


def test_concepts_near_each_other_exist() -> None:
    for name, concept in CONCEPTS.items():
        assert set(concept.get("near", ())) <= CONCEPTS.keys() - {name}, name


@pytest.mark.parametrize("case", CASES, ids=[case["words"] for case in CASES])
def test_what_words_mean(case: dict[str, Any]) -> None:
    meaning = meaning_of(LEXICON, words_of(case["words"]), case.get("name", False))
    read = [sorted("?" if each == UNKNOWN else NAMES[each] for each in cover) for cover in meaning.covers]
    assert sorted(case["means"]) in read


@given(texts, st.booleans())
def test_any_text_has_a_meaning(text: str, names: bool) -> None:
    words = words_of(text)
    meaning = meaning_of(LEXICON, words, names)
    assert meaning == meaning_of(LEXICON, words, names)
    assert 0 <= meaning.score <= 1
    known = {concept for cover in meaning.covers for concept in cover if concept != UNKNOWN}
    assert known <= meaning.within


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="none"):
        Lexicon(tmp_path / "none.json").spans(["a"], names=False)
