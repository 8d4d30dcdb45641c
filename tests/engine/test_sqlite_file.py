"""SQLite files: every table arrives with types by its values, nothing is lost, the file is never written to."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from engine import database, sqlite_file
from engine.files import OpenedTable
from engine.paths import FileError
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as source:
        for statement in statements:
            source.execute(statement)
        source.commit()
    return path


def opened(path: Path) -> tuple[database.Connection, list[OpenedTable]]:
    con = database.connect(SETTINGS.database)
    return con, open_sources(con, [path], replace(SETTINGS.files, batch_rows=2))


def column(folder: Path, declared: str, values: str) -> tuple[str, list[Any], list[dict[str, Any]]]:
    path = made(folder / "x.db", f'CREATE TABLE t ("Ўй" {declared})', f"INSERT INTO t VALUES {values}")
    con, (table,) = opened(path)
    ((_, kind),) = database.describe(con, "t")
    return kind, [value for (value,) in database.query(con, "FROM t")], table.notes


@pytest.mark.parametrize(
    ("declared", "values", "kind", "cells"),
    [
        ("INTEGER", "(1), (NULL), (-3)", "BIGINT", [1, None, -3]),
        ("INTEGER", "(9223372036854775807)", "BIGINT", [9223372036854775807]),
        ("REAL", "(1), (2.5)", "DOUBLE", [1.0, 2.5]),
        ("", "(1), (2.5)", "DOUBLE", [1.0, 2.5]),
        ("", "(9223372036854775807), (0.5)", "VARCHAR", ["9223372036854775807", "0.5"]),
        ("", "(45658), (45658.0), ('x')", "VARCHAR", ["45658", "45658", "x"]),
        ("DECIMAL(10,2)", "(1.25), (2)", "DOUBLE", [1.25, 2.0]),
        ("TEXT", "('007'), ('012')", "VARCHAR", ["007", "012"]),
        ("BOOLEAN", "(1), (0), (NULL)", "BOOLEAN", [True, False, None]),
        ("BOOLEAN", "(1), (2)", "BIGINT", [1, 2]),
        ("DATE", "('2024-01-31'), ('2024-02-29')", "DATE", [date(2024, 1, 31), date(2024, 2, 29)]),
        ("DATETIME", "('2024-01-31 10:00:00')", "TIMESTAMP", [datetime(2024, 1, 31, 10)]),
        ("DATE", "('2024-01-31'), ('kecha')", "VARCHAR", ["2024-01-31", "kecha"]),
        ("BLOB", "(x'00ff')", "BLOB", [b"\x00\xff"]),
        ("BLOB", "(x'00ff'), ('a')", "VARCHAR", ["00ff", "a"]),
        ("TEXT", "('a' || char(0) || 'b')", "VARCHAR", ["a\0b"]),
        ("TEXT", "(NULL)", "VARCHAR", [None]),
        ("REAL", "(9e999), (1.5)", "DOUBLE", [float("inf"), 1.5]),
    ],
)
def test_types_come_from_the_values(tmp_path: Path, declared: str, values: str, kind: str, cells: list[Any]) -> None:
    assert column(tmp_path, declared, values)[:2] == (kind, cells)


def test_a_mixed_column_and_broken_text_are_noted(tmp_path: Path) -> None:
    _, cells, notes = column(tmp_path, "", "(1), ('a'), (CAST(x'cff0e8' AS TEXT))")
    assert cells == ["1", "a", "\\xcf\\xf0\\xe8"]
    assert notes == [
        {"note": "mixed_column", "column": "Ўй", "cells": 3, "others": 1},
        {"note": "broken_text", "column": "Ўй", "cells": 1},
    ]


@pytest.mark.parametrize("name", ["savdo.sqlite", "a b?#%41 [1]*.db", "o'q.sqlite3", "nomsiz"])
def test_every_table_is_opened_and_the_file_stays_as_it_was(tmp_path: Path, name: str) -> None:
    path = made(
        tmp_path / name,
        'CREATE TABLE "mijoz ""x""; --" (a, "A b")',
        "CREATE TABLE _step_1 (a)",
        "CREATE TABLE bosh (a INTEGER, b AS (a + 1))",
        "INSERT INTO bosh VALUES (1), (2), (3), (4), (5)",
        "CREATE VIEW v AS SELECT 1",
    )
    before = path.read_bytes()
    con, tables = opened(path)
    assert [table.name for table in tables] == ["table_step_1", "bosh", 'mijoz "x"; --', "v"]
    assert [table.rows for table in tables] == [0, 5, 0, 1]
    assert database.query(con, "FROM bosh") == [(n, n + 1) for n in range(1, 6)]
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_file_without_tables_is_explained(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        opened(made(tmp_path / "x.db", "CREATE TABLE t (a)", "DROP TABLE t"))
    assert caught.value.reason == "no_tables"


def test_views_and_tables_of_every_sort_are_opened(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db",
        "CREATE TABLE kod (k TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID",
        "INSERT INTO kod VALUES ('b', 2), ('a', 1)",
        "CREATE TABLE qat (n INTEGER, s TEXT) STRICT",
        "INSERT INTO qat VALUES (1, 'x')",
        'CREATE VIEW "jami ""x""" AS SELECT sum(n) AS jami, count(*) FROM kod',
        "CREATE TABLE gone (a)",
        "CREATE VIEW siniq AS SELECT a FROM gone",
        "DROP TABLE gone",
        "CREATE VIRTUAL TABLE izlash USING fts5 (matn)",
        "INSERT INTO izlash VALUES ('salom')",
    )
    before = path.read_bytes()
    con, tables = opened(path)
    assert [table.name for table in tables] == ["kod", "qat", "izlash", 'jami "x"']
    assert database.query(con, "FROM kod") == [("a", 1), ("b", 2)]
    assert database.query(con, "FROM qat") == [(1, "x")]
    assert database.query(con, 'FROM "jami ""x"""') == [(3, 2)]
    assert database.query(con, "FROM izlash") == [("salom",)]
    assert [name for name, _ in database.describe(con, '"jami ""x"""')] == ["jami", "count(*)"]
    (note,) = tables[0].notes
    assert (note["note"], note["table"]) == ("table_not_opened", "siniq")
    assert path.read_bytes() == before


def test_a_file_with_nothing_that_can_be_read_says_why(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "CREATE TABLE gone (a)", "CREATE VIEW v AS SELECT a FROM gone", "DROP TABLE gone")
    with pytest.raises(FileError) as caught:
        opened(path)
    assert caught.value.reason == "no_tables"
    assert "gone" in caught.value.facts["detail"]


def test_rows_that_come_while_a_file_is_read_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "x.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)")
    read = sqlite_file._rows

    def written_meanwhile(*arguments: Any) -> Any:
        made(path, "INSERT INTO t VALUES ('x')")
        return read(*arguments)

    monkeypatch.setattr(sqlite_file, "_rows", written_meanwhile)
    con, _ = opened(path)
    assert database.query(con, "FROM t") == [(1,), (2,)]


def test_a_locked_file_is_explained(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "CREATE TABLE t (a)")
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(FileError) as caught:
            opened(path)
    assert caught.value.reason == "sqlite_locked"


def test_a_damaged_file_is_explained_and_leaves_no_table(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db",
        "CREATE TABLE a (n)",
        "CREATE TABLE b (n)",
        "INSERT INTO b SELECT value FROM (WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c "
        "WHERE value < 5000) SELECT value FROM c)",
    )
    content = bytearray(path.read_bytes())
    content[3 * 4096 :] = b"\xee" * (len(content) - 3 * 4096)
    path.write_bytes(content)
    con = database.connect(SETTINGS.database)
    with pytest.raises(FileError) as caught:
        open_sources(con, [path], SETTINGS.files)
    assert caught.value.reason == "unreadable_table"
    assert database.tables(con) == []


def test_a_file_that_is_no_database_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"no database at all")
    with pytest.raises(FileError) as caught:
        opened(path)
    assert caught.value.reason == "no_database"
