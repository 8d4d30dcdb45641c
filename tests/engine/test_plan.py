"""Running plans: what is refused, what is left behind, and the questions that must keep their answers."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import BASE, SETTINGS, Contents, content_hash, make_table, opened, plans
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS

from engine import database
from engine.database import Connection, DatabaseError
from engine.plan import run_plan, shipped_contracts
from engine.tools import EXECUTORS, Made, Table
from grammar import TezError, ToolError

Step = dict[str, Any]
ROOT = Path(__file__).parents[2]


def step(tool: str, **args: Any) -> Step:
    return {"tool": tool, "args": args}


COUNT = step("group_and_total", agg="count")
LOANS = Contents(
    [
        ("viloyat", "VARCHAR"),
        ("valyuta", "VARCHAR"),
        ("qoldiq", "DECIMAL(18,2)"),
        ("qoldiq_uzs", "BIGINT"),
        ("izoh", "VARCHAR"),
    ],
    [
        ["Buxoro", "UZS", 100, 100, "a"],
        ["Navoiy", "USD", 2, 24, None],
        ["Farg'ona", "USD", 5, 60, ""],
        ["Buxoro", "USD", 1, 12, "b"],
        ["Xorazm", "UZS", 90, 90, "c"],
        ["Farg'ona", "UZS", 70, 70, "d"],
        ["Navoiy", "UZS", 3, 3, "e"],
        ["Xorazm", "EUR", None, None, "f"],
    ],
)
SUM = step("group_and_total", group_by=["viloyat"], value_column="qoldiq_uzs", agg="sum")
USD = step("filter", column="valyuta", op="=", value="usd")
TOP_3 = [("Farg'ona", 130), ("Buxoro", 112), ("Xorazm", 90)]


@pytest.fixture
def con() -> Connection:
    con = opened()
    make_table(con, LOANS)
    return con


def step_tables(con: Connection) -> list[str]:
    return [name for name in database.tables(con) if name.startswith("_step_")]


def run(con: Connection, *steps: Step, **more: Any) -> dict[str, Any]:
    return run_plan(con, BASE, steps, SETTINGS, contracts=CONTRACTS, **more)


def test_top_3_regions_in_one_step_and_in_two(con: Connection) -> None:
    group = {"columns": ["viloyat"], "agg": "sum"}
    one = run(con, step("top_n", by="qoldiq_uzs", n=3, descending=True, group=group))
    two = run(con, SUM, step("top_n", by="qoldiq_uzs", n=3, descending=True))
    assert one["rows"] == two["rows"] == TOP_3
    assert one["columns"] == two["columns"] == ["viloyat", "qoldiq_uzs"]


def test_top_3_loans_keep_all_columns(con: Connection) -> None:
    result = run(con, step("top_n", by="qoldiq_uzs", n=3, descending=True))
    assert result["columns"] == [name for name, _ in LOANS.columns]
    assert [row[3] for row in result["rows"]] == [100, 90, 70]


def test_a_currency_then_regions_then_the_table_again(con: Connection) -> None:
    assert len(run(con, USD)["rows"]) == 3
    assert run(con, USD, SUM)["rows"] == [("Buxoro", 12), ("Farg'ona", 60), ("Navoiy", 24)]
    assert run(con, SUM, step("top_n", by="qoldiq_uzs", n=3, descending=True))["rows"] == TOP_3


def test_what_a_run_returns(con: Connection) -> None:
    result = run(con, step("filter", column="VILOYAT", op="=", value="navoiy", values=None), COUNT)
    assert result == {
        "columns": ["count"],
        "kinds": ["number"],
        "rows": [(2,)],
        "row_count": 1,
        "artifacts": [],
        "evidence": [
            {"step": 1, "tool": "filter", "note": "rows", "rows_in": 8, "rows_out": 2},
            {"step": 2, "tool": "group_and_total", "note": "rows", "rows_in": 2, "rows_out": 1},
        ],
        "steps": [step("filter", column="viloyat", op="=", value="navoiy"), COUNT],
    }


def test_rows_up_to_a_number(con: Connection) -> None:
    result = run(con, step("sort", by="qoldiq_uzs", descending=False), max_rows=2)
    assert [row[3] for row in result["rows"]] == [3, 12]
    assert result["row_count"] == 8


def test_settings_may_be_the_mapping_of_the_file(con: Connection) -> None:
    values = json.loads((ROOT / "settings.json").read_text())
    values["tools"]["exact_text"] = True
    assert run_plan(con, BASE, [USD], values)["row_count"] == 0
    assert run_plan(con, BASE, [USD], dataclasses.asdict(SETTINGS))["row_count"] == 3


PIVOT = step("pivot", rows=["viloyat"], column="valyuta", value_column="qoldiq_uzs", agg="sum")


def test_a_pivot_after_a_filter_has_the_columns_of_what_is_left(con: Connection) -> None:
    assert run(con, PIVOT)["columns"] == ["viloyat", "UZS", "USD", "EUR"]
    assert run(con, step("remove_rows", column="valyuta", op="not_in", values=["eur", "usd"]), PIVOT)["rows"] == [
        ("Buxoro", 12, None), ("Farg'ona", 60, None), ("Navoiy", 24, None), ("Xorazm", None, None),
    ]  # fmt: skip
    assert run(con, USD, PIVOT)["columns"] == ["viloyat", "USD"]
    nothing = run(con, step("filter", column="valyuta", op="=", value="RUB"), PIVOT)
    assert (nothing["columns"], nothing["rows"]) == (["viloyat"], [])


def test_too_many_values_for_a_pivot(con: Connection) -> None:
    most = SETTINGS.grammar.pivot_columns
    make_table(con, Contents([("k", "VARCHAR"), ("ok", "BOOLEAN")], [[str(n), True] for n in range(most + 1)]))
    with pytest.raises(ToolError) as raised:
        run(con, step("pivot", rows=["ok"], column="k", agg="count"))
    assert raised.value.reason == "cannot_pivot"
    assert raised.value.facts["limit"] == most
    assert raised.value.facts["values"] == most + 1
    assert raised.value.allowed == ["ok"]


LINES = Contents([("id", "BIGINT"), ("tovar", "VARCHAR"), ("soni", "BIGINT")], [[1, "a", 1], [1, "b", 2], [2, "c", 3]])
ORDERS = Contents([("id", "BIGINT"), ("summa", "BIGINT"), ("kun", "DATE")], [[1, 100, "2024-01-05"], [2, 50, None]])
JOINS = {
    BASE: step("join_table", table="lines", column="id", other_column="id", how="inner"),
    "lines": step("join_table", table=BASE, column="id", other_column="id", how="left"),
}
SUMMA = step("group_and_total", value_column="summa", agg="sum")
RENAMED = step("add_column", name="x", left="summa", op="*", right=2)
WARNED: dict[str, tuple[list[Step], str | None]] = {
    "a total": ([SUMMA], "summa"),
    "an average": ([step("group_and_total", group_by=["tovar"], value_column="summa", agg="avg")], "summa"),
    "after other steps": ([step("sort", by="tovar", descending=True), SUMMA], "summa"),
    "of a column made from it": ([RENAMED, step("group_and_total", value_column="x", agg="sum")], "x"),
    "a ranking of groups": (
        [step("top_n", by="summa", n=1, descending=True, group={"columns": ["tovar"], "agg": "sum"})], "summa",
    ),
    "periods": ([step("period_compare", date_column="kun", period="day", value_column="summa", agg="sum")], "summa"),
    "a pivot": ([step("pivot", rows=["kun"], column="tovar", value_column="summa", agg="sum")], "summa"),
    "shares": ([step("add_share", value_column="summa")], "summa"),
    "the largest of equal ones is the same": ([step("group_and_total", value_column="summa", agg="max")], None),
    "a column whose cells stand there once": ([step("group_and_total", value_column="soni", agg="sum")], None),
    "a total of totals": (
        [step("group_and_total", group_by=["id"], value_column="summa", agg="max"), SUMMA], None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("base", JOINS)
@pytest.mark.parametrize(("steps", "column"), WARNED.values(), ids=WARNED)
def test_a_total_after_a_join_that_repeated_cells_carries_a_warning(
    con: Connection, base: str, steps: list[Step], column: str | None
) -> None:
    make_table(con, ORDERS)
    make_table(con, LINES, "lines")
    result = run_plan(con, base, [JOINS[base], *steps], SETTINGS)
    warnings = [(note["step"], note["column"]) for note in result["evidence"] if note["note"] == "repeated_values"]
    assert warnings == ([] if column is None else [(len(steps) + 1, column)])
    assert result["evidence"][0]["rows_out"] == 3


def test_a_join_of_single_rows_repeats_nothing(con: Connection) -> None:
    make_table(con, ORDERS)
    make_table(con, Contents([("n", "VARCHAR"), ("x", "BIGINT")], [["001", 5], ["7", 6]]), "other")
    join = step("join_table", table="other", column="id", other_column="n", how="left")
    for value in ("summa", "x"):
        total = run(con, join, step("group_and_total", value_column=value, agg="sum"))
        assert "repeated_values" not in [note["note"] for note in total["evidence"]]


REFUSED_PLANS = {
    "no steps": ([], "no_steps", None),
    "unknown tool": ([COUNT, step("drop_table")], "unknown_tool", 2),
    "a column that is gone": ([SUM, step("sort", by="qoldiq", descending=True)], "unknown_column", 2),
    "no step at all": ([COUNT, "SELECT 1"], "not_a_step", 2),
    "a tool that is a list": ([COUNT, {"tool": ["sort"], "args": {}}], "unknown_tool", 2),
    "a key too many": ([COUNT, {**COUNT, "table": BASE}], "unknown_key", 2),
    "a number of 3,000 figures": (
        [SUM, step("filter", column="qoldiq_uzs", op=">", value=10**3000)],
        "number_too_long",
        2,
    ),
    "not a number": ([SUM, step("filter", column="qoldiq_uzs", op=">", value=float("nan"))], "wrong_kind", 2),
    "a wrong kind after a right step": ([SUM, step("fix_dates", column="qoldiq_uzs")], "wrong_kind", 2),
}


@pytest.mark.parametrize(("steps", "reason", "number"), REFUSED_PLANS.values(), ids=REFUSED_PLANS.keys())
def test_a_plan_is_refused_before_anything_runs(
    con: Connection, steps: list[Any], reason: str, number: int | None
) -> None:
    run(con, SUM, keep_steps=True)
    with pytest.raises(ToolError) as raised:
        run(con, *steps, keep_as="kept")
    assert raised.value.reason == reason
    assert raised.value.step == number
    assert step_tables(con) == ["_step_1"], "the tables kept before are as they were"
    assert database.find_table(con, "kept") is None


REFUSED_BASES = ["_step_1", "_STEP_2", " _Step_x", "no such table", "file.csv", "SETTINGS", "sqlite_master", ""]


@pytest.mark.parametrize("base", REFUSED_BASES)
def test_bases_that_are_refused(con: Connection, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.csv").write_text("a\n1\n")
    database.execute(con, 'CREATE TABLE "_step_1" AS SELECT 1 AS a; CREATE TABLE " _Step_x" AS SELECT 1 AS a')
    with pytest.raises(ToolError) as raised:
        run_plan(con, base, [COUNT], SETTINGS)
    assert raised.value.reason == ("base_is_a_step" if "step" in base.lower() else "no_such_table")
    if raised.value.reason == "no_such_table":
        assert raised.value.allowed == [BASE]


REFUSED_NAMES = {
    "base": "name_is_taken",
    " BASE ": "name_is_taken",
    "other": "name_is_taken",
    "город": "name_is_taken",
    "sqlite_master": "name_is_taken",
    "": "blank_name",
    " \t": "blank_name",
    "_step_1": "step_name",
    "_STEP_result": "step_name",
}


@pytest.mark.parametrize(("name", "reason"), REFUSED_NAMES.items())
def test_names_that_a_result_cannot_have(con: Connection, name: str, reason: str) -> None:
    database.execute(con, 'CREATE TABLE other AS SELECT 1 AS a; CREATE VIEW "Город" AS SELECT 1 AS a')
    before = database.tables(con)
    with pytest.raises(ToolError) as raised:
        run(con, COUNT, keep_as=name)
    assert raised.value.reason == reason
    assert database.tables(con) == before


@pytest.mark.parametrize("name", ["natija", 'a"b; drop table base', "o'g'il\n😀"])
def test_a_result_with_a_lasting_name(con: Connection, name: str) -> None:
    run(con, SUM, keep_as=name)
    assert database.tables(con) == sorted([BASE, name])
    assert run_plan(con, name, [COUNT], SETTINGS)["rows"] == [(4,)]


def test_steps_are_gone_unless_they_are_kept(con: Connection) -> None:
    run(con, USD, SUM, COUNT)
    assert step_tables(con) == []
    run(con, USD, SUM, COUNT, keep_steps=True)
    assert step_tables(con) == ["_step_1", "_step_2", "_step_3"]
    run(con, SUM, keep_steps=True)
    assert step_tables(con) == ["_step_1"], "nothing is left of the longer plan before"
    assert len(database.query(con, "SELECT * FROM _step_1")) == 4
    run(con, SUM)
    assert step_tables(con) == []


def broken(error: BaseException | None) -> Any:
    def executor(table: Table, *, by: str, descending: bool) -> Made:
        if error is not None:
            raise error
        return Made("SELECT nothing FROM nowhere")

    return {**EXECUTORS, "sort": executor}


FAILURES = [
    (ToolError("too_many_periods", argument="period", found=9), ToolError),
    (KeyboardInterrupt(), KeyboardInterrupt),
    (ZeroDivisionError(), ZeroDivisionError),
    (None, DatabaseError),
]


@pytest.mark.parametrize(("error", "kind"), FAILURES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("keep_steps", [True, False])
@pytest.mark.parametrize("in_transaction", [True, False])
def test_steps_are_gone_after_a_failure(
    con: Connection, error: BaseException | None, kind: type[BaseException], keep_steps: bool, in_transaction: bool
) -> None:
    before = content_hash(con)
    if in_transaction:
        con.begin()
    steps = [SUM, step("sort", by="viloyat", descending=True)]
    with pytest.raises(kind) as raised:
        run(con, *steps, executors=broken(error), keep_steps=keep_steps, keep_as="kept")
    if in_transaction:
        con.rollback()
    assert database.tables(con) == [BASE]
    assert content_hash(con) == before
    if isinstance(raised.value, ToolError):
        assert raised.value.facts == {
            "step": 2, "tool": "sort", "argument": "period", "found": 9, "allowed": None,
        }  # fmt: skip


SETS = [
    "preserve_insertion_order = false",
    "default_order = 'desc'",
    "default_null_order = 'nulls_first'",
    "default_collation = 'nocase'",
    "ieee_floating_point_ops = false",
    "max_expression_depth = 20",
]
ANY_CONNECTION = Contents(
    [("k", "VARCHAR"), ("n", "DOUBLE"), ("d", "DATE")],
    [["b", 1, "2024-01-01"], ["A", 2, "2024-02-01"], ["a", 3, None], ["É", None, "2024-05-01"], [None, 2, None]],
)
ANY_STEPS = [
    step("sort", by="k", descending=True),
    step("sort", by="n", descending=False),
    step("group_and_total", group_by=["k"], value_column="n", agg="sum"),
    step("top_n", by="n", n=2, descending=True),
    step("top_n", by="n", n=2, descending=True, group={"columns": ["k"], "agg": "sum"}),
    step("period_compare", date_column="d", period="month", value_column="n", agg="avg"),
    step("unify_spelling", column="k"),
    step("remove_duplicates", columns=["k"]),
    step("remove_duplicates", columns=["n"]),
    step("filter", column="k", op="=", value="A"),
    step("fill_empty", column="n", method="previous"),
    step("fill_empty", column="k", method="most_common"),
    step("pivot", rows=["d"], column="k", value_column="n", agg="max"),
    step("add_share", value_column="n", group_by=["k"]),
    step("add_column", name="m", left="n", op="/", right=3),
    step("describe"),
]


@pytest.mark.parametrize("changed", SETS)
def test_any_connection_gives_the_same_answers(changed: str) -> None:
    usual, con = opened(), opened()
    for each in (usual, con):
        make_table(each, ANY_CONNECTION)
    database.execute(con, f"SET {changed}")
    name = changed.split(" ", 1)[0]
    before = database.query(con, f"SELECT current_setting('{name}')")
    for each_step in ANY_STEPS:
        assert run(con, each_step) == run(usual, each_step)
    with pytest.raises(ZeroDivisionError):
        run(con, step("sort", by="k", descending=True), executors=broken(ZeroDivisionError()))
    assert database.query(con, f"SELECT current_setting('{name}')") == before


def test_order_holds_over_many_rows_and_threads() -> None:
    con = opened()
    database.execute(con, "SET preserve_insertion_order = false; SET threads = 2")
    database.execute(con, "CREATE TABLE base AS SELECT (hash(i) % 1000000)::INT AS n, i FROM range(700000) AS t(i)")
    in_order = step("sort", by="n", descending=False)
    kept = [row[0] for row in run(con, in_order, step("filter", column="i", op=">", value=5))["rows"]]
    assert kept == sorted(kept)
    assert len(kept) == 699_994


WIDE_STEPS = {
    "share of all": step("add_share", value_column="n"),
    "share of groups": step("add_share", value_column="n", group_by=["k"]),
    "column": step("add_column", name="m", left="n", op="+", right=1),
    "join": step("join_table", table="other", column="k", other_column="k", how="inner"),
    "append": step("append_table", table="other"),
}


@pytest.mark.parametrize("each_step", WIDE_STEPS.values(), ids=WIDE_STEPS)
@pytest.mark.parametrize("copied_rows", [10**9, 0])
def test_new_columns_and_rows_keep_the_order_over_many_rows_and_threads(each_step: Step, copied_rows: int) -> None:
    con = opened()
    database.execute(con, "SET threads = 2")
    database.execute(
        con, "CREATE TABLE base AS SELECT i, (hash(i) % 1000)::INT AS n, i % 7 AS k FROM range(500000) r(i)"
    )
    database.execute(con, "CREATE TABLE other AS SELECT i + 500000 AS i, i AS k FROM range(7) AS r(i)")
    settings = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, copied_rows=copied_rows))
    run_plan(con, BASE, [each_step], settings, keep_as="made", evidence=False)
    ordered = "SELECT count(*) FILTER (i < before), count(*) FROM (SELECT i, lag(i) OVER () AS before FROM made)"
    assert database.query(con, ordered) == [(0, 500_007 if each_step["tool"] == "append_table" else 500_000)]


def test_the_collation_of_a_column_does_not_count(con: Connection) -> None:
    usual = opened()
    make_table(usual, ANY_CONNECTION)
    make_table(con, ANY_CONNECTION)
    database.execute(con, "ALTER TABLE base ALTER k TYPE VARCHAR COLLATE nocase")
    for each_step in ANY_STEPS:
        assert run(con, each_step) == run(usual, each_step)


def test_a_transaction_that_fails_keeps_what_its_caller_has_set(con: Connection) -> None:
    database.execute(con, "SET default_order = 'desc'")
    con.begin()
    with pytest.raises(DatabaseError):
        run(con, SUM, step("sort", by="viloyat", descending=True), executors=broken(None))
    with pytest.raises(DatabaseError, match="transaction"):
        database.query(con, "SELECT 1")
    con.rollback()
    assert database.query(con, "SELECT current_setting('default_order')") == [("DESC",)]


def test_dates_far_off_do_not_abort_a_transaction(con: Connection) -> None:
    database.execute(con, "CREATE TABLE far AS SELECT DATE '294247-01-10' AS d")
    con.begin()
    for period in ("day", "week", "month", "quarter", "year"):
        steps = [step("period_compare", date_column="d", period=period, agg="count")]
        assert run_plan(con, "far", steps, SETTINGS)["rows"] == []
    con.commit()


@pytest.mark.parametrize("sort", ["TABLE", "VIEW"])
def test_a_temporary_table_of_the_caller_is_left_alone(con: Connection, sort: str) -> None:
    database.execute(con, f'CREATE TEMP {sort} "_STEP_2" AS SELECT 42 AS a')
    assert run(con, SUM)["row_count"] == 4
    run(con, SUM, keep_steps=True)
    with pytest.raises(ToolError) as raised:
        run(con, SUM, COUNT)
    assert (raised.value.reason, raised.value.found) == ("step_name_is_taken", "_STEP_2")
    failing = broken(ToolError("too_many_periods", argument="period"))
    with pytest.raises(ToolError, match="too many"):
        run(con, step("sort", by="viloyat", descending=True), executors=failing)
    assert database.query(con, "SELECT a FROM _step_2") == [(42,)]
    assert step_tables(con) == []


WRONG_CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "base None": ({"base": None}, "not_a_name"),
    "base 5": ({"base": 5}, "not_a_name"),
    "keep_as 5": ({"keep_as": 5}, "not_a_name"),
    "keep_as list": ({"keep_as": ["a"]}, "not_a_name"),
    "steps None": ({"steps": None}, "not_a_plan"),
    "steps text": ({"steps": "filter"}, "not_a_plan"),
    "steps object": ({"steps": {"steps": []}}, "not_a_plan"),
    "steps number": ({"steps": 5}, "not_a_plan"),
    "no steps": ({"steps": iter([])}, "no_steps"),
    "a step of nothing": ({"steps": [None]}, "not_a_step"),
    "settings None": ({"settings": None}, "not_settings"),
    "max_rows text": ({"max_rows": "5"}, "wrong_value"),
}


@pytest.mark.parametrize(("arguments", "reason"), WRONG_CALLS.values(), ids=WRONG_CALLS.keys())
def test_a_wrong_call_is_explained(con: Connection, arguments: dict[str, Any], reason: str) -> None:
    call: dict[str, Any] = {"base": BASE, "steps": [COUNT], "settings": SETTINGS, **arguments}
    with pytest.raises(TezError) as raised:
        run_plan(con, **call)
    assert raised.value.reason == reason


def test_steps_may_come_one_by_one(con: Connection) -> None:
    result = run_plan(con, BASE, (each for each in (SUM, COUNT)), SETTINGS)
    assert result["rows"] == [(4,)]
    assert result["steps"] == [SUM, COUNT]


def test_a_lasting_table_called_like_a_step_is_left_alone(con: Connection) -> None:
    database.execute(con, 'CREATE TABLE "_step_1" AS SELECT 42 AS a')
    assert run(con, SUM, COUNT)["rows"] == [(4,)]
    assert database.query(con, 'SELECT a FROM "_step_1"') == [(42,)]


def test_the_base_may_be_a_view_and_have_any_name(con: Connection) -> None:
    name = 'koʻrinish "1"; drop table base'
    database.execute(con, f"""CREATE VIEW "{name.replace('"', '""')}" AS SELECT * FROM base WHERE valyuta = 'UZS'""")
    assert run_plan(con, name, [COUNT], SETTINGS)["rows"] == [(4,)]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Connection]:
    path = tmp_path / "loans.duckdb"
    writing = database.connect(SETTINGS.database, path)
    make_table(writing, LOANS)
    writing.close()
    reading = database.connect(SETTINGS.database, path, read_only=True)
    yield reading
    reading.close()


def test_a_read_only_database(read_only: Connection) -> None:
    assert run(read_only, SUM, COUNT)["rows"] == [(4,)]
    with pytest.raises(DatabaseError) as raised:
        run(read_only, SUM, keep_as="kept")
    assert raised.value.reason == "read_only"
    assert step_tables(read_only) == []


TOY: dict[str, Any] = {
    "name": "shout",
    "description": "Write a text column in capitals",
    "args": {"column": {"ref": "text_column"}, "mark": {"enum": ["!", "?"], "optional": True}},
    "effects": {"changes_values": ["column"]},
    "explain": {"uz": "{column}[ {mark}]", "ru": "{column}[ {mark}]", "en": "{column}[ {mark}]"},
}


def test_a_tool_is_one_contract_and_one_function(con: Connection) -> None:
    def shout(table: Table, *, column: str, mark: str = "") -> Made:
        louder = f"upper({table.cell(column)}) || '{mark}'"
        notes = [{"note": "shouted", "rows": table.rows}]
        select = f"SELECT {table.select_list({column: louder})} FROM {table.source} AS t"
        return Made(select, notes, [{"kind": "noise"}])

    result = run_plan(
        con,
        BASE,
        [USD, step("shout", column="viloyat", mark="!"), step("select_columns", columns=["viloyat"])],
        SETTINGS,
        contracts=[*CONTRACTS, TOY],
        executors={**EXECUTORS, "shout": shout},
    )
    assert result["rows"] == [("NAVOIY!",), ("FARG'ONA!",), ("BUXORO!",)]
    assert {"step": 2, "tool": "shout", "note": "shouted", "rows": 3} in result["evidence"]
    assert result["artifacts"] == [{"step": 2, "tool": "shout", "kind": "noise"}]
    with pytest.raises(ToolError, match="unknown tool"):
        run(con, step("shout", column="viloyat"))
    assert "shout" not in EXECUTORS


def test_the_shipped_contracts_are_those_of_the_tools() -> None:
    assert {contract["name"] for contract in shipped_contracts()} == set(EXECUTORS)


CON = opened()


@given(plans(), st.integers(0, 3), st.sampled_from(["tool", "column", "value", "args"]))
def test_a_plan_that_fails_leaves_the_base_as_it_was(
    example: tuple[Contents, list[Step]], place: int, fault: str
) -> None:
    contents, steps = example
    make_table(CON, contents)
    before = content_hash(CON)
    spoiled = json.loads(json.dumps(steps))
    target = spoiled[place % len(spoiled)]
    if fault == "tool":
        target["tool"] = "drop"
    elif fault == "column":
        target["args"] = dict.fromkeys(target["args"], "no such column") or {"columns": ["no such column"]}
    elif fault == "value":
        target["args"] = {name: {"$": 1} for name in target["args"]} or {"columns": 1}
    else:
        target["args"] = [target["args"]]
    with pytest.raises(TezError):
        run_plan(CON, BASE, spoiled, SETTINGS, contracts=CONTRACTS)
    assert content_hash(CON) == before
    assert step_tables(CON) == []
