"""A real server on the loopback, llama-cpp-python's own, with a tiny model: under our grammar and our JSON Schema."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_gguf
from command_line import LOANS, tez
from model_server import serving

from engine import exit_codes


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    model = tiny_gguf.write_model(folder / "tiny.gguf", {"llama.context_length": (tiny_gguf.UINT32, 16384)})
    with serving(model, folder) as address:
        yield address


SMALL = {"grammar": {"text_length": 5, "list_length": 2}, "max_steps": 1}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    return path


def test_it_answers_under_our_schema(address: str, table: Path) -> None:
    """It takes a schema in `json_object`; `json_schema` it does not know, and its own words are shown."""
    settings = table.with_name("settings.json")
    settings.write_text(json.dumps({**SMALL, "server": {"format": "json_object"}}))
    done = tez("ask", table, "sort by b", "--lang", "en", "--json", "--settings", settings, "--model", address)
    assert done.code in (exit_codes.ANSWERED, exit_codes.QUESTION), done.err
    assert json.loads(done.out)["answer"].keys() <= {"steps", "question"}
    settings.write_text(json.dumps({"server": {"format": "json_schema"}}))
    done = tez("ask", table, "sort by b", "--lang", "en", "--settings", settings, "--model", address)
    assert done.code == exit_codes.MODEL
    assert "Input should be 'text' or 'json_object'" in done.err


def test_it_answers_under_our_grammar(address: str, table: Path) -> None:
    settings = table.with_name("settings.json")
    settings.write_text(json.dumps(SMALL))
    done = tez("ask", table, "sort by b", "--lang", "en", "--json", "--settings", settings, "--model", address)
    assert done.code in (exit_codes.ANSWERED, exit_codes.QUESTION), done.err
    found = json.loads(done.out)
    assert found["model"]["name"] == "tez-test"
    assert found["model"]["tokens"]["answer"] > 0
    assert found["notes"] == []
    assert found["answer"].keys() <= {"steps", "question"}
    settings.write_text(json.dumps({"model": {"answer_tokens": 16}}))
    done = tez("ask", table, "sort by b", "--lang", "en", "--settings", settings, "--model", address)
    assert done.code == exit_codes.MODEL
    assert "Half a plan is never run" in done.err
    done = tez("ask", table, "sort by b", "--lang", "en", "--model", f"{address}#other")
    assert 'no model "other". It has: tez-test' in done.err


def test_a_prompt_that_does_not_fit_is_said_in_the_servers_words(address: str) -> None:
    done = tez("ask", LOANS, "Dollar kreditlari", "--lang", "en", "--model", address)
    assert done.code == exit_codes.MODEL
    assert "maximum context length is 8192 tokens" in done.err
