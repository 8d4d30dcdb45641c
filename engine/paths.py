"""What a path is: one readable file, a literal in which DuckDB sees only that file, and the name of its table."""

from collections.abc import Iterable
from pathlib import Path

from grammar import unique_name

from .file_error import FileError, one_file

STEP_PREFIX = "_step_"

__all__ = ["FileError", "check_file", "one_file", "table_name"]


def check_file(path: Path) -> None:
    """Raise FileError unless the path is a file that can be read and is not empty."""
    if not path.exists():
        raise FileError("not_found", path=str(path))
    if not path.is_file():
        raise FileError("not_a_file", path=str(path))
    try:
        with path.open("rb") as file:
            beginning = file.read(1)
    except OSError as error:
        raise FileError("unreadable", path=str(path), found=error.strerror) from error
    if not beginning:
        raise FileError("empty_file", path=str(path))


def table_name(wanted: str, taken: Iterable[str]) -> str:
    """Return the name for a table: the wanted one, apart from those taken and from those of steps."""
    name = wanted.strip() or "table"
    if name.casefold().startswith(STEP_PREFIX):
        name = f"table{name}"
    return unique_name(name, list(taken))
