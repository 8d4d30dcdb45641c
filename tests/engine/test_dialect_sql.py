"""Statements in the dialects of other databases, and `tez sql`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, tez
from databases import BASE, SETTINGS, Contents, make_table, opened
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS
from tool_cases import load_cases

from engine import database, plan_sql
from engine.dialect_error import DialectError
from engine.dialect_sql import OURS, dialects, transpiled

CON = opened()
ONE_OF_EACH = {case.tool: case for case in load_cases([each["name"] for each in CONTRACTS]) if case.expected}
PLAN: list[dict[str, Any]] = [
    {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}},
    {"tool": "top_n", "args": {"by": "qoldiq_uzs", "n": 3, "descending": True}},
]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"steps": PLAN}), encoding="utf-8")
    return path


@pytest.mark.parametrize("tool", sorted(ONE_OF_EACH))
def test_the_statement_of_every_tool_can_be_written_in_other_dialects(tool: str) -> None:
    case = ONE_OF_EACH[tool]
    database.drop(CON, database.tables(CON))
    make_table(CON, Contents(case.columns, case.rows))
    for name, other in case.others.items():
        make_table(CON, Contents([(column, kind) for column, kind in other["columns"]], other["rows"]), name)
    args = json.loads(json.dumps(case.args, default=float))
    statement = plan_sql(CON, BASE, [{"tool": tool, "args": args}], SETTINGS)
    for dialect in ("postgres", "clickhouse", "snowflake"):
        made = transpiled(statement, dialect)
        assert "SELECT" in made.text
        said = [line for line in made.text.splitlines() if line.startswith("-- ")]
        assert len(said) >= len(made.unsupported)


def test_what_a_dialect_cannot_say_is_said() -> None:
    made = transpiled("SELECT icu_sort_key(a, 'root'), last_value(a IGNORE NULLS) OVER (ORDER BY b) FROM t", "postgres")
    assert made.functions == ("icu_sort_key",)
    assert len(made.unsupported) == 1
    assert made.text.startswith(f"-- {made.unsupported[0]}\n-- Functions of DuckDB: icu_sort_key\nSELECT")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_values_survive_in_duckdbs_own_dialect(text: str) -> None:
    quoted = text.replace("'", "''")
    made = transpiled(f"SELECT '{quoted}' AS v", OURS)
    assert database.query(CON, made.text) == [(text,)]


def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(DialectError) as raised:
        transpiled("SELECT 1", "postgress")
    assert raised.value.facts == {"found": "postgress", "allowed": dialects()}
    assert "postgres" in dialects()


def test_tez_sql_prints_the_statement(plan: Path) -> None:
    done = tez("sql", LOANS, "--plan", plan)
    assert done.code == 0
    assert done.out.startswith("WITH filter_1 AS (\n")
    assert "FROM loans AS t" in done.out
    document = json.loads(tez("sql", LOANS, "--plan", plan, "--json").out)
    assert document == {"sql": done.out.rstrip("\n"), "dialect": "duckdb", "notes": []}


def test_tez_sql_says_what_a_dialect_lacks(plan: Path) -> None:
    sort = {"tool": "sort", "args": {"by": "valyuta", "descending": False}}
    plan.write_text(json.dumps([sort]), encoding="utf-8")
    done = tez("sql", LOANS, "--plan", plan, "--dialect", "postgres", "--lang", "ru")
    assert done.code == 0
    assert "icu_sort_key" in done.err
    assert "Функции DuckDB" in done.err
    assert done.out.startswith("-- Functions of DuckDB: ")
    document = json.loads(tez("sql", LOANS, "--plan", plan, "--dialect", "postgres", "--json").out)
    assert document["dialect"] == "postgres"
    assert [note["note"] for note in document["notes"]][-1] == "functions_of_duckdb"


@pytest.mark.parametrize(("dialect", "code"), [("nosql", 2), ("MySQL", 0)])
def test_tez_sql_and_names_of_dialects(plan: Path, dialect: str, code: int) -> None:
    done = tez("sql", LOANS, "--plan", plan, "--dialect", dialect)
    assert done.code == code
    assert ("postgres" in done.err) == (code == 2)


def test_sqlglot_is_loaded_for_dialects_alone() -> None:
    probe = "import sys, engine.commands, engine.statement; sys.exit('sqlglot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0
