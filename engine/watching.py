"""Which openings of files are long enough for a bar, and what it shows."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from prompt.words import Language

from . import terminal
from .database import Connection, done_of, follow
from .paths import total_size
from .settings import Settings
from .workspace import Watching, unwatched


def watching_of(paths: Sequence[Path], settings: Settings, language: Language) -> Watching:
    """Return a bar that shows how far the opening of large files is, nothing for small ones."""
    if total_size(paths) < settings.files.progress_bytes:
        return unwatched
    names = ", ".join(path.name for path in paths)

    def watched(con: Connection) -> AbstractContextManager[None]:
        follow(con)
        return terminal.opening(lambda: done_of(con), names, language)

    return watched
