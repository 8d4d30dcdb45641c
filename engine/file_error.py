"""What is common to all who open files: their error, and how a path reaches DuckDB."""

import re
from pathlib import Path

from grammar import TezError

from . import sql

_PATTERN_MARKS = re.compile(r"([*?\[])")


class FileError(TezError):
    """A file cannot be opened as a table; names the file and what to do."""


def one_file(path: Path) -> str:
    """Return the path as an SQL literal in which DuckDB sees one file and no pattern."""
    return sql.literal(_PATTERN_MARKS.sub(r"[\1]", str(path.absolute())))
