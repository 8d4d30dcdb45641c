"""Long plans end: at their deadline and at Ctrl-C, and nothing of them stays behind."""

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import BASE, SETTINGS, opened

from engine import database, exit_codes
from engine.database import Connection, DatabaseError
from engine.interrupt import Stopping
from engine.plan import run_plan
from engine.tools import EXECUTORS, Made, Table
from grammar import ToolError

STEPS = [
    {"tool": "filter", "args": {"column": "n", "op": ">", "value": -1}},
    {"tool": "sort", "args": {"by": "n", "descending": True}},
]
ENDLESS = "SELECT sum(a.range * b.range) AS n FROM range(1000000) AS a, range(100000000) AS b"


def endless(table: Table, *, by: str, descending: bool) -> Made:
    return Made(ENDLESS)


def many_short(table: Table, *, by: str, descending: bool) -> Made:
    while True:
        table.query("SELECT 1")


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C mean what it means at a terminal, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def con() -> Connection:
    con = opened()
    database.execute(con, "CREATE TABLE base AS SELECT range AS n FROM range(1000)")
    return con


@pytest.mark.parametrize("executor", [endless, many_short])
@pytest.mark.parametrize("copied_rows", [0, 10**6])
def test_a_plan_ends_at_its_deadline(con: Connection, executor: Any, copied_rows: int) -> None:
    tools = dataclasses.replace(SETTINGS.tools, plan_seconds=0.3, copied_rows=copied_rows)
    settings = dataclasses.replace(SETTINGS, tools=tools)
    with pytest.raises(ToolError) as raised:
        run_plan(con, BASE, STEPS, settings, executors={**EXECUTORS, "sort": executor}, keep_steps=True)
    assert (raised.value.reason, raised.value.facts["seconds"]) == ("too_long", 0.3)
    assert database.tables(con) == [BASE]
    assert run_plan(con, BASE, STEPS, settings)["row_count"] == 1000, "the connection is as good as before"


def test_there_may_be_no_deadline(con: Connection) -> None:
    settings = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, plan_seconds=None))
    assert run_plan(con, BASE, STEPS, settings)["row_count"] == 1000


def test_who_stops_the_connection_himself_hears_of_it(con: Connection) -> None:
    def stopping(table: Table, *, by: str, descending: bool) -> Made:
        threading.Timer(0.3, lambda: database.stop(con)).start()
        return Made(ENDLESS)

    with pytest.raises(DatabaseError, match="interrupted"):
        run_plan(con, BASE, STEPS, SETTINGS, executors={**EXECUTORS, "sort": stopping})
    assert database.tables(con) == [BASE]


def test_ctrl_c_stops_a_query_and_nothing_stays_behind(con: Connection) -> None:
    def pressed(table: Table, *, by: str, descending: bool) -> Made:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        return Made(ENDLESS)

    with pytest.raises(KeyboardInterrupt):
        run_plan(con, BASE, STEPS, SETTINGS, executors={**EXECUTORS, "sort": pressed}, keep_steps=True)
    assert database.tables(con) == [BASE]


def test_ctrl_c_at_the_command_line_is_exit_code_130(tmp_path: Path) -> None:
    script = (
        "import sys, threading, os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from engine import tools, toolset\n"
        "from engine.cli import main\n"
        "def endless(table, *, by, descending):\n"
        "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        f"    return tools.Made({ENDLESS!r})\n"
        "toolset.EXECUTORS = {**tools.EXECUTORS, 'sort': endless}\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    (tmp_path / "a.csv").write_text("n\n1\n2\n")
    (tmp_path / "plan.json").write_text('{"steps": [{"tool": "sort", "args": {"by": "n", "descending": true}}]}')
    command = [sys.executable, "-c", script, "run", "a.csv", "--plan", "plan.json", "--lang", "ru"]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == exit_codes.INTERRUPTED, done.stderr.decode()
    assert done.stderr.decode().strip() == "Прервано."


def test_a_deadline_calls_again_until_the_block_ends() -> None:
    called = threading.Semaphore(0)
    with Stopping(0.01, called.release) as deadline:
        assert all(called.acquire(timeout=10) for _ in range(3))
        assert deadline.passed
    while called.acquire(blocking=False):
        pass
    assert not called.acquire(timeout=0.1), "nothing is stopped after the block"


def test_who_else_listens_for_signals_hears_them() -> None:
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    before = signal.set_wakeup_fd(writing.fileno())
    threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt), Stopping(None, lambda: None):
            threading.Event().wait(10)
        assert reading.recv(1) == bytes([signal.SIGINT])
        assert signal.set_wakeup_fd(before) == writing.fileno()
    finally:
        signal.set_wakeup_fd(before)
        reading.close()
        writing.close()


def test_a_deadline_that_is_not_reached_stops_nothing() -> None:
    with Stopping(1000, lambda: pytest.fail("called")) as deadline:
        pass
    assert not deadline.passed
