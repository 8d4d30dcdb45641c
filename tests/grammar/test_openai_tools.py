"""Contracts as OpenAI's tools: the rules of strict mode, and that every right call fits them."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from command_line import LOANS, ROOT, tez
from hypothesis import given
from strategies import CONTRACTS, LIMITS, states

from engine.session import open_workspace
from engine.settings import load_settings
from grammar import Column, TableState, by_name, openai_tools
from grammar.calls import offered

KEYWORDS = {"type", "properties", "required", "additionalProperties", "enum", "items", "anyOf", "description"}
MOST_VALUES, MOST_DEEP, MOST_PROPERTIES, MANY, MOST_LETTERS = 1000, 5, 5000, 250, 15000


def schemas(schema: dict[str, Any], depth: int = 1) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the schema and all inside it, each with the number of objects around it."""
    yield schema, depth
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *filter(None, [schema.get("items")])]
    for each in inner:
        yield from schemas(each, depth + (each.get("type") == "object"))


def check_strict(made: Any) -> None:
    """Hold the rules that OpenAI documents for functions with `strict`."""
    assert made["type"] == "function"
    function = made["function"]
    assert list(function) == ["name", "description", "strict", "parameters"]
    assert function["strict"] is True
    parameters = function["parameters"]
    jsonschema.Draft202012Validator.check_schema(parameters)
    assert parameters["type"] == "object"
    assert "anyOf" not in parameters
    found = list(schemas(parameters))
    for schema, depth in found:
        assert schema.keys() <= KEYWORDS
        assert depth <= MOST_DEEP
        assert ("type" in schema) != ("anyOf" in schema)
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        if "enum" in schema:
            texts = [value for value in schema["enum"] if isinstance(value, str)]
            assert texts
            assert len(texts) == len(set(texts))
            assert len(texts) <= MANY or sum(map(len, texts)) <= MOST_LETTERS
    assert sum(len(schema.get("enum", ())) for schema, _ in found) <= MOST_VALUES
    assert sum(len(schema.get("properties", ())) for schema, _ in found) <= MOST_PROPERTIES


@given(state=states())
def test_the_rules_of_strict_mode_hold_for_any_table(state: TableState) -> None:
    made = openai_tools(CONTRACTS, state)
    assert [each["function"]["name"] for each in made] == [each["name"] for each in offered(CONTRACTS, state)]
    for each in made:
        check_strict(each)


def first_steps() -> Iterator[dict[str, Any]]:
    """Yield the first step of each gold plan about the loans."""
    for line in (ROOT / "accuracy" / "cases" / "bank_loans.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for answer in case["gold"] if not case["history"] else ():
            if "steps" in answer:
                yield answer["steps"][0]


def with_nulls(contract: dict[str, Any], args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments as strict mode has them: what is left out is null."""
    return {name: args.get(name) for name in contract}


def test_every_gold_call_fits_the_tools_of_its_table() -> None:
    workspace = open_workspace([LOANS], load_settings())
    made = {
        each["function"]["name"]: each["function"]["parameters"]
        for each in openai_tools(workspace.contracts, workspace.scene.tables[0])
    }
    contracts = by_name(workspace.contracts)
    steps = list(first_steps())
    assert len(steps) > 50
    for step in steps:
        call = with_nulls(made[step["tool"]]["properties"], step["args"])
        jsonschema.validate(call, made[step["tool"]])
        assert call.keys() <= contracts[step["tool"]]["args"].keys()
    wrong = with_nulls(made["sort"]["properties"], {"by": "no_such", "descending": True})
    with pytest.raises(jsonschema.ValidationError, match="no_such"):
        jsonschema.validate(wrong, made["sort"])


def test_values_that_are_too_many_are_left_open() -> None:
    values = [f"v{number}" for number in range(600)]
    state = TableState(tuple(Column(name, "text", values=tuple(name + v for v in values)) for name in "ab"), LIMITS)
    [made] = [each for each in openai_tools(CONTRACTS, state) if each["function"]["name"] == "filter"]
    check_strict(made)
    properties = made["function"]["parameters"]["properties"]
    assert properties["column"] == {"type": "string", "enum": ["a", "b"]}
    assert properties["values"] == {"type": ["array", "null"], "items": {"type": "string"}}


def test_the_command_prints_them_for_one_table() -> None:
    done = tez("tools", LOANS, "--openai")
    assert (done.code, done.err) == (0, "")
    made = json.loads(done.out)
    assert len(made) > 15
    for each in made:
        check_strict(each)
    [only] = [each["function"]["parameters"] for each in made if each["function"]["name"] == "filter"]
    assert "viloyat" in only["properties"]["column"]["enum"]
    none = tez("tools", "--openai", "--lang", "ru")
    assert (none.code, "файл не указан" in none.err.lower()) == (4, True)
    several = tez("tools", LOANS, ROOT / "domains" / "shop_sales" / "sales.csv", "--openai")
    assert (several.code, several.out) == (4, "")
    assert "one table is wanted" in several.err.lower()
