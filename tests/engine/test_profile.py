"""The profile: facts that equal what DuckDB counts, problems with the tool that fixes each, sketches that say so."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, tez
from databases import BASE, SETTINGS, Contents, make_table, opened, tables
from hypothesis import example, given

from engine import database, sql
from engine.plan import run_plan, shipped_contracts
from engine.problems import TOOLS
from engine.profile import Profile, profile, table_state
from engine.settings import Settings
from engine.value_counts import listed_values
from grammar import by_name

CASES = json.loads((Path(__file__).parents[1] / "cases" / "profile.json").read_text("utf-8"))
SKETCHED = replace(SETTINGS, profile=replace(SETTINGS.profile, exact_rows=1, sample_rows=100_000, diverse_share=1e-9))


def numbered(cells: list[Any], column: str, duckdb_type: str) -> Contents:
    """Return a table of a column and one of its row numbers, so that no row stands there twice."""
    return Contents([("n", "BIGINT"), (column, duckdb_type)], [[place, cell] for place, cell in enumerate(cells)])


def profiled(table: Contents, settings: Settings = SETTINGS) -> Profile:
    con = opened()
    make_table(con, table)
    found = profile(con, BASE, settings)
    assert database.query(con, "SELECT count(*) FROM duckdb_tables() WHERE temporary") == [(0,)]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_problems_are_found(case: dict[str, Any]) -> None:
    found = profiled(numbered(case["cells"], case["column"], case.get("type", "VARCHAR")))
    problems = json.loads(json.dumps([each.as_json() for each in found.problems if each.column != "n"]))
    assert [{key: each[key] for key in wanted} for each, wanted in zip(problems, case["problems"], strict=False)] == (
        case["problems"]
    )
    assert len(problems) == len(case["problems"])
    assert all(each["column"] == case["column"] and not each["approximate"] for each in problems)


def test_every_tool_that_is_proposed_exists() -> None:
    assert set(TOOLS.values()) <= set(by_name(shipped_contracts()))


@pytest.mark.parametrize("settings", [SETTINGS, SKETCHED], ids=["exact", "sketched"])
def test_duplicate_rows_are_counted_as_the_tool_removes_them(settings: Settings) -> None:
    rows: list[list[Any]] = [[1, "a"], [1, "a"], [2, " "], [2, None], [2, None], [3, "a"]]
    con = opened()
    make_table(con, Contents([("n", "BIGINT"), ("t", "VARCHAR")], rows))
    (found,) = [each for each in profile(con, BASE, settings).problems if each.problem == "duplicate_rows"]
    kept = run_plan(con, BASE, [{"tool": "remove_duplicates", "args": {}}], SETTINGS)["row_count"]
    assert (found.cells, found.column, found.tool) == (len(rows) - kept, None, "remove_duplicates")


def expected(con: database.Connection, column: str, duckdb_type: str) -> tuple[Any, ...]:
    """Return filled and different cells and what else DuckDB says of a column directly."""
    value, kind = sql.value_of(sql.name(column), duckdb_type), database.kind_of(duckdb_type)
    low, high = (f"min({value})", f"max({value})") if kind in ("number", "date", "boolean") else ("NULL", "NULL")
    mean = f"avg(CAST({value} AS DOUBLE))" if kind == "number" else "NULL"
    text = sql.text(value, duckdb_type)
    lengths = f"min(length({text})), max(length({text}))" if kind == "text" else "NULL, NULL"
    statement = f"SELECT count({value}), count(DISTINCT {value}), {low}, {high}, {mean}, {lengths} FROM {BASE}"
    return database.query(con, statement)[0]


def rounding(low: Any, high: Any) -> float:
    """Return by how much two means may differ that add the same numbers in another order: a share of the largest."""
    return 1e-9 * max(1.0, abs(float(low)), abs(float(high)))


@given(tables())
@example(
    Contents(
        [("x", "DOUBLE"), *((f"t{i}", "VARCHAR") for i in range(4))],
        [[x, *[None] * 4] for x in (*[None] * 5, 1e308, -1e308, -1.5)],
    )
)
def test_facts_equal_what_is_counted_directly(table: Contents) -> None:
    con = opened()
    make_table(con, table)
    found = profile(con, BASE, SETTINGS)
    assert [facts.column for facts in found.columns] == [column for column, _ in table.columns]
    for facts, (column, _) in zip(found.columns, table.columns, strict=True):
        filled, distinct, low, high, mean, shortest, longest = expected(con, column, facts.type)
        assert (facts.filled, facts.empty, facts.distinct) == (filled, len(table.rows) - filled, distinct)
        assert (facts.low, facts.high, facts.shortest, facts.longest) == (low, high, shortest, longest)
        assert facts.mean == (mean if mean is None else pytest.approx(mean, rel=1e-9, abs=rounding(low, high)))
        assert sum(rows for _, rows in facts.frequent) <= filled
        assert facts.approximate == ()


@given(tables())
def test_of_what_is_sketched_only_what_is_marked_is_estimated(table: Contents) -> None:
    con = opened()
    make_table(con, table)
    exact, sketched = profile(con, BASE, SETTINGS), profile(con, BASE, SKETCHED)
    for one, other in zip(exact.columns, sketched.columns, strict=True):
        assert (one.filled, one.low, one.high) == (other.filled, other.low, other.high)
        assert (one.distinct == other.distinct) or "distinct" in other.approximate
        assert other.distinct <= other.filled


def large(rows: int) -> database.Connection:
    con = opened()
    database.execute(
        con,
        f"CREATE TABLE {BASE} AS SELECT i AS id, 'N' || i AS code, 'v' || (i % 60) AS few, 'v' || (i % 61) AS many, "
        f"CASE WHEN i % 10 = 0 THEN 'other' ELSE 'r' || i END AS skewed, "
        f"CASE WHEN i = {rows - 1} THEN 'x' ELSE 'a' END AS rare, "
        f"CASE WHEN i % 3 = 0 THEN 'Xiva' ELSE 'xiva' END AS city FROM range({rows}) AS r(i)",
    )
    return con


def test_listed_values_are_complete_whatever_the_size() -> None:
    con = large(50_000)
    small = replace(SETTINGS, profile=replace(SETTINGS.profile, exact_rows=1000, sample_rows=500, listed_values=60))
    values = {column.name: column.values for column in table_state(con, BASE, small).columns}
    assert {name for name, listed in values.items() if listed is not None} == {"few", "rare", "city"}
    assert sorted(values["few"] or ()) == sorted(f"v{number}" for number in range(60))
    assert values["rare"] == ("a", "x"), "a value that no sample holds"
    assert listed_values(con, BASE, small.profile)["rare"] == (("a", 49_999), ("x", 1))


def test_a_large_table_is_estimated_where_it_says_so_and_always_the_same() -> None:
    con = large(200_000)
    found = profile(con, BASE, SETTINGS)
    facts = {each.column: each for each in found.columns}
    assert {name for name, each in facts.items() if each.approximate} == {"id", "code", "skewed"}
    assert (facts["id"].low, facts["id"].high, facts["id"].mean) == (0, 199_999, 99_999.5)
    assert facts["code"].distinct == pytest.approx(200_000, rel=0.1)
    assert (facts["code"].shortest, facts["code"].longest, facts["code"].frequent) == (2, 7, ())
    assert (facts["few"].distinct, facts["rare"].frequent) == (60, (("a", 199_999),))
    ((value, rows),) = facts["skewed"].frequent
    assert (value, rows) == ("other", pytest.approx(20_000, rel=0.2))
    assert [(each.problem, each.column, each.approximate) for each in found.problems] == [("spellings", "city", False)]
    assert found == profile(con, BASE, SETTINGS)


def test_the_sample_leaves_a_table_of_its_name_alone() -> None:
    con = large(200_000)
    database.execute(con, "CREATE TABLE sample AS SELECT 1 AS a")
    profile(con, BASE, SETTINGS)
    profile(con, "sample", SETTINGS)
    assert database.query(con, "SELECT a FROM sample") == [(1,)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "uz",
            [
                "sonlar matn bo'lib turibdi",
                "Tuzatadi: fix_numbers.",
                "Takrorlangan qatorlar: 1 ta",
                "Bo'sh kataklar: Izoh (3)",
            ],
        ),
        ("ru", ["числа записаны текстом", "Исправит: fix_numbers.", "Повторы: 1 строка", "Пустые ячейки: Izoh (3)"]),
        ("en", ["numbers kept as text", "Fixed by: fix_numbers.", "already: 1.", "Empty cells: Izoh (3)"]),
    ],
)
def test_problems_are_said_with_their_tools(tmp_path: Path, language: str, said: list[str]) -> None:
    path = tmp_path / "dirty.csv"
    path.write_text("Narx;Izoh\n10;ha\n20;\n30;\n30;\nko'p;yo'q\n", "utf-8")
    done = tez("profile", path, "--lang", language)
    assert done.code == 0
    assert [text for text in said if text not in done.err] == []


def test_a_profile_says_what_columns_mean_and_holds_everything_as_json() -> None:
    (table,) = json.loads(tez("profile", LOANS, "--json").out)["tables"]
    column = next(each for each in table["columns"] if each["column"] == "qoldiq_uzs")
    assert "остаток" in column["meaning"]["phrases"]
    assert column["mean"] == pytest.approx(162_957_862, rel=1)
    assert {"shortest", "longest", "frequent", "approximate"} <= column.keys()
    assert "problems" in table
    assert "остаток" in tez("profile", LOANS, "--lang", "ru").out
