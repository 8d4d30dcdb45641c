"""A model that is not sure, as a person meets it: questions with real options, and other readings one key away."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS
from wanting_model import wanting

from engine import exit_codes
from engine.calibration import Calibration, as_json
from engine.conversation import ConversationError
from engine.session import Answered, Workspace, ask, open_workspace
from engine.settings import load_settings
from engine.talk import Talk

SETTINGS = load_settings()
RIGHT = Calibration("product", (0.0,), (1.0,), 100, {})
FEW = Calibration("product", (0.0,), (0.004,), 100, {})


def plan(tool: str, **args: Any) -> dict[str, Any]:
    return {"steps": [{"tool": tool, "args": args}]}


def of(currency: str) -> dict[str, Any]:
    return plan("filter", column="valyuta", op="=", value=currency)


def above(number: int) -> dict[str, Any]:
    return plan("filter", column="qoldiq", op=">", value=number)


SORTS = [plan("sort", by=by, descending=True) for by in ("qoldiq", "qoldiq_uzs")]
COLUMNS = {"question": {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}}


@pytest.fixture(scope="module")
def loans() -> Iterator[Workspace]:
    workspace = open_workspace([LOANS], SETTINGS)
    yield workspace
    workspace.con.close()


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The loans' columns without a row."""
    path = tmp_path_factory.mktemp("empty") / "loans.csv"
    path.write_text(LOANS.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    workspace = open_workspace([path], SETTINGS)
    yield workspace
    workspace.con.close()


def with_readings(workspace: Workspace, **changed: Any) -> Workspace:
    return replace(workspace, settings=replace(SETTINGS, readings=replace(SETTINGS.readings, **changed)))


def asked(workspace: Workspace, *answers: tuple[dict[str, Any], float], **options: Any) -> Answered:
    return ask(workspace, "qoldiq", wanting(*answers), calibration=RIGHT, **options)


def test_a_question_brings_the_plan_of_each_option(loans: Workspace) -> None:
    answered = asked(loans, (SORTS[0], 0.51), (SORTS[1], 0.49), others=True)
    assert (answered.answer, answered.written, answered.result) == (COLUMNS, SORTS[0], None)
    assert [(each.answer, each.options) for each in answered.readings] == [
        (SORTS[0], ("qoldiq",)),
        (SORTS[1], ("qoldiq_uzs",)),
    ]
    assert [each.as_json()["options"] for each in answered.readings] == [["qoldiq"], ["qoldiq_uzs"]]


@pytest.mark.parametrize(("apart", "asks"), [(0.02, True), (0.09, True), (0.11, False), (0.5, False)])
def test_it_asks_where_the_two_lie_closer_than_the_setting(loans: Workspace, apart: float, asks: bool) -> None:
    answered = asked(loans, (SORTS[0], 0.5 + apart / 2), (SORTS[1], 0.5 - apart / 2))
    assert ("question" in answered.answer) == asks
    assert SETTINGS.readings.ask_margin == 0.1


def test_values_are_asked_about_and_only_those_that_are_close(loans: Workspace) -> None:
    answered = asked(loans, (of("USD"), 0.4), (of("EUR"), 0.38), (of("UZS"), 0.22))
    assert answered.answer == {"question": {"kind": "which_value", "options": ["USD", "EUR"]}}
    assert [(each.answer, each.options) for each in answered.readings] == [
        (of("USD"), ("USD",)),
        (of("EUR"), ("EUR",)),
    ]


def test_a_number_written_by_digits_is_one_value(loans: Workspace) -> None:
    """Two numbers of one first digit are likelier together than the third, and each of them is less likely alone."""
    answered = asked(loans, (above(1200000), 0.35), (above(1500000), 0.25), (above(700000), 0.4), others=True)
    written = json.loads(answered.decisions[-1].part)
    (number,) = [each for each in answered.decisions if each.part == str(written)]
    assert answered.answer == above(written)
    assert number.probability == pytest.approx(0.35, abs=1e-3)
    assert [rival.probability for rival in number.rivals] == pytest.approx([0.4, 0.25], abs=1e-3)
    assert [each.answer for each in answered.readings] == [above(1200000), above(700000), above(1500000)]
    assert all(each.options == () for each in answered.readings), "numbers are no options of a question"


def test_more_options_than_a_question_takes_are_left_out(loans: Workspace) -> None:
    names = ["berilgan_sana", "garov_turi", "holat", "jinsi", "muddat_oy", "shartnoma_raqami"]
    answered = asked(loans, *((plan("sort", by=name, descending=True), 1 / len(names)) for name in names))
    options = answered.answer["question"]["options"]
    assert len(options) == SETTINGS.grammar.question_options < len(names)
    assert {option for each in answered.readings for option in each.options} == set(options)


def test_an_option_that_begins_like_others_is_offered_whole(loans: Workspace) -> None:
    """Its first token leaves open which of them it is, and its own share decides whether it is close."""
    turns, sums = (plan("sort", by=name, descending=True) for name in ("kredit_turi", "kredit_summasi"))
    answered = asked(loans, (SORTS[0], 0.51), (turns, 0.48), (sums, 0.01))
    assert answered.answer == {"question": {"kind": "which_column", "options": ["qoldiq", "kredit_turi"]}}
    assert [each.options for each in answered.readings] == [("qoldiq",), ("kredit_turi",)]
    answered = asked(loans, (SORTS[0], 0.51), (turns, 0.25), (sums, 0.24))
    assert answered.answer == SORTS[0], "each of the two is far less likely, though their beginning is not"


@pytest.mark.parametrize("changed", [{"most": 0}, {"tried": 0}, {"share": 1.0}])
def test_the_options_have_their_plans_whatever_is_looked_for_else(loans: Workspace, changed: dict[str, Any]) -> None:
    answers = [(SORTS[0], 0.35), (SORTS[1], 0.34), (of("USD"), 0.31)]
    answered = asked(with_readings(loans, **changed), *answers, others=changed.get("most") != 0)
    assert answered.answer == COLUMNS
    assert [each.options for each in answered.readings if each.options] == [("qoldiq",), ("qoldiq_uzs",)]


def test_options_of_one_table_are_not_asked_about(nothing: Workspace) -> None:
    answered = asked(nothing, (SORTS[0], 0.51), (SORTS[1], 0.49), others=True)
    assert answered.answer == SORTS[0]
    assert answered.result is not None
    (own,) = answered.readings
    assert (own.same, own.options) == (1, ())


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("calibration", [None, RIGHT])
@pytest.mark.parametrize(
    "answers",
    [
        [(SORTS[0], 1.0)],
        [(SORTS[0], 0.6), (SORTS[1], 0.4)],
        [(plan("describe"), 0.51), (plan("select_columns", columns=["qoldiq"]), 0.49)],
        [(plan("group_and_total", agg="count"), 0.5), (COLUMNS, 0.4)],
        [(COLUMNS, 0.5), (SORTS[0], 0.4)],
    ],
)
def test_an_empty_table_goes_every_way(
    nothing: Workspace, answers: list[Any], calibration: Calibration | None, others: bool
) -> None:
    answered = ask(nothing, "qoldiq", wanting(*answers), calibration=calibration, others=others)
    assert answered.written == answers[0][0]
    if "steps" in answered.answer:
        assert answered.result is not None
    for reading in answered.readings:
        assert reading.as_json()["answer"] == reading.answer


def test_an_option_is_named_numbered_or_neither(loans: Workspace) -> None:
    talk = Talk(loans)
    assert (talk.options, talk.meant_option("1")) == ((), None)
    talk.ask("qoldiq", wanting((SORTS[0], 0.51), (SORTS[1], 0.49)), calibration=RIGHT)
    assert talk.options == ("qoldiq", "qoldiq_uzs")
    meant = {text: talk.meant_option(text) for text in ("1", " 2 ", "QOLDIQ_UZS", "qoldiq", "3", "0", "2.0", "summa")}
    assert meant == {
        **dict.fromkeys(["1", "qoldiq"], "qoldiq"),
        **dict.fromkeys([" 2 ", "QOLDIQ_UZS"], "qoldiq_uzs"),
        **dict.fromkeys(["3", "0", "2.0", "summa"]),
    }
    assert talk.settle("qoldiq_uzs")
    assert talk.conversation.answers == [SORTS[1]]
    assert talk.result is not None
    assert (talk.options, talk.conversation.at) == ((), 1)


def test_a_name_that_is_a_number_is_a_name(loans: Workspace) -> None:
    talk = Talk(loans)
    talk.add("yil", {"question": {"kind": "which_value", "options": ["2", "1"]}})
    assert (talk.meant_option("1"), talk.meant_option("2")) == ("1", "2")
    assert not talk.settle("1"), "the model's own question has no plans"


def test_the_next_reading_is_taken_in_turn(loans: Workspace) -> None:
    unsure = with_readings(loans, share=0.01, most=3)
    talk, answers = Talk(unsure), [*SORTS, of("USD")]
    with pytest.raises(ConversationError) as caught:
        talk.next_reading()
    assert caught.value.reason == "no_other_reading"
    talk.ask("qoldiq", wanting(*zip(answers, (0.5, 0.3, 0.2), strict=True)), others=True)
    taken = []
    for _ in range(4):
        talk.take(talk.next_reading())
        taken.append(talk.conversation.answers[-1])
    assert taken == [answers[1], answers[2], answers[0], answers[1]]
    talk.ask("yana", wanting(({"on": "table", **SORTS[0]}, 1.0)), others=True)
    with pytest.raises(ConversationError):
        talk.next_reading()


pty = pytest.importorskip("pty")
UNSURE = {
    "Sort by balance": [[SORTS[0], 0.6], [SORTS[1], 0.4]],
    "Sort": [[SORTS[0], 0.51], [SORTS[1], 0.49]],
    "Sort again": [[{"on": "table", **SORTS[0]}, 0.6], [{"on": "table", **SORTS[1]}, 0.4]],
}


@contextmanager
def terminal(folder: Path, table: Calibration | None, *arguments: object) -> Iterator[Any]:
    from real_terminal import Terminal

    tables = folder / "tables.json"
    tables.write_text(json.dumps(as_json({} if table is None else {"wanting": table})), "utf-8")
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"readings": {"calibration": str(tables)}}), "utf-8")
    shown = Terminal(folder, UNSURE, *arguments, "--lang", "en", "--settings", settings)
    try:
        yield shown
    finally:
        if shown.process.poll() is None:
            os.killpg(shown.process.pid, signal.SIGKILL)
            shown.process.wait()
        os.close(shown.ours)


def test_one_key_shows_another_reading(tmp_path: Path) -> None:
    with terminal(tmp_path, FEW, "ask", LOANS, "Sort by balance", "--rows", "2") as shown:
        text = shown.until("any other key to end:")
        assert "fewer than 1 % are right" in text
        assert "2) " in text
        assert text.count("Plan:") == 1
        shown.keys("2")
        text = shown.until("any other key to end:")
        assert "Plan:" in text
        assert "qoldiq_uzs" in text
        assert "1) " in text
        shown.keys("1")
        assert "Plan:" in shown.until("any other key to end:")
        shown.keys("q")
        assert shown.ended() == exit_codes.ANSWERED


@pytest.mark.parametrize(("keys", "code"), [("2", exit_codes.ANSWERED), ("\r", exit_codes.QUESTION)])
def test_a_question_is_settled_by_one_key(tmp_path: Path, keys: str, code: int) -> None:
    out = tmp_path / "sorted.csv"
    with terminal(tmp_path, RIGHT, "ask", LOANS, "Sort", "--out", out) as shown:
        assert "Which column do you mean" in shown.until("any other key to end:")
        shown.keys(keys)
        if code == exit_codes.ANSWERED:
            assert "Written" in shown.until("any other key to end:")
            shown.keys("1")
            assert "Written" not in shown.until("any other key to end:"), "one file, of the first result"
            shown.keys("\x1b")
        assert shown.ended() == code
    assert out.exists() == (code == exit_codes.ANSWERED)


def test_ctrl_c_ends_the_offer_and_the_terminal_is_as_before(tmp_path: Path) -> None:
    import termios

    with terminal(tmp_path, FEW, "ask", LOANS, "Sort by balance") as shown:
        before = termios.tcgetattr(shown.ours)
        shown.until("any other key to end:")
        os.killpg(shown.process.pid, signal.SIGINT)
        assert shown.process.wait(60) == exit_codes.INTERRUPTED
        assert termios.tcgetattr(shown.ours) == before


def test_in_a_conversation_a_question_is_answered_by_number_and_a_key_takes_the_next_reading(tmp_path: Path) -> None:
    from real_terminal import READY

    with terminal(tmp_path, RIGHT, "chat", LOANS) as shown:
        shown.until(READY)
        text = shown.line("Sort")
        for said in ("Which column do you mean", "1) qoldiq: ", "2) qoldiq_uzs: ", "with a number"):
            assert said in text, text
        assert "Also possible" not in text
        text = shown.line("2")
        assert "Answer 1: Sort" in text
        assert "qoldiq_uzs" in text
        text = shown.line("Sort again")
        assert "about 100 % are right" in text
        assert "Also possible (/take 2 or F3), 3,000 rows" in text
        shown.keys("\x1bOR")
        assert "Answer 2: Sort again" in shown.until(READY)
        assert "There is no reading 3" in shown.line("/take 3")
        shown.keys("\x04")
        assert shown.ended() == 0
