"""Own tools that a model calls: asked once and in a conversation, in processes with a model whose answers are known."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import LONGEST, ROOT

TOOLS = """
from engine import openai_tool, tool

@openai_tool({"name": "weather", "description": "Get the weather", "parameters": {
    "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}},
    returns={"place": "text", "degrees": "number"})
def weather(place):
    print("looking for", place)
    return [(place, 31), ("Xiva", 35)]

@tool({"name": "anything", "description": "Columns of its own", "args": {}})
def anything():
    return [{"a": 1}]

@tool({"name": "broken", "description": "Fails", "args": {}})
def broken():
    raise LookupError("no such service")
"""
PROCESS = str(ROOT / "tests" / "support" / "chat_process.py")
WEATHER = {"tool": "weather", "args": {"place": "Samarqand"}}
WARMEST = {"tool": "sort", "args": {"by": "degrees", "descending": True}}
ANSWERS: dict[str, Any] = {
    "weather": {"steps": [WEATHER]},
    "warmest": {"on": "result", "steps": [WARMEST]},
    "anything": {"on": "table", "steps": [{"tool": "anything", "args": {}}]},
    "sorted": {"steps": [{"tool": "sort", "args": {"by": "n", "descending": True}}]},
    "broken": {"steps": [{"tool": "broken", "args": {}}]},
    "both": {"steps": [WEATHER, WARMEST]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "t.csv").write_text("city,n\nToshkent,1\nXiva,2\n", encoding="utf-8")
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
    return tmp_path


def run(folder: Path, command: str, *arguments: str, typed: str = "") -> tuple[int, str, str]:
    """Run `tez` with the known answers; return exit code and outputs."""
    files = [str(folder / "t.csv"), *arguments, "--tools", str(folder / "own.py"), "--lang", "en"]
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "support")))
    environment = {**os.environ, "PYTHONPATH": paths, "XDG_DATA_HOME": str(folder / "data"), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, PROCESS, str(folder / "answers.json"), command, *files],
        input=typed,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=folder,
        env=environment,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_model_calls_it_and_goes_on_from_its_rows(folder: Path) -> None:
    code, out, err = run(folder, "ask", "both", "--json")
    assert (code, err) == (0, "looking for Samarqand\n")
    found = json.loads(out)
    assert found["answer"]["steps"] == [WEATHER, WARMEST]
    assert found["rows"] == [["Xiva", 35], ["Samarqand", 31]]


def test_a_function_that_fails_ends_a_request_with_its_error(folder: Path) -> None:
    code, out, err = run(folder, "ask", "broken", "--json")
    assert (code, out) == (5, "")
    assert "Step 1 (broken): the function failed (own.py:" in err
    assert "LookupError: no such service" in err


def test_a_conversation_goes_on_from_its_rows_and_after_its_errors(folder: Path) -> None:
    typed = "\n".join(("weather", "warmest", "/sql", "anything", "sorted", "/undo", "/undo", "/keep warm", "/quit", ""))
    code, out, err = run(folder, "chat", "--new", typed=typed)
    shown = out + err
    assert code == 0
    assert "Sorted the rows by degrees, largest first" in shown
    assert "the plan cannot be written as one SQL statement" in shown
    assert "Called anything" in shown
    assert "Sorted the rows by n, largest first" in shown, "no result to go on from: the plan names no `on`"
    assert "warm" in shown
    assert "Error" not in shown.replace("Error: Step 1 (weather): this step calls a Python function", "")


def test_a_failing_function_in_a_conversation_leaves_it_standing(folder: Path) -> None:
    code, out, err = run(folder, "chat", "--new", typed="broken\nweather\n/quit\n")
    shown = out + err
    assert code == 0
    assert "LookupError: no such service" in shown
    assert "Samarqand" in shown
