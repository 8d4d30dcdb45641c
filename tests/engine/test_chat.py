"""`tez chat` as a person meets it: in a terminal of its own, with keys, Ctrl-C, Ctrl-D, killed and opened again."""

import json
import os
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chat_process import WAITING
from command_line import LOANS, LONGEST, ROOT, TEZ
from real_terminal import PROCESS, READY, Terminal

pty = pytest.importorskip("pty")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")

DOLLARS = {"steps": [{"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}]}
REGIONS = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}
CHART = {"tool": "chart", "args": {"kind": "bar", "x": "viloyat", "y": "count"}}
ANSWERS: dict[str, Any] = {
    "Dollar kreditlari": DOLLARS,
    "viloyatlar bo'yicha soni": {"on": "result", "steps": [REGIONS]},
    "diagramma": {"on": "result", "steps": [CHART]},
    "kut": "wait",
    "qoldiq": {"question": {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}},
}


@contextmanager
def chatting(folder: Path, *arguments: object, answers: dict[str, Any] | None = None) -> Iterator[Terminal]:
    terminal = Terminal(folder, answers or ANSWERS, "chat", *(arguments or (LOANS, "--lang", "en")))
    try:
        terminal.shown = terminal.until(READY)  # type: ignore[attr-defined]
        yield terminal
    finally:
        if terminal.process.poll() is None:
            os.killpg(terminal.process.pid, signal.SIGKILL)
            terminal.process.wait()
        os.close(terminal.ours)


def test_a_talk_with_follow_up_scope_undo_redo_and_back(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        shown = chat.line("Dollar kreditlari")
        for text in ("Plan:", "  1. ", "on: table", "USD", "510 rows"):
            assert text in shown, shown
        shown = chat.line("viloyatlar bo'yicha soni")
        assert "on: result" in shown
        assert "  2. " in shown, "the step is counted behind those of the result"
        assert "14 rows" in shown
        count = re.search(r"Toshkent sh\.\W+([\d,]+)", shown)
        assert count is not None
        chat.keys("half a word\x1bOQ")
        switched = chat.until(READY)
        assert "on: table" in switched
        assert re.search(r"Toshkent sh\.\W+([\d,]+)", switched)[1] != count[1]  # type: ignore[index]
        chat.keys("\x7f" * len("half a word"))
        assert count[0] in chat.line("/on result")
        assert "510 rows" in chat.line("/undo")
        assert "14 rows" in chat.line("/redo")
        assert "2. viloyatlar" in chat.line("/back")
        assert "510 rows" in chat.line("/back 1")
        assert "510 rows" in chat.line("/step 1")
        assert "no step 7" in chat.line("/step 7")
        chat.keys("\x04")
        assert chat.ended() == 0


def test_ctrl_c_cancels_the_request_and_not_the_session(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        chat.line("Dollar kreditlari")
        chat.keys("kut\r")
        chat.until(WAITING)
        os.killpg(chat.process.pid, signal.SIGINT)
        assert "Cancelled" in chat.until(READY)
        chat.keys("half a line\x03")
        chat.until(READY)
        assert "510 rows" in chat.line("/show")
        chat.keys("\x04")
        assert chat.ended() == 0


def test_killed_and_opened_again_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        chat.line("Dollar kreditlari")
        chat.line("viloyatlar bo'yicha soni")
        chat.line("/keep sonlar")
        os.killpg(chat.process.pid, signal.SIGKILL)
        chat.process.wait()
    with chatting(tmp_path) as chat:
        shown = chat.shown  # type: ignore[attr-defined]
        assert "goes on where it stopped: 2 answers" in shown
        assert "sonlar: 14 rows, 2 columns; one row per viloyat." in shown
        assert "loans: 3,000 rows" in shown
        assert "sonlar: 14 rows" in chat.line("/tables")
        assert "Answer 2: viloyatlar" in shown
        assert "14 rows" in shown
        assert "sonlar" in chat.line("/keep sonlar"), "the kept table is there again"
        assert "on: table (over the opened table loans)" in chat.line("/back 1"), "of several tables it says which"
        chat.line("/redo")
        assert "510 rows" in chat.line("/undo")
    with chatting(tmp_path, LOANS, "--lang", "en", "--new") as chat:
        assert "goes on" not in chat.shown  # type: ignore[attr-defined]
        assert "no result" in chat.line("/show")


def test_files_charts_and_the_conversation_itself_are_written(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        chat.line("Dollar kreditlari")
        chat.line("viloyatlar bo'yicha soni")
        assert "█" in chat.line("diagramma")
        assert "Written" in chat.line("/chart c.svg")
        assert "Written" in chat.line("/export t.csv")
        assert "is there already" in chat.line("/export t.csv")
        assert "was written" in chat.line("/save talk.json")
        assert "A new conversation" in chat.line("/new")
        assert "nothing to undo" in chat.line("/undo")
        assert "14 rows" in chat.line("/load talk.json")
        assert "no conversation" in chat.line("/load c.svg")
        assert "14 rows" in chat.line("/show")
        assert '"steps"' in chat.line("/plan")
        assert "SELECT" in chat.line("/sql")
        assert "SELECT" in chat.line("/sql postgres")
        assert "14 rows" in chat.line("/show")
    assert (tmp_path / "c.svg").read_text("utf-8").startswith("<svg")
    assert len((tmp_path / "t.csv").read_text("utf-8-sig").splitlines()) == 15
    assert len(json.loads((tmp_path / "talk.json").read_text("utf-8"))["turns"]) == 3


def test_an_answer_is_accepted_and_stands_in_the_history(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        assert "no result" in chat.line("/accept")
        chat.line("Dollar kreditlari")
        assert "number 1" in chat.line("/accept")
        chat.line("viloyatlar bo'yicha soni")
        assert "number 2" in chat.line("/accept")
        (tmp_path / "data" / "tez" / "accepted.duckdb").write_bytes(b"broken")
        assert "Work goes on without it" in chat.line("/accept")
        assert "14 rows" in chat.line("/show")


def test_the_plan_is_edited_in_the_line(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        chat.line("Dollar kreditlari")
        shown = chat.line("/edit")
        chat.keys("\x7f" * len('USD"}}]}') + 'EUR"}}]}\r')
        shown = chat.until(READY)
        assert "EUR" in shown
        assert "510 rows" not in shown
        assert "Error" in chat.line("/edit {")


def test_a_plan_of_ones_own_is_an_answer_and_commands_say_what_is_missing(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        for line in ("/back", "/on", "/undo", "/edit", "/step"):
            assert re.search(r"no (answer|result) yet|nothing to undo", chat.line(line)), line
        assert "/undo" in chat.line("/")
        shown = chat.line("/bakc")
        assert "/back" in shown
        assert "/help" in shown
        assert "not a right plan" in chat.line('/run {"step": 1}')
        wrong = {"tool": "top_n", "args": {"by": "zz", "n": 3, "descending": True}}
        assert "Step 1 (top_n), by" in chat.line(f"/run {json.dumps([wrong])}")
        assert "no answer yet" in chat.line("/back"), "a plan that failed is no answer"
        assert "510 rows" in chat.line(f"/edit {json.dumps(DOLLARS)}")
        assert "14 rows" in chat.line(f"/run {json.dumps({'on': 'result', 'steps': [REGIONS]})}")
        shown = chat.line("/back")
        assert '  1. Kept only the rows where valyuta = "USD"' in shown
        assert "* 2. " in shown
        shown = chat.line("/step")
        assert "  2. " in shown
        assert "rows." not in shown
        shown = chat.line("/keep loans")
        assert "is taken" in shown
        assert "keep_as" not in shown


def test_it_goes_on_in_the_language_of_its_last_request(tmp_path: Path) -> None:
    with chatting(tmp_path, LOANS) as chat:
        chat.line("Dollar kreditlari")
    with chatting(tmp_path, LOANS) as chat:
        assert "510 ta qator" in chat.shown  # type: ignore[attr-defined]
    with chatting(tmp_path, LOANS, "--lang", "ru") as chat:
        assert "510 строк" in chat.shown  # type: ignore[attr-defined]


def test_columns_values_and_commands_are_completed(tmp_path: Path) -> None:
    with chatting(tmp_path) as chat:
        chat.line("Dollar kreditlari")
        chat.keys("/und\t")
        chat.until("/undo")
        chat.keys("\x03")
        chat.until(READY)
        chat.keys("toshkent v\t")
        assert "Toshkent viloyati" in chat.until("viloyati")


@pytest.mark.parametrize(
    ("language", "said"),
    [("uz", "Orqaga qaytadigan javob yo'q"), ("ru", "Отменять нечего"), ("en", "There is nothing to undo")],
)
def test_texts_are_in_three_languages(tmp_path: Path, language: str, said: str) -> None:
    with chatting(tmp_path, LOANS, "--lang", language) as chat:
        assert said in chat.line("/undo")
        assert "qoldiq_uzs" in chat.line("qoldiq")


def test_lines_come_from_a_file_too(tmp_path: Path) -> None:
    answers = tmp_path / "a.json"
    answers.write_text(json.dumps(ANSWERS), "utf-8")
    done = subprocess.run(
        [*PROCESS, str(answers), "chat", str(LOANS), "--lang", "en"],
        input="Dollar kreditlari\n\nviloyatlar bo'yicha soni\n/undo\n/quit\nnever read\n",
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'support'}",
            "XDG_DATA_HOME": str(tmp_path),
            "HOME": str(tmp_path),
        },
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "on: result" in done.stderr
    assert "Toshkent sh." in done.stdout


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_the_default_model_talks(tmp_path: Path) -> None:
    done = subprocess.run(
        [*TEZ, "chat", str(LOANS), "--lang", "uz"],
        input="Viloyatlar bo'yicha qoldiq yig'indisi\nendi eng katta 3 tasi\n/quit\n",
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)},
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    kept = list(tmp_path.rglob("conversations/*.json"))
    assert len(kept) == 1
    assert len(json.loads(kept[0].read_text("utf-8"))["turns"]) == 2


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_the_conversation_in_the_readme_is_what_the_default_model_says_today() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "transcript.py"))
    shown = page["shown_talk"]((ROOT / "README.md").read_text("utf-8"))
    assert page["talked"](shown) == shown
