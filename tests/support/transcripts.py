"""What stands on a page: its files, its transcripts, and what really happens when their commands are run.

With TEZ_PAGES=write a page takes what is printed now instead of being held against it.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from command_line import LONGEST, ROOT, TEZ

FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODEL_SERVER = "http://127.0.0.1:8000/v1"
TRANSCRIPT = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
WRITE = "write"
Words = list[str]


@dataclass(frozen=True)
class Page:
    """A page of `docs/`."""

    path: Path

    @property
    def text(self) -> str:
        """Return what stands on the page."""
        return self.path.read_text(encoding="utf-8")

    @property
    def files(self) -> dict[str, str]:
        """Return the files that the page shows, each by its name."""
        return dict(FILE.findall(self.text))

    @property
    def transcripts(self) -> list[str]:
        """Return the transcripts: commands after `$ `, each followed by what it prints."""
        return TRANSCRIPT.findall(self.text)

    def put(self, folder: Path) -> None:
        """Write the files of the page into a folder."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")

    def hold(self, place: int, run: Callable[[Words], str]) -> None:
        """Hold a transcript against what its commands print; `run` gives that for the words of one."""
        kept = self.transcripts[place]
        shown = "".join(f"$ {command}\n{run(shlex.split(command))}" for command in commands(kept))
        if os.environ.get("TEZ_PAGES") == WRITE:
            self.path.write_text(self.text.replace(f"```console\n{kept}", f"```console\n{shown}"), encoding="utf-8")
            return
        assert shown == kept


def page(name: str) -> Page:
    """Return a page by its name."""
    return Page(ROOT / "docs" / name)


def commands(transcript: str) -> list[str]:
    """Return the commands of a transcript."""
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


def elsewhere(words: Words, address: str, run: Callable[[Words], str]) -> str:
    """Run a command with the pages' model server at another address; return what it says as if it were at theirs."""
    return run([word.replace(MODEL_SERVER, address) for word in words]).replace(address, MODEL_SERVER)


def ran(words: Words, folder: Path, more: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a command of a page in a folder; return its exit code and what it prints, both outputs together."""
    known = {"tez": TEZ, "python": [sys.executable]}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100", **(more or {})}
    done = subprocess.run(
        [*known[words[0]], *words[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        cwd=folder,
        env=environment,
        timeout=LONGEST,
        check=False,
    )
    return done.returncode, done.stdout
