"""Text columns of sources with types: dates are read where the file is copied, kinds where a person names them."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tables_in_files import SETTINGS

from engine import database, sql
from engine.load_options import AS_FOUND, LoadOptions
from engine.sources import open_sources

ROWS = [("31.01.2025", "301234567", 7, 1.5), ("01.02.2025", None, 8, 2.0)]
AS_TEXT = [("d", "VARCHAR"), ("k", "VARCHAR"), ("n", "BIGINT"), ("x", "DOUBLE")]
WITH_DATES = [("d", "DATE"), *AS_TEXT[1:]]


def sqlite(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / "f.db")) as con:
        con.execute("CREATE TABLE t (d TEXT, k TEXT, n INTEGER, x REAL)")
        con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        con.commit()
    return folder / "f.db"


def duckdb(folder: Path) -> Path:
    con = database.connect(SETTINGS.database, folder / "f.duckdb")
    database.execute(con, "CREATE TABLE t (d TEXT, k TEXT, n BIGINT, x DOUBLE)")
    for row in ROWS:
        database.execute(con, f"INSERT INTO t VALUES ({', '.join(map(sql.literal, row))})")
    con.close()
    return folder / "f.duckdb"


def parquet(folder: Path) -> Path:
    source = duckdb(folder)
    con = database.connect(SETTINGS.database, source)
    path = folder / "t.parquet"
    database.execute(con, f"COPY t TO {sql.literal(str(path))} (FORMAT parquet)")
    con.close()
    return path


@pytest.mark.parametrize(
    ("made", "types", "expected"),
    [
        (sqlite, {}, WITH_DATES),
        (duckdb, {}, AS_TEXT),
        (parquet, {}, AS_TEXT),
        *((made, {"D": "date"}, WITH_DATES) for made in (sqlite, duckdb, parquet)),
        *((made, {"K": "number"}, None) for made in (sqlite, duckdb, parquet)),
        *((made, {"n": "text", "х": "text", "d": "text"}, None) for made in (sqlite, duckdb, parquet)),
        *((made, {"n": "number"}, None) for made in (sqlite, duckdb, parquet)),
    ],
)
def test_kinds_are_read_where_they_are_found_or_named(
    tmp_path: Path, made: Any, types: dict[str, Any], expected: list[tuple[str, str]] | None
) -> None:
    con = database.connect(SETTINGS.database)
    (table,) = open_sources(con, [made(tmp_path)], SETTINGS.files, options=LoadOptions(types=types))
    described = database.describe(con, "t")
    if expected is not None:
        assert described == expected
    kinds = {report.column: report.kind for report in table.report.columns}
    assert {name: database.kind_of(kind) for name, kind in described} == kinds
    named = {"d": "D", "k": "K", "n": "n", "x": "х"}
    assert all(kinds[column] == types[typed] for column, typed in named.items() if typed in types)
    rows = database.query(con, "SELECT k, n FROM t")
    assert [(str(k) if k else None, int(n)) for k, n in rows] == [("301234567", 7), (None, 8)]


def test_a_file_that_is_left_where_it_is_stays_a_view(tmp_path: Path) -> None:
    path = duckdb(tmp_path)
    for options, views in ((AS_FOUND, 1), (LoadOptions(dates="dmy"), 1), (LoadOptions(types={"d": "date"}), 0)):
        con = database.connect(SETTINGS.database)
        open_sources(con, [path], SETTINGS.files, options=options)
        counted = "SELECT count(*) FROM duckdb_views() WHERE NOT internal AND view_name = 't'"
        assert database.query(con, counted) == [(views,)]
        con.close()


def test_dates_that_nothing_tells_stay_text_and_are_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "f.db")) as source:
        source.execute("CREATE TABLE t AS SELECT '03/04/2025' AS d")
        source.commit()
    con = database.connect(SETTINGS.database)
    (table,) = open_sources(con, [tmp_path / "f.db"], SETTINGS.files)
    assert (table.report.columns[0].type, table.report.columns[0].settle) == ("VARCHAR", "--dates")
    con = database.connect(SETTINGS.database)
    open_sources(con, [tmp_path / "f.db"], SETTINGS.files, options=LoadOptions(dates="mdy"))
    assert database.query(con, "FROM t") == [(date(2025, 3, 4),)]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["12,5", "3"], [12.5, 3.0]),
        (["21\u00a0971\u00a0731,64", "27,0"], [21971731.64, 27.0]),
        (["$1397.96", "$5"], [1397.96, 5.0]),
        (["\u221211.8", "4.1"], [-11.8, 4.1]),
        (["1 250 so'm", "yo'q", "980 so'm"], [1250, None, 980]),
        (["12", "13"], None),
        (["12.50", "-3"], None),
        (["+998 901 234 567", "+998 931 234 567"], None),
        (["007", "12,5"], None),
        (["1 250", "kelishiladi"], None),
    ],
)
def test_numbers_that_are_written_out_are_read(tmp_path: Path, texts: list[str], values: list[Any] | None) -> None:
    with closing(sqlite3.connect(tmp_path / "f.db")) as source:
        source.execute("CREATE TABLE t (x TEXT)")
        source.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts])
        source.commit()
    con = database.connect(SETTINGS.database)
    open_sources(con, [tmp_path / "f.db"], SETTINGS.files)
    assert [value for (value,) in database.query(con, "SELECT x FROM t")] == (values or texts)
