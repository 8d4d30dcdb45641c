"""All tools, one, none, or those of many that match the request: what prompt and grammar then hold."""

import json
from pathlib import Path

import pytest
import tiny_gguf
from command_line import LOANS, tez
from databases import SETTINGS

from engine.session import open_workspace, prepare, run
from engine.toolset import Toolset
from grammar import AnswerMatcher, ToolError

SORT = '{"tool":"sort","args":{"by":"b","descending":true}}'
DESCRIBE = '{"tool":"describe","args":{}}'
QUESTION = '{"question":{"kind":"which_column","options":["a"]}}'
WORDS = ("tile", "brick", "plank", "girder", "rivet", "hinge")
MANY = "from engine import tool\n" + "".join(
    f"""
@tool({{
    "name": "count_{word}s",
    "description": "Count the {word}s of the shop",
    "args": {{}},
    "returns": {{"n": "number"}},
    "words": {{"ru": ["слово{word}"]}},
}})
def count_{word}s():
    return [(1,)]
"""
    for word in WORDS
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    return path


def matcher(table: Path, toolset: Toolset, request: str = "") -> AnswerMatcher:
    workspace = open_workspace([table], SETTINGS, tools=toolset)
    return prepare(workspace, request).matcher(workspace)


def test_all_tools_are_the_default(table: Path) -> None:
    found = matcher(table, Toolset())
    assert all(found.accepts(f'{{"steps":[{step}]}}') for step in (SORT, DESCRIBE))
    assert found.accepts(QUESTION)


def test_with_one_named_every_step_calls_it(table: Path) -> None:
    found = matcher(table, Toolset().choosing("sort", False))
    assert found.accepts(f'{{"steps":[{SORT},{SORT}]}}')
    assert found.accepts(QUESTION)
    assert not found.is_prefix(f'{{"steps":[{DESCRIBE}')
    assert not found.is_prefix(f'{{"steps":[{SORT},{DESCRIBE}')
    assert found.forced(found.advance(found.start(), b'{"steps":')).startswith(b'[{"tool":"sort","args":{"by":"')


def test_with_none_the_answer_is_a_question(table: Path) -> None:
    found = matcher(table, Toolset().choosing(None, True))
    assert found.accepts(QUESTION)
    assert not found.is_prefix('{"steps"')


def test_a_conversation_goes_on_with_other_tools(table: Path) -> None:
    """A plan of before may call a tool that is not offered any more."""
    workspace = open_workspace([table], SETTINGS, tools=Toolset().choosing("describe", False))
    before = json.loads(f'{{"steps":[{SORT}]}}')
    asked = prepare(workspace, "describe", [{"request": "sort", "answer": before}])
    assert SORT in asked.prompt.text
    after = {"on": "result", **json.loads(f'{{"steps":[{DESCRIBE}]}}')}
    assert run(workspace, [before], after)["row_count"] == 2
    assert asked.matcher(workspace).accepts(json.dumps(after, separators=(",", ":")))


def test_a_tool_that_is_none_and_one_that_the_table_does_not_allow(table: Path) -> None:
    for language, said in (("en", "there is no tool"), ("ru", "нет инструмента"), ("uz", "degan amal yo'q")):
        done = tez("prompt", table, "--tool", "sorted", "--lang", language)
        assert (done.code, done.out, said in done.err.lower()) == (5, "", True)
    done = tez("grammar", table, "--tool", "period_compare")
    assert (done.code, done.out) == (5, "")
    assert "no column that period_compare can work on" in done.err
    assert tez("prompt", table, "--tool", "sort", "--no-tools").code == 2
    with pytest.raises(ToolError):
        Toolset().choosing("sorted", False)


def test_what_the_command_line_prints_of_one_tool_and_of_none(table: Path) -> None:
    one = tez("prompt", table, "--tool", "sort").out
    assert [line for line in one.splitlines() if line.startswith("- sort(")]
    assert "- filter(" not in one
    assert "Order (tartibla" in one
    assert "add_share" not in one
    assert r"\"tool\":\"sort\",\"args\"" in tez("grammar", table, "--tool", "sort").out
    assert "describe" not in tez("schema", table, "--tool", "sort").out
    none = tez("prompt", table, "--no-tools", "--request", "x").out
    assert "There are no tools" in none
    assert '"steps"' not in none
    assert "steps" not in tez("grammar", table, "--no-tools").out
    assert json.loads(tez("schema", table, "--no-tools").out)["properties"].keys() == {"question"}


def test_a_model_answers_with_one_tool_or_with_none(tmp_path: Path, table: Path) -> None:
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf", {"llama.context_length": (tiny_gguf.UINT32, 16384)})
    (tmp_path / "s.json").write_text(json.dumps({"model": {"context": 16384}}))
    options = ["--model", model, "--settings", tmp_path / "s.json", "--json"]
    none = tez("ask", table, "sort by b", *options, "--no-tools")
    assert none.code == 3, none.err
    assert "question" in json.loads(none.out)["answer"]
    one = tez("ask", table, "sort by b", *options, "--tool", "describe")
    assert one.code in (0, 3), one.err
    assert {step["tool"] for step in json.loads(one.out)["answer"].get("steps", [])} <= {"describe"}


def test_of_many_tools_those_that_match_are_offered(tmp_path: Path, table: Path) -> None:
    (tmp_path / "many.py").write_text(MANY, encoding="utf-8")
    (tmp_path / "s.json").write_text(json.dumps({"tools": {"most_in_prompt": 4}}))
    options = ["--tools", tmp_path / "many.py", "--settings", tmp_path / "s.json"]
    read = tez("prompt", table, *options, "--request", "how many rivets and hinges").out
    offered = [line.split("(")[0] for line in read.splitlines() if line.startswith("- ") and "): " in line]
    assert len(offered) == 4
    assert {"- count_rivets", "- count_hinges"} <= set(offered)
    russian = tez("prompt", table, *options, "--request", "посчитай словоplank").out
    assert "- count_planks()" in russian
    everything = tez("tools", *options[:2]).out
    assert all(f"- count_{word}s()" in everything for word in WORDS)


def test_the_prompt_of_the_shipped_tools_stays_as_it_is() -> None:
    workspace = open_workspace([LOANS], SETTINGS)
    assert len(workspace.contracts) <= SETTINGS.tools.most_in_prompt
    assert prepare(workspace, "sort").contracts == workspace.contracts
