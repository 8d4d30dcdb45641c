"""Training examples: words in their forms, templates that can all be filled, plans that run."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from databases import opened

from accuracy.__main__ import main
from accuracy.selection import read_cases
from accuracy.training import uzbek
from accuracy.training.bank import LANGUAGES, load_bank
from accuracy.training.examples import Lesson, learned, lessons
from accuracy.training.noise import noisy
from accuracy.training.phrasing import phrases
from accuracy.training.recipes import RECIPES, parts
from accuracy.training.russian import inflected
from accuracy.training.tables import STYLES, make_table
from engine.files import open_file
from engine.session import run
from engine.settings import load_settings
from grammar.script import plain
from prompt.language import detect_language

CASES = json.loads((Path(__file__).parents[1] / "cases" / "training.json").read_text(encoding="utf-8"))
SETTINGS = load_settings()
BANK = load_bank()
SOME = 120


@pytest.fixture(scope="module")
def made() -> list[tuple[str, dict[str, Any] | None, Mapping[str, Any], int]]:
    """Some examples: what is learnt, the answer, and the rows of its result (of a plan over the whole table)."""
    found = []
    for lesson in lessons(Random(7), SOME, SETTINGS):
        for example in lesson.examples:
            rows = _rows(lesson, example.answer) if "steps" in example.answer else 0
            found.append((example.language, learned(lesson, example), example.answer, rows))
    return found


def _rows(lesson: Lesson, answer: Mapping[str, Any]) -> int:
    if answer.get("on") == "result":
        return 1
    steps = {key: value for key, value in answer.items() if key != "on"}
    count: int = run(lesson.workspace, [], steps, max_rows=1)["row_count"]
    return count


@pytest.mark.parametrize(("latin", "cyrillic"), CASES["cyrillic"].items())
def test_uzbek_is_written_in_cyrillic(latin: str, cyrillic: str) -> None:
    assert uzbek.to_cyrillic(latin) == cyrillic


@pytest.mark.parametrize(("word", "form"), CASES["uzbek_plural"].items())
def test_uzbek_plurals(word: str, form: str) -> None:
    assert uzbek.plural(word) == form


@pytest.mark.parametrize(("word", "form"), CASES["uzbek_dative"].items())
def test_uzbek_datives(word: str, form: str) -> None:
    assert uzbek.dative(word) == form


@pytest.mark.parametrize(("phrase", "forms", "form"), CASES["russian"])
def test_russian_phrases_are_inflected_at_their_noun(phrase: str, forms: list[str], form: str) -> None:
    assert inflected(phrase, *forms) == form


def keys(templates: Any, path: str = "") -> Iterator[str]:
    if isinstance(templates, dict):
        for key, value in templates.items():
            yield from keys(value, f"{path}.{key}")
    else:
        assert templates
        yield path


def slots(language: str, path: str) -> set[str]:
    found: Any = phrases(language)
    for key in path.split(".")[1:]:
        found = found[key]
    return {slot for template in found for slot in re.findall(r"\{(\w+)", template)}


def test_every_language_can_say_the_same() -> None:
    said = {language: set(keys(phrases(language))) for language in LANGUAGES}
    assert said["uz"] == said["ru"] == said["en"]
    for path in said["en"]:
        everywhere = [slots(language, path) for language in LANGUAGES]
        allowed = set.union(*everywhere) | {"rows"}
        assert all(each <= allowed for each in everywhere)


def test_every_concept_has_its_words_and_every_list_its_cells() -> None:
    concepts = [*BANK.common, *(concept for domain in BANK.domains for concept in domain.columns)]
    for concept in concepts:
        assert set(concept.words) == set(LANGUAGES)
        assert all(word.strip() for words in concept.words.values() for word in words)
        if concept.kind == "text":
            assert all(len(BANK.values[concept.values or ""][language]) > 1 for language in LANGUAGES)
        if concept.kind == "number":
            assert concept.low < concept.high


@pytest.mark.parametrize("seed", range(20))
def test_made_tables_open_with_their_columns(seed: int, tmp_path: Path) -> None:
    table = make_table(Random(seed), BANK)
    path = tmp_path / "made.csv"
    path.write_text(table.csv_text(), encoding="utf-8")
    assert len({column.name.casefold() for column in table.columns}) == len(table.columns)
    found = open_file(opened(), path, "made", SETTINGS.files)
    assert [column.column for column in found.report.columns] == [column.name for column in table.columns]


def test_tables_come_in_every_style_and_width() -> None:
    tables = [make_table(Random(seed), BANK) for seed in range(200)]
    assert {table.language for table in tables} == set(LANGUAGES)
    assert min(len(table.columns) for table in tables) <= 5
    assert max(len(table.columns) for table in tables) >= 35
    assert sum(bool(table.glossary) for table in tables) > len(tables) / len(STYLES) / 2
    assert {table.domain.name for table in tables} == {domain.name for domain in BANK.domains}


def test_every_recipe_finds_something_to_ask() -> None:
    random = Random(1)
    tables = [make_table(random, BANK, width=20) for _ in range(12)]
    for recipe in RECIPES:
        assert any(recipe(random, table) for table in tables), recipe.__name__
    assert all(1 <= len(parts(random, table)) <= 4 for table in tables)


def test_examples_are_plans_that_run_and_the_grammar_has(made: list[Any]) -> None:
    assert len(made) == SOME
    plans = [(line, answer, rows) for _, line, answer, rows in made if "steps" in answer]
    assert all(rows > 0 for _, _, rows in plans)
    lines = [line for _, line, _, _ in made if line is not None]
    assert len(lines) >= 0.95 * SOME
    assert all(line["prompt"].endswith("Answer: ") or line["prompt"].endswith("Answer:\n") for line in lines)
    tools = Counter(step["tool"] for _, answer, _ in plans for step in answer["steps"])
    assert {"filter", "group_and_total", "top_n", "sort"} <= set(tools)
    assert {"on" in answer for _, answer, _ in plans} == {True, False}
    kinds = {answer["question"]["kind"] for _, _, answer, _ in made if "question" in answer}
    assert kinds == {"which_column", "not_in_table"}


def test_requests_are_in_their_language(made: list[Any]) -> None:
    said = [(language, line["request"]) for language, line, _, _ in made if line is not None]
    assert {language for language, _ in said} == set(LANGUAGES)
    for language in LANGUAGES:
        own = [request for each, request in said if each == language and len(request) > 15]
        found = sum(detect_language(request, "en") == language for request in own)
        assert found >= 0.75 * len(own), language


def test_one_seed_makes_the_same_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        assert main(["examples", "--count", "8", "--seed", seed, "--out", str(tmp_path / name), "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [each["seed"] for each in told] == [3, 3, 4]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_without_the_morphology_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("accuracy.training.steps.find_spec", lambda name: None)
    assert main(["examples", "--out", str(tmp_path / "a")]) != 0
    assert "pip install 'tez-analyst[train]'" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_no_example_is_a_case_of_the_benchmark(made: list[Any]) -> None:
    """A request that a case has too would let the benchmark measure memory."""
    cases = {plain(case.request) for case in read_cases()}
    shared = {plain(line["request"]) for _, line, _, _ in made if line is not None} & cases
    assert shared <= {"salom", "привет", "hello"}


def test_noise_keeps_cells_in_their_script() -> None:
    said = [noisy(Random(seed), "holat to'langan bo'lgan", "uz", True) for seed in range(200)]
    assert all("т" not in each for each in said)
    assert len(set(said)) > 10
    assert any("т" in noisy(Random(seed), "nechta bron bor", "uz", False) for seed in range(200))
