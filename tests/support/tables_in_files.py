"""Files as tables, for tests."""

from pathlib import Path
from typing import Any

from engine import database
from engine.files import OpenedTable, open_file
from engine.load_options import AS_FOUND, LoadOptions
from engine.settings import load_settings

SETTINGS = load_settings()


def opened(path: Path, options: LoadOptions = AS_FOUND) -> tuple[database.Connection, OpenedTable]:
    """Open a file as the table `base` of a new connection."""
    con = database.connect(SETTINGS.database)
    return con, open_file(con, path, "base", SETTINGS.files, options)


def loaded(path: Path, options: LoadOptions = AS_FOUND) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """Return the columns with their types, and the rows, of a file."""
    con, _ = opened(path, options)
    return database.describe(con, '"base"'), database.query(con, "FROM base")


def written(folder: Path, text: str, name: str = "data.csv", encoding: str = "utf-8") -> Path:
    """Write a text into a file and return its path."""
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path
