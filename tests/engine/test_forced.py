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
from engine.settings import load_settings
from grammar import AnswerMatcher

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
