"""Running `tez` as a user does: a process of its own, its exit code, its two outputs."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOANS = ROOT / "domains" / "bank_loans" / "loans.csv"
TEZ = [sys.executable, "-m", "engine.cli"]
LONGEST = 300


@dataclass(frozen=True)
class Finished:
    """A process that ended."""

    code: int
    out: str
    err: str


def tez(*arguments: object, stdin: str | None = None, folder: Path | None = None) -> Finished:
    """Run a command to its end; no traceback may appear."""
    done = subprocess.run(
        [*TEZ, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=folder or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Finished(done.returncode, done.stdout, done.stderr)
