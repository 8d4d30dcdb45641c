"""The timing of plans: all ways give the same table, and the command prints them side by side."""

import json
from pathlib import Path

import pytest

from accuracy import BASE, same_result
from accuracy.__main__ import main
from accuracy.plans import WAYS, opened_table, ratios, sizes
from accuracy.timed_plans import timed_plans, way_of
from accuracy.typical_plans import PLANS, TypicalPlan
from engine import run_plan, sql
from engine.database import connect, execute, query
from engine.settings import load_settings

SETTINGS = load_settings()
COLUMNS = 22


@pytest.fixture(scope="module")
def path() -> Path:
    with opened_table(20000, COLUMNS, 1, SETTINGS) as made:
        yield made


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_a_plan_gives_the_table_of_its_statement(plan: TypicalPlan, path: Path) -> None:
    con = connect(SETTINGS.database)
    execute(con, f"ATTACH {sql.literal(str(path))} AS wide (READ_ONLY)")
    execute(con, f"CREATE VIEW {BASE} AS FROM wide.{BASE}")
    result = run_plan(con, BASE, plan.steps, SETTINGS)
    rows = query(con, plan.sql)
    assert rows
    assert same_result(result, rows, SETTINGS, ordered=False)
    frame = way_of("pandas", con, SETTINGS)(plan)
    assert (len(frame) if hasattr(frame, "__len__") else 1) == len(rows)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_does_every_plan(way: str, path: Path) -> None:
    found = timed_plans(way, path, SETTINGS)
    assert len(found["seconds"]) == len(PLANS)
    assert all(seconds > 0 for seconds in found["seconds"])
    assert found["memory"] > 0


def test_sizes_grow_tenfold() -> None:
    assert sizes(10_000_000) == [10_000, 100_000, 1_000_000, 10_000_000]
    assert sizes(5_000) == [5_000]


def test_the_command_prints_the_ways_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plans", "--rows", "1000", "--runs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["sizes"]) == ["1000"]
    assert set(found["sizes"]["1000"]["ways"]) == set(WAYS)
    assert {name: len(each) for name, each in found["sizes"]["1000"]["ratios"].items()} == dict.fromkeys(
        found["goals"], len(PLANS)
    )
    assert ratios([]) == {}
