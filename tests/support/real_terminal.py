"""A process in a terminal of its own, as a person meets it: what it shows, and the keys that are pressed."""

import json
import os
import re
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from command_line import LONGEST, ROOT

PROCESS = [sys.executable, str(ROOT / "tests" / "support" / "chat_process.py")]
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>]|\][^\x07]*\x07)")
READY = "\x1b[?2004h"


class Terminal:
    """A command in a terminal of its own; what it shows is read until a text appears."""

    def __init__(self, folder: Path, answers: dict[str, Any], *arguments: object) -> None:
        import pty

        known = folder / "recorded_answers.json"
        known.write_text(json.dumps(answers), "utf-8")
        self.ours, theirs = pty.openpty()
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'support'}", "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            [*PROCESS, str(known), *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={
                **environment,
                "XDG_DATA_HOME": str(folder / "data"),
                "HOME": str(folder),
                "PROMPT_TOOLKIT_NO_CPR": "1",
                "TERM": "xterm",
                "COLUMNS": "120",
                "LINES": "50",
            },
            start_new_session=True,
        )
        os.close(theirs)
        self._unread = ""

    def until(self, wanted: str) -> str:
        """Return what is shown up to the end of a text."""
        while wanted not in self._unread:
            assert select.select([self.ours], [], [], LONGEST)[0], self._unread
            try:
                piece = os.read(self.ours, 65536)
            except OSError:
                piece = b""
            assert piece, f"{wanted!r} does not stand in {self._unread!r}"
            self._unread += piece.decode("utf-8", "replace")
        end = self._unread.index(wanted) + len(wanted)
        shown, self._unread = self._unread[:end], self._unread[end:]
        return ESCAPES.sub("", shown).replace("\r", "")

    def keys(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def line(self, text: str) -> str:
        """Type a line when the session waits for one, and return what is shown until it waits again."""
        self.keys(f"{text}\r")
        return self.until(READY)

    def ended(self) -> int:
        """Return the exit code; what is still shown is read."""
        with suppress(OSError):
            while os.read(self.ours, 65536):
                pass
        return self.process.wait(timeout=LONGEST)
