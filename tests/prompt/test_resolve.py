"""The resolver finds what words mean: a table of requests, and what holds for any text."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import LIMITS, scenes, states, texts

from engine.settings import load_settings
from grammar.script import plain
from grammar.state import Column, Scene, TableState
from prompt.resolve import links, nearest

SETTINGS = load_settings().prompt
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "cases" / "links.json").read_text("utf-8"))
REGIONS = ("Toshkent sh.", "Toshkent viloyati", "Samarqand", "Farg'ona", "Andijon", "Buxoro")
GLOSSARY = {
    "qoldiq / остаток / balance": "outstanding balance, column qoldiq_uzs",
    "viloyat / область / регион / region": "region, column viloyat",
    "muddati o'tgan / просроченные / overdue": "value Muddati o'tgan of column holat",
    "foyda / прибыль": "profit, column foyda_uzs",
}


def text(name: str, *values: str) -> Column:
    return Column(name, "text", values or None)


def number(name: str) -> Column:
    return Column(name, "number")


LOANS = TableState(
    (
        text("jinsi", "erkak", "ayol"),
        text("viloyat", *REGIONS),
        text("filial", *(f"{region} filiali" for region in REGIONS)),
        text("kredit_xodimi", "Aliyev Sardor", "Karimova Nodira"),
        text("kredit_turi", "Ipoteka", "Avtokredit", "Iste'mol krediti", "Biznes kredit", "Ta'lim krediti"),
        number("kredit_summasi"),
        number("kredit_summasi_uzs"),
        number("qoldiq"),
        number("qoldiq_uzs"),
        number("foiz_stavkasi"),
        Column("berilgan_sana", "date"),
        Column("tugash_sanasi", "date"),
        text("holat", "Faol", "Muddati o'tgan", "Yopilgan"),
    ),
    replace(LIMITS, question_options=5),
    name="loans",
)


def found(request: str, state: TableState, glossary: dict[str, str] | None = None) -> list[list[str | None]]:
    return [
        [link.phrase, link.column, link.value] for link in links(request, Scene((state,)), glossary or {}, SETTINGS)
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["request"] or "empty" for case in CASES])
def test_links_of_requests(case: dict[str, Any]) -> None:
    assert set(case) == {"request", "links"}
    assert found(case["request"], LOANS, GLOSSARY) == case["links"]


def test_names_that_differ_only_in_case_are_all_linked() -> None:
    state = TableState((Column("Сумма", "number"), Column("сумма_2", "number", label="сумма")), LIMITS)
    assert found("сумма", state) == [["сумма", "Сумма", None], ["сумма", "сумма_2", None]]


def test_a_word_of_more_columns_than_a_question_holds_links_none() -> None:
    columns = tuple(Column(f"c{place}", "number", label="Summa") for place in range(LIMITS.question_options + 1))
    assert found("summa", TableState(columns, LIMITS)) in ([], [["summa", None, "agg sum"]])


def test_one_of_420_columns_is_found() -> None:
    columns = (text("Hudud"), *(number(f"Ko'rsatkich {place:03}") for place in range(1, 421)))
    request = "Hudud bo'yicha Ko'rsatkich 117 jami"
    assert found(request, TableState(columns, LIMITS))[:2] == [
        ["Hudud", "Hudud", None],
        ["Ko'rsatkich 117", "Ko'rsatkich 117", None],
    ]


def test_a_column_whose_name_mixes_alphabets_is_found() -> None:
    assert found("Сумма бўйича", TableState((number("Cумма"),), LIMITS))[0] == ["Сумма", "Cумма", None]


def test_words_of_a_camel_case_name_and_of_a_label() -> None:
    state = TableState((number("LoanAmount"), Column("x1", "number", label="Foiz stavkasi")), LIMITS)
    assert found("loan amount", state) == [["loan amount", "LoanAmount", None]]
    assert found("foiz stavkalari", state) == [["foiz stavkalari", "x1", None]]


def test_a_value_of_two_columns_goes_to_the_one_that_is_named() -> None:
    state = TableState((text("shahar", "Buxoro"), text("filial", "Buxoro")), LIMITS)
    assert found("Buxoro", state) == [["Buxoro", "shahar", "Buxoro"], ["Buxoro", "filial", "Buxoro"]]
    assert found("Buxoro filialida", state) == [["Buxoro", "filial", "Buxoro"], ["filialida", "filial", None]]


def test_a_glossary_entry_for_another_table_is_left_out() -> None:
    assert found("foyda", LOANS, GLOSSARY) == []


def test_links_name_the_table_and_the_columns_of_the_result() -> None:
    tables = (TableState((number("narx"),), LIMITS, name="a"), TableState((number("narx"),), LIMITS, name="b"))
    result = TableState((number("narx"), number("change")), LIMITS, name="r")
    linked = links("narx change", Scene(tables, result), {}, SETTINGS)
    assert [(link.column, link.table) for link in linked] == [("narx", "a"), ("narx", "b"), ("change", "r")]


@given(texts, scenes())
def test_any_text_is_resolved_and_always_in_the_same_way(request: str, scene: Scene) -> None:
    once = links(request, scene, GLOSSARY, SETTINGS)
    assert once == links(request, scene, GLOSSARY, SETTINGS)
    for link in once:
        assert link.phrase
        assert link.phrase in request


@given(states(), st.lists(texts, min_size=1, max_size=4, unique=True), st.integers(0, 3))
def test_a_value_typed_exactly_is_found(state: TableState, values: list[str], place: int) -> None:
    value = values[place % len(values)]
    assume(plain(value))
    state = replace(state, columns=(*state.columns, text("qiymat", *values)))
    linked = links(value, Scene((state,)), GLOSSARY, SETTINGS)
    assert plain(value) in [plain(link.value) for link in linked if link.kind == "value" and link.value is not None]


@given(st.text(), st.lists(st.text(), max_size=5), st.integers(0, 6))
def test_nearest_orders_the_options(text: str, options: list[str], limit: int) -> None:
    ordered = nearest(text, options, limit)
    assert len(ordered) == min(limit, len(options))
    assert all(option in options for option in ordered)


def test_nearest_crosses_the_alphabets() -> None:
    assert nearest("Самарканд", REGIONS, 1) == ["Samarqand"]
    assert nearest("vilayat", ["holat", "viloyat", "tuman"], 2) == ["viloyat", "holat"]
