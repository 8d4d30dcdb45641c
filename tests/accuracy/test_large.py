"""The timing of large files: the file is what it is said to be, and both ways open it."""

import json
from pathlib import Path

import pytest

from accuracy import large
from accuracy.__main__ import main
from accuracy.timed import TASKS, WAYS, timed
from engine.database import connect
from engine.files import open_file
from engine.settings import load_settings

SETTINGS = load_settings()
TYPES = {
    "BIGINT": ["tartib raqami", "miqdor", "ball"],
    "DATE": ["sana", "to'lov sanasi"],
    "DOUBLE": ["narx", "summa", "chegirma", "kenglik", "qarz"],
    "BOOLEAN": ["to'langan"],
    "TIMESTAMP": ["vaqt"],
}


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        large.write_table(path, 50, 25, seed, SETTINGS)
    first, same, other = (path.read_text("utf-8") for path in paths)
    assert first == same != other
    assert {len(line.split(";")) for line in first.splitlines()} == {25}


def test_every_column_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    large.write_table(path, 500, len(large.COLUMNS), 1, SETTINGS)
    table = open_file(connect(SETTINGS.database), path, "base", SETTINGS.files)
    found: dict[str, list[str]] = {}
    for column in table.report.columns:
        found.setdefault(column.type, []).append(column.column)
    texts = found.pop("VARCHAR")
    assert found == TYPES
    assert len(texts) + sum(map(len, TYPES.values())) == len(large.COLUMNS)
    assert table.rows == table.report.rows_in == 500


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_each_task_is_timed_in_each_way(tmp_path: Path, task: str, way: str) -> None:
    path = tmp_path / "large.csv"
    large.write_table(path, 100, 22, 1, SETTINGS)
    taken = timed(task, way, path, SETTINGS)
    assert taken["seconds"] > 0
    assert taken["cpu"] > 0
    assert taken["memory"] > 1 << 20


def test_the_command_prints_both_ways_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["large", "--rows", "200", "--columns", "5", "--runs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["columns"], found["goals"]) == (200, 5, large.GOALS)
    ways = [(each["task"], each["way"]) for each in found["timings"]]
    assert ways == [(task, way) for task in TASKS for way in WAYS]
    open_by = {each["way"]: each["median"] for each in found["timings"] if each["task"] == "open"}
    assert found["ratios"]["open"] == pytest.approx(open_by["tez"] / open_by["duckdb"])
    assert main(["large", "--rows", "200", "--columns", "5", "--runs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "200 rows x 5 columns" in printed
    assert "| open |" in printed


def test_what_cannot_be_measured_is_said(tmp_path: Path) -> None:
    with pytest.raises(large.BenchError, match="not measured") as raised:
        large.measure(tmp_path / "absent.csv", 1, None)
    assert raised.value.facts["way"] == "tez"
