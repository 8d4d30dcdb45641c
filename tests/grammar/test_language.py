"""Grammar, JSON Schema and canonical text describe the same answers."""

import json
import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import permutations, product
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, LIMITS, parsed, scenes, states, texts, texts_near, written_answers

from grammar import (
    AnswerMatcher,
    Column,
    Limits,
    Scene,
    TableState,
    ToolError,
    canonical_text,
    gbnf,
    json_schema,
    validate_answer,
)
from grammar.answers import answer_shape
from grammar.automaton import Matcher
from grammar.calls import JOINABLE, call_shapes, offered
from grammar.compile import compile_shape
from grammar.contracts import Contract
from grammar.schema import shape_schema
from grammar.shapes import Date, Integer, Number, Object, OneOf, Shape, Text


def canonical(text: str) -> bool:
    value = parsed(text)
    try:
        return value is not None and canonical_text(value, LIMITS) == text
    except ValueError:
        return False


def valid(schema: dict[str, Any], text: str) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(parsed(text))


@given(st.data(), scenes())
def test_whole_answer_grammar_accepts_exactly_the_canonical_texts_of_valid_answers(
    data: st.DataObject, scene: Scene
) -> None:
    whole = Matcher(compile_shape(answer_shape(CONTRACTS, scene)))
    schema = json_schema(CONTRACTS, scene)
    text = data.draw(written_answers(AnswerMatcher(CONTRACTS, scene)))
    for near in (text, data.draw(texts_near(text)), data.draw(texts_near(text)), data.draw(st.text())):
        assert whole.accepts(near) == (canonical(near) and valid(schema, near)), near


@given(st.data(), scenes())
def test_step_by_step_grammar_accepts_exactly_the_canonical_texts_that_validate_step_by_step(
    data: st.DataObject, scene: Scene
) -> None:
    matcher = AnswerMatcher(CONTRACTS, scene)
    text = data.draw(written_answers(matcher))
    for near in (text, data.draw(texts_near(text)), data.draw(texts_near(text)), data.draw(st.text())):
        assert matcher.accepts(near) == (canonical(near) and validates(scene, near)), near


def validates(scene: Scene, text: str) -> bool:
    value = parsed(text)
    if not isinstance(value, dict):
        return False
    try:
        validate_answer(CONTRACTS, scene, value)
    except ToolError:
        return False
    return True


@given(scenes())
def test_two_columns_can_meet_in_a_join_just_where_their_kinds_fit_and_one_knows_the_other(scene: Scene) -> None:
    scene = Scene(scene.tables)
    matcher, schema = AnswerMatcher(CONTRACTS, scene), json_schema(CONTRACTS, scene)
    for table, other in permutations(scene.tables, 2):
        for column, partner in product(table.offered(), other.offered()):
            args = {"table": other.name, "column": column.name, "other_column": partner.name, "how": "left"}
            text = canonical_text({"table": table.name, "steps": [{"tool": "join_table", "args": args}]}, LIMITS)
            known = column.joins is None or (other.name, partner.name) in column.joins
            fits = known and partner.kind in JOINABLE[column.kind]
            assert matcher.accepts(text) == valid(schema, text) == validates(scene, text) == fits, text


@given(st.data(), states())
def test_a_written_answer_is_a_valid_prefix_at_every_character(data: st.DataObject, state: TableState) -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((state,)))
    text = data.draw(written_answers(matcher))
    for end in range(len(text)):
        assert matcher.is_prefix(text[:end])
        assert not matcher.accepts(text[:end])


@given(st.data(), states())
def test_forced_text_is_what_every_answer_goes_on_with(data: st.DataObject, state: TableState) -> None:
    matcher = AnswerMatcher(CONTRACTS, Scene((state,)))
    text = data.draw(written_answers(matcher)).encode()
    cut = data.draw(st.integers(0, len(text)))
    written = matcher.advance(matcher.start(), text[:cut])
    assert written is not None
    assert text[cut:].startswith(matcher.forced(written))


@given(texts, texts)
def test_names_and_values_of_any_characters_can_be_written(name: str, value: str) -> None:
    state = TableState((Column(name, "text", (value,)),), LIMITS)
    step = {"tool": "filter", "args": {"column": name, "op": "=", "value": value}}
    text = canonical_text({"steps": [step]}, LIMITS)
    matcher = AnswerMatcher(CONTRACTS, Scene((state,)))
    assert matcher.accepts(text)
    assert json.loads(text)["steps"] == [step]


SHAPES: list[Shape] = [
    Text(3),
    Number(4, 2),
    Number(3, 0),
    Number(2, 2),
    Integer(0, 2),
    Integer(1, 3),
    Date(),
    OneOf(("a", "ab", "b", 'a"', "")),
    OneOf((True, False)),
]
near_leaves = st.one_of(
    st.from_regex(r"-?[0-9]{1,5}(\.[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r'"(19|20|18)[0-9]{2}-[0-3][0-9]-[0-3][0-9]"', fullmatch=True),
    st.integers(1890, 2110).map(lambda year: f'"{year}-02-29"'),
    st.text(max_size=5).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(["true", "false", "null", "-0", "0", "0.0", "1e2", "00"]),
    st.sampled_from(['"a"', '"ab"', '"\\/"', '"\\u0061"', '""']),
)


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
@given(near_leaves)
def test_leaf_rules_accept_exactly_canonical_valid_texts(shape: Shape, text: str) -> None:
    limits = limits_of(shape) if isinstance(shape, Number) else LIMITS
    value = parsed(text)
    try:
        written = value is not None and canonical_text(value, limits) == text
    except ValueError:
        written = False
    assert Matcher(compile_shape(shape)).accepts(text) == (written and valid(shape_schema(shape), text))


def limits_of(shape: Number) -> Limits:
    return replace(LIMITS, number_digits=shape.digits, number_decimals=shape.decimals)


def test_every_day_from_1900_to_2099_is_a_date_and_nothing_else() -> None:
    matcher = Matcher(compile_shape(Date()))
    day, days = date(1900, 1, 1), 0
    while day.year < 2100:
        days += 1
        assert matcher.accepts(f'"{day.isoformat()}"')
        day += timedelta(days=1)
    accepted = 0
    for year in range(1890, 2110):
        for month in range(14):
            for number in range(33):
                accepted += matcher.accepts(f'"{year:04}-{month:02}-{number:02}"')
    assert accepted == days


@given(states())
def test_gbnf_names_only_rules_that_it_defines(state: TableState) -> None:
    lines = gbnf(CONTRACTS, state).splitlines()
    defined = [line.split(" ::= ", 1)[0] for line in lines]
    assert len(defined) == len(set(defined))
    for line in lines:
        body = re.sub(r'"(\\.|[^"\\])*"|\[(\\.|[^\]\\])*\]|\{[0-9,]+\}', " ", line.split(" ::= ", 1)[1])
        assert set(re.findall(r"[a-z][a-z0-9-]*", body)) <= set(defined)


def test_values_are_left_factored() -> None:
    values = tuple(f"Mijoz {number:04}" for number in range(1000))
    state = TableState((Column("mijoz", "text", values),), LIMITS)
    text = gbnf(CONTRACTS, state)
    assert "Mijoz 0001" not in text
    matcher = AnswerMatcher(CONTRACTS, Scene((state,)))
    opening = '{"steps":[{"tool":"filter","args":{"column":"mijoz","op":"=","value":"Mijoz 0'
    written = matcher.advance(matcher.start(), opening.encode())
    assert written is not None
    assert matcher.first_bytes(written) == frozenset(b"0123456789")
    assert len(written.state.places) == 10


@given(states())
def test_a_tool_is_offered_exactly_if_it_has_a_call(state: TableState) -> None:
    assert offered(CONTRACTS, state) == [contract for contract in CONTRACTS if call_shapes(contract, state)]


def test_rules_of_a_tool_that_is_not_written_are_never_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noted(contract: Contract, state: TableState) -> tuple[Object, ...]:
        made.append(contract["name"])
        return call_shapes(contract, state)

    monkeypatch.setattr("grammar.matcher.call_shapes", noted)
    matcher = AnswerMatcher(
        CONTRACTS, Scene((TableState((Column("a", "text", ("x",)), Column("b", "number")), LIMITS),))
    )
    step = '{"tool":"sort","args":{"by":"a","descending":true}}'
    assert matcher.accepts(f'{{"steps":[{step},{step}]}}')
    assert made == ["sort", "sort"]
