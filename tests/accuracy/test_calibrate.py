"""Calibration: what is fitted on one half of the answers holds on the other, and nothing promises too much."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf
from hypothesis import given
from hypothesis import strategies as st

from accuracy import report
from accuracy.__main__ import main
from accuracy.calibrate import Answer, calibrate, halves, logistic, monotone
from accuracy.records import PREDICTIONS, SCORES, BenchError, write_records
from engine.calibration import read_calibrations
from engine.model_key import model_key
from engine.settings import load_settings
from engine.weights import sha256_of

SETTINGS = load_settings().accuracy


def made(count: int, seed: int, power: float) -> list[Answer]:
    """Return answers that are right with the probability `sure` to this power."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        sure = chance.random()
        measures: Any = {"product": sure, "least": chance.random()}
        found.append(Answer(f"case-{number:05}", f"domain-{number % 3}", measures, chance.random() < sure**power))
    return found


@pytest.mark.parametrize("power", [0.3, 1.0, 3.0])
def test_confidence_holds_on_answers_that_were_not_looked_at(power: float) -> None:
    checked = calibrate(made(6000, 1, power), SETTINGS)
    assert checked.table.measure == "product"
    assert checked.error < 0.03
    assert power == 1.0 or checked.before > 0.1
    (sure,) = [level for level in checked.levels if level.confidence == 0.9]
    assert sure.count > 50
    assert sure.right / sure.count > 0.88
    assert checked.table.checked["cases"] == 3000


def test_of_two_measures_the_one_that_tells_more_is_kept() -> None:
    swapped = [
        Answer(each.case, each.domain, {"product": each.sure["least"], "least": each.sure["product"]}, each.right)
        for each in made(2000, 2, 1.0)
    ]
    assert calibrate(swapped, SETTINGS).table.measure == "least"


def test_what_tells_nothing_gives_one_share_for_all() -> None:
    chance = random.Random(3)
    blind = [
        Answer(str(number), "d", {"product": chance.random(), "least": chance.random()}, chance.random() < 0.2)
        for number in range(2000)
    ]
    table = calibrate(blind, SETTINGS).table
    assert all(0.1 < table.at(sure) < 0.3 for sure in (0.1, 0.5, 0.9))


def test_a_model_that_is_never_right_is_never_sure() -> None:
    never = [Answer(each.case, each.domain, each.sure, False) for each in made(400, 4, 1.0)]
    table = calibrate(never, SETTINGS).table
    assert all(table.at(sure) < 0.05 for sure in (0.0, 0.5, 1.0))


def test_the_report_promises_no_more_than_was_seen() -> None:
    """Of a model that is nearly never right nothing is given with 90 %, and the report says so."""
    rarely = [
        Answer(each.case, each.domain, each.sure, number in (7, 20)) for number, each in enumerate(made(360, 4, 1))
    ]
    text = report.calibrated(calibrate(rarely, SETTINGS))
    assert "No answer is given with 90 % or more; the most is " in text
    assert "little can be learnt" in text
    assert "| 90 % or more | 0 | 0 | – |" in text
    often = calibrate(made(2000, 4, 1.0), SETTINGS)
    text = report.calibrated(often)
    assert f"Of {often.levels[0].count} answers given with 90 % or more {often.levels[0].right} are right." in text
    assert "little can be learnt" not in text


def test_halves_are_the_same_again_and_share_nothing() -> None:
    answers = made(301, 5, 1.0)
    one, other = halves(answers, 7)
    assert halves(list(reversed(answers)), 7) == (one, other)
    assert sorted(each.case for each in (*one, *other)) == [each.case for each in answers]
    assert halves(answers, 8) != (one, other)
    for domain in ("domain-0", "domain-1", "domain-2"):
        counts = [sum(each.domain == domain for each in half) for half in (one, other)]
        assert abs(counts[0] - counts[1]) <= 1


pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


@given(pairs)
def test_tables_rise_and_stay_between_nought_and_one(given_pairs: list[tuple[float, bool]]) -> None:
    for fit in (logistic, monotone):
        points = fit(given_pairs)
        places, shares = zip(*points, strict=True)
        assert list(places) == sorted(set(places))
        assert list(shares) == sorted(shares)
        assert all(0 <= share <= 1 for share in shares)


def test_neighbours_out_of_order_are_pooled() -> None:
    points = monotone([(0.1, False), (0.2, True), (0.4, False), (0.9, True), (0.95, True)])
    assert [place for place, _ in points] == [0.1, pytest.approx(0.3), pytest.approx(0.925)]
    assert [share for _, share in points] == [pytest.approx(share, abs=1e-4) for share in (0.3, 1.6 / 3, 2.6 / 3)]


def a_run(folder: Path, model: Path, count: int = 60) -> tuple[Path, Path]:
    """Write a run of made-up answers; return its predictions and scores."""
    header = {"kind": PREDICTIONS, "model": {"file": model.name, "sha256": sha256_of(model)}, "adapter": None}
    chance = random.Random(6)
    predictions, scores = [], []
    for number in range(count):
        sure = chance.random()
        outcome = "right" if chance.random() < sure else "wrong"
        empty: dict[str, Any] = {"error": None, "tokens": {}, "seconds": {}}
        answer = None if number == 0 else {"steps": []}
        predictions.append({"case": str(number), "answer": answer, "choices": [[9, sure], [30, 1.0]], **empty})
        keys = ("table", "lang", "tags", "tools", "steps", "follow_up", "request", "wanted", "answer", "failure")
        rest = {**dict.fromkeys(keys), "detail": None, "tokens": {}, "seconds": {}, "confidence": sure}
        scores.append({"case": str(number), "domain": "d", "outcome": outcome, **rest})
    write_records(folder / "run.jsonl", header, predictions)
    write_records(folder / "run.scores.jsonl", {"kind": SCORES, "predictions": header}, scores)
    return folder / "run.jsonl", folder / "run.scores.jsonl"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_gguf.write_model(tmp_path / "tiny.gguf")


def test_the_command_writes_a_table_beside_others(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, scores = a_run(tmp_path, model)
    out = tmp_path / "tables.json"
    arguments = ["calibrate", str(predictions), str(scores), "--model", str(model), "--out", str(out)]
    assert main(arguments) == 0
    assert "# Calibration" in capsys.readouterr().out
    (table,) = read_calibrations(out).values()
    assert list(read_calibrations(out)) == [model_key(model)]
    assert table.cases + table.checked["cases"] == 59
    content = json.loads(out.read_text())
    content["models"]["another"] = content["models"].pop(model_key(model))
    out.write_text(json.dumps(content))
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measure"] in ("product", "least")
    assert sorted(read_calibrations(out)) == sorted(["another", model_key(model)])


def test_another_model_is_refused(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions, scores = a_run(tmp_path, model)
    other = tmp_path / "other.gguf"
    other.write_bytes(model.read_bytes() + b"\0")
    command = ["calibrate", str(predictions), str(scores), "--out", str(tmp_path / "tables.json"), "--lang", "en"]
    assert main([*command, "--model", str(other)]) != 0
    assert "tiny.gguf" in capsys.readouterr().err
    assert main([*command, "--model", str(model), "--adapter", str(other)]) != 0
    assert not (tmp_path / "tables.json").exists()


def test_scores_of_another_run_and_too_few_answers_are_refused(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, scores = a_run(tmp_path, model)
    lines = predictions.read_text().splitlines(keepends=True)
    predictions.write_text(lines[0].replace("null", "{}") + "".join(lines[1:]))
    assert main(["calibrate", str(predictions), str(scores)]) != 0
    assert "one run" in capsys.readouterr().err
    with pytest.raises(BenchError) as caught:
        calibrate(made(10, 1, 1.0), SETTINGS)
    assert caught.value.reason == "too_few"
