"""Writing a file that was not there before: under another name in the same folder first, then renamed.

Nothing that exists is ever written over, not even when it appears while the file is being written.
"""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from grammar import TezError

_UNSAFE = re.compile(r"[^\w \-.()]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST_STEM = 60


class ExportError(TezError):
    """A file cannot be written as asked; names the file and what to do."""


class PictureError(TezError):
    """A chart could not be drawn; `detail` is the first line of the drawing library's words."""


def check_free(path: Path, sources: Iterable[Path] = ()) -> None:
    """Raise ExportError unless a new file can stand at this path: its folder is there, and nothing else is."""
    if os.path.lexists(path):
        taken_by_source = any(source.exists() and path.exists() and path.samefile(source) for source in sources)
        raise ExportError("is_source" if taken_by_source else "exists", path=str(path))
    if not path.parent.is_dir():
        raise ExportError("no_folder", path=str(path), folder=str(path.parent))


def free_path(folder: Path, stem: str, suffixes: Iterable[str]) -> Path:
    """Return the path of a file name that is free with each of these suffixes, the first of them on it.

    The stem is cut to what every file system takes as a name; it may come from a table and mean nothing else.
    """
    endings = list(suffixes)
    safe = _UNSAFE.sub("_", stem)[:_LONGEST_STEM].strip(" .")
    if not safe.strip("_") or _RESERVED.fullmatch(safe):
        safe = f"table_{safe}".rstrip("_")
    for number in count(1):
        name = safe if number == 1 else f"{safe}_{number}"
        if not any(os.path.lexists(folder / f"{name}{ending}") for ending in endings):
            return folder / f"{name}{endings[0]}"
    raise AssertionError


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give the path to write to; it becomes `path` when the block ends, and nothing stays behind when it fails.

    Raises ExportError where the file cannot be written or something has taken its name.
    """
    check_free(path)
    growing = path.with_name(f".tez-{secrets.token_hex(8)}.part")
    try:
        yield growing
        _rename(growing, path)
    except OSError as error:
        raise ExportError("not_written", path=str(path), found=error.strerror or str(error)) from error
    finally:
        growing.unlink(missing_ok=True)


def _rename(growing: Path, path: Path) -> None:
    """Give a file its name unless the name is taken; a second link never replaces a file, a renaming could."""
    try:
        path.hardlink_to(growing)
    except FileExistsError:
        raise ExportError("exists", path=str(path)) from None
    except OSError:
        if os.path.lexists(path):
            raise ExportError("exists", path=str(path)) from None
        growing.rename(path)
