"""How sure the model was: whole values under the grammar, exactly, and what else was likely."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from finite import FakeModel, FiniteMatcher, Rule, chance
from hypothesis import given
from hypothesis import strategies as st

from engine.confidence import Decision, closest, decisions, least, probability
from engine.decoder import decode
from engine.plan import shipped_contracts
from engine.readings import Reading, readings, runner_ups
from engine.settings import load_settings
from grammar import by_name

SETTINGS = load_settings()
MODEL = replace(SETTINGS.model, forced_runs=False)
CONTRACTS = by_name(shipped_contracts())
BYTES = [bytes((byte,)) for byte in range(256)]
ALL = replace(SETTINGS.readings, tried=200, share=1e-6, seconds=60)


def plan(tool: str, **args: object) -> str:
    return json.dumps({"steps": [{"tool": tool, "args": args}]}, ensure_ascii=False, separators=(",", ":"))


names = st.sampled_from(["qoldiq", "qoldiq_uzs", "q", "Ўлчов", 'a"b', "summa", "😀"])
plans = st.one_of(
    st.builds(lambda by, down: plan("sort", by=by, descending=down), names, st.booleans()),
    st.builds(lambda columns: plan("select_columns", columns=columns), st.lists(names, min_size=1, max_size=3)),
    st.just('{"question":{"kind":"not_in_table","options":[]}}'),
)
answers = st.lists(plans, min_size=1, max_size=6, unique=True)


def gentle(size: int, seed: int) -> Rule:
    """Return a rule of random logits that lie so close together that none is left out."""

    def rule(tokens: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        random = np.random.default_rng([seed, len(tokens), *tokens[-3:]])
        return random.uniform(0, 6, size).astype(np.float32)

    return rule


def made_of(wanted: Sequence[str], rule: Rule, pieces: Sequence[bytes] = BYTES) -> tuple[str, tuple[Decision, ...]]:
    matcher = FiniteMatcher(wanted)
    decoded = decode(FakeModel(pieces, rule), matcher, "p", MODEL)
    return decoded.text, decisions(decoded, pieces, matcher, CONTRACTS)


def true_probability(text: str, wanted: Sequence[str], rule: Rule) -> float:
    """Return the probability of a text written byte by byte under a mask."""
    matcher, written, result = FiniteMatcher(wanted), b"", 1.0
    for byte in text.encode():
        allowed = sorted(matcher.first_bytes(written))
        weights = np.exp(rule([*b"p", *written])[allowed].astype(np.float64))
        result *= float(weights[allowed.index(byte)] / weights.sum())
        written += bytes((byte,))
    return result


@given(answers, st.integers(0, 2**32))
def test_decisions_multiply_to_the_probability_of_the_answer(wanted: list[str], seed: int) -> None:
    rule = gentle(256, seed)
    text, made = made_of(wanted, rule)
    assert probability(made) == pytest.approx(true_probability(text, wanted, rule), rel=1e-4)
    assert least(made) == min([each.probability for each in made], default=1.0)
    data = text.encode()
    for each in made:
        assert data[each.slot.start : each.slot.end].decode() == each.part
        assert each.probability + sum(rival.probability for rival in each.rivals) == pytest.approx(1)


@given(answers, st.integers(0, 2**32))
def test_all_answers_are_found_with_their_probabilities(wanted: list[str], seed: int) -> None:
    rule = gentle(256, seed)
    model, matcher = FakeModel(BYTES, rule), FiniteMatcher(wanted)
    decoded = decode(model, matcher, "p", MODEL)
    made = decisions(decoded, BYTES, matcher, CONTRACTS)
    others = list(runner_ups(model, matcher, CONTRACTS, "p", decoded, made, MODEL, ALL))
    assert sorted([decoded.text, *(each.text for each in others)]) == sorted(wanted)
    for each in others:
        assert each.probability == pytest.approx(true_probability(each.text, wanted, rule), rel=1e-3)
        assert each.probability == pytest.approx(probability(each.decisions), rel=1e-6)


@given(answers, st.integers(0, 2**32), st.data())
def test_pieces_of_any_length_share_out_all_probability(wanted: list[str], seed: int, data: st.DataObject) -> None:
    pieces = list(BYTES)
    for text in wanted:
        cuts = data.draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(2, 9)), max_size=5))
        pieces += [text.encode()[start : start + length] for start, length in cuts if start < len(text.encode())]
    text, made = made_of(wanted, gentle(len(pieces), seed), pieces)
    assert text in wanted
    for each in made:
        assert 0 < each.probability < 1
        assert each.probability + sum(rival.probability for rival in each.rivals) == pytest.approx(1)
        assert each.part not in [rival.part for rival in each.rivals]


def favour(*pairs: tuple[str, float]) -> tuple[list[bytes], Rule]:
    """Return pieces beside the bytes, and a rule that gives them these logits."""
    pieces = [*BYTES, *(text.encode() for text, _ in pairs)]
    made = np.full(len(pieces), -30.0, dtype=np.float32)
    made[256:] = [logit for _, logit in pairs]
    return pieces, lambda tokens: made


def test_a_value_is_not_judged_by_its_first_token() -> None:
    """The first token of two columns is likelier than the third column, each of the two alone is not."""
    wanted = [plan("sort", by=by, descending=True) for by in ("qoldiq", "qoldiq_uzs", "summa")]
    pieces, rule = favour(("qoldiq", 2.0), ("summa", 1.7), ('",', 1.0), ("_uzs", 0.9))
    text, made = made_of(wanted, rule, pieces)
    (by,) = [each for each in made if each.slot.role == "column"]
    assert text == wanted[0]
    assert by.rivals[0].part == '"summa"'
    assert by.rivals[0].probability > by.probability > by.rivals[1].probability
    assert by.rivals[1].part == '"qoldiq_uzs"'


def test_another_spelling_of_the_same_value_counts_for_it() -> None:
    wanted = [plan("sort", by=by, descending=True) for by in ("qoldiq", "summa")]
    pieces, rule = favour(("qol", 1.0), ("qoldiq", 1.0), ("summa", 1.0))
    _, made = made_of(wanted, rule, pieces)
    (by,) = made
    assert (by.part, by.probability) == ('"qoldiq"', pytest.approx(2 / 3))


def test_one_more_item_or_the_end_is_a_decision() -> None:
    wanted = [plan("select_columns", columns=columns) for columns in (["a"], ["a", "b"])]
    pieces, rule = favour(('"]', 1.0), ('","', 0.0))
    _, made = made_of(wanted, rule, pieces)
    (end,) = made
    assert (end.slot.role, end.part, [rival.part for rival in end.rivals]) == ("between", "]}}]}", [","])


def close_columns(apart: float) -> tuple[Decision, ...]:
    wanted = [plan("sort", by=by, descending=True) for by in ("qoldiq", "summa", "foiz")]
    pieces, rule = favour(("qoldiq", 2.0), ("summa", 2.0 - apart), ("foiz", -3.0))
    return made_of(wanted, rule, pieces)[1]


def test_a_question_has_the_real_options() -> None:
    found = closest(close_columns(0.1), 0.1)
    assert found is not None
    assert (found.kind, found.options) == ("which_column", ("qoldiq", "summa"))
    assert [rival.part for rival in found.rivals] == ['"summa"']
    assert set(found.rivals) <= set(found.decision.rivals)
    assert closest(close_columns(1.0), 0.1) is None
    assert closest(close_columns(0.1), 0.0) is None


def test_nothing_is_asked_about_tools_and_words() -> None:
    wanted = [plan("sort", by="a", descending=True), plan("fix_dates", column="a")]
    pieces, rule = favour(("sort", 1.0), ("fix_dates", 1.0))
    assert closest(made_of(wanted, rule, pieces)[1], 0.5) is None


def test_a_sure_answer_opens_nothing() -> None:
    wanted = [plan("sort", by=by, descending=True) for by in ("qoldiq", "summa")]
    pieces, rule = favour(("qoldiq", 9.0), ("summa", 1.0))
    model, matcher = FakeModel(pieces, rule), FiniteMatcher(wanted)
    decoded = decode(model, matcher, "p", MODEL)
    made = decisions(decoded, pieces, matcher, CONTRACTS)
    assert list(runner_ups(model, matcher, CONTRACTS, "p", decoded, made, MODEL, SETTINGS.readings)) == []
    assert model.reads == 1


def test_only_so_many_ways_are_followed() -> None:
    wanted = [plan("sort", by=by, descending=True) for by in "abcdefgh"]
    model, matcher = FakeModel(BYTES, chance(256, 1, 1)), FiniteMatcher(wanted)
    decoded = decode(model, matcher, "p", MODEL)
    made = decisions(decoded, BYTES, matcher, CONTRACTS)
    few = replace(SETTINGS.readings, tried=3)
    assert len(list(runner_ups(model, matcher, CONTRACTS, "p", decoded, made, MODEL, few))) == 3
    none = replace(SETTINGS.readings, seconds=1e-9)
    assert list(runner_ups(model, matcher, CONTRACTS, "p", decoded, made, MODEL, none)) == []


def result(*rows: int) -> dict[str, object]:
    return {"columns": ["a"], "kinds": ["number"], "row_count": len(rows), "rows": list(rows), "artifacts": []}


def test_readings_are_told_apart_by_their_tables() -> None:
    tables = {"own": result(1), "same": result(1), "empty": result(), "other": result(2), "again": result(2)}
    first = Reading({"steps": ["own"]}, 0.5)
    others = [Reading({"steps": [name]}, 0.1) for name in ("same", "empty", "broken", "other", "again")]
    questions = [Reading({"question": {}}, 0.4)]
    found = readings(first, iter([*questions, *others]), lambda answer: tables.get(answer["steps"][0]), 5)
    assert [(each.answer["steps"][0], each.same, each.empty) for each in found] == [
        ("own", 1, False),
        ("other", 1, False),
        ("empty", 0, True),
    ]
    assert [each.probability for each in found] == pytest.approx([0.6, 0.2, 0.1])


def test_without_another_answer_nothing_is_run() -> None:
    def never_run(answer: dict[str, object]) -> None:
        raise AssertionError(answer)

    assert len(readings(Reading({"steps": []}, 1.0), iter([]), never_run, 2)) == 1
