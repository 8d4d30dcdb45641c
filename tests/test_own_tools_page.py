"""The page of own tools: its files, its transcripts and its test are what really happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, TEZ

PAGE = (ROOT / "docs" / "own-tools.md").read_text(encoding="utf-8")
FILES = re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TRANSCRIPTS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def printed(command: list[str], folder: Path) -> str:
    """Return what a command prints, both outputs together."""
    import os

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment, check=False
    )
    return done.stdout


def test_the_page_has_files_and_transcripts() -> None:
    assert [name for name, _ in FILES] == ["shop_tools.py", "sales.csv", "plan.json", "weather.json"]
    assert len(TRANSCRIPTS) == 2


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=["plans", "errors"])
def test_a_transcript_is_what_is_printed(transcript: str, folder: Path) -> None:
    shown = ""
    for line in transcript.splitlines():
        if line.startswith("$ tez "):
            shown += f"{line}\n{printed([*TEZ, *line.split()[2:]], folder)}"
    assert shown == transcript


def test_the_test_of_the_page_passes(folder: Path) -> None:
    [script] = re.findall(r"^## Testing them\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (folder / "check.py").write_text(script, encoding="utf-8")
    assert printed([sys.executable, "check.py"], folder) == ""


def test_the_figures_are_those_that_recall_prints() -> None:
    from accuracy import recall
    from engine.settings import load_settings

    found = recall.measure(load_settings())
    for way, title in zip(recall.WAYS, ("with `words` in three languages", "English descriptions alone"), strict=True):
        shares = [found.share(way, 8, half=half) for half in recall.HALVES]
        shares += [found.share(way, 8, lang=lang) for lang in ("uz", "ru", "en")]
        row = " | ".join(f"{100 * share:.0f}" for share in shares)
        assert f"| {title} | {row} |" in PAGE
    assert f"Of {found.tools} tools, percent of {len(found.ranked) // 2} requests" in PAGE
