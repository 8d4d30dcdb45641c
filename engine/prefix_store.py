"""States of evaluated prompts on disk, so that a new process need not read the same beginning again.

Each file is named by a digest of everything that could make it wrong (the caller's `key`) and begins with a line that
tells the size and digest of what follows: a file that is cut, changed or of another key counts as none. Files are
written under a temporary name and renamed; where they grow beyond the bound, those used longest ago go first.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import platformdirs

SUFFIX = ".state"
_LONGEST_HEAD = 1024


def prefix_folder() -> Path:
    """Return the folder in the user's cache where states of prompts are kept."""
    return platformdirs.user_cache_path("tez", appauthor=False) / "prompts"


class PrefixStore:
    """States by key, at most `limit` bytes of them. A fault of the disk is never an error: the state is read anew."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit

    def load(self, key: str) -> bytes | None:
        """Return the state of this key, None where there is none that is whole."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        head, found, state = content.partition(b"\n")
        if not found or len(head) > _LONGEST_HEAD or head != _head(key, state):
            with suppress(OSError):
                path.unlink()
            return None
        return state

    def save(self, key: str, state: bytes) -> bool:
        """Keep a state; say whether it is kept. One that alone is beyond the bound is not."""
        head = _head(key, state) + b"\n"
        if len(head) + len(state) > self._limit:
            return False
        temporary = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(head) + len(state))
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(head)
                file.write(state)
            Path(temporary).replace(self._path(key))
        except OSError:
            if temporary is not None:
                with suppress(OSError):
                    Path(temporary).unlink()
            return False
        return True

    def _make_room(self, needed: int) -> None:
        """Remove the states used longest ago until `needed` more bytes fit, and what an interrupted save left."""
        files = sorted((path.stat().st_mtime_ns, path.stat().st_size, path) for path in self._folder.iterdir())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total + needed <= self._limit:
                return
            path.unlink(missing_ok=True)
            total -= size

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}{SUFFIX}"


def state_key(parts: Iterable[object], tokens: Iterable[int]) -> str:
    """Return the key of the state after these tokens, in a context that `parts` tell from any other."""
    return json.dumps([[str(part) for part in parts], list(tokens)])


def _head(key: str, state: bytes) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(state)
    return json.dumps({"bytes": len(state), "sha256": digest.hexdigest()}).encode()
