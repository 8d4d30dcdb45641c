"""The page of the protocol: its client is run as it stands there, and prints what stands there."""

import shutil
import sys
from pathlib import Path

from command_line import LOANS, ROOT
from transcripts import page, ran

PAGE = page("mcp.md")
TEZ = 'command="tez", args=['


def test_the_talk_is_what_is_said(tmp_path: Path) -> None:
    """`tez` is that of this checkout; the SDK hands a server few of the environment's variables."""
    here = f'command={sys.executable!r}, env={{"PYTHONPATH": {str(ROOT)!r}}}, args=["-m", "engine.cli", '
    assert TEZ in PAGE.files["talk.py"]
    (tmp_path / "talk.py").write_text(PAGE.files["talk.py"].replace(TEZ, here), encoding="utf-8")
    shutil.copy(LOANS, tmp_path)

    def run(words: list[str]) -> str:
        code, said = ran(words, tmp_path)
        assert code == 0, said
        return said

    assert len(PAGE.transcripts) == 1
    PAGE.hold(0, run)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loans.csv", "talk.py"]
