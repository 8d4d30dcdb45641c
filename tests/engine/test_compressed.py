"""Compressed files: one table inside is opened, anything else is explained, and no bound is passed."""

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine import database
from engine.encoding import EncodingError
from engine.files import OpenedTable
from engine.paths import FileError
from engine.settings import load_settings
from engine.sources import open_sources

SETTINGS = load_settings()
TABLE = "kod;nomi\n007;Toshkent\n012;Бухара\n"
ROWS = [("007", "Toshkent"), ("012", "Бухара")]


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def opened(path: Path, bound: int = SETTINGS.files.unpacked_bytes) -> tuple[OpenedTable, list[database.Row]]:
    con = database.connect(SETTINGS.database)
    (table,) = open_sources(con, [path], replace(SETTINGS.files, unpacked_bytes=bound))
    return table, database.query(con, f'FROM "{table.name}"')


def reason(path: Path, bound: int = SETTINGS.files.unpacked_bytes) -> FileError:
    with pytest.raises(FileError) as caught:
        opened(path, bound)
    assert caught.value.facts["path"] == str(path)
    return caught.value


@pytest.mark.parametrize("name", ["savdo.csv.gz", "savdo.TSV.GZ", "savdo.txt.gz", "savdo [1]*.csv.gz"])
def test_a_gzip_file_is_opened_under_its_own_name_and_left_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(TABLE.encode()))
    before = path.read_bytes()
    table, rows = opened(path)
    assert (table.path, rows) == (path, ROWS)
    assert table.name == name.split(".")[0]
    assert path.read_bytes() == before


def test_what_is_wrong_within_a_packed_file_is_said_of_that_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": ]}\n'))
    assert str(path) in reason(path).facts["detail"]
    path = tmp_path / "b.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,\xd0\n"))
    error = reason(path)
    assert (type(error), error.reason) == (EncodingError, "unclear")


def test_a_zip_with_one_table_is_opened_whatever_else_it_holds(tmp_path: Path) -> None:
    files = {"papka/": b"", "papka/oʻq.csv": TABLE.encode(), "readme.pdf": b"x", "__MACOSX/papka/._oʻq.csv": b"x"}
    table, rows = opened(zipped(tmp_path / "savdo.zip", files))
    assert (table.name, rows) == ("savdo", ROWS)


def test_a_zip_with_several_tables_names_them(tmp_path: Path) -> None:
    error = reason(zipped(tmp_path / "a.zip", {"x.csv": b"a\n1\n", "y/z.tsv": b"a\n1\n"}))
    assert (error.reason, error.facts["found"]) == ("zip_several", ["x.csv", "y/z.tsv"])


def test_a_zip_without_a_table_says_what_it_holds(tmp_path: Path) -> None:
    error = reason(zipped(tmp_path / "a.zip", {"x.pdf": b"x"}))
    assert (error.reason, error.facts["found"]) == ("zip_no_table", ["x.pdf"])


def test_an_encrypted_zip_is_explained(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.csv": b"a\n1\n"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert reason(path).reason == "zip_encrypted"


def test_nothing_larger_than_the_bound_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a\n" + b"1\n" * 5000))
    assert reason(tmp_path / "a.csv.gz", 10_001).reason == "too_large"
    assert len(opened(tmp_path / "a.csv.gz", 10_002)[1]) == 5000
    assert reason(zipped(tmp_path / "a.zip", {"x.csv": b"a\n" + b"1\n" * 5000}), 9_999).reason == "too_large"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cut.csv.gz", gzip.compress(TABLE.encode())[:-12], "damaged"),
        ("no.csv.gz", b"a,b\n1,2\n", "damaged"),
        ("empty.csv.gz", gzip.compress(b""), "empty_file"),
        ("what.gz", gzip.compress(b"a\n1\n"), "gzip_no_table"),
        ("no.zip", b"a,b\n1,2\n", "damaged"),
        ("cut.zip", b"PK\x03\x04 and no more", "damaged"),
    ],
)
def test_what_cannot_be_unpacked_is_explained(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert reason(path).reason == said


def test_a_broken_entry_of_a_zip_is_explained(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.csv": b"a\n" + bytes(range(256)) * 40})
    content = bytearray(path.read_bytes())
    content[60:90] = b"\xff" * 30
    path.write_bytes(content)
    assert reason(path).reason == "damaged"
