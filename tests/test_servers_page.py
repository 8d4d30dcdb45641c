"""The page of servers: what is said of an answer and of errors is what is printed; see also the tests of a real one."""

import json
import shlex
import socket
from pathlib import Path

import pytest
from hostile_server import hostile
from model_server import serving
from transcripts import commands, elsewhere, page, ran

from engine import exit_codes
from engine.settings import load_settings
from engine.weights import default_weights

PAGE = page("servers.md")
PLAN = {"steps": [{"tool": "sort", "args": {"by": "amount", "descending": False}}]}
OWN = {"data": [{"id": "tez-test", "owned_by": "me"}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PAGE.put(tmp_path)
    return tmp_path


def test_of_an_answer_all_is_said_that_stands_there(folder: Path) -> None:
    with hostile(json.dumps(PLAN), models=(200, OWN)) as server:
        PAGE.hold(0, lambda words: elsewhere(words, server.address, lambda moved: ran(moved, folder)[1]))
    assert "grammar" in server.seen[-1][2]


def test_the_errors_are_those_that_are_said(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

    def run(words: list[str]) -> str:
        code, said = ran(words, folder)
        assert code == exit_codes.MODEL
        return said

    assert len(PAGE.transcripts) == 2
    PAGE.hold(1, lambda words: elsewhere(words, address, run))


@pytest.mark.model
def test_the_default_weights_behind_a_real_server_answer(folder: Path) -> None:
    """Which plan they choose may differ from processor to processor; that one is run and shown may not."""
    [command] = commands(PAGE.transcripts[0])
    codes = []

    def run(words: list[str]) -> str:
        code, said = ran(words, folder)
        codes.append(code)
        return said

    with serving(default_weights(load_settings().weights), folder) as address:
        said = elsewhere(shlex.split(command), address, run)
    assert codes == [exit_codes.ANSWERED], said
    assert said.startswith("Plan:\n")
    assert said.endswith("The server does not tell how sure the model is.\n")
