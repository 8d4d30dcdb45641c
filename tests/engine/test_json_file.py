"""JSON and JSON Lines: records become rows, no digit is lost, and what is no list of records is explained."""

import gzip
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT

from engine import database
from engine.files import OpenedTable
from engine.load_options import LoadOptions
from engine.paths import FileError
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()
CASES = json.loads((ROOT / "tests" / "cases" / "files" / "json_shapes.json").read_text(encoding="utf-8"))


def opened(path: Path) -> tuple[OpenedTable, list[tuple[str, str]], list[database.Row]]:
    con = database.connect(SETTINGS.database)
    (table,) = open_sources(con, [path], SETTINGS.files)
    source = f'"{table.name}"'
    return table, database.describe(con, source), database.query(con, f"FROM {source}")


def written(folder: Path, text: str, name: str = "data.json") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        (
            '[{"a": 1, "b": "x"}, {"b": null, "c": true}]',
            "BIGINT VARCHAR BOOLEAN",
            [(1, "x", None), (None, None, True)],
        ),
        ('{"a": 1.5}\n{"a": 2}\n', "DOUBLE", [(1.5,), (2.0,)]),
        ('{"a": 1}\n\n{"a": "x"}', "VARCHAR", [("1",), ("x",)]),
        ('{\n  "a": 1,\n  "b": "007"\n}\n', "BIGINT VARCHAR", [(1, "007")]),
        ('[{"kod": "12", "n": "1E5"}]', "VARCHAR VARCHAR", [("12", "1E5")]),
        ('[{"a": 20208000900123456001}]', "HUGEINT", [(20208000900123456001,)]),
        ('[{"a": 20208000900123456001}, {"a": 0.5}]', "VARCHAR", [("20208000900123456001",), ("0.5",)]),
        (f'[{{"a": {"9" * 50}}}]', "VARCHAR", [("9" * 50,)]),
        ('[{"d": "2024-01-31"}, {"d": "2024-02-01"}]', "DATE", None),
        ('[{"d": "2024-01-31T10:00:00"}, {"d": "2024-02-01"}]', "TIMESTAMP", None),
        ('[{"d": "2024-02-30"}]', "VARCHAR", [("2024-02-30",)]),
        ('[{"a": {"b": [1]}, "n": 1}, {"a": null, "n": 2}]', "JSON BIGINT", [('{"b":[1]}', 1), (None, 2)]),
        ('[{"a": [1, 2]}, {"a": 3}]', "JSON", [("[1,2]",), ("3",)]),
        ('[{"a": null}]', "VARCHAR", [(None,)]),
        ('\ufeff[{"a": 1}]', "BIGINT", [(1,)]),
        ('[{"a": 1.0}, {"a": 2e3}]', "DOUBLE", [(1.0,), (2000.0,)]),
    ],
)
def test_records_become_rows(tmp_path: Path, text: str, columns: str, rows: Any) -> None:
    _, described, found = opened(written(tmp_path, text))
    assert " ".join(kind for _, kind in described) == columns
    if rows is not None:
        assert found == rows


def test_nested_values_are_of_the_kind_other(tmp_path: Path) -> None:
    table, _, _ = opened(written(tmp_path, '[{"a": {"b": 1}, "c": 2}]'))
    assert [column.kind for column in table.report.columns] == ["other", "number"]


def test_odd_keys_are_columns_and_their_labels_are_kept(tmp_path: Path) -> None:
    text = '[{"a/b~c": 1, "": 2, "Ўлка \\"x\\"": 3, "0": 4, "A": 5, "a": 6, "$.x": 7, "%": 8}]'
    table, described, rows = opened(written(tmp_path, text))
    assert [name for name, _ in described] == ["a/b~c", "column_2", 'Ўлка "x"', "0", "A", "a_2", "$.x", "%"]
    assert rows == [(1, 2, 3, 4, 5, 6, 7, 8)]
    assert table.labels == {"column_2": "", "a_2": "a"}


def test_a_key_that_a_record_repeats_is_noted(tmp_path: Path) -> None:
    table, _, rows = opened(written(tmp_path, '[{"a": 1, "a": 2}, {"a": 3}]'))
    assert (rows, table.notes) == ([(1,), (3,)], [{"note": "repeated_keys", "rows": 1}])


@pytest.mark.parametrize("name", ["data [1].jsonl", "a*.ndjson", "o'q?.json"])
def test_a_name_is_only_ever_one_file(tmp_path: Path, name: str) -> None:
    written(tmp_path, '{"a": 9}', "data 1.jsonl")
    written(tmp_path, '{"a": 9}', "abc.ndjson")
    path = written(tmp_path, '{"a": 1}\n{"a": 2}\n', name)
    before = path.read_bytes()
    assert opened(path)[2] == [(1,), (2,)]
    assert path.read_bytes() == before


def test_compressed_json_is_opened(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    table, _, rows = opened(tmp_path / "x.jsonl.gz")
    assert (table.name, rows) == ("x", [(1,), (2,)])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"a": 1},', "json_cut"),
        ('[{"a": 1}', "json_cut"),
        ('[{"a": 1}, {"a"]', "unreadable_table"),
        ('{"a": 1}\n{"a": ', "unreadable_table"),
        ("a,b\n1,2\n", "unreadable_table"),
        ("[]", "json_no_records"),
        ("[{}]", "json_no_columns"),
        ("[1, 2]", "json_not_records"),
        ('{"a": 1}\nnull\n', "json_not_records"),
        ('"x"', "json_not_records"),
        (" \n", "json_no_records"),
    ],
)
def test_what_is_no_list_of_records_is_explained(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        opened(path)
    assert (caught.value.reason, caught.value.facts["path"]) == (reason, str(path))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_a_document_is_the_tables_that_it_holds(tmp_path: Path, case: dict[str, Any]) -> None:
    con = database.connect(SETTINGS.database)
    options = LoadOptions(**case.get("options", {}))
    tables = open_sources(con, [written(tmp_path, case["text"])], SETTINGS.files, options=options)
    assert [table.name for table in tables] == list(case["tables"])
    for table in tables:
        source, expected = f'"{table.name}"', case["tables"][table.name]
        assert [name for name, _ in database.describe(con, source)] == expected["names"]
        rows = database.query(con, f"FROM {source}")
        assert [[str(c) if isinstance(c, date) else c for c in row] for row in rows] == expected["rows"]
        assert (table.rows, table.report.rows_in) == (len(rows), len(rows))
    noted = [note for note in tables[0].notes if note["note"] == "json_path"]
    path = [{"note": "json_path", "path": case["path"], "others": case["others"]}] if "path" in case else []
    assert noted == path
    assert database.query(con, "SELECT count(*) FROM duckdb_tables() WHERE temporary") == [(0,)]


def test_one_line_of_json_lines_is_one_record(tmp_path: Path) -> None:
    assert opened(written(tmp_path, '{"a": [{"b": 1}]}\n', "x.jsonl"))[2] == [('[{"b":1}]',)]


def test_lists_without_names_are_said(tmp_path: Path) -> None:
    assert opened(written(tmp_path, "[[1, 2], [3, 4]]"))[0].notes == [{"note": "json_no_names"}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[1], {}]", "json_not_records"),
        ("[[], []]", "json_no_columns"),
        ('{"a": [{"n": 1}], "b": [{"n": 1}], "c": [{"n": 1}]}', "json_too_many_tables"),
        pytest.param(json.dumps({"data": [{"a": "x" * 17_000_000}]}), "json_record_too_large", id="large"),
    ],
)
def test_documents_that_cannot_be_tables_are_explained(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)
    con = database.connect(SETTINGS.database)
    bounds = replace(SETTINGS.files, json_tables=2, json_record_bytes=1 << 24)
    with pytest.raises(FileError) as caught:
        open_sources(con, [path], bounds)
    assert (caught.value.reason, caught.value.facts["path"]) == (reason, str(path))
