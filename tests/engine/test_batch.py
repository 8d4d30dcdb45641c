"""Many requests at a time: each gets the answer that it would get alone."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from finite import FakeModel, FiniteMatcher, Rule, chance, preferring
from hypothesis import given
from hypothesis import strategies as st

from engine.batch import Request, decode_many
from engine.decoder import Cancelled, decode
from engine.draft import Logits
from engine.model import LlamaModel
from engine.model_error import ModelError
from engine.settings import load_settings

SETTINGS = load_settings().model
BYTES = [bytes((byte,)) for byte in range(256)]
PIECES = [*BYTES, b'{"op":', b'"a', b'b"', b'"}']
TEXTS = ['{"op":"a"}', '{"op":"ab"}', '{"op":"ba","by":"a"}', '{"ask":"b"}']
LONG = "sort filter tool Фаол qoldiq 😀 " * 8


class FakeSequences:
    """Sequences of tokens whose logits a rule makes."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.held: dict[int, list[int]] = {}
        self.most = 0

    def share(self, tokens: Sequence[int], cancelled: Cancelled) -> None:
        self.held = {0: list(tokens)}

    def begin(self, sequence: int) -> None:
        assert sequence not in self.held
        self.held[sequence] = list(self.held[0])
        self.most = max(self.most, len(self.held) - 1)

    def append(self, tokens: Mapping[int, Sequence[int]]) -> Mapping[int, Logits]:
        for sequence, run in tokens.items():
            assert run
            self.held[sequence] += run
        return {sequence: self.rule(self.held[sequence]) for sequence in tokens}

    def end(self, sequence: int) -> None:
        del self.held[sequence]


class FakeMany(FakeModel):
    """A made-up model with many sequences."""

    def __init__(self, rule: Rule, context: int = 4096) -> None:
        super().__init__(PIECES, rule, context=context)
        self.sequences = FakeSequences(rule)

    def many(self, count: int, room: int) -> nullcontext[FakeSequences]:
        return nullcontext(self.sequences)


def requests(prompts: Sequence[str]) -> list[Request[bytes]]:
    return [Request(prompt, FiniteMatcher(TEXTS)) for prompt in prompts]


@given(
    st.lists(st.text("ab ", min_size=1, max_size=6), max_size=7), st.integers(1, 4), st.integers(0, 99), st.booleans()
)
def test_many_requests_get_the_answers_that_each_gets_alone(
    ends: list[str], count: int, seed: int, forced: bool
) -> None:
    settings, rule = replace(SETTINGS, forced_runs=forced), chance(len(PIECES), seed)
    prompts = [f"the same beginning {end}" for end in ends]
    model = FakeMany(rule)
    finished: list[int] = []
    found = decode_many(model, requests(prompts), settings, count, each=finished.append)
    assert sorted(finished) == list(range(len(prompts)))
    assert model.sequences.most <= count
    for prompt, decoded in zip(prompts, found, strict=True):
        alone = decode(FakeModel(PIECES, rule), FiniteMatcher(TEXTS), prompt, settings)
        assert not isinstance(decoded, ModelError)
        assert (decoded.text, decoded.written, decoded.choices) == (alone.text, alone.written, alone.choices)
        assert (decoded.forced_tokens, decoded.prompt_tokens) == (alone.forced_tokens, alone.prompt_tokens)


def test_an_error_is_the_outcome_of_its_request_only() -> None:
    model = FakeMany(preferring(PIECES, '{"op":"ab"}'), context=SETTINGS.answer_tokens + 10)
    outcomes = decode_many(model, requests(["short", "much too long a prompt", "short too"]), SETTINGS, 2)
    assert [getattr(each, "text", None) in TEXTS for each in outcomes] == [True, False, True]
    assert isinstance(outcomes[1], ModelError)
    assert outcomes[1].reason == "prompt_too_long"
    cut = decode_many(FakeMany(chance(len(PIECES), 1)), requests(["a"]), replace(SETTINGS, answer_tokens=3), 2)
    assert isinstance(cut[0], ModelError)
    assert cut[0].reason == "answer_cut"


def test_cancelling_ends_all() -> None:
    with pytest.raises(ModelError) as caught:
        decode_many(FakeMany(chance(len(PIECES), 1)), requests(["a", "b"]), SETTINGS, 2, cancelled=lambda: True)
    assert caught.value.reason == "cancelled"


def test_sequences_have_the_logits_of_their_own_tokens(tiny_model: LlamaModel) -> None:
    shared = tiny_model.chat_tokens(LONG)
    ends = {1: tiny_model.tokenise("sort"), 2: tiny_model.tokenise("Фаол filter " * 20), 3: tiny_model.tokenise("😀")}
    more = {number: tiny_model.tokenise(text) for number, text in ((1, "a"), (3, "tool b"))}
    alone = {}
    for number, tokens in ends.items():
        tiny_model.read([*shared, *tokens])
        alone[number] = tiny_model.logits().copy()
    with tiny_model.many(3, 600) as sequences:
        sequences.share(shared)
        for number in ends:
            sequences.begin(number)
        found = sequences.append(ends)
        for number in ends:
            np.testing.assert_allclose(found[number], alone[number], atol=0.2)
        sequences.end(2)
        found = sequences.append(more)
        sequences.begin(2)
        again = sequences.append({2: ends[2]})
    np.testing.assert_allclose(again[2], alone[2], atol=0.2)
    for number, tokens in more.items():
        tiny_model.read([*shared, *ends[number], *tokens])
        np.testing.assert_allclose(found[number], tiny_model.logits(), atol=0.2)


def test_more_tokens_than_there_is_room_for_are_an_error(tiny_path: Path) -> None:
    with LlamaModel(tiny_path, SETTINGS) as model, model.many(2, 40) as sequences:
        sequences.share(model.tokenise("a b a b"))
        sequences.begin(1)
        with pytest.raises(ModelError) as caught:
            sequences.append({1: model.tokenise("sort " * 50)})
        assert caught.value.reason == "context_full"
        assert caught.value.facts["allowed"] == 40
