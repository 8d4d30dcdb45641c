"""Every option that overrules how a file is read works on every source that it makes sense for."""

import gzip
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from command_line import TEZ
from tables_in_files import SETTINGS
from workbooks import ods, xlsx

from engine import database, sql
from engine.load_options import LoadOptions
from engine.sources import open_sources

TEXT = "Hisobot\nКод;Сана;Сумма\n007;03/04/2025;1,250\n012;05/06/2025;2,500\nJami;;3,750\n"
CELLS = [line.split(";") for line in TEXT.splitlines()]
RECORDS = [dict(zip(CELLS[1], row, strict=True)) for row in CELLS[2:]]
KEPT = [(7, date(2025, 4, 3), 1.25), (12, date(2025, 6, 5), 2.5), (None, None, 3.75)]


def csv(folder: Path) -> Path:
    (folder / "a.csv").write_bytes(TEXT.encode("cp1251"))
    return folder / "a.csv"


def csv_gz(folder: Path) -> Path:
    (folder / "a.csv.gz").write_bytes(gzip.compress(TEXT.encode("cp1251")))
    return folder / "a.csv.gz"


def csv_zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("a.csv", TEXT.encode("cp1251"))
    return folder / "a.zip"


def in_folder(folder: Path) -> Path:
    csv(folder)
    return folder


def workbook(folder: Path) -> Path:
    return xlsx(folder / "a.xlsx", {"s": [["x"]], "Савдо": CELLS})


def open_document(folder: Path) -> Path:
    return ods(folder / "a.ods", {"s": [["x"]], "Савдо": CELLS})


def records(folder: Path) -> Path:
    (folder / "a.json").write_text(json.dumps({"rows": RECORDS}), encoding="utf-8")
    return folder / "a.json"


TEXT_OPTIONS = {"encoding": "cp1251", "delimiter": ";", "header": 2, "keep_totals": True}


@pytest.mark.parametrize(
    ("made", "options", "sheet"),
    [
        *((made, TEXT_OPTIONS, None) for made in (csv, csv_gz, csv_zip, in_folder)),
        *((made, {"header": 2, "keep_totals": True}, "Савдо") for made in (workbook, open_document)),
        (records, {}, None),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_options_settle_how_a_source_is_read(
    tmp_path: Path, made: Callable[[Path], Path], options: dict[str, object], sheet: str | None
) -> None:
    con = database.connect(SETTINGS.database)
    settled = LoadOptions(**options, decimal=",", dates="dmy", types={"KOD": "number", "сумма": "number"})  # type: ignore[arg-type]
    (table,) = open_sources(con, [made(tmp_path)], SETTINGS.files, sheet, settled)
    assert [report.column for report in table.report.columns] == ["Код", "Сана", "Сумма"]
    assert database.query(con, f"FROM {sql.name(table.name)}") == KEPT


OPTIONS = ["--encoding", "cp1251", "--delimiter", ";", "--header", "2", "--keep-totals"]
OPTIONS += ["--decimal", ",", "--dates", "dmy", "--types", "kod=number"]


def test_options_settle_standard_input() -> None:
    done = subprocess.run(
        [*TEZ, "profile", "-", "--json", *OPTIONS],
        input=TEXT.encode("cp1251"),
        capture_output=True,
        env=os.environ,
        check=True,
    )
    (table,) = json.loads(done.stdout)["tables"]
    assert [column["kind"] for column in table["columns"]] == ["number", "date", "number"]
    assert (table["rows"], table["report"]["counts"]) == (3, {"title": 1})
