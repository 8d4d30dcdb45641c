"""The ratchet: better is taken, worse fails, and another machine has a tolerance."""

import json
from pathlib import Path
from typing import Any

import pytest

from accuracy.__main__ import main
from accuracy.ratchet import BASELINE, judge, read_baseline, update_baseline
from accuracy.records import BenchError
from accuracy.selection import read_cases
from accuracy.summary import read_runs

FOLDER = Path(__file__).parents[1] / "cases" / "accuracy"
BEFORE = {"a": "right", "b": "right", "c": "right_rows", "d": "wrong", "e": "wrong", "f": "crashed"}


def lines(**outcomes: str) -> list[dict[str, Any]]:
    return [{"case": case, "outcome": outcome} for case, outcome in (BEFORE | outcomes).items()]


@pytest.mark.parametrize(
    ("outcomes", "strict", "tolerances"),
    [
        ({}, True, [0, 1, 2]),
        ({"d": "right"}, True, [0, 1, 2]),
        ({"f": "invalid"}, True, [0, 1, 2]),
        ({"a": "wrong"}, False, [1, 2]),
        ({"a": "wrong", "d": "right"}, False, [0, 1, 2]),
        ({"a": "wrong", "b": "wrong"}, False, [2]),
        ({"a": "wrong", "b": "wrong", "c": "wrong"}, False, []),
        ({"c": "asked"}, False, [1, 2]),
        ({"d": "crashed", "e": "invalid"}, False, [2]),
        ({"d": "crashed", "e": "invalid", "c": "crashed"}, False, []),
        ({"d": "crashed", "e": "right"}, False, [1, 2]),
    ],
)
def test_what_is_worse(outcomes: dict[str, str], strict: bool, tolerances: list[int]) -> None:
    found = judge(BEFORE, lines(**outcomes))
    assert found.holds() is strict
    assert [tolerance for tolerance in (0, 1, 2) if found.holds(tolerance)] == tolerances
    assert len(found.better) + len(found.worse) == len(outcomes)


def test_a_verdict_names_the_cases() -> None:
    found = judge(BEFORE, [*lines(a="wrong", d="right_rows"), {"case": "z", "outcome": "right"}])
    assert found.worse == (("a", "right", "wrong"),)
    assert found.better == (("d", "wrong", "right_rows"),)
    assert found.new == ("z",)
    assert (found.cases, found.right, found.right_before) == (6, 1, 2)
    assert found.shortfall == {"right": 1, "right_rows": 0, "asked": 0, "wrong": 0, "invalid": 0, "crashed": 0}


def test_a_part_of_the_cases_is_held_against_that_part() -> None:
    assert judge(BEFORE, lines()[:2]).cases == 2
    with pytest.raises(BenchError, match="nothing in common"):
        judge(BEFORE, [{"case": "z", "outcome": "right"}])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "baseline_missing"),
        ("{", "baseline_broken"),
        ("[]", "baseline_broken"),
        ('{"outcomes": {}}', "baseline_broken"),
        ('{"made_with": {}, "outcomes": []}', "baseline_broken"),
        ('{"made_with": {}, "outcomes": {"a": "fine"}}', "baseline_broken"),
        ('{"made_with": {}, "outcomes": {}, "more": 1}', "baseline_broken"),
    ],
)
def test_a_broken_baseline_is_refused(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "baseline.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BenchError) as raised:
        read_baseline(path)
    assert raised.value.reason == reason


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """The recorded predictions, scored."""
    out = tmp_path / "run.scores.jsonl"
    recorded, toy = str(FOLDER / "recorded.jsonl"), str(FOLDER / "toy.jsonl")
    assert main(["score", recorded, "--cases", toy, "--data", str(FOLDER), "--out", str(out)]) == 0
    return out


def test_the_command_fails_on_worse_and_prints_better(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "baseline.json"
    command = ["ratchet", str(scores), "--baseline", str(baseline)]
    assert main(command) == 4
    assert main([*command, "--update"]) == 0
    assert main(command) == 0
    content = json.loads(baseline.read_text())
    content["outcomes"] |= {"toy-en-001": "wrong", "toy-en-002": "right"}
    baseline.write_text(json.dumps(content))
    capsys.readouterr()
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "Better: 1\n  toy-en-001: wrong -> right\n" in printed
    assert "Worse: 1\n  toy-en-002: right -> wrong\n" in printed
    assert main([*command, "--tolerant"]) == 0
    capsys.readouterr()
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["holds"] is False
    assert main([*command, "--update"]) == 0
    assert main(command) == 0


def test_an_update_keeps_the_cases_that_were_not_asked(scores: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "folder" / "baseline.json"
    [run] = read_runs([scores])
    update_baseline(baseline, run)
    content = json.loads(baseline.read_text())
    assert content["made_with"]["model"]["name"] == "Recorded"
    content["outcomes"] |= {"another-en-001": "right", "toy-en-001": "crashed"}
    baseline.write_text(json.dumps(content))
    update_baseline(baseline, run)
    assert read_baseline(baseline) == {str(line["case"]): line["outcome"] for line in run.lines} | {
        "another-en-001": "right"
    }


def test_committed_baselines_can_be_read_and_name_cases_that_there_are() -> None:
    known = {case.id for case in read_cases()}
    for path in BASELINE.parent.glob("*.json"):
        assert set(read_baseline(path)) <= known
