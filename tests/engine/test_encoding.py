"""Encodings: each is told on the evidence of the whole file, or the file is refused with the option that settles it."""

from pathlib import Path
from random import Random

import pytest
from tables_in_files import loaded, opened

from engine import database
from engine.encoding import EncodingError, encoding_of
from engine.load_options import LoadOptions
from engine.report_text import report_lines

RUSSIAN = "Город;Сумма\nТашкент;100\nБухара;200\n"
UZBEK = "Вилоят;Тўлов\nЎзбекистон;5\nСўх;6\n"
CAPITALS = "НОМЕР;СУММА\nТАШКЕНТ;5\nСАМАРКАНД;6\nБУХАРА;7\n"
WESTERN = "name;city\nJosé;São Paulo\nMüller;Köln\n"
MARKS = "nomi;soni\n“O‘zbekiston”;1\n"
LATIN_HEAD = "id;note\n" + "1;plain text\n" * 200_000


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        (RUSSIAN, ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1251", "cp866", "koi8-r"]),
        (UZBEK, ["utf-8", "utf-16-le", "utf-16-be", "cp1251", "cp866"]),
        (CAPITALS, ["utf-8", "utf-16-le", "cp1251", "cp866", "koi8-r"]),
        (WESTERN, ["utf-8", "utf-16-be", "cp1252"]),
        (MARKS, ["utf-8", "cp1251", "cp1252"]),
    ],
    ids=["russian", "uzbek", "capitals", "western", "marks"],
)
def test_the_text_arrives_in_every_encoding(tmp_path: Path, text: str, encodings: list[str]) -> None:
    for encoding in encodings:
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.encode(encoding))
        columns, rows = loaded(path)
        lines = [line.split(";") for line in text.splitlines()]
        assert [name for name, _ in columns] == lines[0], encoding
        assert [[str(cell) for cell in row] for row in rows] == lines[1:], encoding


def test_cyrillic_that_comes_late_is_found(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_bytes((LATIN_HEAD + "2;Ташкентская область\n").encode("cp1251"))
    assert encoding_of(path).name == "cp1251"
    assert loaded(path)[1][-1] == (2, "Ташкентская область")


def test_blanks_between_figures_are_no_letters(tmp_path: Path) -> None:
    path = tmp_path / "blanks.csv"
    path.write_bytes(("narx;soni\n" + "40\u00a0141,14;1\n" * 20).encode("cp1252"))
    assert loaded(path)[1][0] == (40141.14, 1)


@pytest.mark.parametrize(
    ("content", "chosen", "encoding", "cell"),
    [
        ((RUSSIAN * 9).encode() + b"\xd2\xe0;5\n", None, "utf-8", "\\xd2\\xe0"),
        ((RUSSIAN * 9).encode("utf-8-sig") + b"\xd2;5\n", None, "utf-8", "\\xd2"),
        ((RUSSIAN * 9).encode("cp1251") + b"a\x98b;5\n", None, "cp1251", "a\\x98b"),
        (b"name;n\n" + b"plain;1\n" * 40 + b"caf\xe9;5\n", "utf-8", "utf-8", "caf\\xe9"),
        ((RUSSIAN * 9).encode() + "Таш".encode()[:-1], None, "utf-8", "Та\\xd1"),
    ],
    ids=["UTF-8", "marked UTF-8", "cp1251", "named", "cut within a letter"],
)
def test_a_few_bytes_outside_the_encoding_are_written_out_and_counted(
    tmp_path: Path, content: bytes, chosen: str | None, encoding: str, cell: str
) -> None:
    path = tmp_path / "faulty.csv"
    path.write_bytes(content)
    con, table = opened(path, LoadOptions(encoding=chosen))
    report = table.report
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    assert database.query(con, "FROM base")[-1][0] == cell
    assert (report.encoding, report.bytes_outside, report.first_outside) == (encoding, cell.count("\\x"), lines)
    assert any(f"line {lines}" in line for line in report_lines(report, "en"))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\n3,\xff\n", 3),
        ("Город;Сумма\nТашкент;100\n".encode() + b"\xd2\xe0\xf8;5\n", 3),
        (Random(1).randbytes(600), 9),
    ],
    ids=["one byte", "two encodings", "noise"],
)
def test_an_unclear_encoding_is_no_guess(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "unclear.csv"
    path.write_bytes(content)
    with pytest.raises(EncodingError) as caught:
        encoding_of(path)
    assert (caught.value.reason, caught.value.facts["path"]) == ("unclear", str(path))
    assert caught.value.facts["line"] <= line


def test_a_named_encoding_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_bytes("a,b\n1,я\n".encode("cp1251"))
    assert loaded(path, LoadOptions(encoding="windows-1251"))[1] == [(1, "я")]
    for name, reason in (("utf-8", "other_encoding"), ("latin-1", "unknown"), ("no such", "unknown")):
        with pytest.raises(EncodingError) as caught:
            loaded(path, LoadOptions(encoding=name))
        assert caught.value.reason == reason
