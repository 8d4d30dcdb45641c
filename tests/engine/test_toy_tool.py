"""Adding a tool is one contract and one function: a toy goes through prompt, grammar, schema and engine."""

import json
from typing import Any

import pytest
from databases import SETTINGS, Contents, make_table, opened

from engine import run_plan
from engine.plan import shipped_contracts
from engine.profile import opened_scene, table_state
from engine.tools import EXECUTORS, Made, Table, executes, paired
from grammar import AnswerMatcher, ToolError, check_contracts, gbnf, json_schema, validate_answer
from prompt.build import tool_lines
from prompt.words import explain

REPEAT: dict[str, Any] = {
    "name": "repeat_rows",
    "description": "Write every row several times",
    "args": {"times": {"type": "integer", "minimum": 1}, "mark": {"ref": "text_column", "optional": True}},
    "effects": {"columns": [{"all": True}, {"name": "copy", "kind": "number"}]},
    "explain": {
        "uz": "Har bir qator {times} marta yozildi[, {mark}]",
        "ru": "Каждая строка записана {times} раза[, {mark}]",
        "en": "Wrote every row {times} times[, {mark}]",
    },
}


@executes("repeat_rows")
def repeat_rows(table: Table, *, times: int, mark: str | None = None) -> Made:
    """Repeat the rows, numbering the copies in a column `copy`."""
    return Made(f"SELECT {table.select_list()}, n.copy FROM {table.source} AS t, range({times}) AS n(copy)", [], [])


CONTRACTS = [*shipped_contracts(), REPEAT]
TOOLS = {**EXECUTORS, "repeat_rows": repeat_rows}
PLAN = [
    {"tool": "repeat_rows", "args": {"times": 3}},
    {"tool": "group_and_total", "args": {"group_by": ["copy"], "value_column": "n", "agg": "sum"}},
]


def test_the_toy_takes_part_in_everything() -> None:
    check_contracts(CONTRACTS)
    paired(CONTRACTS, TOOLS)
    con = opened()
    make_table(con, Contents([("a", "VARCHAR"), ("n", "BIGINT")], [["x", 1], ["y", 2]]))
    scene = opened_scene([table_state(con, "base", SETTINGS)])

    assert "- repeat_rows(times: integer, mark: text_column?): Write every row several times" in tool_lines(CONTRACTS)
    assert "peat_rows" in gbnf(CONTRACTS, scene)
    assert "repeat_rows" in json.dumps(json_schema(CONTRACTS, scene))

    text = json.dumps({"steps": PLAN}, separators=(",", ":"))
    assert AnswerMatcher(CONTRACTS, scene).accepts(text)
    validate_answer(CONTRACTS, scene, {"steps": PLAN})

    result = run_plan(con, "base", PLAN, SETTINGS, contracts=CONTRACTS, executors=TOOLS)
    assert result["rows"] == [(0, 3), (1, 3), (2, 3)]
    assert explain(REPEAT, {"times": 3}, "en") == "Wrote every row 3 times"


def test_without_its_contract_the_toy_is_refused() -> None:
    con = opened()
    make_table(con, Contents([("a", "VARCHAR"), ("n", "BIGINT")], []))
    with pytest.raises(ToolError) as caught:
        run_plan(con, "base", PLAN, SETTINGS)
    assert (caught.value.reason, caught.value.found) == ("unknown_tool", "repeat_rows")
