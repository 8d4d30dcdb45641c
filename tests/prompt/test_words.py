"""What a person reads: every sentence in three languages, every reason with its words, numbers and plurals."""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS

import engine.database
from grammar.contracts import LANGUAGES, by_name
from grammar.errors import TezError, ToolError
from prompt.language import Language
from prompt.wordfiles import word_file
from prompt.words import error_text, explain, note_text, number_text, question_text

ROOT = Path(__file__).parents[2]
SOURCES = [
    path for package in ("grammar", "prompt", "engine", "accuracy") for path in sorted((ROOT / package).rglob("*.py"))
]
TREES = {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}
SENTENCES = ("errors", "evidence", "questions", "screen")
TOOLS = by_name(CONTRACTS)


def sentences() -> Iterator[Any]:
    for name in SENTENCES:
        for key, words in word_file(name).items():
            yield pytest.param(words, id=f"{name}: {key}")
    for group, terms in word_file("terms").items():
        for key, words in terms.items():
            yield pytest.param(words, id=f"terms: {group} {key}")
    for contract in CONTRACTS:
        yield pytest.param(contract["explain"], id=f"explain: {contract['name']}")


def placeholders(pattern: str) -> set[str]:
    return {placeholder.split("|")[0] for placeholder in re.findall(r"\{([^{}]*)\}", pattern)}


@pytest.mark.parametrize("words", list(sentences()))
def test_every_sentence_stands_in_three_languages_with_the_same_facts(words: dict[str, str]) -> None:
    assert sorted(words) == sorted(LANGUAGES)
    assert placeholders(words["uz"]) == placeholders(words["ru"]) == placeholders(words["en"])
    for language, forms in (("uz", 0), ("ru", 3), ("en", 2)):
        for placeholder in re.findall(r"\{([^{}]*)\}", words[language]):
            assert len(placeholder.split("|")) - 1 in (0, forms)
        bare = re.sub(r"\[(?:[^\[\]{}]|\{[^{}]*\})*\]|\{[^{}]*\}", "", words[language])
        assert not re.search(r"[\[\]{}]", bare), "a bracket stands alone"
    assert not re.search("[ʻʼ‘’`]", words["uz"])


def class_names(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def error_classes() -> set[str]:
    known = {TezError.__name__}
    while True:
        found = {
            node.name
            for tree in TREES.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and any(getattr(base, "id", getattr(base, "attr", "")) in known for base in node.bases)
        }
        if found <= known:
            return known
        known |= found


def texts_in(node: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def raised_reasons() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the reasons that the code writes out for each class, and those that it may take from a variable."""
    written: dict[str, set[str]] = defaultdict(set)
    possible: dict[str, set[str]] = defaultdict(set)
    classes = error_classes()
    for tree in TREES.values():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = class_names(call)
            if name == "_Misfit":
                written["ToolError"] |= texts_in(call.args[2])
            if name not in classes or not call.args or isinstance(call.args[0], ast.Starred):
                continue
            if isinstance(call.args[0], ast.Constant):
                written[name].add(str(call.args[0].value))
            elif isinstance(call.args[0], ast.IfExp):
                written[name] |= texts_in(call.args[0].body) | texts_in(call.args[0].orelse)
            else:
                possible[name] |= texts_in(tree)
    written["DatabaseError"] |= {reason for _, reason in engine.database._REASONS}
    return written, possible


def test_every_reason_has_words() -> None:
    written, _ = raised_reasons()
    missing = [
        f"{name}.{reason}"
        for name, reasons in written.items()
        for reason in sorted(reasons)
        if f"{name}.{reason}" not in word_file("errors")
    ]
    assert missing == []


def test_no_words_of_errors_are_left_over() -> None:
    written, possible = raised_reasons()
    unused = []
    for key in word_file("errors"):
        name, _, reason = key.partition(".")
        if reason and reason not in written[name] | possible[name]:
            unused.append(key)
    assert unused == []


def test_every_note_has_words_and_no_words_are_left_over() -> None:
    noted = {
        str(value.value)
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "note" and isinstance(value, ast.Constant)
    }
    assert noted == set(word_file("evidence"))


def test_an_error_says_where_what_and_what_is_allowed() -> None:
    error = ToolError(
        "unknown_column", step=2, tool="filter", argument="column", found="foyda", allowed=["Sana", "a b"]
    )
    assert error_text(error, "en") == (
        'Step 2 (filter), column: there is no column "foyda" at this step. Allowed: Sana, "a b".'
    )
    assert error_text(error, "ru") == ('Шаг 2 (filter), column: столбца «foyda» на этом шаге нет. Можно: Sana, "a b".')
    assert error_text(error, "uz") == (
        '2-qadam (filter), column: "foyda" ustuni bu qadamda yo\'q. Mumkin: Sana, "a b".'
    )


def test_optional_parts_fall_away_and_the_sentence_begins_with_a_capital() -> None:
    assert (
        error_text(ToolError("missing_argument", step=1, tool="sort"), "en")
        == "Step 1 (sort): this argument is missing."
    )
    assert error_text(ToolError("no_steps", found=[]), "en").startswith("The plan has no step.")


def test_a_long_list_is_cut_to_what_is_most_like_the_found() -> None:
    names = [*(f"c{number}" for number in range(400)), "viloyat"]
    error = ToolError("unknown_column", step=1, found="vilayat", allowed=names)
    assert error_text(error, "ru", shown=2).endswith("Можно: viloyat, c0 и ещё 399.")


def test_an_error_without_words_says_its_reason() -> None:
    assert error_text(ToolError("odd_case", found=3), "uz") == "odd case (found: 3)"


@pytest.mark.parametrize(
    ("rows", "said"), [(1, "1 строка"), (3, "3 строки"), (5, "5 строк"), (21, "21 строка"), (1100, "1\u00a0100 строк")]
)
def test_russian_plurals(rows: int, said: str) -> None:
    assert said in note_text({"note": "ties_at_cut", "column": "x", "value": 5, "rows": rows}, "ru")


def test_an_empty_list_that_was_found_is_shown() -> None:
    error = ToolError("wrong_value", step=1, tool="filter", argument="values", found=[], allowed=["a"])
    assert "[]" in error_text(error, "en")


def test_notes_name_pairs_and_lists() -> None:
    note = {"note": "changed", "column": "x", "cells": 1, "examples": [["1 000", 1000.5], ["a", None]]}
    assert note_text(note, "en") == 'x: 1 cell was read, for example: "1 000" → 1,000.5; a → —.'


@pytest.mark.parametrize(
    ("language", "said"), [("uz", "1\u00a0234\u00a0567,25"), ("ru", "1\u00a0234\u00a0567,25"), ("en", "1,234,567.25")]
)
def test_numbers_in_the_way_of_the_language(language: Language, said: str) -> None:
    assert number_text(1234567.25, language) == number_text(Decimal("1234567.25"), language) == said


def test_no_decimals_are_lost() -> None:
    assert number_text(Decimal("0.000123456789"), "en") == "0.000123456789"


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        ("filter", {"column": "viloyat", "op": "=", "value": "Buxoro"}, 'Kept only the rows where viloyat = "Buxoro"'),
        (
            "filter",
            {"column": "a b", "op": "in", "values": ["x", 1000]},
            'Kept only the rows where "a b" is one of "x", 1,000',
        ),
        ("filter", {"column": "a", "op": "not_empty"}, "Kept only the rows where a is not empty"),
        ("filter", {"column": "a", "op": ">", "value": "2024-01-31"}, "Kept only the rows where a > 2024-01-31"),
        ("filter", {"column": "a", "op": "=", "value": True}, "Kept only the rows where a = yes"),
        ("filter", {"column": "sum", "op": "=", "value": "sum\n"}, 'Kept only the rows where sum = "sum\\u000a"'),
        ("top_n", {"by": "q", "n": 3, "descending": True}, "Kept the first 3 by q, largest first"),
        (
            "top_n",
            {"by": "q", "n": 1, "descending": False, "group": {"columns": ["v", "w"], "agg": "avg"}},
            "Took the average of q for each v, w, then kept the first 1 by q, smallest first",
        ),
        ("group_and_total", {"agg": "count"}, "Calculated the count of rows for the whole table"),
        (
            "group_and_total",
            {"agg": "sum", "value_column": "q", "group_by": ["v"]},
            "Calculated the sum of q for each v",
        ),
    ],
)
def test_a_call_is_explained(tool: str, args: dict[str, Any], said: str) -> None:
    assert explain(TOOLS[tool], args, "en") == said


def test_a_call_is_explained_in_uzbek_and_russian() -> None:
    args = {"agg": "sum", "value_column": "qoldiq", "group_by": ["viloyat"]}
    assert explain(TOOLS["group_and_total"], args, "uz") == "Har bir viloyat uchun qoldiq yig'indisi hisoblandi"
    assert explain(TOOLS["group_and_total"], args, "ru") == (
        "Посчитано: сумма по столбцу qoldiq, для каждого значения viloyat"
    )


def test_every_enum_value_of_the_tools_has_a_term() -> None:
    terms = word_file("terms")
    for contract in CONTRACTS:
        for name, argument in contract["args"].items():
            for leaf, node in ({name: argument} | argument.get("properties", {})).items():
                for value in node.get("enum", ()):
                    assert value in terms[leaf], f"{contract['name']}.{leaf}"


def test_questions() -> None:
    asked = {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}
    assert question_text(asked, "uz") == 'Qaysi ustun nazarda tutilgan: "qoldiq", "qoldiq_uzs"?'
    assert question_text({"kind": "not_in_table", "options": []}, "en") == "The table does not hold that."


@given(
    st.sampled_from(CONTRACTS),
    st.dictionaries(
        st.sampled_from(["column", "by", "columns", "group_by", "op", "value", "values", "n", "agg"]),
        st.text() | st.integers(),
    ),
    st.sampled_from(LANGUAGES),
)
def test_any_arguments_are_explained_on_one_line(
    contract: dict[str, Any], args: dict[str, Any], language: Language
) -> None:
    assert len(explain(contract, args, language).splitlines()) == 1


def test_word_files_are_canonical_json() -> None:
    for path in sorted((ROOT / "prompt" / "words").glob("*.json")):
        pairs = json.loads(path.read_text("utf-8"), object_pairs_hook=lambda pairs: pairs)
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), path.name
