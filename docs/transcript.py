"""Writes the conversation in the README anew: `python docs/transcript.py`, or `--check` to see whether it is fresh.

It is a real run of `tez chat` with the default model, over the lines that the README has typed behind `tez> `.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FILE = "domains/bank_loans/loans.csv"
BEGIN, END = f"    $ tez chat {FILE}\n", "    tez> /quit\n"
TYPED = "    tez> "
SHOWN_ROWS = 4


def shown_talk(readme: str) -> str:
    """Return the conversation that stands in the README, from its command to its last line."""
    start = readme.index(BEGIN)
    return readme[start : readme.index(END, start) + len(END)]


def talked(shown: str) -> str:
    """Return what a terminal shows today for the lines that were typed in a conversation."""
    typed = [line.removeprefix(TYPED) for line in shown.splitlines() if line.startswith(TYPED)]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_text(json.dumps({"output": {"shown_rows": SHOWN_ROWS}}), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "engine.cli", "chat", FILE, "--settings", str(settings), "--new"],
            input="".join(f"{line}\n" for line in typed).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env={
                **os.environ,
                "XDG_DATA_HOME": folder,
                "LC_ALL": "C.UTF-8",
                "PYTHONUTF8": "1",
                "COLUMNS": "100",
                "PYTHONPATH": str(ROOT),
            },
            check=True,
        )
    lines = done.stdout.decode().splitlines()
    return BEGIN + "".join(f"    {line}".rstrip() + "\n" for line in lines)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="write nothing, fail where it is stale")
    checking = arguments.parse_args().check
    text = README.read_text(encoding="utf-8")
    old = shown_talk(text)
    new = talked(old)
    if checking and new != old:
        sys.exit("The conversation in README.md is stale: run python docs/transcript.py")
    README.write_text(text.replace(old, new), encoding="utf-8")
