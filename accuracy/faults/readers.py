"""The two readers that are compared: Tez as it opens any file, and DuckDB with the defaults of its own functions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine import sql
from engine.database import Connection, connect, describe, execute, query
from engine.load_report import ColumnReport, LoadReport
from engine.paths import one_file
from engine.settings import Settings
from engine.sources import open_sources
from grammar import TezError

READERS: Final = ("Tez", "DuckDB")
_TABLE: Final = "opened"
# What DuckDB reads without an extension that it would have to download.
_FUNCTIONS: Final = {".json": "read_json", ".jsonl": "read_json", ".csv": "read_csv", ".tsv": "read_csv"}
_BY_EXTENSION: Final = {".xlsx": "read_xlsx"}


@dataclass(frozen=True)
class Opened:
    """A file as a reader has opened it: its columns with their types, its rows, and what was said about it.

    `said` is all of the report as text, `reports` what it says of each column.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    said: str = ""
    reports: Mapping[str, ColumnReport] = field(default_factory=dict)
    report: LoadReport | None = None


def opened(reader: str, path: Path, settings: Settings) -> Opened | TezError:
    """Open a file with one of READERS, or return the error with which it was refused."""
    con = connect(settings.database)
    try:
        return _by_tez(con, path, settings) if reader == "Tez" else _by_duckdb(con, path)
    except TezError as error:
        return error
    finally:
        con.close()


def _by_tez(con: Connection, path: Path, settings: Settings) -> Opened:
    table = open_sources(con, [path], settings.files)[0]
    said = json.dumps([table.report.as_json(), table.notes], ensure_ascii=False, default=str)
    return Opened(
        tuple(describe(con, sql.name(table.name))),
        tuple(query(con, f"FROM {sql.name(table.name)}")),
        said,
        {column.column: column for column in table.report.columns},
        table.report,
    )


def _by_duckdb(con: Connection, path: Path) -> Opened:
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    function = (_FUNCTIONS | _BY_EXTENSION).get(suffix, "read_csv")
    execute(con, f"CREATE TABLE {sql.name(_TABLE)} AS FROM {function}({one_file(path)})")
    return Opened(tuple(describe(con, sql.name(_TABLE))), tuple(query(con, f"FROM {sql.name(_TABLE)}")))
