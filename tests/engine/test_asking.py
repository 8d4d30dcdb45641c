"""A person at a terminal is asked what a file leaves open, as a user meets it: `tez` in a terminal of its own."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import LONGEST, ROOT, TEZ, tez
from tables_in_files import written

pty = pytest.importorskip("pty")

DAYS = "Sana,Summa\n03/04/2025,10\n05/06/2025,20\n"
MARKS = "Hudud;Summa\nToshkent;1,250\nBuxoro;12,5\n"


def typed_into(answers: list[str], *arguments: object, folder: Path) -> tuple[int, str, str]:
    """Run a command whose standard input and error are a terminal; return exit code, output, and what was said."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "XDG_DATA_HOME": str(folder)}
    process = subprocess.Popen(
        [*TEZ, *map(str, arguments)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=ROOT,
        env={**environment, "HOME": str(folder)},
        text=True,
    )
    os.close(theirs)
    said, left = "", list(answers)
    while select.select([ours], [], [], LONGEST)[0]:
        try:
            piece = os.read(ours, 4096).decode("utf-8", "replace")
        except OSError:
            break
        if not piece:
            break
        said += piece
        if said.endswith(": ") and left:
            os.write(ours, left.pop(0).encode() + b"\n")
    os.close(ours)
    out = process.communicate(timeout=LONGEST)[0]
    assert not left, said
    return process.returncode, out, said.replace("\r\n", "\n")


ASKED = {
    "uz": ('"03/04/2025" — qaysi kun?', "1) 3 aprel 2025", "2) 4 mart 2025", "eslab qolindi"),
    "ru": ("«03/04/2025» — какой это день?", "1) 3 апреля 2025", "2) 4 марта 2025", "запомнен"),
    "en": ('which day is "03/04/2025"?', "1) 3 April 2025", "2) 4 March 2025", "remembered"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
@pytest.mark.parametrize("language", list(ASKED))
def test_p31_the_day_is_asked_in_the_users_language_and_remembered(tmp_path: Path, language: str) -> None:
    path = written(tmp_path, DAYS)
    code, out, said = typed_into(["3", "2"], "profile", path, "--lang", language, "--json", folder=tmp_path)
    assert code == 0
    for text in ASKED[language][:3]:
        assert text in said
    column = json.loads(out)["tables"][0]["report"]["columns"][0]
    assert (column["type"], column["answer"], column["settled_by"]) == ("DATE", "mdy", "answer_kept")
    code, out, said = typed_into([], "profile", path, "--lang", language, folder=tmp_path)
    assert (code, "2025-03-04" in out, "--dates mdy" in said) == (0, True, True)
    code, out, said = typed_into(["1"], "profile", path, "--lang", language, "--dates", "ask", folder=tmp_path)
    assert (code, "2025-04-03" in out, ASKED[language][3] in said) == (0, True, True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_p03_the_number_is_asked_before_a_plan_runs(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('[{"tool": "group_and_total", "args": {"value_column": "Summa", "agg": "sum"}}]', "utf-8")
    path = written(tmp_path, MARKS)
    code, out, said = typed_into(["1"], "run", path, "--plan", plan, "--lang", "en", folder=tmp_path)
    assert (code, 'which number is "1,250"?' in said) == (0, True)
    assert "13.75" in out
    assert "1) 1.25\n" in said
    assert "2) 1,250\n" in said


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_no_answer_leaves_the_column_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, DAYS)
    code, out, said = typed_into([""], "profile", path, "--lang", "en", folder=tmp_path)
    assert (code, "--dates." in said, "03/04/2025" in said, "Text" in out) == (0, True, True, True)
    code, out, said = typed_into([""], "profile", path, "--lang", "en", folder=tmp_path)
    assert 'which day is "03/04/2025"?' in said


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    done = tez("profile", written(tmp_path, DAYS), "--lang", "en", stdin="1\n")
    assert done.code == 0
    assert "which day" not in done.err
    assert "To settle it: --dates." in done.err
