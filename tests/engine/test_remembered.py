"""What is remembered of answers about files, and what happens to a memory that is broken."""

import json
from pathlib import Path

import pytest

from engine.remembered import Answers, Memory

GIVEN = Answers("mdy", ",")


def memory(folder: Path, most: int = 10) -> Memory:
    return Memory(folder / "data" / "answers.json", most)


def test_an_answer_is_remembered_for_a_file_with_the_same_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.csv"
    assert memory(tmp_path).recall(file, ["x", "y"]) == Answers()
    assert memory(tmp_path).keep(file, ["x", "y"], GIVEN)
    assert memory(tmp_path).recall(file, ["x", "y"]) == GIVEN
    monkeypatch.chdir(tmp_path)
    assert memory(tmp_path).recall(Path("a.csv"), ["x", "y"]) == GIVEN
    assert memory(tmp_path).recall(file, ["x", "z"]) == Answers()
    assert memory(tmp_path).recall(file, ["xy"]) == Answers()
    assert memory(tmp_path).recall(tmp_path / "b.csv", ["x", "y"]) == Answers()


def test_an_answer_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    memory(tmp_path).keep(file, ["x"], GIVEN)
    memory(tmp_path).keep(file, ["x"], GIVEN.changed("dates", None))
    assert memory(tmp_path).recall(file, ["x"]) == Answers(None, ",")
    memory(tmp_path).keep(file, ["x"], Answers())
    assert json.loads(memory(tmp_path).path.read_text("utf-8")) == {}


def test_the_latest_answers_are_kept(tmp_path: Path) -> None:
    for number in range(4):
        memory(tmp_path, 2).keep(tmp_path / f"{number % 3}.csv", ["x"], GIVEN)
    known = [memory(tmp_path).recall(tmp_path / f"{number}.csv", ["x"]) == GIVEN for number in range(3)]
    assert known == [True, False, True]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", "null", '{"%s": 5}', '{"%s": {"dates": "ydm", "decimal": ["."]}}', "\x00\xff"]
)
def test_a_broken_memory_counts_as_an_empty_one(tmp_path: Path, text: str) -> None:
    file, kept = tmp_path / "a.csv", memory(tmp_path)
    kept.keep(file, ["x"], GIVEN)
    (key,) = json.loads(kept.path.read_text("utf-8"))
    kept.path.write_text(text.replace("%s", key), "latin-1")
    assert kept.recall(file, ["x"]) == Answers()
    assert kept.keep(file, ["x"], GIVEN)
    assert kept.recall(file, ["x"]) == GIVEN
    assert [path.name for path in kept.path.parent.iterdir()] == ["answers.json"]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder", "utf-8")
    assert not memory(tmp_path).keep(tmp_path / "a.csv", ["x"], GIVEN)
    assert memory(tmp_path).recall(tmp_path / "a.csv", ["x"]) == Answers()


def test_other_answers_than_the_known_ones_count_as_none() -> None:
    assert GIVEN.changed("dates", "dmy") == Answers("dmy", ",")
    assert GIVEN.changed("decimal", ";") == Answers("mdy", None)
    assert GIVEN.changed("dates", []) == Answers(None, ",")
