"""A plan as one statement: it gives the table that the plan gives, whatever the tables are called and hold."""

import dataclasses
import json
import os
from typing import Any

import pytest
from databases import BASE, SETTINGS, Contents, content_hash, make_table, opened, tables
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from strategies import CONTRACTS, written_answers
from tool_cases import ToolCase, load_cases

from accuracy.compare import same_result
from engine import database, plan_sql, run_plan
from engine.profile import opened_scene, table_state
from grammar import AnswerMatcher, Scene

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "dev")
EXAMPLES = {"dev": 30, "check": 300, "soak": 5000}[PROFILE]
CASES = load_cases([contract["name"] for contract in CONTRACTS])
CON = opened()
OTHER = "o'ther"


def both_ways(steps: list[dict[str, Any]], base: str = BASE) -> tuple[dict[str, Any], list[tuple[Any, ...]], str]:
    """Return the result of a plan, the rows of its statement run in DuckDB, and the statement."""
    statement = plan_sql(CON, base, steps, SETTINGS)
    result = run_plan(CON, base, steps, SETTINGS)
    described = database.describe(CON, f"({statement})")
    assert [name for name, _ in described] == result["columns"], statement
    assert [database.kind_of(kind) for _, kind in described] == result["kinds"], statement
    with database.steady(CON):
        return result, database.query(CON, statement), statement


def agree(steps: list[dict[str, Any]]) -> None:
    """Both have the same rows in the same order."""
    result, rows, statement = both_ways(steps)
    assert same_result(result["rows"], rows, SETTINGS, ordered=True), statement


@pytest.mark.parametrize("case", [case for case in CASES if case.expected is not None], ids=str)
def test_the_statement_of_every_case_gives_its_table(case: ToolCase) -> None:
    database.drop(CON, database.tables(CON))
    make_table(CON, Contents(case.columns, case.rows))
    for name, other in case.others.items():
        make_table(CON, Contents([(column, kind) for column, kind in other["columns"]], other["rows"]), name)
    changed = dict(case.settings)
    if "spelling" in changed:
        changed["spelling"] = dataclasses.replace(SETTINGS.tools.spelling, **changed["spelling"])
    settings = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, **changed))
    steps = [{"tool": case.tool, "args": json.loads(json.dumps(case.args, default=float))}]
    result = run_plan(CON, BASE, steps, settings)
    with database.steady(CON):
        rows = database.query(CON, plan_sql(CON, BASE, steps, settings))
    assert same_result(result["rows"], rows, SETTINGS, ordered=True)


@examples(max_examples=EXAMPLES)
@given(st.data(), tables(), st.none() | tables(max_rows=5))
def test_the_statement_of_every_written_plan_gives_the_table_of_the_plan(
    data: st.DataObject, table: Contents, beside: Contents | None
) -> None:
    database.drop(CON, database.tables(CON))
    make_table(CON, table)
    states = [table_state(CON, BASE, SETTINGS)]
    if beside is not None:
        make_table(CON, beside, OTHER)
        states.append(table_state(CON, OTHER, SETTINGS))
    before = content_hash(CON)
    matcher = AnswerMatcher(CONTRACTS, Scene((opened_scene(states).tables[0],)))
    answer = json.loads(data.draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))
    agree(answer["steps"])
    assert content_hash(CON) == before
    assert set(database.tables(CON)) <= {BASE, OTHER}


SMALL = Contents([("city", "VARCHAR"), ("n", "BIGINT")], [["b", 2], ["a", None], ["B ", 5], [None, 2], ["temp", 1]])
KEEPING = [
    {"tool": "sort", "args": {"by": "n", "descending": True}},
    {"tool": "filter", "args": {"column": "city", "op": "not_empty"}},
]


@pytest.mark.parametrize(
    "name",
    ["totals", "t", "filter_2", "sort_1", "FROM", 'a"b', "it's", "memory", "periods", "ranks", "ўзбек", "current_date"],
)
def test_the_table_may_have_any_name(name: str) -> None:
    database.drop(CON, database.tables(CON))
    make_table(CON, SMALL, name)
    result, rows, statement = both_ways([*KEEPING, {"tool": "remove_duplicates", "args": {"columns": ["city"]}}], name)
    assert rows == result["rows"], statement
    dated = Contents([("d", "DATE"), ("n", "BIGINT")], [["2024-01-05", 1], ["2024-03-01", 2]])
    make_table(CON, dated, name)
    compare = {"tool": "period_compare", "args": {"date_column": "d", "period": "month", "agg": "count"}}
    result, rows, statement = both_ways([compare], name)
    assert rows == result["rows"], statement


def test_names_inside_of_values_stay() -> None:
    database.drop(CON, database.tables(CON))
    value = 'temp.main."_step_1" "memory"."main"."base"'
    make_table(CON, Contents([("c", "VARCHAR")], [[value], ["x"]]))
    same = {"tool": "filter", "args": {"column": "c", "op": "=", "value": value}}
    result, rows, statement = both_ways([same, same])
    assert rows == result["rows"] == [(value,)], statement


def test_the_statement_is_written_for_people() -> None:
    database.drop(CON, database.tables(CON))
    make_table(CON, SMALL)
    statement = both_ways(
        [*KEEPING[:1], {"tool": "chart", "args": {"kind": "bar", "x": "city", "y": "n"}}, *KEEPING[1:]]
    )[2]
    lines = statement.splitlines()
    assert lines[0] == "WITH sort_1 AS ("
    assert {"-- filter_3", "SELECT t.city, t.n", "FROM sort_1 AS t"} <= set(lines)
    assert "chart" not in statement
    assert "_step_" not in statement


def test_text_with_a_collation_compares_by_its_letters() -> None:
    database.drop(CON, database.tables(CON))
    database.execute(CON, f"CREATE TABLE {BASE} (c VARCHAR COLLATE NOCASE)")
    database.execute(CON, f"INSERT INTO {BASE} VALUES ('a'), ('A'), ('b')")
    result, rows, statement = both_ways([{"tool": "group_and_total", "args": {"group_by": ["c"], "agg": "count"}}])
    assert rows == result["rows"], statement
    assert len(rows) == 3
