"""DuckDB files: their tables and views are opened without a copy, and the file is never written to."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine import database, sql
from engine.files import OpenedTable
from engine.paths import FileError
from engine.plan import run_plan
from engine.profile import profile, table_state
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()
HOLD = """
import duckdb, sys
con = duckdb.connect(sys.argv[1])
con.execute("CREATE TABLE t AS SELECT 1 AS a")
print("held", flush=True)
sys.stdin.read()
"""


def made(path: Path, *statements: str) -> Path:
    con = database.connect(SETTINGS.database, path)
    for statement in statements:
        database.execute(con, statement)
    con.close()
    return path


def opened(*paths: Path) -> tuple[database.Connection, list[OpenedTable]]:
    con = database.connect(SETTINGS.database)
    return con, open_sources(con, list(paths), SETTINGS.files)


@pytest.mark.parametrize("name", ["savdo.duckdb", "a b?#%41 [1]*.db", "o'q.duckdb", "nomsiz"])
def test_tables_and_views_are_opened_without_a_copy(tmp_path: Path, name: str) -> None:
    path = made(
        tmp_path / name,
        "CREATE TABLE savdo AS SELECT range AS n, CASE WHEN n % 2 = 0 THEN 'juft' ELSE 'toq' END AS tur FROM range(10)",
        "CREATE VIEW juftlar AS FROM savdo WHERE tur = 'juft'",
        "CREATE SCHEMA eski",
        "CREATE TABLE eski.SAVDO AS SELECT 1 AS a",
        'CREATE TABLE "o""q; --" (a DATE)',
    )
    before = path.read_bytes()
    con, tables = opened(path)
    assert [(table.name, table.rows) for table in tables] == [
        ("juftlar", 5),
        ('o"q; --', 0),
        ("savdo", 10),
        ("eski.SAVDO", 1),
    ]
    assert database.query(con, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'memory'") == [(0,)]
    step = {"tool": "group_and_total", "args": {"agg": "sum", "value_column": "n", "group_by": ["tur"]}}
    assert run_plan(con, "savdo", [step], SETTINGS)["rows"] == [("juft", 20), ("toq", 25)]
    assert run_plan(con, "juftlar", [step], SETTINGS)["rows"] == [("juft", 20)]
    assert profile(con, "savdo", SETTINGS).columns[0].filled == 10
    assert table_state(con, "savdo", SETTINGS).columns[1].values == ("juft", "toq")
    con.close()
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_nothing_can_be_written_to_the_file(tmp_path: Path) -> None:
    con, _ = opened(made(tmp_path / "x.duckdb", "CREATE TABLE t (a INTEGER)"))
    with pytest.raises(database.DatabaseError):
        database.execute(con, "INSERT INTO opened.main.t VALUES (1)")


def test_one_file_given_twice_is_opened_twice(tmp_path: Path) -> None:
    path = made(tmp_path / "x.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    assert [table.name for table in opened(path, path)[1]] == ["t", "t_2"]


def test_two_files_are_attached_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "y").mkdir()
    paths = [
        made(tmp_path / "x.duckdb", "CREATE TABLE t AS SELECT 1 AS a"),
        made(tmp_path / "y" / "x.duckdb", "CREATE TABLE t AS SELECT 2 AS a"),
    ]
    con, tables = opened(*paths)
    assert [database.query(con, f"FROM {sql.name(table.name)}") for table in tables] == [[(1,)], [(2,)]]


def test_a_view_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    con, (table,) = opened(
        made(
            tmp_path / "x.duckdb",
            "CREATE TABLE t AS SELECT 1 AS a",
            "CREATE TABLE gone (a INTEGER)",
            "CREATE VIEW v AS FROM gone",
            "DROP TABLE gone",
        )
    )
    (note,) = table.notes
    assert (table.name, note["note"], note["table"]) == ("t", "table_not_opened", "v")
    assert database.tables(con) == ["t"]


def test_a_file_without_tables_is_explained(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        opened(made(tmp_path / "x.duckdb"))
    assert caught.value.reason == "no_tables"


def test_a_damaged_file_is_explained(tmp_path: Path) -> None:
    path = made(tmp_path / "x.duckdb", "CREATE TABLE t AS FROM range(100000)")
    content = path.read_bytes()
    for damaged in (content[:100], content[:8192], content[:4096] + b"\xee" * (len(content) - 4096)):
        path.write_bytes(damaged)
        with pytest.raises(FileError) as caught:
            opened(path)
        assert caught.value.reason == "unreadable_table"


def test_a_file_that_another_process_holds_is_explained_with_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(FileError) as caught:
            opened(path)
        other.communicate()
    assert (caught.value.reason, caught.value.facts["process"]) == ("file_locked", str(other.pid))
    assert "python" in caught.value.facts["holder"]
