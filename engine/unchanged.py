"""Files that are read where they lie for as long as a table of them is open: that they are still the same."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .database import DatabaseError
from .paths import FileError


class FileMark(NamedTuple):
    """A file as it was when it was opened: its size in bytes, when it was last changed, and its number on the disk."""

    path: Path
    size: int
    changed: int
    number: int

    def check(self) -> None:
        """Raise FileError `file_gone` or `file_changed` unless the file is what it was."""
        try:
            now = file_mark(self.path)
        except OSError as error:
            raise FileError("file_gone", path=str(self.path)) from error
        if now != self:
            raise FileError("file_changed", path=str(self.path))


def file_mark(path: Path) -> FileMark:
    """Return the mark of a file as it is now; OSError if it cannot be asked for."""
    found = path.stat()
    return FileMark(path, found.st_size, found.st_mtime_ns, found.st_ino)


@contextmanager
def unchanged(marks: Iterable[FileMark | None]) -> Iterator[None]:
    """Let the block read these files; FileError if one is not what it was, before the block or after it."""
    known = [mark for mark in marks if mark is not None]
    for mark in known:
        mark.check()
    try:
        yield
    except DatabaseError:
        for mark in known:
            mark.check()
        raise
    for mark in known:
        mark.check()
