"""Accepted answers as examples: cases asked with and without those of other cases."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel

from accuracy.__main__ import main
from accuracy.cases import Case, load_cases
from accuracy.memory import Recalling, as_json, compare_memory, summary
from accuracy.tables import Tables
from engine.settings import load_settings

SETTINGS = load_settings()
CASES = load_cases(Path(__file__).parents[2] / "accuracy" / "cases" / "bank_loans.jsonl")


def answering(case: Case) -> ScriptedModel:
    return ScriptedModel(json.dumps(case.gold[0], ensure_ascii=False, separators=(",", ":")))


@pytest.fixture(scope="module")
def first() -> Case:
    return next(case for case in CASES if not case.asks and not case.history)


def test_the_prompt_has_the_answers_of_other_cases_and_never_its_own(first: Case) -> None:
    model = answering(first)
    with Tables(SETTINGS) as tables, Recalling(SETTINGS, known=CASES, examples=3) as recalling:
        lines = compare_memory([first], tables, recalling, model, lambda name: None)
    without, with_answers = model.prompts
    assert lines == [{"case": first.id, "without": "right", "with": "right"}]
    own = json.dumps(first.gold[0], ensure_ascii=False, separators=(",", ":"))
    added = [case for case in CASES if json.dumps(case.request, ensure_ascii=False) in with_answers]
    shown = [case for case in added if json.dumps(case.request, ensure_ascii=False) not in without]
    assert len(shown) == 3
    assert all(case.gold[0] not in first.gold and not case.history for case in shown)
    assert own not in with_answers.replace(without, "")


def test_what_only_one_way_got_right_is_counted() -> None:
    lines: list[dict[str, Any]] = [
        {"case": "a", "without": "right", "with": "wrong"},
        {"case": "b", "without": "asked", "with": "right"},
        {"case": "c", "without": "wrong", "with": "right"},
        {"case": "d", "without": "right", "with": "right"},
    ]
    found = as_json(lines, 2)
    assert (found["gained"], found["lost"], found["p"]) == (["b", "c"], ["a"], 1.0)
    assert found["ways"]["with"]["right"] == 3
    assert "2 became right, 1 are no longer right" in summary(found)
    assert as_json([], 2)["p"] == 1.0


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    plan = '{"steps":[{"tool":"group_and_total","args":{"agg":"count"}}]}'
    monkeypatch.setattr("engine.model.LlamaModel", lambda *_, **__: ScriptedModel(plan))
    assert main(["memory", "--domain", "bank_loans", "--sample", "2", "--examples", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cases"], found["examples"], len(found["each"])) == (2, 1, 2)
    assert sum(found["ways"]["with"].values()) == 2
