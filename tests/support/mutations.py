"""Broken files for tests: good ones of every source, and what can happen to their bytes, by a seed."""

import gzip
import io
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random

from workbooks import ods, xlsx

from engine import database, sql
from engine.settings import load_settings

ROOT = Path(__file__).parents[2]
ROWS = [["Kod", "Narx", "Izoh"], ["007", 12.5, "Город"], ["012", 1250, "o'zbek"], ["013", None, "x"], ["Jami", 1262.5]]
REPORT = (
    'Hisobot 2025\n\nHudud;Narx;Foiz;Sana\nToshkent;3 500 so\'m;12,5%;5 may 2024\nBuxoro;"$5,20";3%;06.05.2024\n'
    '"a\nb";5;;\nXiva;1,250;N/A;03/04/2025\nJami:;;;\nIzoh: dastlabki ma\'lumot\n'
)
RECORDS = (
    '{"kod": "007", "narx": 12.5, "ichki": {"a": [1, null]}}\n{"kod": "012", "sana": "2024-05-06"}\n{"narx": 1e3}\n'
)
INSERTED = (b'"', b"\n", b";", b",", b"\r", b"\0", b"\t", b'""', b"|", b"\\", b"[", b"{", b"}", b"\xff\xfe", b"'")
HUGE = (b"x" * 200_000, b"9" * 4000, b"9" * 30 + b",5", b"1E999", b"-" * 300, b"0" * 500, b'"' * 999, b"[" * 5000)
LETTERS = tuple(text.encode() for text in ("−", "ё", "\u202f", "\ufeff", "\U0001f600", "’", "\u200b"))
MARKS = b";,\t|"


def good_files(folder: Path) -> Mapping[str, bytes]:
    """Return one good file of every source, by the ending of its name; `folder` is for making them."""
    con = database.connect(load_settings().database, folder / "d.duckdb")
    database.execute(con, "CREATE TABLE d AS SELECT range AS n, 'Город' || range AS t FROM range(300)")
    database.execute(con, f"COPY d TO {sql.literal(str(folder / 'd.parquet'))}")
    con.close()
    with closing(sqlite3.connect(folder / "e.sqlite")) as source:
        source.execute("CREATE TABLE e (kod TEXT, narx REAL)")
        source.executemany("INSERT INTO e VALUES (?, ?)", [("007", 12.5), ("x", None)] * 40)
        source.commit()
    xlsx(folder / "f.xlsx", {"s": ROWS, "t": ROWS})
    ods(folder / "g.ods", {"s": ROWS})
    found = {path.suffix: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    table = (ROOT / "domains" / "harvest" / "harvest.csv").read_bytes()[:4000]
    cyrillic = ("Город;Сумма\n" + "Ташкент;100\nБухара;1 200,50\n" * 20).encode("cp1251")
    found |= {".csv": table, ".txt": REPORT.encode(), ".tsv": REPORT.replace(";", "\t").encode("utf-16")}
    found |= {".1.csv": cyrillic, ".2.csv": b'a,b\r\n"1",2\r\n"3 ""x""",4\r\n', ".jsonl": RECORDS.encode()}
    found |= {".json": f"[{','.join(RECORDS.splitlines())}]".encode(), ".1.json": b'{"data": [{"a": 1}, {"a": "x"}]}'}
    found |= {".csv.gz": gzip.compress(table), ".jsonl.gz": gzip.compress(RECORDS.encode())}
    return found | {
        ".zip": _zipped({"a.csv": table}),
        ".xls": (ROOT / "tests" / "cases" / "workbooks" / "sales.xls").read_bytes(),
    }


def broken(rng: Random, suffix: str, content: bytes) -> bytes:
    """Return a file with some faults; what is packed is broken within or as it is."""
    if rng.random() < 0.6:
        if suffix.endswith(".gz"):
            return gzip.compress(_mutated(rng, gzip.decompress(content)))
        if suffix in (".zip", ".xlsx", ".ods"):
            return _broken_within(rng, content)
    return _mutated(rng, content)


def _broken_within(rng: Random, content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(files))
    files[name] = _mutated(rng, files[name])
    return _zipped(files)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _mutated(rng: Random, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        _mutate(rng, data)
    return bytes(data)


def _mutate(rng: Random, data: bytearray) -> None:
    """Do one thing to the bytes of a file."""
    at = rng.randrange(len(data) + 1)
    lines = data.split(b"\n")
    line = rng.randrange(len(lines))
    match rng.randrange(11):
        case 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        case 1:
            data[at:at] = rng.choice(INSERTED)
        case 2:
            del data[at : at + rng.randrange(1, 200)]
        case 3:
            del data[at:]
        case 4:
            data[at:at] = data[at : at + rng.randrange(1, 100)]
        case 5:
            data[:] = b"\n".join([*lines[: line + 1], *[lines[line]] * rng.randrange(1, 400), *lines[line + 1 :]])
        case 6:
            data[at:at] = b"\0" * rng.choice([1, 1, 7, 5000])
        case 7:
            data[at:at] = rng.choice(HUGE)
        case 8:
            first, second = rng.sample(MARKS, 2)
            data[:] = data.translate(bytes.maketrans(bytes([first, second]), bytes([second, first])))
        case 9:
            data[at:at] = rng.choice(LETTERS)
        case _:
            data[at:at] = rng.randbytes(rng.randrange(1, 64))
