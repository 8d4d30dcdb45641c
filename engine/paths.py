"""What a path is: one readable file, a literal in which DuckDB sees only that file, and the name of its table."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from grammar import TezError, unique_name

from . import sql

STEP_PREFIX = "_step_"

_PATTERN_MARKS = re.compile(r"([*?\[])")


class FileError(TezError):
    """A file cannot be opened as a table; names the file and what to do."""


def check_path(path: Path) -> None:
    """Raise FileError unless the path leads somewhere and DuckDB can be told it."""
    try:
        str(path).encode()
        path.stat()
    except UnicodeEncodeError as error:
        raise FileError("odd_file_name", path=str(path)) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        if path.is_symlink():
            raise FileError("broken_link", path=str(path), found=str(path.readlink())) from error
        raise FileError("not_found", path=str(path)) from error
    except OSError as error:
        raise FileError("unreadable", path=str(path), found=error.strerror) from error


def check_file(path: Path) -> None:
    """Raise FileError unless the path is a file that can be read and is not empty."""
    check_path(path)
    if not path.is_file():
        raise FileError("not_a_file", path=str(path))
    try:
        with path.open("rb") as file:
            beginning = file.read(1)
    except OSError as error:
        raise FileError("unreadable", path=str(path), found=error.strerror) from error
    if not beginning:
        raise FileError("empty_file", path=str(path))


def total_size(paths: Iterable[Path]) -> int:
    """Return the bytes of these files and of those that lie in these folders; what cannot be asked counts for none."""
    total = 0
    for path in paths:
        with suppress(OSError):
            files = list(path.iterdir()) if path.is_dir() else [path]
            total += sum(file.stat().st_size for file in files if file.is_file())
    return total


def table_name(wanted: str, taken: Iterable[str]) -> str:
    """Return the name for a table: the wanted one, apart from those taken and from those of steps."""
    name = wanted.strip() or "table"
    if name.casefold().startswith(STEP_PREFIX):
        name = f"table{name}"
    return unique_name(name, list(taken))


def one_file(path: Path) -> str:
    """Return the path as an SQL literal in which DuckDB sees one file and no pattern."""
    return sql.literal(_PATTERN_MARKS.sub(r"[\1]", str(path.absolute())))
