"""Accepted answers: kept, found again, replayed, forgotten; and what is said of a file that is not as it should be."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, ROOT
from recorded_model import RecordedModel

import engine
from engine import database
from engine.accepted import Accepted, AcceptedError, Memory, accepted_of, accepted_result, recalled, signature
from engine.cli import main
from engine.session import Workspace, open_workspace, prepare
from engine.settings import load_settings
from engine.talk import Talk

SETTINGS = load_settings({"memory": {"wait_seconds": 0.2}})
DOLLARS = {"steps": [{"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}]}
COUNT = {"steps": [{"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}]}


@pytest.fixture(scope="module")
def loans() -> Workspace:
    return open_workspace([LOANS], SETTINGS)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(SETTINGS, tmp_path / "data" / "accepted.duckdb")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep accepted answers in a folder of the test; return the path of the file."""
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "home")
    return tmp_path / "home" / "accepted.duckdb"


def reason(memory: Memory, loans: Workspace) -> str:
    """Return why the memory refuses, to read and to write alike."""
    reasons = set()
    for work in (memory.all, lambda: memory.keep(accepted_of(loans, "x", DOLLARS))):
        with pytest.raises(AcceptedError) as caught:
            work()
        reasons.add(caught.value.reason)
    assert len(reasons) == 1
    return reasons.pop()


def test_what_is_kept_is_found_shown_and_forgotten(memory: Memory, loans: Workspace) -> None:
    assert memory.all() == []
    assert memory.forget(None) == 0
    assert not memory.path.exists(), "reading makes no file"
    assert memory.keep(accepted_of(loans, " Dollar kreditlari ", DOLLARS)) == 1
    assert memory.keep(accepted_of(loans, "Viloyatlar soni", COUNT, follows=True)) == 2
    assert [each.number for each in memory.all()] == [2, 1]
    one = memory.one(1)
    assert (one.request, one.plan, one.follows, len(one.at)) == ("Dollar kreditlari", DOLLARS, False, 25)
    assert one.tables["loans"]["valyuta"] == "text"
    assert [each.number for each in memory.search("DOLLAR usd")] == [1]
    assert memory.search("so'm") == []
    assert memory.forget(1) == 1
    with pytest.raises(AcceptedError) as caught:
        memory.forget(1)
    assert caught.value.reason == "no_such_number"
    assert memory.keep(accepted_of(loans, "x", COUNT)) == 3, "a number is never given twice"
    assert memory.forget(None) == 2


def test_any_letters_survive(memory: Memory, loans: Workspace) -> None:
    request = "o'zbek \"so'm\"; DROP TABLE accepted; --  \\ \u202e я 🙂"
    plan = {"steps": [{"tool": "filter", "args": {"column": "a'b", "op": "=", "value": "\"'\\"}}]}
    memory.keep(accepted_of(loans, request, plan))
    assert (memory.one(1).request, memory.one(1).plan) == (request, plan)


def test_the_memory_is_bounded(tmp_path: Path, loans: Workspace) -> None:
    few = load_settings({"memory": {"kept": 2, "longest": 3000}})
    memory = Memory(few, tmp_path / "few.duckdb")
    for number in range(4):
        memory.keep(accepted_of(loans, f"r{number}", DOLLARS))
    assert [each.request for each in memory.all()] == ["r3", "r2"]
    with pytest.raises(AcceptedError) as caught:
        memory.keep(accepted_of(loans, "x" * 3000, DOLLARS))
    assert caught.value.reason == "too_long"
    with pytest.raises(AcceptedError) as blank:
        accepted_of(loans, "  ", DOLLARS)
    assert blank.value.reason == "no_request"


@pytest.mark.parametrize("content", [b"", b"not a database", b"\0" * 20000], ids=["empty", "text", "zeros"])
def test_a_broken_file_is_said(memory: Memory, loans: Workspace, content: bytes) -> None:
    memory.path.parent.mkdir()
    memory.path.write_bytes(content)
    with pytest.raises(AcceptedError) as caught:
        memory.all()
    assert caught.value.reason == "broken"


def test_a_database_of_something_else_and_of_another_version_is_said(memory: Memory, loans: Workspace) -> None:
    memory.keep(accepted_of(loans, "x", DOLLARS))
    con = database.connect(SETTINGS.database, memory.path)
    database.execute(con, "UPDATE form SET number = 99")
    database.close(con)
    assert reason(memory, loans) == "other_form"
    con = database.connect(SETTINGS.database, memory.path)
    database.execute(con, "DROP TABLE form")
    database.close(con)
    assert reason(memory, loans) == "broken"


def test_a_file_in_another_process_is_waited_for_then_said(memory: Memory, loans: Workspace) -> None:
    memory.keep(accepted_of(loans, "x", DOLLARS))
    code = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, memory.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert reason(memory, loans) == "busy"
        other.communicate("")
    assert len(memory.all()) == 1


def test_two_processes_keep_answers_at_once(memory: Memory, loans: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from engine.accepted import Accepted, Memory\n"
        "from engine.settings import load_settings\n"
        "memory = Memory(load_settings({'memory': {'wait_seconds': 60}}), Path(sys.argv[1]))\n"
        "[memory.keep(Accepted('r', False, {'steps': []}, {}, 's', 'c')) for _ in range(5)]"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, memory.path], cwd=ROOT) for _ in range(2)]
    assert [each.wait() for each in running] == [0, 0]
    assert sorted(each.number for each in memory.all()) == list(range(1, 11))


def test_the_signature_is_that_of_the_kind_of_table(tmp_path: Path) -> None:
    def states(name: str, text: str) -> Any:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return open_workspace([path], SETTINGS).scene.tables

    first = states("a.csv", "x,y\n1,p\n")
    assert signature(first) == signature(states("b.csv", "Y,X\nq,2\n"))
    assert signature(first) != signature(states("c.csv", "x,y\np,1\n"))
    two = tuple(replace(state, name="other") for state in first)
    assert signature(first) == signature(two)
    assert signature((*first, *two)) != signature((*first, *first))


def test_the_most_similar_come_back_as_examples_and_by_default_none(memory: Memory, loans: Workspace) -> None:
    for request, plan in (("Dollar kreditlari", DOLLARS), ("viloyatlar bo'yicha soni", COUNT)):
        memory.keep(accepted_of(loans, request, plan))
    memory.keep(accepted_of(loans, "dollar kreditlari yana", COUNT, follows=True))
    memory.keep(replace(accepted_of(loans, "dollar kreditlari boshqa", COUNT), signature="another"))
    plain = prepare(loans, "dollar kredit").prompt.text
    assert recalled(memory, loans, "dollar kredit", pytest.fail) == []
    wanting = replace(loans, settings=load_settings({"memory": {"examples": 1}}))
    found = recalled(memory, wanting, "DOLLAR kredit", pytest.fail)
    assert found == [{"request": "Dollar kreditlari", "answer": DOLLARS}]
    context = {**loans.domain.context, "accepted": found}
    with_example = prepare(replace(wanting, domain=replace(loans.domain, context=context)), "dollar kredit").prompt
    assert '"Dollar kreditlari"' in dict(with_example.parts)["examples"]
    assert prepare(wanting, "dollar kredit").prompt.text == plain
    memory.path.write_bytes(b"broken")
    failed: list[AcceptedError] = []
    assert recalled(memory, wanting, "dollar", failed.append) == []
    assert [error.reason for error in failed] == ["broken"]


def test_what_a_conversation_accepts(loans: Workspace) -> None:
    talk = Talk(loans)
    talk.add("Dollar kreditlari", DOLLARS)
    talk.add("soni", {"on": "result", **COUNT})
    made = accepted_result(talk)
    assert made.follows
    assert made.plan == {"steps": [*DOLLARS["steps"], *COUNT["steps"]]}
    talk.keep("sonlar")
    assert accepted_result(talk).plan == made.plan
    talk.add("saralash", {"on": "table", "table": "sonlar", "steps": [{"tool": "describe", "args": {}}]})
    with pytest.raises(AcceptedError) as caught:
        accepted_result(talk)
    assert caught.value.reason == "on_kept_table"
    talk.forget()


def test_the_library_accepts_and_reads_examples(home: Path) -> None:
    model = RecordedModel({"Dollar kreditlari": DOLLARS})
    with engine.open(LOANS, model=model, settings={"memory": {"examples": 2}}) as tables:
        assert tables.ask("Dollar kreditlari").accept() == 1
        assert home.exists()
        with pytest.raises(AcceptedError) as caught:
            tables.run(DOLLARS).accept()
        assert caught.value.reason == "no_request"
        tables.ask("Dollar kreditlari")
        assert model.prompts[-1].count("Dollar kreditlari") == model.prompts[0].count("Dollar kreditlari") + 1
        home.write_bytes(b"broken")
        assert str(home) in tables.ask("Dollar kreditlari").notes[0]


def kept(home: Path, loans: Workspace) -> Accepted:
    memory = Memory(SETTINGS, home)
    memory.keep(accepted_of(loans, "Dollar kreditlari", DOLLARS))
    return memory.one(1)


def test_history_lists_searches_shows_and_deletes(
    home: Path, loans: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "--lang", "uz"]) == 0
    assert capsys.readouterr() == ("", "Qabul qilingan javoblar yo'q.\n")
    known = kept(home, loans)
    line = f"1. {known.at[:10]} loans: Dollar kreditlari\n"
    assert main(["history"]) == 0
    assert capsys.readouterr().out == line
    assert main(["history", "search", "dollar", "usd"]) == 0
    assert capsys.readouterr().out == line
    assert main(["history", "search", "evro", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"accepted": []}
    assert main(["history", "show", "1"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == DOLLARS
    assert 'valyuta = "USD"' in shown.err
    assert main(["history", "show", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"] == DOLLARS
    assert main(["history", "show", "2"]) == 4
    assert "tez history" in capsys.readouterr().err
    assert main(["history", "delete", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": 1}
    assert main(["history", "delete", "--all"]) == 0
    assert capsys.readouterr().err == "Deleted: 0 answers.\n"


def test_history_replays_and_says_if_the_tables_differ(
    home: Path, loans: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(home, loans)
    assert main(["history", "replay", "1", str(LOANS), "--json", "--rows", "1"]) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert (replayed["row_count"], replayed["same_tables"], replayed["same_tools"]) == (510, True, True)
    other = tmp_path / "other.csv"
    other.write_text("valyuta,n\nUSD,1\nEUR,2\n", "utf-8")
    assert main(["history", "replay", "1", str(other)]) == 0
    said = capsys.readouterr()
    assert "These tables are not like those of then. Missing: shartnoma_raqami" in said.err
    assert "USD" in said.out
    assert "EUR" not in said.out
    other.write_text("n\n1\n", "utf-8")
    assert main(["history", "replay", "1", str(other)]) != 0
    assert "valyuta" in capsys.readouterr().err


def test_ask_accepts_what_ran_and_goes_on_where_it_cannot_be_kept(tmp_path: Path) -> None:
    from chat_process import __file__ as process

    (tmp_path / "answers.json").write_text(json.dumps({"Dollar kreditlari": DOLLARS}), "utf-8")
    file = tmp_path / "data" / "tez" / "accepted.duckdb"
    command = [
        sys.executable,
        process,
        "answers.json",
        "ask",
        str(LOANS),
        "Dollar kreditlari",
        "--accept",
        "--rows",
        "1",
    ]
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])
    environment = {**os.environ, "PYTHONPATH": path, "XDG_DATA_HOME": str(tmp_path / "data")}

    def said() -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert "510" in done.stderr
        return done.stderr

    assert "Javob saqlandi: 1-raqam" in said()
    assert Memory(SETTINGS, file).one(1).plan == DOLLARS
    file.write_bytes(b"broken")
    assert "Ish usiz davom etadi" in said()
