"""What else a request may mean, over a real table: runner-up plans run, told apart, and asked about."""

import json
from dataclasses import replace
from typing import Any

import pytest
from command_line import LOANS
from finite import FakeModel
from wanting_model import wanting

from engine.answered import Answered
from engine.calibration import Calibration
from engine.model import LlamaModel
from engine.session import Workspace, ask, open_workspace
from engine.settings import load_settings
from grammar import AnswerMatcher, by_name

SETTINGS = load_settings()
BYTES = [bytes((byte,)) for byte in range(256)]
ALWAYS_RIGHT = Calibration("product", (0.0,), (1.0,), 100, {})
NEVER_RIGHT = Calibration("product", (0.0,), (0.0,), 100, {})


@pytest.fixture(scope="module")
def loans() -> Workspace:
    return open_workspace([LOANS], SETTINGS)


def plan(tool: str, **args: Any) -> dict[str, Any]:
    return {"steps": [{"tool": tool, "args": args}]}


def about(loans: Workspace, model: FakeModel, **options: Any) -> Answered:
    return ask(loans, "qoldiq", model, **options)


SORTS = [plan("sort", by=by, descending=True) for by in ("qoldiq", "qoldiq_uzs")]
USD = plan("filter", column="valyuta", op="=", value="USD")


def test_the_runner_up_is_offered_with_its_table(loans: Workspace) -> None:
    answered = about(loans, wanting((SORTS[0], 0.6), (SORTS[1], 0.4)), others=True)
    assert answered.answer == SORTS[0]
    assert [each.answer for each in answered.readings] == SORTS
    assert [each.probability for each in answered.readings] == pytest.approx([0.6, 0.4], abs=1e-3)
    assert answered.probability == pytest.approx(0.6, abs=1e-3)
    own, other = (each.result for each in answered.readings)
    assert own is not None
    assert other is not None
    assert own["row_count"] == other["row_count"]
    assert own["rows"] != other["rows"]


def test_a_sure_model_has_one_reading_and_reads_once(loans: Workspace) -> None:
    model = wanting((SORTS[0], 0.97), (SORTS[1], 0.03))
    answered = about(loans, model, others=True)
    assert [each.answer for each in answered.readings] == [SORTS[0]]
    assert model.reads == 1
    assert answered.decisions[-1].probability == pytest.approx(0.97, abs=1e-3)


def test_plans_with_one_table_are_one_reading(loans: Workspace) -> None:
    listed = plan("filter", column="valyuta", op="in", values=["USD"])
    answered = about(loans, wanting((USD, 0.5), (listed, 0.3), (SORTS[0], 0.2)), others=True)
    settings = replace(SETTINGS, readings=replace(SETTINGS.readings, share=0.1))
    answered = about(
        replace(loans, settings=settings), wanting((USD, 0.5), (listed, 0.3), (SORTS[0], 0.2)), others=True
    )
    assert [(each.answer, each.same) for each in answered.readings] == [(USD, 1), (SORTS[0], 0)]


def test_an_empty_table_comes_last(loans: Workspace) -> None:
    empty = plan("filter", column="qoldiq", op=">", value=900000000000000)
    settings = replace(SETTINGS, readings=replace(SETTINGS.readings, share=0.1))
    model = wanting((USD, 0.5), (empty, 0.3), (SORTS[0], 0.2))
    answered = about(replace(loans, settings=settings), model, others=True)
    assert [each.answer for each in answered.readings] == [USD, SORTS[0], empty]
    assert [each.empty for each in answered.readings] == [False, False, True]


def test_without_the_wish_nothing_else_is_looked_for(loans: Workspace) -> None:
    model = wanting((SORTS[0], 0.6), (SORTS[1], 0.4))
    assert about(loans, model).readings == ()
    assert model.reads == 1


def test_a_calibrated_model_asks_about_close_columns(loans: Workspace) -> None:
    def answer(calibration: Calibration | None, *weights: float) -> Answered:
        return about(loans, wanting(*zip(SORTS, weights, strict=True)), calibration=calibration, others=True)

    question = {"question": {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}}
    asked = answer(ALWAYS_RIGHT, 0.51, 0.49)
    assert (asked.answer, asked.result) == (question, None)
    assert [each.answer for each in asked.readings] == SORTS
    assert answer(ALWAYS_RIGHT, 0.7, 0.3).answer == SORTS[0]
    assert answer(NEVER_RIGHT, 0.51, 0.49).answer == SORTS[0]
    assert answer(None, 0.51, 0.49).answer == SORTS[0]


def test_confidence_is_told_only_of_a_calibrated_model(loans: Workspace) -> None:
    table = Calibration("product", (0.2, 0.8), (0.1, 0.7), 100, {})
    model = wanting((SORTS[0], 0.5), (USD, 0.5))
    assert about(loans, model, calibration=table).confidence == pytest.approx(0.4, abs=1e-2)
    assert about(loans, model).confidence is None


@pytest.mark.model
def test_the_default_model_finds_other_readings(default_model: LlamaModel, loans: Workspace) -> None:
    settings = replace(SETTINGS, readings=replace(SETTINGS.readings, share=0.01, tried=3, seconds=60))
    unsure = replace(loans, settings=settings)
    plain = ask(loans, "Viloyatlar bo'yicha qoldiq yig'indisi", default_model)
    answered = ask(unsure, "Viloyatlar bo'yicha qoldiq yig'indisi", default_model, others=True)
    assert answered.answer == plain.answer
    assert plain.answer in [each.answer for each in answered.readings]
    again = ask(unsure, "Viloyatlar bo'yicha qoldiq yig'indisi", default_model, others=True)
    assert again.readings == answered.readings
    assert 0 < answered.probability < 1
    matcher = AnswerMatcher(loans.contracts, loans.scene)
    contracts = by_name(loans.contracts)
    for each in answered.readings:
        assert all(step["tool"] in contracts for step in each.answer["steps"])
        assert matcher.accepts(json.dumps(each.answer, ensure_ascii=False, separators=(",", ":")))
    assert len({json.dumps(each.answer) for each in answered.readings}) == len(answered.readings)
