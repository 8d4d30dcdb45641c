"""What a person answered about files, kept in a small file of the user's data folder.

A file is known by its path and the names of its columns. An unreadable memory counts as an empty one.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from .load_options import DATE_ORDERS, MARKS, DateOrder, Mark

MEMORY = "answers.json"


@dataclass(frozen=True)
class Answers:
    """What was answered about a file: the order of day and month, the decimal mark; None where nothing was."""

    dates: DateOrder | None = None
    decimal: Mark | None = None

    def changed(self, about: str, answer: Any) -> "Answers":
        """Return the answers with another one about `dates` or `decimal`; one that is not known counts as none."""
        known: dict[str, Any] = {"dates": self.dates, "decimal": self.decimal, about: answer}
        dates, decimal = known["dates"], known["decimal"]
        return Answers(dates if dates in DATE_ORDERS else None, decimal if decimal in MARKS else None)


@dataclass(frozen=True)
class Memory:
    """The answers about files; at most `most` files are remembered, the latest ones."""

    path: Path
    most: int

    def recall(self, file: Path, columns: Sequence[str]) -> Answers:
        """Return what was answered about a file with these columns."""
        known = self._read().get(_key(file, columns), {})
        return Answers().changed("dates", known.get("dates")).changed("decimal", known.get("decimal"))

    def keep(self, file: Path, columns: Sequence[str], answers: Answers) -> bool:
        """Remember what was answered about a file, nothing if there is nothing; False if it cannot be written."""
        known = self._read()
        known.pop(_key(file, columns), None)
        if answers != Answers():
            known[_key(file, columns)] = {
                "file": str(file.resolve()),
                "dates": answers.dates,
                "decimal": answers.decimal,
            }
        growing = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            growing.write_text(json.dumps(dict(list(known.items())[-self.most :]), ensure_ascii=False), "utf-8")
            growing.replace(self.path)
        except (OSError, UnicodeEncodeError):
            return False
        finally:
            with suppress(OSError):
                growing.unlink(missing_ok=True)
        return True

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            known = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(known, dict):
            return {}
        return {key: value for key, value in known.items() if isinstance(value, dict)}


def memory_path() -> Path:
    """Return where answers are kept by default."""
    return platformdirs.user_data_path("tez", appauthor=False) / MEMORY


def _key(file: Path, columns: Sequence[str]) -> str:
    text = json.dumps([os.fspath(file.resolve()), *columns])
    return hashlib.sha256(text.encode()).hexdigest()
