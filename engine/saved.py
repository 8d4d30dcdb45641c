"""Conversations as files: those that are saved by themselves in the user's data folder, and those that a person names.

A conversation that is saved by itself is known by its files: whoever opens them again goes on where he stopped. One
that cannot be read counts as none.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .conversation import Conversation, ConversationError, conversation_of
from .new_file import new_file
from .render import json_text

FOLDER = "conversations"


@dataclass(frozen=True)
class Saved:
    """The conversation about these files, saved by itself; of all such at most `most` are kept, the latest ones."""

    folder: Path
    files: Sequence[Path]
    most: int
    longest: int

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        text = json.dumps([os.fspath(file.resolve()) for file in self.files])
        return self.folder / f"{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}.json"

    def load(self) -> Conversation | None:
        """Return the conversation; None where there is none."""
        try:
            return load_conversation(self.path, self.longest)
        except ConversationError:
            return None

    def save(self, conversation: Conversation) -> bool:
        """Save the conversation; False if it cannot be written."""
        path = self.path
        growing = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            growing.write_text(json_text(conversation.as_json()), encoding="utf-8")
            growing.replace(path)
            self._forget_oldest()
        except (OSError, UnicodeEncodeError):
            return False
        finally:
            with suppress(OSError):
                growing.unlink(missing_ok=True)
        return True

    def _forget_oldest(self) -> None:
        known = sorted(self.folder.glob("*.json"), key=lambda each: each.stat().st_mtime_ns, reverse=True)
        for path in known[self.most :]:
            path.unlink(missing_ok=True)


def saved_folder() -> Path:
    """Return where conversations are saved by themselves."""
    return platformdirs.user_data_path("tez", appauthor=False) / FOLDER


def load_conversation(path: Path, longest: int) -> Conversation:
    """Return the conversation of a file of at most `longest` bytes; ConversationError if it holds none."""
    try:
        if path.stat().st_size > longest:
            raise ConversationError("too_large", path=str(path), most=longest)
        return conversation_of(json.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ConversationError("unreadable", path=str(path), found=error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise ConversationError("not_a_conversation", place="-", found=str(error)) from error


def save_conversation(path: Path, conversation: Conversation) -> None:
    """Write a conversation to a new file; ExportError if that cannot be."""
    with new_file(path) as growing:
        growing.write_text(json_text(conversation.as_json(), indent=2) + "\n", encoding="utf-8")
