"""Requests linked to columns and values in other words, without a glossary."""

import json
from dataclasses import replace
from typing import Any

import pytest
from command_line import ROOT
from hypothesis import given
from strategies import LIMITS, scenes, texts

from engine.domain import common_lexicon
from engine.settings import load_settings
from grammar.state import Column, Scene, TableState
from prompt.resolve import links

SETTINGS = load_settings().prompt
LEXICON = common_lexicon()
CASES: dict[str, Any] = json.loads((ROOT / "tests" / "cases" / "common_links.json").read_text("utf-8"))


def state(table: str) -> TableState:
    columns = [Column(name, kind, tuple(values) or None) for name, (kind, *values) in CASES["tables"][table].items()]
    return TableState(tuple(columns), replace(LIMITS, question_options=5), name=table)


def found(request: str, table: TableState, glossary: dict[str, str] | None = None) -> list[list[str | None]]:
    linked = links(request, Scene((table,)), glossary or {}, SETTINGS, LEXICON)
    return [[link.phrase, link.column, link.value] for link in linked if link.column is not None]


@pytest.mark.parametrize(
    ("table", "request_text", "wanted"),
    [(table, *pair) for table, pairs in CASES["links"].items() for pair in pairs.items()],
)
def test_links_without_a_glossary(table: str, request_text: str, wanted: list[list[str | None]]) -> None:
    assert found(request_text, state(table)) == wanted


def test_what_a_glossary_knows_is_its_own() -> None:
    glossary = {"область / мой край": "column viloyat"}
    assert found("hudud", state("loans"), glossary) == []
    assert found("мой край", state("loans"), glossary) == [["мой край", "viloyat", None]]
    assert found("по регионам и филиалам", state("loans"), glossary) == [["филиалам", "filial", None]]


def test_a_glossary_phrase_goes_before_a_longer_one_of_the_lexicon() -> None:
    glossary = {"interest": "column qoldiq"}
    assert found("interest rate", state("loans"), glossary)[0] == ["interest", "qoldiq", None]


def test_tables_of_one_name_are_linked_each() -> None:
    tables = (replace(state("sales"), name="a"), replace(state("sales"), name="b"))
    linked = links("по городам", Scene(tables), {}, SETTINGS, LEXICON)
    assert [(link.column, link.table) for link in linked] == [("city", "a"), ("city", "b")]


@given(texts, scenes())
def test_any_text_is_resolved_and_always_in_the_same_way(request: str, scene: Scene) -> None:
    once = links(request, scene, {}, SETTINGS, LEXICON)
    assert once == links(request, scene, {}, SETTINGS, LEXICON)
    known = {
        column.name for table in (*scene.tables, *([scene.result] if scene.result else [])) for column in table.columns
    }
    for link in once:
        assert link.phrase in request
        assert link.column is None or link.column in known


@given(texts, scenes())
def test_what_is_typed_as_it_is_called_stays_linked(request: str, scene: Scene) -> None:
    plain = links(request, scene, {}, SETTINGS)
    linked = links(request, scene, {}, SETTINGS, LEXICON)
    whole = {(link.phrase, link.column, link.value) for link in plain if link.score == 1.0 and link.kind == "column"}
    longer = [link.phrase for link in linked]
    for phrase, column, value in whole:
        kept = (phrase, column, value) in {(link.phrase, link.column, link.value) for link in linked}
        assert kept or any(phrase in other and phrase != other for other in longer)
