"""Opening files: what is in them arrives, codes stay codes, and what cannot be opened is explained."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tables_in_files import SETTINGS, loaded, written

from engine import database, sql
from engine.files import FileError, open_file
from engine.load_options import LoadOptions
from engine.session import Workspace, open_workspace, prepare, run
from engine.settings import load_settings
from engine.sources import open_sources


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("a,b\n1,x\n2,\n", [("a", "BIGINT"), ("b", "VARCHAR")], [(1, "x"), (2, None)]),
        ("a;b\n1;0.5\n2;-3\n", [("a", "BIGINT"), ("b", "DOUBLE")], [(1, 0.5), (2, -3.0)]),
        ("a\tb\ntrue\t2024-01-31\n", [("a", "BOOLEAN"), ("b", "DATE")], None),
        ("kod,n\n007,1\n012,2\n", [("kod", "VARCHAR"), ("n", "BIGINT")], [("007", 1), ("012", 2)]),
        ("p,n\n1E5,1\n2E5,2\n", [("p", "VARCHAR"), ("n", "BIGINT")], [("1E5", 1), ("2E5", 2)]),
        ("b,n\n1-2-3,5\n4-5-6,6\n", [("b", "VARCHAR"), ("n", "BIGINT")], [("1-2-3", 5), ("4-5-6", 6)]),
        ("h,n\n20208000900123456001,1\n", [("h", "VARCHAR"), ("n", "BIGINT")], [("20208000900123456001", 1)]),
        ("v,w\nnan,1\ninf,2\n", [("v", "VARCHAR"), ("w", "BIGINT")], [("nan", 1), ("inf", 2)]),
        ("d,n\n2023-02-30,1\n2023-02-28,2\n", [("d", "VARCHAR"), ("n", "BIGINT")], None),
        ("d,n\n2023-02-03 10:15,1\n2023-02-28,2\n", [("d", "TIMESTAMP"), ("n", "BIGINT")], None),
        ("Sana,Summa\n", [("Sana", "VARCHAR"), ("Summa", "VARCHAR")], []),
        (
            'id,Nomi\n1,"birinchi\nqator"\n2,"a ""b"""\n',
            [("id", "BIGINT"), ("Nomi", "VARCHAR")],
            [(1, "birinchi\nqator"), (2, 'a "b"')],
        ),
        ("\ufeffГород;Сумма\nТашкент;100\n", [("Город", "VARCHAR"), ("Сумма", "BIGINT")], [("Ташкент", 100)]),
        ("Viloyat\nToshkent\nBuxoro\n", [("Viloyat", "VARCHAR")], [("Toshkent",), ("Buxoro",)]),
    ],
)
def test_a_text_file_becomes_a_table(tmp_path: Path, text: str, columns: Any, rows: Any) -> None:
    found_columns, found_rows = loaded(written(tmp_path, text))
    assert found_columns == columns
    if rows is not None:
        assert found_rows == rows


def test_names_are_cleaned_and_unique_and_the_originals_kept(tmp_path: Path) -> None:
    path = written(tmp_path, "Tavsif ,\u00a0Summa,Izoh\u200b,сумма,СУММА,\n1,2,3,4,5,6\n")
    con = database.connect(SETTINGS.database)
    opened = open_file(con, path, "base", SETTINGS.files)
    names = [name for name, _ in database.describe(con, '"base"')]
    assert names == ["Tavsif", "Summa", "Izoh", "сумма", "СУММА_2", "column_6"]
    assert opened.labels == {
        "Tavsif": "Tavsif ",
        "Summa": "\u00a0Summa",
        "Izoh": "Izoh\u200b",
        "СУММА_2": "СУММА",
        "column_6": "",
    }


@pytest.mark.parametrize(
    "name", ["hisobot[1].csv", "отчёт 2025.csv", "h*.csv", "o'g'il-2025 [1].csv", "a?b.csv", "[*].csv"]
)
def test_a_name_is_only_ever_one_file(tmp_path: Path, name: str) -> None:
    written(tmp_path, "a,b\n9,9\n", "hisobot1.csv")
    written(tmp_path, "a,b\n9,9\n", "hxyz.csv")
    written(tmp_path, "a,b\n9,9\n", "axb.csv")
    assert loaded(written(tmp_path, "a,b\n1,2\n", name))[1] == [(1, 2)]


def test_hostile_names_arrive_as_written(tmp_path: Path) -> None:
    path = written(tmp_path, '"Summa""); drop table t; --",o\'lcham,select,% ulush\n1,2,3,4\n')
    assert [name for name, _ in loaded(path)[0]] == ['Summa"); drop table t; --', "o'lcham", "select", "% ulush"]


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    con = database.connect(SETTINGS.database)
    path = tmp_path / "t[1].parquet"
    database.execute(con, f"COPY (SELECT 1::TINYINT AS a, 'x' AS b, [1] AS c) TO {sql.literal(str(path))}")
    assert loaded(path) == ([("a", "TINYINT"), ("b", "VARCHAR"), ("c", "INTEGER[]")], [(1, "x", [1])])


def test_several_files_are_several_tables_with_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    paths = [
        written(tmp_path, "a,b\n1,2\n", "x.csv"),
        written(tmp_path, "a,b\n1,2\n", "X.tsv"),
        written(tmp_path / "b", "a,b\n1,2\n", "_step_1.csv"),
    ]
    opened = open_sources(database.connect(SETTINGS.database), paths, SETTINGS.files)
    assert [table.name for table in opened] == ["x", "X_2", "table_step_1"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.csv", b"", "empty_file"),
        ("data.docx", b"x", "unknown_format"),
        ("data", b"x", "unknown_format"),
        ("unclear.csv", b"a,b\n1,\xff\n", "unclear"),
        ("broken.parquet", b"PAR1 and no more", "unreadable_table"),
    ],
)
def test_what_cannot_be_opened_is_explained(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        loaded(path)
    assert caught.value.reason == reason
    assert caught.value.facts["path"] == str(path)


def test_missing_files_and_folders_are_explained(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "no.csv", "not_found"), (tmp_path, "not_a_file")):
        with pytest.raises(FileError) as caught:
            loaded(path)
        assert caught.value.reason == reason


def parquet(folder: Path, rows: int = 1000) -> Path:
    path = folder / "yil=2024" / "t[1].parquet"
    path.parent.mkdir(exist_ok=True)
    con = database.connect(SETTINGS.database)
    select = f"SELECT i AS n, 'x' || i % 3 AS k FROM range({rows}) AS t(i)"
    database.execute(con, f"COPY ({select}) TO {sql.literal(str(path))} (FORMAT parquet)")
    return path


def opened_parquet(folder: Path) -> tuple[Path, Workspace]:
    path = parquet(folder)
    return path, open_workspace([path], load_settings())


def total(workspace: Workspace) -> Any:
    steps = [{"tool": "group_and_total", "args": {"value_column": "n", "agg": "sum"}}]
    return run(workspace, [], {"steps": steps})["rows"]


def test_a_parquet_file_is_read_where_it_lies(tmp_path: Path) -> None:
    path, workspace = opened_parquet(tmp_path)
    assert database.is_view(workspace.con, workspace.tables[0].name)
    assert database.describe(workspace.con, sql.name(workspace.tables[0].name)) == [("n", "BIGINT"), ("k", "VARCHAR")]
    assert total(workspace) == [(499500,)]
    assert total(workspace) == [(499500,)]
    path.unlink()  # nothing holds it


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet"])
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "yil=2024"
    folder.mkdir()
    path = folder / name
    if name.endswith("parquet"):
        parquet(tmp_path).rename(path)
    else:
        path.write_text('{"n": 1, "k": "x"}\n' if "json" in name else "n\tk\n1\tx\n", encoding="utf-8")
    (table,) = open_sources(database.connect(SETTINGS.database), [path], SETTINGS.files)
    assert [column.column for column in table.report.columns] == ["n", "k"]


def changed(path: Path) -> None:
    parquet(path.parents[1], 5)


def broken(path: Path) -> None:
    path.write_bytes(b"PAR1 and no more")


@pytest.mark.parametrize(
    ("change", "reason"), [(changed, "file_changed"), (broken, "file_changed"), (Path.unlink, "file_gone")]
)
def test_a_file_that_has_changed_is_not_read_any_more(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path, workspace = opened_parquet(tmp_path)
    change(path)
    with pytest.raises(FileError) as raised:
        total(workspace)
    assert (raised.value.reason, raised.value.facts) == (reason, {"path": str(path)})
    with pytest.raises(FileError):
        prepare(workspace, "x1 nechta")


def test_a_parquet_file_that_was_copied_may_change(tmp_path: Path) -> None:
    path = parquet(tmp_path)
    workspace = open_workspace([path], load_settings(), options=LoadOptions(types={"n": "text"}))
    changed(path)
    assert not database.is_view(workspace.con, workspace.tables[0].name)
    steps = [{"tool": "group_and_total", "args": {"agg": "count"}}]
    assert run(workspace, [], {"steps": steps})["rows"] == [(1000,)]


@pytest.mark.parametrize(("limit", "opens"), [("64MB", True), ("8MB", False)])
def test_memory_is_bounded_and_rows_go_to_disk(tmp_path: Path, limit: str, opens: bool) -> None:
    """P28: a table larger than the memory that DuckDB may take is opened, or the error says that memory is short."""
    path = tmp_path / "long.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("a,b,c,d\n")
        for row in range(300_000):
            file.write(
                f"matn {row * 7919 % 1_000_003} va yana matn,yana uzun matn {row},Toshkent shahri {row % 9},x{row}\n"
            )
    size = path.stat().st_size
    con = database.connect(replace(SETTINGS.database, memory_limit=limit))
    if opens:
        assert open_file(con, path, "base", SETTINGS.files).rows == 300_000
        assert database.query(con, "SELECT count(*), count(DISTINCT d) FROM base") == [(300_000, 300_000)]
    else:
        with pytest.raises(FileError) as raised:
            open_file(con, path, "base", SETTINGS.files)
        assert "Memory" in raised.value.facts["detail"]
        assert database.tables(con) == []
    assert path.stat().st_size == size
    con.close()
