"""Real tables and views for the steps of a plan: the same answers either way, and nothing stays behind."""

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from databases import BASE, SETTINGS, Contents, make_table, opened, plans, state_of
from effort import FEWER
from hypothesis import given
from strategies import CONTRACTS

from accuracy import same_result
from engine import database, sql
from engine.database import Connection
from engine.plan import planned_steps, run_plan
from engine.profile import table_state
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
    known = [table_state(CON, BASE, SETTINGS)]
    knowing = run_plan(CON, BASE, steps, VIEWS, contracts=CONTRACTS, known=known)
    copied = run_plan(CON, BASE, steps, COPIES, contracts=CONTRACTS, known=known)
    assert same_result(knowing, copied, SETTINGS, ordered=True), "binary numbers may be added up in another order"
    assert repr(knowing["evidence"]) == repr(copied["evidence"])
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


@pytest.mark.parametrize("tool", ["filter", "group_and_total"])
def test_known_values_change_no_answer(tool: str) -> None:
    con = opened()
    spellings = ["A", "a ", "b", "", "  ", None]
    values = ", ".join(f"({sql.literal(each)}, {number})" for number, each in enumerate(spellings * 3))
    database.execute(con, f"CREATE TABLE base AS FROM (VALUES {values}) AS t(k, n)")
    known = [table_state(con, BASE, SETTINGS)]
    assert set(known[0].column("k").all_values() or ()) == {"A", "a ", "b"}
    steps = [step("filter", column="n", op=">", value=5), step("remove_rows", column="k", op="=", value="a")]
    if tool == "filter":
        steps = [step("filter", column="k", op="in", values=["a", "b", "c"]), steps[1]]
    for agg, column in (("sum", "n"), ("count", "n"), ("count", None), ("min", "n"), ("max", "k"), ("avg", "n")):
        more = {} if column is None else {"value_column": column}
        plan = [*steps[:1], step("group_and_total", group_by=["k"], agg=agg, **more)]
        answers = [
            run_plan(con, BASE, plan, settings, known=states) for settings in (COPIES, VIEWS) for states in (known, [])
        ]
        assert all(repr(answer) == repr(answers[0]) for answer in answers[1:])
        rows = run_plan(con, BASE, plan, VIEWS, known=known, evidence=False)["rows"]
        assert rows == answers[0]["rows"]


def test_a_filter_on_known_values_reads_no_row_to_find_its_spellings(con: Connection) -> None:
    known = [table_state(con, BASE, SETTINGS)]
    column = replace(known[0].column("k"), values=("zz",))
    told = [replace(known[0], columns=tuple(column if each.name == "k" else each for each in known[0].columns))]
    steps = [step("filter", column="k", op="=", value="a")]
    assert run_plan(con, BASE, steps, SETTINGS, known=known)["row_count"] == 4
    assert run_plan(con, BASE, steps, SETTINGS, known=told)["row_count"] == 0, "who says that he knows is believed"


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ('FROM "w""x"."my t"', True),
        ('SELECT * FROM "w""x".main."my t"', True),
        ('SELECT * FROM "w""x"."my t" WHERE a > 1', False),
        ('SELECT a FROM "w""x"."my t"', False),
        ('SELECT * FROM "w""x"."seen"', False),
        ("SELECT * FROM range(3)", False),
    ],
)
def test_a_view_of_a_whole_table_has_its_row_ids(made: str, place: bool, tmp_path: Path) -> None:
    con = opened()
    database.execute(con, f'ATTACH \'{tmp_path}/a.duckdb\' AS "w""x"')
    database.execute(con, 'CREATE TABLE "w""x"."my t" AS SELECT range AS a, range AS b FROM range(3)')
    database.execute(con, 'CREATE VIEW "w""x".seen AS FROM "w""x"."my t"')
    database.execute(con, f"CREATE VIEW base AS {made}")
    behind = database.table_behind(con, '"memory"."main"."base"')
    assert behind == ('"w""x"."main"."my t"' if place else None)
    name = database.describe(con, "base")[0][0]
    steps = [step("sort", by=name, descending=True)]
    rows = [row[0] for row in run_plan(con, BASE, steps, VIEWS)["rows"]]
    assert rows == ([2] if "WHERE" in made else [2, 1, 0])


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1.5", None])
def test_what_is_not_finite_is_empty_wherever_it_stands(number: str | None) -> None:
    con = opened()
    cells = ", ".join(f"({sql.literal(cell)}, {place})" for place, cell in enumerate(["2.5", number, "-3", None, "0"]))
    database.execute(con, f"CREATE TABLE base AS SELECT v::DOUBLE AS v, i FROM (VALUES {cells}) AS t(v, i)")
    plans = [
        [step("filter", column="v", op=op, value=0), step("group_and_total", value_column="v", agg="avg")]
        for op in (">", "<", "!=")
    ]
    plans += [[step("sort", by="v", descending=down)] for down in (True, False)]
    plans.append([step("top_n", by="v", n=2, descending=True), step("add_share", value_column="v")])
    plans.append([
        step("select_columns", columns=["i"]),
        step("add_column", name="v", left="i", op="/", right="i"),
        step("group_and_total", value_column="v", agg="count"),
    ])  # fmt: skip
    for steps in plans:
        copied, seen = (run_plan(con, BASE, steps, settings) for settings in (COPIES, VIEWS))
        assert repr(seen) == repr(copied)


def test_blank_text_among_the_groups_is_the_empty_group() -> None:
    con = opened()
    values = ", ".join(f"({sql.literal(cell)}, 1.5)" for cell in ["a", "", "b", None, "  ", "a"])
    for condition in ("TRUE", "k IS NULL OR k BETWEEN 'a' AND 'b'"):
        database.execute(con, f"CREATE OR REPLACE TABLE base AS FROM (VALUES {values}) AS t(k, v) WHERE {condition}")
        for agg in ("sum", "avg", "median", "count", "count_distinct"):
            steps = [step("group_and_total", group_by=["k"], value_column="v", agg=agg)]
            copied, seen = (run_plan(con, BASE, steps, settings) for settings in (COPIES, VIEWS))
            assert repr(seen) == repr(copied)
            assert [row[0] for row in seen["rows"]] == ["a", "b", None]


@pytest.mark.parametrize("bound", [9, 10, 11, 12])
@pytest.mark.parametrize("evidence", [True, False])
def test_a_result_of_few_rows_is_copied_and_one_of_many_is_not(con: Connection, bound: int, evidence: bool) -> None:
    database.execute(con, "INSERT INTO base SELECT id + 20 * range, n, k, v, unread FROM base, range(1, 10)")
    steps = [step("filter", column="id", op="<", value=bound), SORT, step("select_columns", columns=["k", "id"])]
    for settings in (COPIES, VIEWS, copying(100)):
        result = run_plan(con, BASE, steps, settings, max_rows=2, evidence=evidence)
        assert (result["rows"], result["row_count"]) == ([("a", 0), ("a", 5)], bound)
    assert database.tables(con) == [BASE]


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
