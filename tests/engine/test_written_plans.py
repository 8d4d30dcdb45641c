"""Plans that the step-by-step grammar lets somebody write: each one runs, and leaves what was computed."""

import dataclasses
import json
import math
from typing import Any

from databases import BASE, SETTINGS, SPELLINGS, Contents, content_hash, make_table, opened, tables
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, written_answers

from engine import database, run_plan, sql
from engine.paths import STEP_PREFIX
from engine.profile import opened_scene, table_state
from grammar import AnswerMatcher, TableState, by_name, state_after

BY_NAME = by_name(CONTRACTS)
CON = opened()


@given(st.data(), tables())
def test_every_written_plan_runs_and_leaves_the_computed_state(data: st.DataObject, table: Contents) -> None:
    make_table(CON, table)
    before = content_hash(CON)
    state = table_state(CON, BASE, SETTINGS)
    matcher = AnswerMatcher(CONTRACTS, opened_scene([state]))
    answer = json.loads(data.draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))
    result = run_plan(CON, BASE, answer["steps"], SETTINGS, keep_steps=True)
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
        args["values"] = draw(st.lists(texts, min_size=1, max_size=3))
    step = {"tool": draw(st.sampled_from(["filter", "remove_rows"])), "args": args}
    pivot = {"tool": "pivot", "args": {"rows": ["k"], "column": "c", "agg": "count"}}
    return Contents([("c", "VARCHAR"), ("k", "VARCHAR")], rows), step, pivot


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
