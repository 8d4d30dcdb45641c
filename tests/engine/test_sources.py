"""Sources: a path is told by its bytes and its suffix; a folder and standard input are sources too."""

import gzip
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, ROOT, tez
from workbooks import xlsx

from engine import database, sql
from engine.files import OpenedTable
from engine.load_options import LoadOptions
from engine.paths import FileError
from engine.plan import run_plan
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()


def opened(*paths: Path, most: int = SETTINGS.files.folder_files) -> tuple[database.Connection, list[OpenedTable]]:
    con = database.connect(SETTINGS.database)
    return con, open_sources(con, list(paths), replace(SETTINGS.files, folder_files=most))


def reason(*paths: Path, most: int = SETTINGS.files.folder_files) -> str:
    with pytest.raises(FileError) as caught:
        opened(*paths, most=most)
    return caught.value.reason


def filled(folder: Path) -> Path:
    """Return a folder with files of every kind that hold the numbers 1, 2, ..., and some that hold no table."""
    folder.mkdir()
    (folder / "a.csv").write_text("n\n1\n")
    (folder / "b.jsonl").write_text('{"n": 2}\n')
    (folder / "c.tsv.gz").write_bytes(gzip.compress(b"n\tm\n3\t0\n"))
    con = database.connect(SETTINGS.database, folder / "d.duckdb")
    database.execute(con, "CREATE TABLE duck AS SELECT 4 AS n")
    database.execute(con, f"COPY duck TO {sql.literal(str(folder / 'd.parquet'))}")
    con.close()
    with closing(sqlite3.connect(folder / "e.db")) as source:
        source.execute("CREATE TABLE a AS SELECT 5 AS n")
        source.commit()
    xlsx(folder / "f.xlsx", {"s": [["n"], [6]]})
    (folder / "bad.json").write_text("[1]")
    (folder / "readme.md").write_text("x")
    (folder / ".hidden.csv").write_text("n\n7\n")
    (folder / "~$f.xlsx").write_text("x")
    (folder / "e.db-wal").write_bytes(b"")
    (folder / "inner").mkdir()
    (folder / "inner" / "g.csv").write_text("n\n8\n")
    return folder


def test_a_folder_is_all_its_files_and_names_those_that_cannot_be_opened(tmp_path: Path) -> None:
    folder = filled(tmp_path / "papka [1]*")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    con, tables = opened(folder)
    numbers = {table.name: database.query(con, f"SELECT n FROM {sql.name(table.name)}")[0][0] for table in tables}
    assert numbers == {"a": 1, "b": 2, "c": 3, "duck": 4, "d": 4, "a_2": 5, "f": 6}
    notes = {note["path"]: note["reason"] for note in tables[0].notes}
    assert notes == {"bad.json": "json_not_records", "readme.md": "unknown_format"}
    con.close()
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_what_is_left_of_a_file_that_cannot_be_opened_goes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n")
    (tmp_path / "b.json").write_text('[{"a": 1},')
    assert database.tables(opened(tmp_path)[0]) == ["a"]


def test_a_folder_without_tables_and_a_large_one_are_explained(tmp_path: Path) -> None:
    assert reason(tmp_path) == "folder_without_tables"
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("x")
    assert reason(tmp_path) == "folder_without_tables"
    assert reason(tmp_path, most=1) == "folder_too_large"


def test_several_paths_share_no_name(tmp_path: Path) -> None:
    folder = filled(tmp_path / "x")
    names = [table.name for table in opened(folder / "a.csv", folder, folder / "e.db")[1]]
    assert len(set(names)) == len(names) == 9


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.docx", b"PK\x03\x04 and more", "unknown_format"),
        ("a.unknown", b"x", "unknown_format"),
        ("a", b"x", "unknown_format"),
        ("a.csv.gz", gzip.compress(gzip.compress(b"n\n1\n")), "packed_twice"),
        ("a.duckdb", b"SQLite format 2", "no_database"),
        ("a.sqlite", b"", "empty_file"),
    ],
)
def test_what_is_no_table_is_explained(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert reason(path) == said


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("n;m\n1;x\n2;y\n", [[1, "x"], [2, "y"]]),
        ('\n {"n": 1}\n{"n": 2}\n', [[1], [2]]),
        ('[{"n": 1}, {"n": 2}]', [[1], [2]]),
        ("\ufeffn\n1\n2\n", [[1], [2]]),
    ],
)
def test_standard_input_is_csv_or_json_lines(tmp_path: Path, text: str, rows: list[list[object]]) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('[{"tool": "sort", "args": {"by": "n", "descending": false}}]')
    done = tez("run", "-", "--plan", plan, "--json", stdin=text)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["rows"] == rows


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    assert reason(Path("-"), Path("-")) == "input_twice"
    for arguments, said in ((("run", "-", "--plan", "-"), "only once"), (("profile", "-"), "empty")):
        done = tez(*arguments, "--lang", "en", stdin="")
        assert (done.code, done.out) == (4, "")
        assert said in done.err


def test_a_sheet_of_no_workbook_is_explained(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n")
    book = xlsx(tmp_path / "b.xlsx", {"s": [["n"], [6]], "t": [["n"], [7]]})
    con = database.connect(SETTINGS.database)
    with pytest.raises(FileError) as caught:
        open_sources(con, [tmp_path / "a.csv"], SETTINGS.files, "t")
    assert caught.value.reason == "no_workbook"
    assert [table.rows for table in open_sources(con, [tmp_path / "a.csv", book], SETTINGS.files, "t")] == [1, 1]
    assert database.query(con, "FROM b") == [(7,)]


def test_the_command_line_says_what_was_not_opened(tmp_path: Path) -> None:
    folder = filled(tmp_path / "x")
    done = tez("profile", folder, "--lang", "ru")
    assert done.code == 0
    assert "a: Файл bad.json не открыт: " in done.err
    notes = json.loads(tez("profile", folder, "--json").out)["tables"][0]["notes"]
    assert [note["path"] for note in notes] == ["bad.json", "readme.md"]


def test_the_network_is_never_needed() -> None:
    con, _ = opened(LOANS)
    rows = database.query(con, "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%extensions'")
    assert dict(rows) == {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


def test_paths_that_lead_nowhere_are_explained(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("gone.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "file.csv").write_text("n\n1\n")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    for path, said in (
        (tmp_path / "link.csv", "broken_link"),
        (tmp_path / "loop.csv", "unreadable"),
        (tmp_path / "no" / "file.csv", "not_found"),
        (tmp_path / "file.csv" / "x.csv", "not_found"),
        (tmp_path / "pipe.csv", "not_a_file"),
        (Path("/dev/null"), "not_a_file"),
        (Path("/proc/self/mem"), "unreadable"),
        (tmp_path / ("a" * 300 + ".csv"), "unreadable"),
        (Path(os.fsdecode(bytes(tmp_path) + b"/\xff.csv")), "odd_file_name"),
        (tmp_path / "empty", "folder_without_tables"),
    ):
        assert (reason(path), reason(path, path)) == (said, said)
        done = tez("profile", path, "--lang", "en")
        assert (done.code, done.out) == (4, "")


def test_a_folder_goes_on_past_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n")
    (tmp_path / "link.csv").symlink_to("gone.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    assert [table.name for table in opened(tmp_path)[1]] == ["a"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("b.jsonl", {"encoding": "cp1251"}),
        ("b.jsonl", {"delimiter": ";"}),
        ("b.jsonl", {"keep_totals": True}),
        ("f.xlsx", {"encoding": "cp1251"}),
        ("f.xlsx", {"delimiter": ";"}),
        ("d.parquet", {"header": 1}),
        ("d.duckdb", {"header": 0}),
        ("e.db", {"keep_totals": True}),
    ],
)
def test_an_option_without_use_is_refused(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    folder = filled(tmp_path / "x")
    con = database.connect(SETTINGS.database)
    with pytest.raises(FileError) as caught:
        open_sources(con, [folder / name], SETTINGS.files, options=LoadOptions(**options))
    (option,) = options
    said = "--" + option.replace("_", "-")
    assert (caught.value.reason, caught.value.facts["option"]) == ("option_without_use", said)
    assert open_sources(con, [folder / name, folder / "c.tsv.gz"], SETTINGS.files, options=LoadOptions(**options))


def test_records_in_a_wrapper_come_from_standard_input() -> None:
    done = tez("profile", "-", "--json", stdin='{"data": [{"n": 1}, {"n": 2}]}')
    (table,) = json.loads(done.out)["tables"]
    assert (table["name"], table["rows"]) == ("input", 2)


def test_names_of_files_and_columns_are_data(tmp_path: Path) -> None:
    names = ['Summa"); drop table t; --', "o'lcham", "select", "% ulush", "group", "order", "at", "desc"]
    written = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    for name in ("o'g'il-2025 [1].csv", "hisobot*.csv", "отчёт 2025.csv", "a\nb.csv", 'x"y;--.csv'):
        path = tmp_path / name
        path.write_text(f"{written}\n1,2,3,4,a,6,7,8\n1,2,3,4,b,5,7,8\n")
    for path in sorted(tmp_path.iterdir()):
        con, (table,) = opened(path)
        assert (table.name, table.rows) == (path.stem, 2)
        assert [name for name, _ in database.describe(con, sql.name(table.name))] == names
        for column in names:
            total = {"tool": "group_and_total", "args": {"agg": "count", "group_by": [column]}}
            sort = {"tool": "sort", "args": {"by": column, "descending": True}}
            assert sum(row[-1] for row in run_plan(con, table.name, [total, sort], SETTINGS)["rows"]) == 2
        steps = [
            {"tool": "group_and_total", "args": {"agg": "sum", "group_by": ["group"], "value_column": "order"}},
            {"tool": "sort", "args": {"by": "order", "descending": False}},
        ]
        assert run_plan(con, table.name, steps, SETTINGS)["rows"] == [("b", 5), ("a", 6)]
        con.close()


def test_the_words_of_a_domain_are_no_tables() -> None:
    folder = ROOT / "domains" / "coworker_survey"
    _, tables = opened(folder)
    assert [table.name for table in tables] == sorted(path.stem for path in folder.glob("*.csv"))


def test_tables_that_are_only_called_like_the_words_of_a_domain_are_opened(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text('[{"legs": 4}]')
    (tmp_path / "examples.json").write_text('[{"n": 1}, {"n": 2}]')
    _, tables = opened(tmp_path)
    assert {table.name: table.rows for table in tables} == {"examples": 2, "tables": 1}
