"""The example in accuracy/README.md, done as it stands there."""

import argparse
import re
import shlex
from pathlib import Path

import pytest
import tiny_gguf
from recorded_model import RecordedModel

import accuracy
from accuracy.__main__ import main
from accuracy.cases import load_cases
from accuracy.commands import bench
from accuracy.outcomes import OUTCOMES

README = (Path(accuracy.__file__).parent / "README.md").read_text(encoding="utf-8")


def test_the_example_with_own_tables_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = re.findall(r"`([\w/]+\.\w+)`:\n\n```\w+\n(.*?)```", README, re.DOTALL)
    assert [name for name, _ in files] == ["my_data/tea.csv", "my.jsonl"]
    [commands] = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for name, text in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    tiny_gguf.write_model(tmp_path / "model.gguf")
    answers = {case.request: case.gold[0] for case in load_cases(tmp_path / "my.jsonl")}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("accuracy.steps.open_model", lambda *_: RecordedModel(answers))
    steps = []
    for command in commands.splitlines():
        python, option, module, *arguments = shlex.split(command)
        assert (python, option, module) == ("python", "-m", "accuracy")
        assert main(arguments) == 0, command
        steps.append(arguments[0])
    assert steps == ["run", "score", "report"]
    assert "| Tiny | 2 | 2 (100 %) |" in capsys.readouterr().out
    assert "Right by language" in (tmp_path / "mine.html").read_text(encoding="utf-8")


def test_outcomes_and_steps_are_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuple(re.findall(r"^- `(\w+)`:", README, re.MULTILINE)) == OUTCOMES
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    steps = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert steps == re.findall(r"^    (\w+)(?:  |$)", text, re.MULTILINE)
    assert bench.name == "bench"
    assert bench.help


def test_general_options_may_stand_before_and_after_the_step() -> None:
    top = argparse.ArgumentParser()
    command = top.add_subparsers(dest="command").add_parser(bench.name, help=bench.help)
    command.add_argument("--settings", type=Path)
    command.add_argument("--lang")
    command.add_argument("--debug", action="store_true")
    bench.add_arguments(command)
    before = top.parse_args(["bench", "--settings", "a.json", "--lang", "ru", "--debug", "report", "x"])
    after = top.parse_args(["bench", "report", "x", "--settings", "a.json", "--lang", "ru", "--debug"])
    assert vars(before) == vars(after)
    assert (before.command, before.step, before.settings, before.lang) == ("bench", "report", Path("a.json"), "ru")
    neither = top.parse_args(["bench", "report", "x"])
    assert (neither.settings, neither.lang, neither.debug) == (None, None, False)
