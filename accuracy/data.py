"""The tables that accuracy is measured on."""

from pathlib import Path

from engine.database import Connection, connect
from engine.files import open_file
from engine.settings import load_settings

BASE = "base"


def open_data(path: str | Path) -> Connection:
    """Return a DuckDB connection, in memory, that holds the file's table under the name `BASE`.

    FileError says what is wrong with a file that cannot be opened.
    """
    settings = load_settings()
    con = connect(settings.database)
    open_file(con, Path(path), BASE, settings.files)
    return con
