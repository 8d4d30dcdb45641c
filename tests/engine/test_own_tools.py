"""Tools of a user's own: from a file to the table of a step, and what is said of one that is wrong."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, tez
from databases import SETTINGS, Contents, make_table, opened

from engine import Rows, load_tools, openai_tool, run_plan, tool
from engine.cli import main
from grammar import AnswerMatcher, ContractError, openai_contract, validate_answer
from prompt.words import error_text

CASES = json.loads((ROOT / "tests" / "cases" / "own_tools.json").read_text(encoding="utf-8"))
CONTRACT = {
    "name": "toy",
    "description": "A toy",
    "args": {"word": {"type": "string"}},
    "returns": {"word": "text", "n": "number"},
}
FUNCTION = "def toy(word): return [(word, 1)]"
PLAN = [{"tool": "toy", "args": {"word": "x"}}]
LIMITS = {"tools": {"own_rows": 5, "own_seconds": 0.5}}
WEATHER = '''
from engine import openai_tool

@openai_tool(
    {
        "type": "function",
        "function": {
            "name": "get_current_weather",
            "description": "Get the current weather in a given location",
            "parameters": {
                "type": "object",
                "properties": {
                    "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["location"],
            },
        },
    },
    returns={"location": "text", "temperature": "number"},
)
def get_current_weather(location, unit="celsius"):
    """Return the weather."""
    print("asked for", location)
    return [{"location": location, "temperature": 20 if unit == "celsius" else 68}]
'''


def contract_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the contract of a case: the usual one with its changes; None takes a key out."""
    changed = {**CONTRACT, **case.get("contract", {})}
    return {key: value for key, value in changed.items() if value is not None}


def source_of(case: dict[str, Any]) -> str:
    """Return the text of the file of tools of a case."""
    function = case.get("function", FUNCTION)
    before, _, last = function.rpartition("def toy")
    marked = f"from engine import tool\n{before}\n@tool({contract_of(case)!r})\ndef toy{last}\n"
    return marked + (f"\n@tool({contract_of(case)!r})\n{FUNCTION.replace('toy', 'other')}\n" if "twice" in case else "")


@pytest.mark.parametrize("case", CASES["files"], ids=lambda case: case["description"])
def test_what_a_file_of_tools_gives(case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / case.get("name", "tools.py")
    if case.get("file", "") is not None:
        path.write_text(case["file"] if "file" in case else source_of(case), encoding="utf-8")
    rows = "".join(f"{letter},{number}\n" for number, letter in enumerate("klmnop"[: case.get("rows_in", 2)], 1))
    (tmp_path / "t.csv").write_text("a,b\n" + rows, encoding="utf-8")
    (tmp_path / "limits.json").write_text(json.dumps(LIMITS), encoding="utf-8")
    (tmp_path / "plan.json").write_text(json.dumps(case.get("steps", PLAN)), encoding="utf-8")
    command = ["run", tmp_path / "t.csv", "--plan", tmp_path / "plan.json", "--tools", path]
    command += ["--settings", tmp_path / "limits.json", "--json"]
    for language, said in case.get("said", {"en": ""}).items():
        code = main([*map(str, command), "--lang", language])
        written = capsys.readouterr()
        assert (code, said in written.err) == (case["code"], True), written.err
        assert "Traceback" not in written.err
        if code == 0:
            assert json.loads(written.out)["rows"] == case["rows"]
        else:
            assert written.out == ""
            assert len(written.err.splitlines()) == 1


@pytest.mark.parametrize("case", CASES["openai"], ids=lambda case: case["description"])
def test_what_openai_describes_and_cannot_be_kept(case: dict[str, Any]) -> None:
    described = {"type": "object", "properties": {"word": case.get("argument")}}
    given = case.get("given", {"name": "w", "description": "d", "parameters": case.get("parameters", described)})
    with pytest.raises(ContractError) as caught:
        openai_contract(given)
    assert case["said"] in error_text(caught.value, "en")


def test_an_openai_description_is_taken_as_it_is() -> None:
    parameters = {
        "type": "object",
        "title": "Arguments",
        "properties": {
            "word": {"type": "string", "description": "What to\n look for", "default": "x"},
            "unit": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "n": {"type": "integer", "minimum": 1},
            "far": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            "exact": {"type": "boolean"},
        },
        "required": ["word", "unit", "n", "far", "tags", "exact"],
        "additionalProperties": False,
    }
    function = {"name": "find-it", "description": "Find\nit", "parameters": parameters, "strict": True}
    expected = {
        "name": "find-it",
        "description": "Find it",
        "args": {
            "word": {"type": "string", "description": "What to look for"},
            "unit": {"enum": ["a", "b"], "optional": True},
            "n": {"type": "integer", "minimum": 1},
            "far": {"type": "object", "properties": {"x": {"type": "number"}}},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            "exact": {"type": "boolean"},
        },
    }
    for given in (function, {"type": "function", **function}, {"type": "function", "function": function}):
        made = openai_contract(given)
        assert {key: made[key] for key in expected} == expected
    assert openai_contract({"name": "now", "description": "The time"})["args"] == {}


def weather(folder: Path) -> tuple[Path, Path, Path]:
    """Write the weather tool, a table and a plan that goes on from its rows."""
    (folder / "weather.py").write_text(WEATHER, encoding="utf-8")
    (folder / "t.csv").write_text("city,n\nToshkent,1\n", encoding="utf-8")
    steps = [
        {"tool": "get_current_weather", "args": {"location": "Toshkent", "unit": "fahrenheit"}},
        {"tool": "add_column", "args": {"name": "half", "left": "temperature", "op": "/", "right": 2}},
    ]
    (folder / "plan.json").write_text(json.dumps({"steps": steps}), encoding="utf-8")
    return folder / "t.csv", folder / "weather.py", folder / "plan.json"


def test_the_weather_runs_in_a_process_and_takes_part_in_everything(tmp_path: Path) -> None:
    table, tools, plan = weather(tmp_path)
    done = tez("run", table, "--plan", plan, "--tools", tools, "--json")
    assert (done.code, done.err) == (0, "asked for Toshkent\n")
    result = json.loads(done.out)
    assert (result["columns"], result["rows"]) == (["location", "temperature", "half"], [["Toshkent", 68, 34.0]])
    said = tez(
        "run", table, "--plan", plan, "--tools", tools, "--lang", "ru", "--with-plan", "--out", tmp_path / "o.csv"
    )
    assert 'Вызвана функция get_current_weather, location = "Toshkent", unit = "fahrenheit"' in said.err
    again = tez("run", table, "--plan", tmp_path / "o.plan.json", "--tools", tools, "--json")
    assert json.loads(again.out)["rows"] == result["rows"]

    line = (
        "get_current_weather(location: string (The city and state, e.g. San Francisco, CA), unit: celsius|fahrenheit?)"
    )
    assert line in tez("tools", "--tools", tools).out
    assert line in tez("prompt", table, "--tools", tools).out
    assert "et_current_weather" in tez("grammar", table, "--tools", tools).out
    assert '"celsius"' in tez("schema", table, "--tools", tools).out


def test_a_plan_without_its_tool_and_a_statement_of_it_are_refused(tmp_path: Path) -> None:
    table, tools, plan = weather(tmp_path)
    without = tez("run", table, "--plan", plan)
    assert without.code == 5
    assert 'there is no tool "get_current_weather"' in without.err
    assert "--tools" in without.err
    for language, said in (("en", "cannot be written as one SQL"), ("ru", "нельзя записать"), ("uz", "bo'la olmaydi")):
        statement = tez("sql", table, "--plan", plan, "--tools", tools, "--lang", language)
        assert (statement.code, statement.out) == (5, "")
        assert said in statement.err


def test_a_function_that_never_ends_is_given_up(tmp_path: Path) -> None:
    table, tools, plan = weather(tmp_path)
    tools.write_text(WEATHER.replace("print(", "while True: print("), encoding="utf-8")
    (tmp_path / "limits.json").write_text(json.dumps(LIMITS), encoding="utf-8")
    done = tez("run", table, "--plan", plan, "--tools", tools, "--settings", tmp_path / "limits.json", "--json")
    assert (done.code, done.out) == (5, "")
    assert "did not end within 0.5 s" in done.err
    tools.write_text("while True: pass", encoding="utf-8")
    done = tez("tools", "--tools", tools, "--settings", tmp_path / "limits.json")
    assert (done.code, done.out) == (7, "")
    assert "within 0.5 s" in done.err


def test_nothing_that_was_opened_changes(tmp_path: Path) -> None:
    """The function of a failing plan gets values, and leaves no table of a step behind."""
    con = opened()
    make_table(con, Contents([("a", "VARCHAR"), ("n", "BIGINT")], [["x", 1], ["y", None]]))
    path = tmp_path / "own.py"
    path.write_text(source_of({"function": "def toy(rows, word): return [(row[0], row[1]) for row in rows]"}))
    tools = load_tools([path], SETTINGS.tools, installed=False)
    before = con.execute("SELECT * FROM base").fetchall()
    steps = [*PLAN, {"tool": "sort", "args": {"by": "n", "descending": True}}, *PLAN]
    result = run_plan(con, "base", steps, SETTINGS, contracts=tools.contracts, executors=tools.executors)
    assert result["rows"] == [("x", 1), ("y", None)]
    path.write_text(source_of({"function": "def toy(rows, word): raise ValueError(rows.columns)"}))
    broken = load_tools([path], SETTINGS.tools, installed=False)
    with pytest.raises(Exception, match="own raised"):
        run_plan(con, "base", PLAN, SETTINGS, contracts=broken.contracts, executors=broken.executors)
    assert con.execute("SELECT * FROM base").fetchall() == before
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE '_step_%'").fetchone() == (0,)


def test_what_a_module_opens_when_it_is_loaded_works_in_its_functions(tmp_path: Path) -> None:
    con = opened()
    make_table(con, Contents([("a", "VARCHAR")], []))
    path = tmp_path / "own.py"
    (tmp_path / "beside_own.py").write_text("FACTOR = 7\n")
    opening = "import sqlite3\nimport beside_own\nkept = sqlite3.connect(':memory:')\n"
    function = "def toy(word): return kept.execute('SELECT ?, ?', (word, beside_own.FACTOR)).fetchall()"
    path.write_text(source_of({"function": opening + function}))
    tools = load_tools([path], SETTINGS.tools, installed=False)
    for _ in range(2):
        result = run_plan(con, "base", PLAN, SETTINGS, contracts=tools.contracts, executors=tools.executors)
        assert result["rows"] == [("x", 7)]


def test_installed_packages_bring_tools(tmp_path: Path) -> None:
    table, tools, plan = weather(tmp_path)
    info = tmp_path / "weather-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: weather\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tez.tools]\nweather = weather\n")
    done = tez("run", table, "--plan", plan, "--json", folder=tmp_path)
    assert (done.code, json.loads(done.out)["row_count"]) == (0, 1), done.err
    tools.write_text("raise RuntimeError('no licence')")
    broken = tez("run", table, "--plan", plan, folder=tmp_path)
    assert broken.code == 7
    assert "tez.tools: weather: the file could not be loaded" in broken.err


def test_after_columns_that_are_not_known_the_grammar_ends_the_plan(tmp_path: Path) -> None:
    @tool({"name": "open_one", "description": "Columns of its own", "args": {}})
    def open_one() -> list[dict[str, int]]:
        return [{"a": 1}]

    @openai_tool({"name": "read", "description": "Read"})
    def read(rows: Rows) -> list[dict[str, int]]:
        return [{"n": len(rows)}]

    module = tmp_path / "own.py"
    module.write_text("")
    from engine.own_tools import own_tool
    from engine.plan import shipped_contracts
    from engine.profile import opened_scene, table_state

    contracts = [*shipped_contracts(), own_tool(open_one, "here").contract, own_tool(read, "here").contract]
    con = opened()
    make_table(con, Contents([("a", "VARCHAR")], [["x"]]))
    scene = opened_scene([table_state(con, "base", SETTINGS)])
    matcher = AnswerMatcher(contracts, scene)
    step, describe = '{"tool":"open_one","args":{}}', '{"tool":"describe","args":{}}'
    assert matcher.accepts(f'{{"steps":[{step}]}}')
    assert matcher.accepts(f'{{"steps":[{describe},{step}]}}')
    assert not matcher.is_prefix(f'{{"steps":[{step},')
    with pytest.raises(Exception, match="after the last"):
        validate_answer(contracts, scene, json.loads(f'{{"steps":[{step},{describe}]}}'))


@pytest.fixture(autouse=True)
def own_modules() -> Any:
    """Forget the modules and the folders of a test's tools."""
    modules, path = dict(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in sys.modules.keys() - modules.keys():
        if name.startswith("tez_tools_") or name == "beside_own":
            del sys.modules[name]
