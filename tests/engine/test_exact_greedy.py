"""Exact greedy without the scan: over the benchmark's cases, token by token, the masked argmax of the whole vocabulary.

In `make check` a tenth of the cases, spread over domains and languages, with prompts of tools, table and request only;
in the long runs all cases with all that stands in their prompts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from finite import FakeModel, FiniteMatcher, chance, masked_argmax
from hypothesis import given
from hypothesis import strategies as st
from masked import Mask, Watched, wrong_tokens

from accuracy.cases import Case
from accuracy.selection import choose, in_order, read_cases
from accuracy.tables import Tables
from engine.decoder import decode
from engine.domain import Domain
from engine.model import LlamaModel
from engine.session import prepare
from engine.settings import load_settings

SETTINGS = load_settings()
BYTES = [bytes((byte,)) for byte in range(256)]
TEXTS = ['{"op":"a"}', '{"op":"ab"}', '{"op":"ba","by":"Ф"}', '{"ask":"b"}']
SHARE = 10


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    with Tables(SETTINGS) as opened:
        yield opened


@given(st.integers(0, 2**32), st.sampled_from([0, 2, 5]))
def test_the_check_itself_tells_right_tokens_from_wrong_ones(seed: int, levels: int) -> None:
    pieces = [*BYTES, b'{"op":', b'"a', b'b"', b'"}', b"zz"]
    model = FakeModel(pieces, chance(len(pieces), seed, levels))
    model.read([1])
    mask, matcher, logits = Mask(model.vocabulary), FiniteMatcher(TEXTS), model.logits()
    right = masked_argmax(model.vocabulary, matcher, b"", logits)
    assert mask.better(matcher, b"", logits, right) == []
    allowed = [token for token in range(len(pieces)) if matcher.advance(b"", pieces[token]) is not None]
    assert [token for token in allowed if not mask.better(matcher, b"", logits, token)] == [right]


def test_an_answer_of_another_model_is_found_wrong() -> None:
    watched = Watched(FakeModel(BYTES, chance(256, 1)))
    decoded = decode(watched, FiniteMatcher(TEXTS), "p", SETTINGS.model)
    mask = Mask(watched.vocabulary)
    assert wrong_tokens(watched, FiniteMatcher(TEXTS), decoded.written, mask) == []
    watched.rows = [(place, -row) for place, row in watched.rows]
    assert wrong_tokens(watched, FiniteMatcher(TEXTS), decoded.written, mask) != []
    assert wrong_tokens(watched, FiniteMatcher(["other"]), decoded.written, mask) == ["0: b'{' is refused"]


def wrong_in(cases: Sequence[Case], tables: Tables, model: LlamaModel, *, short: bool) -> dict[str, list[str]]:
    """Let the model answer the cases; return what is wrong, by case. Every answer was asked of the model somewhere."""
    mask, wrong = Mask(model.vocabulary), {}
    for case in in_order(cases):
        workspace = tables.workspace(case)
        if short:
            workspace = replace(workspace, domain=Domain())
        asked = prepare(
            workspace, case.request, [{"request": turn.request, "answer": turn.answer} for turn in case.history]
        )
        matcher, watched = asked.matcher(workspace), Watched(model)
        decoded = decode(watched, matcher, asked.prompt.text, SETTINGS.model, shared=asked.prompt.shared)
        assert len(watched.rows) >= 1
        assert decoded.text.encode() == b"".join(model.pieces[token] for token in decoded.written)
        assert all(np.isfinite(row).all() for _, row in watched.rows)
        if found := wrong_tokens(watched, matcher, decoded.written, mask):
            wrong[case.id] = found
    return wrong


@pytest.mark.model
def test_a_tenth_of_the_cases_is_the_masked_argmax(tables: Tables, default_model: LlamaModel) -> None:
    cases = read_cases()
    some = choose(cases, sample=len(cases) // SHARE, seed=SETTINGS.accuracy.seed)
    assert {(case.domain, case.lang) for case in some} == {(case.domain, case.lang) for case in cases}
    assert wrong_in(some, tables, default_model, short=True) == {}


@pytest.mark.model
@pytest.mark.soak
def test_every_case_is_the_masked_argmax(tables: Tables, default_model: LlamaModel) -> None:
    assert wrong_in(read_cases(), tables, default_model, short=False) == {}
