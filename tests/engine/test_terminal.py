"""What is shown beside the result while something takes long."""

import io
import time
from pathlib import Path

import pytest
from tables_in_files import SETTINGS

from engine import database, terminal
from engine.paths import total_size


class Screen(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_shows_how_far_the_opening_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, asked = Screen(), []
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")

    def done() -> float | None:
        asked.append(len(asked))
        return None if len(asked) < 2 else 0.5

    with terminal.opening(done, "savdo [2025].csv", "uz"):
        while len(asked) < 4:
            time.sleep(0.01)
    looked = len(asked)
    assert "savdo [2025].csv ochilmoqda" in screen.getvalue()
    time.sleep(2 / terminal.LOOKS_A_SECOND)
    assert len(asked) == looked


def test_nothing_is_shown_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.opening(lambda: 1 / 0, "a.csv", "en"):
        pass
    assert capsys.readouterr() == ("", "")


def test_the_bar_goes_when_opening_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Screen())
    with pytest.raises(KeyboardInterrupt), terminal.opening(lambda: None, "a.csv", "en"):
        raise KeyboardInterrupt


def test_a_connection_tells_how_far_its_statement_is() -> None:
    con = database.connect(SETTINGS.database)
    assert database.query(con, "SELECT current_setting('enable_progress_bar')") == [(False,)]
    database.follow(con)
    assert database.done_of(con) is None
    database.execute(con, "CREATE TABLE t AS FROM range(100000)")
    assert database.done_of(con) in (None, 1.0)
    assert database.query(con, "SELECT current_setting('enable_progress_bar_print')") == [(False,)]


def test_the_size_of_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"12345")
    (tmp_path / "c").mkdir()
    assert total_size([tmp_path]) == 8
    assert total_size([tmp_path / "a", tmp_path / "absent", Path("-")]) == 3
