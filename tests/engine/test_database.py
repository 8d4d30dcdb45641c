"""Opening DuckDB, asking its catalogue, and its errors as ours."""

import dataclasses
import threading
import time
from pathlib import Path

import duckdb
import pytest
from databases import SETTINGS, opened

from engine import database
from engine.database import DatabaseError

KINDS = {
    "TINYINT": "number",
    "UHUGEINT": "number",
    "DECIMAL(18,3)": "number",
    "FLOAT": "number",
    "DATE": "date",
    "TIMESTAMP_NS": "date",
    "TIMESTAMP WITH TIME ZONE": "date",
    "VARCHAR": "text",
    "ENUM('a]', 'b')": "text",
    "UUID": "text",
    "BOOLEAN": "boolean",
    "TIME": "other",
    "INTERVAL": "other",
    "BLOB": "other",
    "JSON": "other",
    "DECIMAL(18,3)[]": "other",
    "ENUM('a')[]": "other",
    "STRUCT(a INTEGER)": "other",
}


@pytest.mark.parametrize(("duckdb_type", "kind"), KINDS.items())
def test_kinds(duckdb_type: str, kind: str) -> None:
    assert database.kind_of(duckdb_type) == kind


def test_no_extension_is_fetched() -> None:
    con = opened()
    names = "('autoinstall_known_extensions', 'autoload_known_extensions')"
    assert database.query(con, f"SELECT value FROM duckdb_settings() WHERE name IN {names}") == [("false",)] * 2


def test_limits_come_from_the_settings() -> None:
    con = database.connect(dataclasses.replace(SETTINGS.database, memory_limit="123MiB", threads=1))
    found = database.query(con, "SELECT current_setting('memory_limit'), current_setting('threads')")
    assert found == [("123.0 MiB", 1)]


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.write_text("no database at all, only some words that stand in a file" * 100)
    with pytest.raises(DatabaseError) as raised:
        database.connect(SETTINGS.database, path)
    assert raised.value.reason == "disk"
    assert "\n" not in raised.value.facts["detail"]


def families() -> list[type[duckdb.Error]]:
    return [each for each in vars(duckdb).values() if isinstance(each, type) and issubclass(each, duckdb.Error)]


@pytest.mark.parametrize("family", families(), ids=lambda family: family.__name__)
def test_every_error_of_duckdb_becomes_ours(family: type[duckdb.Error], monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def execute(self, statement: str) -> None:
            raise family(f"first line of {statement}\nsecond line")

    with pytest.raises(DatabaseError) as raised:
        database.execute(Failing(), "this")  # type: ignore[arg-type]
    assert raised.value.facts == {"detail": "first line of this"}


def test_errors_keep_their_sort() -> None:
    assert len(families()) > 20
    con = database.connect(dataclasses.replace(SETTINGS.database, memory_limit="20MB", threads=1))
    database.execute(con, "SET max_temp_directory_size = '0KB'")
    with pytest.raises(DatabaseError) as raised:
        database.query(con, "SELECT list(range || 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') FROM range(10000000)")
    assert raised.value.reason == "out_of_memory"


def test_another_thread_can_interrupt() -> None:
    con = opened()

    def interrupt() -> None:
        time.sleep(0.2)
        con.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(DatabaseError) as raised:
        database.query(con, "SELECT sum(a.range * b.range) FROM range(1000000) a, range(10000000) b")
    thread.join()
    assert raised.value.reason == "interrupted"


def test_ctrl_c_is_a_keyboard_interrupt() -> None:
    class Interrupted:
        def execute(self, statement: str) -> None:
            raise RuntimeError("Query interrupted")

    with pytest.raises(KeyboardInterrupt):
        database.query(Interrupted(), "SELECT 1")  # type: ignore[arg-type]


def test_tables_are_found_in_the_catalogue_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.csv").write_text("a\n1\n")
    con = opened()
    database.execute(con, 'CREATE TABLE "Город" AS SELECT 1 AS a; CREATE VIEW seen AS SELECT 2 AS b')
    database.execute(con, "CREATE SCHEMA other; CREATE TABLE other.hidden AS SELECT 3 AS c")
    frame = database.query(con, "SELECT 1")
    assert frame
    assert database.find_table(con, "город") == '"memory"."main"."Город"'
    assert database.find_table(con, "seen") == '"memory"."main"."seen"'
    for name in ("frame", "file.csv", "hidden", "sqlite_master", "main.seen", ""):
        assert database.find_table(con, name) is None
    assert database.tables(con) == ["hidden", "seen", "Город"]


RELIED_ON = [
    ("preserve_insertion_order", "false"),
    ("default_order", "DESC"),
    ("default_null_order", "NULLS_FIRST"),
    ("default_collation", "nocase"),
    ("ieee_floating_point_ops", "false"),
    ("max_expression_depth", "30"),
]


def in_force(con: database.Connection, name: str) -> tuple[str, str]:
    return database.query(con, f"SELECT lower(value), scope FROM duckdb_settings() WHERE name = '{name}'")[0]  # type: ignore[return-value]


@pytest.mark.parametrize(("name", "value"), RELIED_ON)
@pytest.mark.parametrize("scope", ["GLOBAL", "SESSION"])
@pytest.mark.parametrize("fails", ["not", "outside", "inside"])
def test_what_the_caller_has_set_is_put_aside_and_put_back(name: str, value: str, scope: str, fails: str) -> None:
    con = opened()
    usual = in_force(con, name)[0]
    database.execute(con, f"SET {scope} {name} = '{value}'")
    before = in_force(con, name)
    if fails == "inside":
        con.begin()

    def run() -> None:
        with database.steady(con):
            assert in_force(con, name)[0] in (usual, "asc")
            assert in_force(con.cursor(), name)[0] == (before[0] if scope == "GLOBAL" else usual)
            if fails != "not":
                database.query(con, "SELECT error('failed')")

    if fails == "not":
        run()
    else:
        with pytest.raises(DatabaseError, match="failed"):
            run()
    if fails == "inside":
        with pytest.raises(DatabaseError) as raised:
            database.query(con, "SELECT 1")
        assert raised.value.reason == "transaction", "the caller still has to roll back"
        con.rollback()
    assert in_force(con, name) == before


def test_a_configuration_that_is_locked() -> None:
    con = opened()
    database.execute(con, "SET lock_configuration = true")
    with database.steady(con):
        database.query(con, "SELECT 1")
    con = opened()
    database.execute(con, "SET default_order = 'DESC'; SET lock_configuration = true")
    with pytest.raises(DatabaseError) as raised, database.steady(con):
        pass
    assert (raised.value.reason, raised.value.facts) == ("settings_locked", {"names": ["default_order"]})


def test_temporary_tables_are_told_apart_by_their_mark() -> None:
    con = opened()
    database.execute(con, "CREATE TEMP TABLE a AS SELECT 1 AS x; CREATE TEMP VIEW v AS SELECT 1 AS x")
    database.execute(con, "CREATE TABLE own AS SELECT 1 AS x; COMMENT ON TABLE own IS 'mark'")
    assert database.make_temporary(con, "own", "SELECT 2 AS x", "mark") == 1
    database.make_temporary_view(con, "seen", "SELECT * FROM temp.main.own", "mark")
    assert database.taken_temporary(con, ["A", "V", "own", "seen", "none"], "mark") == ["a", "v"]
    database.drop_temporary(con, "mark", ["own"])
    assert database.tables(con) == ["a", "own", "v"]
    assert database.query(con, "SELECT x FROM own") == [(2,)]
    database.drop_temporary(con, "mark")
    assert database.query(con, "SELECT x FROM own") == [(1,)]


def test_a_temporary_table_comes_first() -> None:
    con = opened()
    database.execute(con, "CREATE TABLE t AS SELECT 1 AS a; CREATE TEMP TABLE t AS SELECT 2 AS a")
    assert database.find_table(con, "t") == '"temp"."main"."t"'


def test_a_column_without_a_type_is_what_a_table_makes_of_it() -> None:
    con = opened()
    database.execute(con, "CREATE VIEW v AS SELECT NULL AS x")
    assert database.describe(con, "v") == [("x", "INTEGER")]
    database.execute(con, "CREATE TABLE made AS SELECT * FROM v")
    assert database.describe(con, "made") == [("x", "INTEGER")]
