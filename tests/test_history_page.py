"""The page of accepted answers: its commands are run, with a data folder of the test, and print what stands there."""

import json
import re
import shutil
import sys
from datetime import datetime
from pathlib import Path

import pytest
from command_line import LOANS
from hostile_server import hostile
from transcripts import elsewhere, page, ran

PAGE = page("history.md")
DAY, TIME = "2026-12-01", "2026-12-01T10:00:00+05:00"
PLANS = [
    {"steps": [{"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}]},
    {"steps": [{"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}]},
]


@pytest.mark.skipif(sys.platform != "linux", reason="the data folder is set as Linux has it")
def test_the_transcript_is_what_is_printed(tmp_path: Path) -> None:
    """Days and times are those of the page."""
    folder = tmp_path / "here"
    folder.mkdir()
    PAGE.put(folder)
    shutil.copy(LOANS, folder)

    def run(words: list[str]) -> str:
        said = ran(words, folder, {"XDG_DATA_HOME": str(tmp_path / "data")})[1]
        return re.sub(r"20\d\d-\d\d-\d\d(T[\d:]+[+-]\d\d:\d\d)?", lambda found: masked(found[0]), said)

    with hostile(*map(json.dumps, PLANS)) as server:
        assert len(PAGE.transcripts) == 1
        PAGE.hold(0, lambda words: elsewhere(words, server.address, run))
    assert (tmp_path / "data" / "tez" / "accepted.duckdb").is_file()


def masked(found: str) -> str:
    """Return the day or time of the page for one of now; those of the rows are left."""
    now = datetime.now().astimezone()
    moment = datetime.fromisoformat(found)
    days = abs((now.date() - moment.date()).days)
    return found if days > 1 else TIME if "T" in found else DAY
