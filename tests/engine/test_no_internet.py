"""Where no server is named, no internet socket is opened: the kernel would end the process, or a child, that does."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import no_internet
import pytest
import tiny_gguf
from command_line import ROOT

from engine import exit_codes

pytestmark = pytest.mark.skipif(not no_internet.available(), reason="needs seccomp")
FILTERED = [sys.executable, str(ROOT / "tests" / "support" / "no_internet.py")]
# Children that are ended would go unnoticed where their parent does without them: they are looked for in this file.
WATCH = """
import sys
def watch(event, arguments):
    if event == "socket.__new__" and arguments[1] in (2, 10):
        open({seen!r}, "a").write(f"{{sys.argv}} {{arguments}}\\n")
sys.addaudithook(watch)
"""


def run(folder: Path, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "sitecustomize.py").write_text(WATCH.format(seen=str(folder / "seen")))
    path = os.pathsep.join((str(folder / "site"), str(ROOT), str(ROOT / "tests" / "support")))
    return subprocess.run(
        [*FILTERED, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(folder / "cache")},
        check=False,
    )


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_an_internet_socket_would_be_noticed(tmp_path: Path, family: str) -> None:
    (tmp_path / "site").mkdir()
    opens = f"import socket\nsocket.socket(socket.AF_UNIX)\nsocket.socket(socket.{family})\n"
    (tmp_path / "site" / "opens.py").write_text(opens)
    assert run(tmp_path, "opens").returncode == -signal.SIGSYS
    assert (tmp_path / "seen").exists()


def test_ask_run_profile_and_chat_open_none(tmp_path: Path) -> None:
    table, plan, roomy = (tmp_path / name for name in ("t.csv", "plan.json", "settings.json"))
    table.write_text("a,b\nx,1\ny,2\n")
    plan.write_text('{"steps":[{"tool":"sort","args":{"by":"b","descending":true}}]}')
    roomy.write_text(json.dumps({"model": {"context": 16384}, "grammar": {"text_length": 5, "list_length": 2}}))
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf", {"llama.context_length": (tiny_gguf.UINT32, 16384)})
    options = ("--model", model, "--settings", roomy)
    for done, codes in (
        (run(tmp_path, "engine.cli", "profile", table), (exit_codes.ANSWERED,)),
        (run(tmp_path, "engine.cli", "run", table, "--plan", plan), (exit_codes.ANSWERED,)),
        (run(tmp_path, "engine.cli", "ask", table, "sort by b", *options), (exit_codes.ANSWERED, exit_codes.QUESTION)),
        (run(tmp_path, "engine.cli", "chat", table, "--new", *options, stdin="sort by b\n/quit\n"), (0,)),
    ):
        assert done.returncode in codes, done.stderr
        assert done.stdout or done.stderr
    assert not (tmp_path / "seen").exists()


def test_what_speaks_to_the_network_is_not_loaded() -> None:
    code = (
        "import sys, engine.commands, engine.chosen_model, engine.chat, engine.library\n"
        "print([name for name in ('engine.http_json', 'engine.server', 'engine.ask_server') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
