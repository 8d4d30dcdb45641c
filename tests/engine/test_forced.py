"""Forced runs: written without the model, in the tokens that the whole answer would have."""

from dataclasses import replace

import pytest
from finite import FakeModel, FiniteMatcher, preferring
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, scenes, written_answers

from engine.decoder import decode
from engine.forced import ForcedRuns
from engine.model import LlamaModel
from engine.settings import limits, load_settings
from grammar import AnswerMatcher, Column, Matchers, Scene, TableState
from grammar.matcher import MOST_SCENES

SETTINGS = load_settings().model
BYTES = [bytes((byte,)) for byte in range(256)]


def wrong_places(model: LlamaModel, matcher: AnswerMatcher, text: str) -> list[str]:
    """Follow a text by its own tokens; return where what is forced is not what stands there, and its share of all."""
    tokens = model.tokenise(text)
    runs = ForcedRuns(model.tokenise, model.pieces, matcher)
    state, place, wrong = matcher.start(), 0, []
    while place < len(tokens):
        forced = runs.tokens(tokens[:place], state)
        if forced != tokens[place : place + len(forced)]:
            wrong.append(repr([model.pieces[token] for token in forced]))
            break
        for token in forced or [tokens[place]]:
            following = matcher.advance(state, model.pieces[token])
            assert following is not None
            state = following
        place += len(forced) or 1
    return wrong


@pytest.mark.model
@given(st.data())
def test_forced_tokens_are_those_of_the_whole_answer(default_model: LlamaModel, data: st.DataObject) -> None:
    matcher = AnswerMatcher(CONTRACTS, data.draw(scenes()))
    assert wrong_places(default_model, matcher, data.draw(written_answers(matcher))) == []


def test_what_is_forced_costs_no_pass() -> None:
    model = FakeModel(BYTES, preferring(BYTES, "a"))
    decoded = decode(model, FiniteMatcher(['{"op":"a"}', '{"op":"b"}']), "p", SETTINGS)
    assert decoded.text == '{"op":"a"}'
    assert (decoded.forced_tokens, decoded.passes, decoded.answer_tokens) == (9, 1, 10)


def test_without_forced_runs_the_model_is_asked_for_every_token() -> None:
    model = FakeModel(BYTES, preferring(BYTES, "a"))
    decoded = decode(model, FiniteMatcher(['{"a"}', '{"b"}']), "p", replace(SETTINGS, forced_runs=False))
    assert (decoded.forced_tokens, decoded.passes) == (0, 5)


def test_an_unusual_spelling_ends_the_forced_run_for_one_token_only() -> None:
    pieces = [*BYTES, b'{"']
    model, matcher = FakeModel(pieces, preferring(pieces, "a")), FiniteMatcher(['{"op":"a"}', '{"op":"b"}'])
    runs = ForcedRuns(model.tokenise, pieces, matcher)
    assert runs.tokens([256], b'{"') == []
    assert runs.tokens([256, ord("o")], b'{"o') == list(b'p":"')
    assert runs.tokens(list(b'{"o'), b'{"o') == list(b'p":"')


@given(st.data())
def test_what_is_forced_is_what_the_bytes_allow(data: st.DataObject) -> None:
    matcher = AnswerMatcher(CONTRACTS, data.draw(scenes()))
    text = data.draw(written_answers(matcher)).encode()
    written = matcher.advance(matcher.start(), text[: data.draw(st.integers(0, len(text)))])
    assert written is not None
    run, reached = b"", written
    while len(allowed := matcher.first_bytes(reached)) == 1:
        run += bytes(allowed)
        following = matcher.advance(written, run)
        assert following is not None
        reached = following
    assert matcher.forced(written) == run


def test_a_matcher_is_kept_for_its_scene_and_contracts(loans_scene: Scene) -> None:
    known = Matchers()
    made = known.of(CONTRACTS, loans_scene)
    assert known.of(list(CONTRACTS), replace(loans_scene)) is made
    assert known.of(CONTRACTS[:3], loans_scene) is not made
    assert known.of(CONTRACTS, loans_scene, nulls=True) is not made
    for number in range(MOST_SCENES):
        known.of(CONTRACTS, Scene((replace(loans_scene.tables[0], name=str(number)),)))
    assert known.of(CONTRACTS, loans_scene) is not made


@pytest.fixture
def loans_scene() -> Scene:
    columns = (Column("holat", "text", ("Faol", "Yopilgan")), Column("qoldiq", "number"))
    return Scene((TableState(columns, limits(load_settings()), name="loans"),))
