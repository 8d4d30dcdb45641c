"""Plans that the step-by-step grammar lets somebody write: each one runs, and leaves what was computed."""

import json
import math

from databases import BASE, SETTINGS, Contents, content_hash, make_table, opened, tables
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
