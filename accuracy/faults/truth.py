"""What a file means, whatever is wrong with it: the clean table, and which lines are no data."""

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from accuracy.records import BenchError

from .draft import Cell, Draft

MANIFEST: Final = "truth.jsonl"


@dataclass(frozen=True)
class TrueColumn:
    """A column: its name (empty: any will do), what it holds, and whether a reader can know that from the file."""

    name: str
    kind: str
    decidable: bool


@dataclass(frozen=True)
class Truth:
    """What a file means.

    `rows` are its rows, a date as ISO text; the cells at the place `key` are all different. `aside` are the lines that
    are no data (titles, notes, totals, rows with a cell too many), each as its filled cells.
    """

    file: str
    table: str
    faults: tuple[str, ...]
    columns: tuple[TrueColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    key: int
    aside: tuple[tuple[str, ...], ...]


def truth_of(draft: Draft, file: str, faults: Iterable[str]) -> Truth:
    """Return what the file that is made of a draft means."""
    unclear = draft.undecidable()
    names = draft.header or [""] * len(draft.columns)
    columns = tuple(
        TrueColumn(name.strip(" \u00a0\u200b"), column.kind, place not in unclear)
        for place, (name, column) in enumerate(zip(names, draft.columns, strict=True))
    )
    rows = tuple(tuple(map(_plain, row)) for number, row in enumerate(draft.rows) if number not in draft.long)
    aside = [tuple(filter(None, line.cells)) for line in draft.lines() if line.role in ("title", "aside")]
    return Truth(file, draft.table.name, tuple(faults), columns, rows, draft.table.key, tuple(aside))


def _plain(value: Cell) -> str | int | float | None:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, datetime.date) else value


def new_folder(folder: Path) -> Path:
    """Make a folder; BenchError `folder_in_use` if something is in it already, `not_written` if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BenchError("folder_in_use", folder=str(folder))
    except OSError as error:
        raise BenchError("not_written", file=str(folder), found=error.strerror or str(error)) from error
    return folder


def write_manifest(folder: Path, truths: Iterable[Truth]) -> None:
    """Write what the files of a folder mean, one a line."""
    lines = "".join(json.dumps(asdict(truth), ensure_ascii=False) + "\n" for truth in truths)
    (folder / MANIFEST).write_text(lines, encoding="utf-8")


def read_manifest(folder: Path) -> list[Truth]:
    """Return what the files of a folder mean; BenchError `no_truth` if it does not say so."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
        return [_truth(json.loads(line)) for line in lines]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BenchError("no_truth", folder=str(folder), file=MANIFEST, detail=str(error)) from error


def _truth(found: Mapping[str, Any]) -> Truth:
    return Truth(
        found["file"],
        found["table"],
        tuple(found["faults"]),
        tuple(TrueColumn(**column) for column in found["columns"]),
        tuple(map(tuple, found["rows"])),
        found["key"],
        tuple(map(tuple, found["aside"])),
    )
