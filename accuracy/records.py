"""The files between the steps: JSON Lines, the first line a header, each further line one case.

A line is complete when its line break is there. What stands behind the last line break was being written when a run
ended, and counts for nothing.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grammar import TezError

PREDICTIONS: Final = "tez-predictions-1"
SCORES: Final = "tez-scores-1"
WAYS: Final = "tez-optional-1"
_PREDICTION: Final = ("case", "answer", "error", "tokens", "seconds", "choices")
_AT_TIMES: Final = ("alone", "doubt")
_GROUPS: Final = ("case", "domain", "table", "lang", "tags", "tools", "steps", "follow_up", "request", "wanted")
_OUTCOME: Final = ("answer", "outcome", "failure", "detail", "tokens", "seconds", "confidence")
_KEYS: Final[Mapping[str, frozenset[str]]] = {
    PREDICTIONS: frozenset(_PREDICTION),
    SCORES: frozenset((*_GROUPS, *_OUTCOME)),
    WAYS: frozenset(("case", "wanted", "ways")),
}
_MORE_KEYS: Final[Mapping[str, frozenset[str]]] = {
    PREDICTIONS: frozenset(_AT_TIMES),
    SCORES: frozenset(_AT_TIMES),
    WAYS: frozenset(),
}

Record = dict[str, Any]


class BenchError(TezError):
    """The benchmark cannot go on: a file of its own is unreadable, or does not fit the cases, tables or other files."""


@dataclass(frozen=True)
class Records:
    """A file's header and its lines, and the bytes of the file that they take."""

    header: Record
    lines: tuple[Record, ...]
    size: int


def read_records(path: Path, kind: str) -> Records:
    """Read a file of this kind (PREDICTIONS, SCORES or WAYS), up to its last complete line.

    Raises BenchError: `file_unreadable`, `no_header`, `other_kind`, `line_broken`, `case_twice`.
    """
    try:
        data = path.read_bytes()
        size = data.rfind(b"\n") + 1
        lines = data[:size].decode("utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError("file_unreadable", file=str(path), found=str(error)) from error
    if not lines:
        raise BenchError("no_header", file=str(path))
    header = _object(lines[0], path, 1)
    if header.get("kind") != kind:
        raise BenchError("other_kind", file=str(path), found=header.get("kind"), allowed=kind)
    records = tuple(_object(line, path, number) for number, line in enumerate(lines[1:], 2))
    seen: dict[str, int] = {}
    for number, record in enumerate(records, 2):
        if not _KEYS[kind] <= record.keys() <= _KEYS[kind] | _MORE_KEYS[kind]:
            raise BenchError("line_broken", file=str(path), line=number, found=sorted(record))
        first = seen.setdefault(str(record["case"]), number)
        if first != number:
            raise BenchError("case_twice", file=str(path), line=number, case=record["case"], first=first)
    return Records(header, records, size)


def has_complete_line(path: Path) -> bool:
    """Return whether the file is there and at least its header was written to the end."""
    return path.exists() and b"\n" in path.read_bytes()


def as_line(record: Mapping[str, Any]) -> str:
    """Return a record as one line of a file, the line break included."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def error_record(error: BaseException) -> Record:
    """Return an error as it stands in a file: its class, its reason (None for a fault of Tez's own), its words."""
    reason = error.reason if isinstance(error, TezError) else None
    return {"class": type(error).__name__, "reason": reason, "detail": str(error)}


def write_records(path: Path, header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole file; it appears under its name only when it is complete. BenchError `not_written`."""
    write_text(path, "".join(map(as_line, (header, *lines))))


def write_text(path: Path, text: str) -> None:
    """Write a text file that appears under its name only when it is complete. BenchError `not_written`."""
    growing = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            growing.write_text(text, encoding="utf-8", newline="\n")
            growing.replace(path)
        finally:
            growing.unlink(missing_ok=True)
    except OSError as error:
        raise BenchError("not_written", file=str(path), found=error.strerror or str(error)) from error


def _object(line: str, path: Path, number: int) -> Record:
    try:
        record: object = json.loads(line)
    except ValueError as error:
        raise BenchError("line_broken", file=str(path), line=number, found=str(error)) from error
    if not isinstance(record, dict):
        raise BenchError("line_broken", file=str(path), line=number, found=line[:80])
    return record
