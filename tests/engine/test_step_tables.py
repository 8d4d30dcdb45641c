"""Real tables and views for the steps of a plan: the same answers either way, and nothing stays behind."""

import dataclasses
from typing import Any

import pytest
from databases import BASE, SETTINGS, Contents, make_table, opened, plans, state_of
from effort import FEWER
from hypothesis import given
from strategies import CONTRACTS

from engine import database
from engine.database import Connection
from engine.plan import planned_steps, run_plan
from engine.settings import Settings
from engine.step_tables import read_later
from engine.tools import EXECUTORS, Made, Table
from grammar import ToolError, by_name

Step = dict[str, Any]
CON = opened()


def copying(rows: int) -> Settings:
    return dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, copied_rows=rows))


COPIES, VIEWS = copying(10**9), copying(0)


def step(tool: str, **args: Any) -> Step:
    return {"tool": tool, "args": args}


def made(con: Connection, steps: list[Step], settings: Settings, **more: Any) -> dict[str, str]:
    """Return which steps are views and which are tables, and of which columns."""
    run_plan(con, BASE, steps, settings, contracts=CONTRACTS, keep_steps=True, **more)
    found = {}
    for name in database.tables(con):
        if name.startswith("_step_"):
            sort = "view" if database.is_view(con, name) else "table"
            found[name] = f"{sort} of {', '.join(column for column, _ in database.describe(con, name))}"
    return found


@FEWER
@given(plans())
def test_both_ways_give_the_same_answer(example: tuple[Contents, list[Step]]) -> None:
    contents, steps = example
    make_table(CON, contents)
    results = [run_plan(CON, BASE, steps, settings, contracts=CONTRACTS) for settings in (COPIES, VIEWS)]
    assert repr(results[0]) == repr(results[1])
    bounded = run_plan(CON, BASE, steps, VIEWS, contracts=CONTRACTS, max_rows=2)
    assert repr(bounded["rows"]) == repr(results[0]["rows"][:2])
    assert {key: bounded[key] for key in ("row_count", "evidence")} == {
        key: results[0][key] for key in ("row_count", "evidence")
    }
    silent = run_plan(CON, BASE, steps, VIEWS, contracts=CONTRACTS, evidence=False)
    assert silent["evidence"] == []
    assert repr(silent["rows"]) == repr(results[0]["rows"])
    assert database.tables(CON) == [BASE]


@pytest.fixture
def con() -> Connection:
    con = opened()
    database.execute(
        con,
        "CREATE TABLE base AS SELECT i AS id, i % 3 AS n, chr(97 + (i % 5)::INT) AS k, "
        "CASE WHEN i % 4 > 0 THEN i * 2 END AS v, 'x' AS unread FROM range(20) AS r(i)",
    )
    return con


FILTER, SORT = step("filter", column="n", op=">", value=0), step("sort", by="k", descending=False)
SUM = step("group_and_total", group_by=["k"], value_column="v", agg="sum")
FILL = step("fill_empty", column="v", method="value", value=0)
ALL = "id, n, k, v, unread"
LAID_OUT: dict[str, tuple[list[Step], dict[str, str]]] = {
    "keeping rows is a view": ([FILTER, SUM], {"_step_1": f"view of {ALL}", "_step_2": "table of k, v"}),
    "so is ordering them": ([SORT, SUM], {"_step_1": f"view of {ALL}", "_step_2": "table of k, v"}),
    "and a chain of these": (
        [FILTER, SORT, step("select_columns", columns=["v", "id"])],
        {"_step_1": f"view of {ALL}", "_step_2": f"view of {ALL}", "_step_3": "view of v, id"},
    ),
    "what no later step reads is left out": ([FILL, SUM], {"_step_1": "table of k, v", "_step_2": "table of k, v"}),
    "a view reads what it hands on": (
        [FILL, FILTER, SUM],
        {"_step_1": "table of n, k, v", "_step_2": "view of n, k, v", "_step_3": "table of k, v"},
    ),
    "duplicates in all columns read all": (
        [FILL, step("remove_duplicates"), SUM],
        {"_step_1": f"table of {ALL}", "_step_2": "table of k, v", "_step_3": "table of k, v"},
    ),
    "the result has all its columns": ([FILTER, FILL], {"_step_1": f"view of {ALL}", "_step_2": f"table of {ALL}"}),
    "counting rows reads no column": (
        [FILL, step("group_and_total", agg="count")],
        {"_step_1": "table of id", "_step_2": "table of count"},
    ),
    "after few groups every step is a table": (
        [SUM, step("sort", by="v", descending=True)],
        {"_step_1": "table of k, v", "_step_2": "table of k, v"},
    ),
}


@pytest.mark.parametrize(("steps", "expected"), LAID_OUT.values(), ids=LAID_OUT.keys())
def test_what_a_large_table_makes_of_steps(con: Connection, steps: list[Step], expected: dict[str, str]) -> None:
    assert made(con, steps, copying(10)) == expected
    assert set(made(con, steps, copying(20))) == set(expected)
    assert not any(database.is_view(con, name) for name in expected), "20 rows are copied"


def test_kept_views_show_what_the_steps_made(con: Connection) -> None:
    made(con, [FILTER, SORT, SUM], VIEWS)
    first, second = (database.query(con, f"SELECT * FROM _step_{number}") for number in (1, 2))
    assert [row[0] for row in first] == [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19]
    assert [row[2] for row in second] == sorted(row[2] for row in first)
    assert database.query(con, "SELECT sum(v) FROM _step_3") == database.query(con, "SELECT sum(v) FROM _step_1")
    run_plan(con, BASE, [SUM], SETTINGS)
    assert database.tables(con) == [BASE]


def test_ties_keep_the_order_of_the_opened_table(con: Connection) -> None:
    steps = [FILTER, step("sort", by="n", descending=True), step("top_n", by="k", n=6, descending=False)]
    for settings in (COPIES, VIEWS):
        result = run_plan(con, BASE, steps, settings)
        assert [row[:3] for row in result["rows"]] == [
            (5, 2, "a"), (10, 1, "a"), (11, 2, "b"), (1, 1, "b"), (16, 1, "b"), (2, 2, "c"),
        ]  # fmt: skip


@pytest.mark.parametrize("name", ["rowid", "ROWID", "place", "Place"])
def test_columns_may_be_called_like_what_orders_rows(name: str) -> None:
    con = opened()
    database.execute(con, f"CREATE TABLE base AS SELECT 9 - i AS {name}, 'a' AS k FROM range(9) AS r(i)")
    steps = [
        step("filter", column=name, op=">", value=3),
        step("sort", by="k", descending=True),
        step("top_n", by="k", n=2, descending=True),
    ]
    for settings in (COPIES, VIEWS):
        result = run_plan(con, BASE, steps, settings)
        assert (result["columns"], result["rows"]) == ([name, "k"], [(9, "a"), (8, "a")])


def test_a_view_as_base_keeps_its_order(con: Connection) -> None:
    database.execute(con, "CREATE VIEW turned AS SELECT * FROM base ORDER BY id DESC")
    steps = [FILTER, step("sort", by="n", descending=False)]
    for settings in (COPIES, VIEWS):
        result = run_plan(con, "turned", steps, settings, max_rows=3)
        assert [row[0] for row in result["rows"]] == [19, 16, 13]
        assert result["row_count"] == 13


def test_nothing_stays_behind_when_a_step_on_views_fails(con: Connection) -> None:
    steps = [FILTER, SORT, step("period_compare", date_column="d", period="day", agg="count")]
    database.execute(con, "ALTER TABLE base ADD COLUMN d DATE; UPDATE base SET d = DATE '0001-01-01' + id::INT * 90000")
    with pytest.raises(ToolError, match="too many periods"):
        run_plan(con, BASE, steps, VIEWS, keep_steps=True)
    assert database.tables(con) == [BASE]


def test_a_result_of_views_can_be_kept(con: Connection) -> None:
    result = run_plan(con, BASE, [FILTER, SORT], VIEWS, keep_as="kept", max_rows=1)
    assert (len(result["rows"]), result["row_count"]) == (1, 13)
    assert database.tables(con) == [BASE, "kept"]
    assert not database.is_view(con, "kept")
    assert [name for name, _ in database.describe(con, "kept")] == ALL.split(", ")
    assert run_plan(con, "kept", [SUM], SETTINGS)["rows"] == run_plan(con, BASE, [FILTER, SUM], SETTINGS)["rows"]


def test_an_executor_of_which_nothing_is_known_gets_and_makes_all_columns(con: Connection) -> None:
    def same(table: Table, *, column: str, method: str, value: Any = None) -> Made:
        assert list(table.columns) == ALL.split(", ")
        return Made(f"SELECT {table.select_list()} FROM {table.source} AS t")

    executors = {**EXECUTORS, "fill_empty": same}
    assert made(con, [FILTER, FILL], VIEWS, executors=executors)["_step_2"] == f"table of {ALL}"


def test_what_is_read_later_is_computed_backwards() -> None:
    state = state_of(Contents([(name, "BIGINT") for name in "abcd"], []))
    steps = [FILL | {"args": {**FILL["args"], "column": "a"}}, step("sort", by="b", descending=True)]
    steps.append(step("top_n", by="c", n=1, descending=True, group={"columns": ["d"], "agg": "sum"}))
    contracts = by_name(CONTRACTS)
    assert read_later(contracts, list(planned_steps(contracts, state, steps)), EXECUTORS) == [
        {"b", "c", "d"}, {"c", "d"}, None,
    ]  # fmt: skip
