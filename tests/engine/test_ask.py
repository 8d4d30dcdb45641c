"""`tez ask` in processes of its own: a tiny real model for the form, the default model for the main job."""

import contextlib
import functools
import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest
import tiny_gguf
from command_line import LOANS, ROOT, TEZ, tez
from scripted_model import ScriptedModel
from wanting_model import wanting

from engine import commands, exit_codes
from engine.cli import parser
from engine.model import LlamaModel

KEYS = [
    "request",
    "answer",
    "columns",
    "rows",
    "row_count",
    "evidence",
    "artifacts",
    "files",
    "timing",
    "model",
    "confidence",
    "readings",
    "notes",
    "tables",
]
ROOMY = {"model": {"context": 16384}, "grammar": {"text_length": 5, "list_length": 2}, "readings": {"most": 0}}


@pytest.fixture
def small_table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    return path


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_the_main_job_with_the_default_model() -> None:
    done = tez("ask", LOANS, "Viloyatlar bo'yicha qoldiq yig'indisi", "--json", "--rows", "3")
    assert done.code in (0, 3), done.err
    found = json.loads(done.out)
    assert list(found) == KEYS
    assert found["request"] == "Viloyatlar bo'yicha qoldiq yig'indisi"
    assert found["model"]["name"]
    if "steps" in found["answer"]:
        assert found["row_count"] is not None
        assert len(found["rows"]) == min(3, found["row_count"])
        again = tez("run", LOANS, "--plan", "-", "--json", "--rows", "3", stdin=json.dumps(found["answer"]))
        assert json.loads(again.out)["rows"] == found["rows"]


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_plan_notes_and_table_in_the_language_of_the_request() -> None:
    done = tez("ask", LOANS, "Сколько кредитов в евро?")
    assert done.code in (0, 3)
    assert done.code == 3 or "План:" in done.err


def run_in_process(monkeypatch: pytest.MonkeyPatch, text: str, *arguments: str) -> int:
    monkeypatch.setattr("engine.model.LlamaModel", lambda *_, **__: ScriptedModel(text))
    monkeypatch.setattr("engine.weights.default_weights", lambda _: Path("unused"))
    return commands.run_command(parser().parse_args(["ask", str(LOANS), *arguments]))


QUESTION = '{"question":{"kind":"which_column","options":["qoldiq","qoldiq_uzs"]}}'
PLAN = '{"steps":[{"tool":"filter","args":{"column":"valyuta","op":"=","value":"USD"}}]}'


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("Qoldiq qancha bo'lgan?", "ustun"),
        ("Какой остаток по кредитам?", "столбец"),
        ("What is the balance?", "column"),
    ],
)
def test_a_question_is_asked_in_the_language_of_the_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request_text: str, said: str
) -> None:
    assert run_in_process(monkeypatch, QUESTION, request_text) == 3
    printed = capsys.readouterr()
    assert said in printed.out
    assert "qoldiq_uzs" in printed.out


def test_a_question_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_in_process(monkeypatch, QUESTION, "qoldiq", "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert list(found) == KEYS
    assert (found["answer"], found["rows"], found["row_count"]) == (json.loads(QUESTION), None, None)


def test_a_dry_run_prints_the_plan_and_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_in_process(monkeypatch, PLAN, "show me the loans in dollars", "--dry-run") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads(PLAN)
    assert "not run" in printed.err


@pytest.fixture
def tiny_options(tmp_path: Path) -> list[str]:
    """The options that let a tiny model with an adapter answer."""
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf", {"llama.context_length": (tiny_gguf.UINT32, 16384)})
    adapter = tiny_gguf.write_adapter(tmp_path / "lora.gguf")
    (tmp_path / "s.json").write_text(json.dumps(ROOMY))
    return ["--model", str(model), "--adapter", str(adapter), "--settings", str(tmp_path / "s.json")]


def test_any_gguf_and_an_adapter_answer_by_path(small_table: Path, tiny_options: list[str]) -> None:
    done = tez("ask", small_table, "sort a", *tiny_options, "--json")
    assert done.code in (0, 3), done.err
    assert json.loads(done.out)["model"]["name"] == "Tiny"


def test_progress_is_shown_in_a_terminal_and_the_table_fits_it(small_table: Path, tiny_options: list[str]) -> None:
    ours, theirs = pty.openpty()
    command = [*TEZ, "ask", str(small_table), "sort a please", *tiny_options, "--lang", "en"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "60", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux ends the reading with an error when the other side has closed
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    text = shown.decode()
    assert process.returncode in (0, 3), text
    for phase in ("Loading the model", "Reading", "Writing"):
        assert phase in text
    assert "Traceback" not in text


@pytest.mark.model
def test_ctrl_c_ends_at_once_and_without_a_traceback(default_model: LlamaModel) -> None:
    assert default_model.name
    process = subprocess.Popen(
        [*TEZ, "ask", str(LOANS), "Viloyatlar", "--lang", "en"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "Interrupted."


SORTS = [{"steps": [{"tool": "sort", "args": {"by": by, "descending": True}}]} for by in ("qoldiq", "qoldiq_uzs")]


def unsure(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Ask a model that wants the first of the sorts a little more than the second."""
    made = functools.partial(wanting, (SORTS[0], 0.6), (SORTS[1], 0.4))
    monkeypatch.setattr("engine.model.LlamaModel", lambda *_, **__: made())
    monkeypatch.setattr("engine.weights.default_weights", lambda _: Path("unused"))
    return commands.run_command(parser().parse_args(["ask", str(LOANS), *arguments]))


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("Qoldiq bo'yicha saralash", ["yana shunday tushunish mumkin", "2) ", "000 ta qator)", "--reading 2"]),
        ("Отсортируй по остатку", ["понять и так", "2) ", "000 строк)", "--reading 2"]),
        ("Sort by balance", ["may also mean", "2) ", "(3,000 rows)", "--reading 2"]),
    ],
)
def test_other_readings_are_said_under_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request_text: str, said: list[str]
) -> None:
    assert unsure(monkeypatch, request_text) == 0
    printed = capsys.readouterr().err
    assert [text for text in said if text not in printed] == []
    assert printed.count("qoldiq_uzs") == 1


def test_another_reading_is_taken_by_its_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unsure(monkeypatch, "Sort by balance", "--json", "--reading", "2", "--rows", "1") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == SORTS[1]
    assert found["confidence"]["right"] is None
    assert found["confidence"]["probability"] == pytest.approx(0.6, abs=1e-3)
    assert [each["role"] for each in found["confidence"]["decisions"]] == ["column"]
    assert [each["answer"] for each in found["readings"]] == SORTS
    assert [(each["number"], each["row_count"]) for each in found["readings"]] == [(1, 3000), (2, 3000)]
    assert unsure(monkeypatch, "Sort by balance", "--reading", "3") == exit_codes.USAGE
    assert "2 readings were found" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5"])
def test_a_reading_is_a_number_from_one(number: str) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["ask", "t.csv", "request", "--reading", number])
