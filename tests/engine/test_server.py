"""Models behind servers: each answer and each fault of theirs, from a server on the loopback to what the user sees."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, TEZ, tez
from hostile_server import MODELS, Handler, chat, hostile

from engine import exit_codes
from engine.model_address import is_address, read_address
from engine.model_error import ServerError
from engine.served import read_answer
from engine.server import Language, ServerModel
from engine.settings import load_settings
from grammar.errors import ToolError

PLAN = '{"steps":[{"tool":"sort","args":{"by":"b","descending":true}}]}'
UNKNOWN = '{"steps":[{"tool":"sort","args":{"by":"c","descending":true}}]}'
ANY = Language(lambda: {"type": "object"}, lambda: 'root ::= "{}"')


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    return path


def settings(tmp_path: Path, **groups: dict[str, Any]) -> Path:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(groups))
    return path


def ask(table: Path, address: str, *more: object) -> Any:
    return tez("ask", table, "sort by b", "--lang", "en", "--model", address, *more)


def test_a_plan_runs_and_what_is_not_known_is_said(table: Path) -> None:
    with hostile(PLAN) as server:
        done = ask(table, server.address, "--json")
    assert done.code == exit_codes.ANSWERED, done.err
    found = json.loads(done.out)
    assert found["rows"] == [["y", 2], ["x", 1]]
    assert found["confidence"] == {"right": None, "probability": None, "least": None, "decisions": []}
    assert found["readings"] == []
    assert found["model"] == {"name": "tiny", "tokens": {"prompt": 5, "reused": 0, "answer": 7, "forced": 0}}
    [(_, _, _), (path, headers, body)] = server.seen
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert "steps" in json.dumps(body["response_format"]["json_schema"]["schema"])
    with hostile(PLAN) as server:
        assert "does not tell how sure" in ask(table, server.address).err


@pytest.mark.parametrize("answer", ["Sure! " + PLAN, UNKNOWN])
def test_what_is_refused_goes_back_once_with_the_error(table: Path, answer: str) -> None:
    with hostile(answer, PLAN) as server:
        done = ask(table, server.address)
    assert done.code == exit_codes.ANSWERED, done.err
    assert "was refused" in done.err
    first, second = (body["messages"][0]["content"] for _, _, body in server.seen[1:])
    assert "could not run" not in first
    assert "could not run" in second
    with hostile(answer) as server:
        done = ask(table, server.address)
    assert done.code == exit_codes.PLAN
    assert "Two plans were written" in done.err
    assert len(server.seen) == 3


def test_a_fence_is_taken_off_and_said(table: Path) -> None:
    with hostile(f"```json\n{PLAN}\n```") as server:
        done = ask(table, server.address)
    assert done.code == exit_codes.ANSWERED
    assert "fence" in done.err
    assert len(server.seen) == 2


def test_a_repair_in_a_conversation_is_the_only_one(table: Path, tmp_path: Path) -> None:
    with hostile(UNKNOWN, PLAN) as server:
        done = tez("chat", table, "--new", "--lang", "en", "--model", server.address, stdin="sort by b\n/quit\n")
    assert done.code == exit_codes.ANSWERED, done.err
    assert "y" in done.out
    assert len(server.seen) == 3


def closed(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")


def silent(handler: Handler) -> None:
    handler.close_connection = True


def huge(handler: Handler) -> None:
    handler.send(200, b'{"a": "' + b"x" * 2_000_000 + b'"}')


def dripping(handler: Handler) -> None:
    for _ in range(200):
        handler.wfile.write(b"H")
        handler.wfile.flush()
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, chat(PLAN, "length")), "Half a plan is never run"),
        ((200, chat(None)), "without text"),
        ((200, chat("  ")), "without text"),
        ((200, {"choices": []}), "does not speak OpenAI's protocol"),
        ((200, [1]), "does not speak OpenAI's protocol"),
        ((200, b"<html>hello</html>"), "does not speak OpenAI's protocol"),
        ((500, {"error": {"message": "out\x1b[31m of memory"}}), "(500): out [31m of memory"),
        ((503, b"busy"), "(503)."),
        ((401, {"error": "key"}), "gave no access"),
        ((302, b"", {"Location": "http://example.org/"}), "redirects to another address: http://example.org/"),
        (closed, "closed the connection"),
        (silent, "closed the connection"),
        (huge, "larger than"),
        (dripping, "did not answer within"),
    ],
)
def test_a_fault_of_the_server_is_an_error_that_says_it(table: Path, tmp_path: Path, answer: Any, said: str) -> None:
    if isinstance(answer, tuple) and len(answer) == 3:
        status, body, headers = answer

        def answering(handler: Handler) -> None:
            handler.send(status, body, **headers)

        answer = answering
    with hostile(answer) as server:
        done = ask(table, server.address, "--settings", settings(tmp_path, model={"seconds": 2}))
    assert done.code == exit_codes.MODEL, done.out
    assert said in done.err
    assert "\x1b" not in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("models", "name", "said"),
    [
        ((200, MODELS), "#other", 'no model "other". It has: tiny'),
        ((200, {"data": [{"id": "a"}, {"id": "b"}]}), "", "not just one model"),
        ((404, b"nothing here"), "", "does not speak OpenAI's protocol"),
        ((200, {"models": []}), "", "does not speak OpenAI's protocol"),
    ],
)
def test_the_model_is_one_of_the_servers(table: Path, models: tuple[int, Any], name: str, said: str) -> None:
    with hostile(PLAN, models=models) as server:
        done = ask(table, server.address + name)
    assert done.code == exit_codes.MODEL
    assert said in done.err
    with hostile(PLAN, models=(200, {"data": [{"id": "a"}, {"id": "b"}]})) as server:
        assert ask(table, server.address + "#b").code == exit_codes.ANSWERED
    assert server.seen[1][2]["model"] == "b"


def test_no_server() -> None:
    with pytest.raises(ServerError, match="absent"):
        ServerModel("http://127.0.0.1:9/v1", load_settings(), lambda *_: None)


def test_a_form_that_is_refused_is_not_asked_for_again(tmp_path: Path) -> None:
    def strict(handler: Handler) -> None:
        body = handler.server.seen[-1][2]
        form = body.get("response_format", {}).get("type", "none")
        taken = form == "json_object"
        handler.send(200 if taken else 422, chat("{}") if taken else {"error": form})

    with hostile(strict) as server:
        model = ServerModel(server.address, load_settings(), lambda *_: None)
        for _ in range(2):
            assert model.write("x", ANY, lambda *_: None).bound
    assert model.form == "json_object"
    assert len(server.seen) == 1 + 2 + 1
    with hostile((422, {"error": "no"}), models=(200, {"data": [{"id": "m", "owned_by": "llamacpp"}]})) as server:
        model = ServerModel(server.address, load_settings(), lambda *_: None)
        with pytest.raises(ServerError, match="failed"):
            model.write("x", ANY, lambda *_: None)
    assert [("grammar" in body, body.get("response_format", {}).get("type")) for _, _, body in server.seen[1:]] == [
        (True, None),
        (False, "json_schema"),
        (False, "json_object"),
        (False, None),
    ]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "maximum context length is 2048 tokens", "code": "context_length_exceeded"},
        {"message": "maximum context length is 2048 tokens", "code": 400, "type": "exceed_context_size_error"},
    ],
)
def test_a_prompt_that_is_too_long_is_not_taken_for_a_form_that_is_refused(error: dict[str, Any]) -> None:
    with hostile((400, {"error": error})) as server:
        model = ServerModel(server.address, load_settings(), lambda *_: None)
        with pytest.raises(ServerError, match="failed") as caught:
            model.write("x", ANY, lambda *_: None)
    assert caught.value.facts["found"] == error["message"]
    assert len(server.seen) == 2


def test_a_key_comes_from_the_environment_and_is_never_shown(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = settings(tmp_path, server={"key_variable": "TEZ_TEST_KEY"})
    monkeypatch.delenv("TEZ_TEST_KEY", raising=False)
    with hostile((500, {"error": "bad key sk-secret here"})) as server:
        assert "TEZ_TEST_KEY" in ask(table, server.address, "--settings", named).err
        monkeypatch.setenv("TEZ_TEST_KEY", "sk-secret")
        done = ask(table, server.address, "--settings", named)
    assert "bad key *** here" in done.err
    assert "sk-secret" not in done.err + done.out
    assert {headers["Authorization"] for _, headers, _ in server.seen} == {"Bearer sk-secret"}


@pytest.mark.parametrize(
    "text",
    [
        "http://",
        "http:x",
        "https://h:99999/",
        "http://h:0",
        "http://h/?q=1",
        "http://ho st/",
        "http://[::1",
        "http://ü/",
    ],
)
def test_what_is_no_address(text: str) -> None:
    assert is_address(text)
    with pytest.raises(ServerError, match="address"):
        read_address(text)


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(ServerError) as refused:
        read_address("http://me:secret@127.0.0.1/")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "shown", "here", "model"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", True, None),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1", True, None),
        ("HTTP://LOCALHOST/v1/chat/completions#qwen2.5:7b", "http://localhost:80/v1", True, "qwen2.5:7b"),
        ("http://[::1]:1234/api/v1", "http://[::1]:1234/api/v1", True, None),
        ("https://example.org", "https://example.org:443/v1", False, None),
        ("http://127.0.0.1.example.org", "http://127.0.0.1.example.org:80/v1", False, None),
    ],
)
def test_addresses(text: str, shown: str, here: bool, model: str | None) -> None:
    address = read_address(text)
    assert (address.shown, address.on_this_machine, address.model) == (shown, here, model)


def test_a_server_elsewhere_is_said_before_anything_is_sent(table: Path) -> None:
    done = ask(table, "http://no-such-host.invalid/v1")
    assert done.code == exit_codes.MODEL
    assert done.err.index("leave this machine") < done.err.index("No server answers")


@pytest.mark.parametrize(
    "text",
    [
        "Sure! {}",
        "[1]",
        '{"a": 1, "a": 1}',
        "{",
        '{"a": NaN}',
        '{"a": "\\ud800"}',
        '{"a": 1e999}',
        "",
        "{} {}",
        "[" * 100_000,
        "```\n{}\n``` x",
    ],
)
def test_texts_that_are_no_answer(text: str) -> None:
    with pytest.raises(ToolError, match="not json"):
        read_answer(text)


def test_whole_numbers_are_whole() -> None:
    assert json.dumps(read_answer('{"n": 5.0, "x": 0.5}')[0]) == '{"n": 5, "x": 0.5}'


def test_the_benchmark_asks_a_server(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    plan = '{"steps":[{"tool":"describe","args":{}}]}'
    with hostile(plan) as server:
        done = tez("bench", "run", "--out", out, "--sample", "3", "--model", server.address)
        batch = tez("bench", "run", "--out", tmp_path / "q", "--batch", "2", "--lang", "en", "--model", server.address)
    assert done.code == exit_codes.ANSWERED, done.err
    header, *lines = map(json.loads, out.read_text().splitlines())
    assert header["model"]["name"] == "tiny"
    assert len(lines) == 3
    assert all(line["answer"] or line["error"] for line in lines)
    assert tez("bench", "score", out).code == exit_codes.ANSWERED
    scored = [out, out.with_suffix(".scores.jsonl"), "--out", tmp_path / "table.json"]
    calibrated = tez("bench", "calibrate", *scored, "--lang", "en")
    assert calibrated.code == exit_codes.DATA, calibrated.err
    assert "A model on a server (tiny) gave the answers" in calibrated.err
    assert not (tmp_path / "table.json").exists()
    assert batch.code == exit_codes.MODEL


def test_ctrl_c_ends_the_wait(table: Path) -> None:
    asked = threading.Event()

    def waiting(handler: Handler) -> None:
        asked.set()
        handler.connection.recv(1)

    with hostile(waiting) as server:
        command = [*TEZ, "ask", str(table), "sort by b", "--lang", "en", "--model", server.address]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert asked.wait(60)
        done.send_signal(signal.SIGINT)
        _, said = done.communicate(timeout=60)
    assert done.returncode == exit_codes.INTERRUPTED
    assert "Traceback" not in said
