"""The decoder: the greedy masked result, its limits, and what it reports."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from finite import FakeModel, FiniteMatcher, chance, masked_argmax, preferring
from hypothesis import given
from hypothesis import strategies as st

from engine.decoder import Decoded, Phase, decode
from engine.draft import Logits
from engine.model import LlamaModel
from engine.model_error import ModelError
from engine.plan import shipped_contracts
from engine.settings import load_settings
from engine.vocabulary import Vocabulary
from grammar import AnswerMatcher, Column, Scene, TableState, validate_answer
from grammar.state import Limits

SETTINGS = load_settings().model
TOKEN_BY_TOKEN = replace(SETTINGS, forced_runs=False)
BYTES = [bytes((byte,)) for byte in range(256)]

letters = st.sampled_from(
    ["a", "b", '"', "\\", "Ф", "а", "о", "л", "Ў", "'", "ʻ", "😀", "é", "e\u0301", "\n", " ", "1", "ש"]
)
words = st.lists(letters, max_size=8).map("".join)
texts = st.lists(words.map(lambda word: json.dumps(word, ensure_ascii=False)), min_size=1, max_size=6)


def brute_force(vocabulary: Vocabulary, texts: Sequence[str], rule: FakeModel) -> str:
    """Write by trying every token of the vocabulary at every step."""
    matcher, state = FiniteMatcher(texts), b""
    while matcher.first_bytes(state):
        token = masked_argmax(vocabulary, matcher, state, rule.logits())
        rule.append(token)
        state += vocabulary.pieces[token]
    return state.decode()


@st.composite
def vocabularies(draw: st.DrawFn, wanted: Sequence[str]) -> list[bytes]:
    """Draw all single bytes, pieces of the texts cut anywhere (also within a character), and pieces that never fit."""
    pieces = list(BYTES)
    for text in wanted:
        data = text.encode()
        for start, length in draw(st.lists(st.tuples(st.integers(0, len(data)), st.integers(2, 6)), max_size=6)):
            pieces.append(data[start : start + length])
    return [*pieces, b'"zz', b'"zzz', "Фz".encode(), b""]


@given(st.data(), texts, st.integers(0, 2**32), st.sampled_from([0, 2, 5]))
def test_decoding_is_the_masked_argmax(data: st.DataObject, wanted: list[str], seed: int, levels: int) -> None:
    pieces = data.draw(vocabularies(wanted))
    rule = chance(len(pieces), seed, levels)
    decoded = decode(FakeModel(pieces, rule), FiniteMatcher(wanted), "p", TOKEN_BY_TOKEN)
    other = FakeModel(pieces, rule)
    other.read(other.chat_tokens("p"))
    assert decoded.text == brute_force(other.vocabulary, wanted, other)
    assert decoded.text in wanted


def test_many_likelier_tokens_are_refused_in_order() -> None:
    texts = [f'"{letter}{number}"' for letter in "abc" for number in range(3)]
    refused = [f'"{letter}x{number}'.encode() for letter in "abcdefgh" for number in range(100)]
    pieces = [*BYTES, *refused, b'"b', b'"c2']
    made = np.zeros(len(pieces), dtype=np.float32)
    made[256 : 256 + len(refused)] = 50 + np.arange(len(refused)) % 7
    made[-2:] = (3.0, 4.0)
    decoded = decode(FakeModel(pieces, lambda tokens: made), FiniteMatcher(texts), "p", TOKEN_BY_TOKEN)
    assert decoded.text == '"c2"'


def test_a_value_that_the_model_dislikes_can_be_forced() -> None:
    value = json.dumps("Ҳудуд 😀 «Ғазна»", ensure_ascii=False)
    made = np.full(256, 9.0, dtype=np.float32)
    made[list(set(value.encode()))] = -90.0
    decoded = decode(FakeModel(BYTES, lambda tokens: made), FiniteMatcher([value]), "p", TOKEN_BY_TOKEN)
    assert decoded.text == value
    assert decoded.answer_tokens == len(value.encode())
    assert decoded.choices == ()


def test_control_tokens_and_empty_pieces_are_never_written() -> None:
    pieces = [*BYTES, b'"a"', b""]
    made = np.zeros(len(pieces), dtype=np.float32)
    made[256:] = 99.0
    model = FakeModel(pieces, lambda tokens: made, control=[256])
    decoded = decode(model, FiniteMatcher(['"a"']), "p", TOKEN_BY_TOKEN)
    assert (decoded.text, decoded.answer_tokens) == ('"a"', 3)


def test_the_last_token_is_not_evaluated() -> None:
    model = FakeModel([*BYTES, b'"a"'], preferring([*BYTES, b'"a"'], '"a"'))
    decode(model, FiniteMatcher(['"a"', '"b"']), "p", TOKEN_BY_TOKEN)
    assert model.tokens == list(b"p")


def test_a_choice_keeps_the_odds_of_the_other_allowed_tokens() -> None:
    pieces = [*BYTES, b"sum", b"su", b"avg"]
    made = np.full(len(pieces), -30.0, dtype=np.float32)
    made[256:] = (2.0, 1.0, 0.5)
    decoded = decode(FakeModel(pieces, lambda tokens: made), FiniteMatcher(['"sum"', '"avg"']), "p", TOKEN_BY_TOKEN)
    (choice,) = decoded.choices
    assert (choice.at, choice.written, choice.token) == (1, 1, 256)
    assert [token for token, _ in choice.others] == [257, 258]
    assert [odds for _, odds in choice.others] == pytest.approx(np.exp([-1.0, -1.5]))


def test_an_unlikely_token_is_chosen_with_its_rivals() -> None:
    refused = [f'"x{number}'.encode() for number in range(40)]
    pieces = [*BYTES, *refused, b'"sum"', b'"avg"']
    made = np.full(len(pieces), -30.0, dtype=np.float32)
    made[256:] = [9.0] * len(refused) + [1.0, 0.0]
    decoded = decode(FakeModel(pieces, lambda tokens: made), FiniteMatcher(['"sum"', '"avg"']), "p", TOKEN_BY_TOKEN)
    (choice,) = decoded.choices
    assert (decoded.text, [token for token, _ in choice.others]) == ('"sum"', [297])


@given(st.data(), texts, st.integers(0, 2**32))
def test_an_answer_that_was_begun_goes_on_as_it_would_have(data: st.DataObject, wanted: list[str], seed: int) -> None:
    pieces = data.draw(vocabularies(wanted))
    whole = decode(FakeModel(pieces, chance(len(pieces), seed)), FiniteMatcher(wanted), "p", TOKEN_BY_TOKEN)
    begun = whole.written[: data.draw(st.integers(0, len(whole.written)))]
    model = FakeModel(pieces, chance(len(pieces), seed))
    rest = decode(model, FiniteMatcher(wanted), "p", TOKEN_BY_TOKEN, begun=begun)
    assert (rest.text, rest.written) == (whole.text, whole.written)
    assert rest.choices == tuple(choice for choice in whole.choices if choice.written >= len(begun))


def failing(reason: str, model: FakeModel, answer_tokens: int = 50, seconds: float = 10.0) -> ModelError:
    settings = replace(TOKEN_BY_TOKEN, answer_tokens=answer_tokens, seconds=seconds)
    with pytest.raises(ModelError) as caught:
        decode(model, FiniteMatcher(['"Фаол"']), "prompt", settings)
    assert caught.value.reason == reason
    return caught.value


def uniform(tokens: Sequence[int]) -> Logits:
    return np.zeros(256, dtype=np.float32)


def test_a_cut_answer_is_an_error() -> None:
    error = failing("answer_cut", FakeModel(BYTES, uniform), answer_tokens=4)
    assert error.facts["allowed"] == 4


def test_the_deadline_ends_the_answer() -> None:
    def slow(tokens: Sequence[int]) -> Logits:
        time.sleep(0.02)
        return uniform(tokens)

    error = failing("too_slow", FakeModel(BYTES, slow), seconds=0.05)
    assert 0 < error.facts["tokens"] < len('"Фаол"'.encode())


def test_a_prompt_that_does_not_fit_is_refused_unread() -> None:
    model = FakeModel(BYTES, uniform, context=55)
    error = failing("prompt_too_long", model, answer_tokens=50)
    assert (error.facts["found"], error.facts["allowed"]) == (6, 5)
    assert model.reads == 0


def test_a_vocabulary_that_cannot_write_the_text_is_an_error() -> None:
    without = [b"" if piece == b"\xd0" else piece for piece in BYTES]
    assert failing("no_token", FakeModel(without, uniform)).facts["found"] == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_logits_that_are_no_numbers_are_an_error(bad: float) -> None:
    made = np.full(256, bad, dtype=np.float32)
    failing("bad_logits", FakeModel(BYTES, lambda tokens: made))


def test_it_stops_when_cancelled_and_when_interrupted() -> None:
    asked: list[int] = []

    def third_time() -> bool:
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(ModelError) as caught:
        decode(FakeModel(BYTES, uniform), FiniteMatcher(['"long text"']), "p", TOKEN_BY_TOKEN, cancelled=third_time)
    assert caught.value.reason == "cancelled"

    def interrupt(phase: Phase, done: int, total: int) -> None:
        if phase == "write" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decode(FakeModel(BYTES, uniform), FiniteMatcher(['"long text"']), "p", TOKEN_BY_TOKEN, progress=interrupt)


def test_progress_goes_from_reading_to_writing() -> None:
    seen: list[tuple[str, int, int]] = []
    decode(
        FakeModel(BYTES, uniform),
        FiniteMatcher(['"ab"']),
        "p",
        TOKEN_BY_TOKEN,
        progress=lambda *step: seen.append(step),
    )
    assert seen == [("read", 1, 1), *(("write", done, SETTINGS.answer_tokens) for done in (1, 2, 3, 4))]


def spelled(model: LlamaModel, texts: Sequence[str], prompt: str) -> Decoded:
    return decode(model, FiniteMatcher(texts), prompt, TOKEN_BY_TOKEN)


PROMPT = "Columns of the table: viloyat, holat, qoldiq_uzs.\nQuestion: Faol kreditlar nechta?\nAnswer: "


@pytest.mark.model
def test_the_default_model_gives_the_masked_argmax_of_its_whole_vocabulary(default_model: LlamaModel) -> None:
    texts = ['{"op":"="}', '{"op":"!="}', '{"value":"Фаол"}', '{"value":"Ёпилган 😀"}', '{"value":"a\\"b"}']
    decoded = spelled(default_model, texts, PROMPT)
    default_model.read(default_model.chat_tokens(PROMPT))
    matcher, state = FiniteMatcher(texts), b""
    while matcher.first_bytes(state):
        logits = default_model.logits()
        token = masked_argmax(default_model.vocabulary, matcher, state, logits)
        state += default_model.pieces[token]
        default_model.append(token)
    assert decoded.text == state.decode()


@pytest.mark.model
@pytest.mark.parametrize(
    "value",
    ["Ҳудуд", "Ғазна Ўлчов Қарз", "Oʻlcham", "и\u0306", "😀👩‍👩‍👧", 'a "b" c', "C:\\temp", "x\ny\tz", "שלום", "\u0000"],
)
def test_the_default_model_can_write_any_value(default_model: LlamaModel, value: str) -> None:
    text = json.dumps({"value": value}, ensure_ascii=False, separators=(",", ":"))
    decoded = spelled(default_model, [text], PROMPT)
    assert json.loads(decoded.text) == {"value": value}


@pytest.mark.model
def test_a_reused_beginning_gives_the_answer_of_a_fresh_read(default_model: LlamaModel) -> None:
    texts = [
        f'{{"tool":"{name}","column":"{column}"}}' for name in ("filter", "sort") for column in ("holat", "viloyat")
    ]
    questions = ["Faol kreditlar", "Отсортируй по области", "sort by status"]
    prompts = ["Tools: filter, sort. " * 30 + f"Question: {question}\nAnswer: " for question in questions]
    fresh = []
    for prompt in prompts:
        default_model.read(default_model.chat_tokens("something else"))
        fresh.append(spelled(default_model, texts, prompt))
    again = [spelled(default_model, texts, prompt) for prompt in prompts]
    assert [decoded.text for decoded in again] == [decoded.text for decoded in fresh]
    assert all(decoded.reused_tokens <= 1 for decoded in fresh)
    assert all(decoded.reused_tokens > 100 for decoded in again)


@pytest.mark.model
@pytest.mark.parametrize(
    "request_text", ["Faol kreditlar nechta?", "<end_of_turn><eos><unused49></s>", "\u0000 \ud800"]
)
def test_the_default_model_answers_under_the_grammar_of_a_table(default_model: LlamaModel, request_text: str) -> None:
    settings = load_settings()
    contracts = shipped_contracts()
    made = Limits(**vars(settings.grammar), max_steps=settings.max_steps)
    columns = (Column("holat", "text", ("Faol", 'Muddati "o\'tgan"', "Ёпилган 😀")), Column("qoldiq", "number"))
    scene = Scene((TableState(columns, made, name="loans"),))
    prompt = f"Tools: filter, sort, group_and_total.\nQuestion: {request_text}\nAnswer: "
    decoded = decode(default_model, AnswerMatcher(contracts, scene), prompt, SETTINGS)
    validate_answer(contracts, scene, json.loads(decoded.text))
