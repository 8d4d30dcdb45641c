"""Plans that the step-by-step grammar lets somebody write: each one runs, and leaves what was computed."""

import dataclasses
import json
import math
from typing import Any

from databases import BASE, SETTINGS, SPELLINGS, Contents, content_hash, make_table, opened, tables
from effort import FEWER
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, written_answers

from engine import database, run_plan, sql
from engine.paths import STEP_PREFIX
from engine.profile import opened_scene, table_state
from grammar import AnswerMatcher, Scene, TableState, by_name, state_after, table_argument

BY_NAME = by_name(CONTRACTS)
OTHER = "o'ther"
PASSING = {"tool": "remove_duplicates", "args": {}}
CON = opened()


def same_either_way(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a plan over real tables, whose steps are kept; over views it is the same."""
    views = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, copied_rows=0))
    over_views = run_plan(CON, BASE, steps, views)
    result = run_plan(CON, BASE, steps, SETTINGS, keep_steps=True)
    assert repr(over_views) == repr(result)
    return result


@given(st.data(), tables(), st.none() | tables(max_rows=5))
def test_every_written_plan_runs_and_leaves_the_computed_state(
    data: st.DataObject, table: Contents, beside: Contents | None
) -> None:
    make_table(CON, table)
    database.drop(CON, [OTHER])
    states = [table_state(CON, BASE, SETTINGS)]
    if beside is not None:
        make_table(CON, beside, OTHER)
        states.append(table_state(CON, OTHER, SETTINGS))
    before = content_hash(CON)
    state = opened_scene(states).tables[0]
    matcher = AnswerMatcher(CONTRACTS, Scene((state,)))
    answer = json.loads(data.draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))
    result = same_either_way(answer["steps"])
    for number, step in enumerate(answer["steps"], 1):
        state = state_after(BY_NAME[step["tool"]], state, step["args"])
        assert_is_state_of(f"{STEP_PREFIX}{number}", state)
    if answer["steps"][-1]["tool"] in ("group_and_total", "period_compare"):
        assert all(math.isfinite(row[-1]) for row in result["rows"] if isinstance(row[-1], float))
    assert content_hash(CON) == before


@st.composite
def narrowed(draw: st.DrawFn) -> tuple[Contents, dict[str, Any], dict[str, Any]]:
    """A table of spellings, a step that may narrow the values of its column, and a pivot over that column."""
    texts = st.sampled_from([*SPELLINGS, "\u200bgorod", "\u0130", "i", "I"])
    rows = draw(st.lists(st.tuples(st.none() | texts, st.sampled_from("ab")).map(list), max_size=8))
    op = draw(st.sampled_from(["=", "!=", "in", "not_in", "is_empty", "not_empty"]))
    args: dict[str, Any] = {"column": "c", "op": op}
    if op in ("=", "!="):
        args["value"] = draw(texts.filter(bool))
    elif op in ("in", "not_in"):
        args["values"] = draw(st.lists(texts.filter(bool), min_size=1, max_size=3))
    step = {"tool": draw(st.sampled_from(["filter", "remove_rows"])), "args": args}
    pivot = {"tool": "pivot", "args": {"rows": ["k"], "column": "c", "agg": "count"}}
    return Contents([("c", "VARCHAR"), ("k", "VARCHAR")], rows), step, pivot


@FEWER
@given(narrowed(), st.booleans())
def test_no_row_is_lost_between_a_filter_and_a_pivot(
    example: tuple[Contents, dict[str, Any], dict[str, Any]], exact: bool
) -> None:
    contents, step, pivot = example
    make_table(CON, contents)
    settings = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, exact_text=exact))
    kept = run_plan(CON, BASE, [step], settings)["rows"]
    spread = run_plan(CON, BASE, [step, pivot], settings)
    assert "values_left_out" not in [note["note"] for note in spread["evidence"]]
    counted = sum(cell for row in spread["rows"] for cell in row[1:])
    assert counted == sum(1 for cell, _ in kept if cell is not None and cell.strip(sql.BLANKS))


@FEWER
@given(st.data(), tables(), tables(max_rows=5))
def test_every_written_join_and_append_leaves_the_computed_state(
    data: st.DataObject, table: Contents, beside: Contents
) -> None:
    make_table(CON, table)
    make_table(CON, beside, OTHER)
    state = opened_scene([table_state(CON, each, SETTINGS) for each in (BASE, OTHER)]).tables[0]
    two_tables = [contract for contract in CONTRACTS if table_argument(contract)]
    matcher = AnswerMatcher(two_tables, Scene((state,)))
    answer = json.loads(data.draw(written_answers(matcher)))
    same_either_way(answer.get("steps", [PASSING]))
    for number, step in enumerate(answer.get("steps", []), 1):
        state = state_after(BY_NAME[step["tool"]], state, step["args"])
        assert_is_state_of(f"{STEP_PREFIX}{number}", state)


def assert_is_state_of(table: str, state: TableState) -> None:
    """Compare a state with what DuckDB says of a table: names, kinds, and no value outside the known ones."""
    described = database.describe(CON, sql.name(table))
    made = [(name, database.kind_of(duckdb_type)) for name, duckdb_type in described]
    assert made == [(column.name, column.kind) for column in state.columns]
    for column in state.columns:
        if column.values is not None:
            cell = sql.value_of(sql.text(sql.name(column.name), dict(described)[column.name]), "VARCHAR")
            found = database.query(CON, f"SELECT DISTINCT {cell} FROM {sql.name(table)}")
            assert {value for (value,) in found if value is not None} <= set(column.values)
