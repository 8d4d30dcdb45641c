"""Answers written one step at a time: what the model reads between the steps, and that the answer is one like any."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, tez
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from recorded_model import RecordedModel

import engine.session
import engine.talk
from accuracy.cases import load_cases
from engine.ask_server import ask_server
from engine.decoder import silent, unread
from engine.plan import shipped_contracts
from engine.session import RequestError, Workspace, ask, open_workspace, prepare
from engine.settings import limits, load_settings
from engine.talk import Listening, Talk
from grammar import AnswerMatcher, StepMatcher, ToolError, by_name
from prompt.answers import answer_text

PLAIN = load_settings()
SETTINGS = replace(PLAIN, stepwise=replace(PLAIN.stepwise, on=True))
ROOT = Path(__file__).parents[2]
CASES = [case for case in load_cases(ROOT / "accuracy" / "cases" / "bank_loans.jsonl") if not case.asks]
GOLD = [case.gold[0]["steps"] for case in CASES if len(case.tables) == 1]
DOLLARS = {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}
REGIONS = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}
TOP = {"tool": "top_n", "args": {"by": "count", "n": 3, "descending": True}}
PLAN = {"steps": [DOLLARS, REGIONS, TOP]}


@pytest.fixture(scope="module")
def loans() -> Iterator[Workspace]:
    workspace = open_workspace([LOANS], SETTINGS)
    yield workspace
    workspace.con.close()


def made_part(prompt: str) -> str:
    return prompt.partition("The steps of the answer so far")[2]


def test_each_step_is_run_and_its_first_rows_are_read_before_the_next(loans: Workspace) -> None:
    model, heard = RecordedModel({"eng ko'p 3 ta": PLAN}), []
    answered = ask(loans, "eng ko'p 3 ta", model, made=lambda step, result: heard.append((step, result["row_count"])))
    assert answered.answer == PLAN
    assert answered.result is not None
    assert answered.result["row_count"] == 3
    assert heard == [(1, 510), (2, 14), (3, 3)]
    first, *others = model.prompts
    assert first == prepare(replace(loans, settings=PLAIN), "eng ko'p 3 ta").prompt.text, (
        "the first is that of any plan"
    )
    assert not made_part(first)
    for prompt, rows, columns in zip(others, (510, 14, 3), (12, 2, 2), strict=True):
        lines = made_part(prompt).splitlines()
        assert f"a table of {rows} rows" in lines[0]
        table = [json.loads(line) for line in lines[1 : 2 + SETTINGS.stepwise.rows]]
        assert {len(row) for row in table} == {len(table[0])}
        assert len(table[0]) >= columns
    assert json.loads(made_part(others[2]).splitlines()[1]) == ["viloyat", "count"]
    assert others[2].rstrip().endswith("Answer:"), "the model goes on from the steps that stand"


def test_the_most_steps_and_rows_are_those_of_the_settings(loans: Workspace) -> None:
    short = replace(SETTINGS, stepwise=replace(SETTINGS.stepwise, steps=2, rows=1, cell_length=3, columns=2))
    workspace, model = replace(loans, settings=short), RecordedModel({"x": PLAN})
    assert ask(workspace, "x", model).answer == {"steps": [DOLLARS, REGIONS]}
    assert "A plan has 1 to 2 steps" in model.prompts[0]
    lines = made_part(model.prompts[1]).splitlines()
    assert [len(json.loads(line)) for line in lines[1:3]] == [2, 2]
    assert len(model.prompts) == 2, "after the last allowed step the model is not asked whether it ends"
    assert not lines[3].startswith("[")
    assert all(len(cell) <= 6 for cell in json.loads(lines[2]) if isinstance(cell, str))


def test_more_steps_than_in_one_go_are_allowed_where_the_settings_say_so(loans: Workspace) -> None:
    longer = replace(SETTINGS, stepwise=replace(SETTINGS.stepwise, steps=6))
    sorts = [{"tool": "sort", "args": {"by": "qoldiq_uzs", "descending": each}} for each in (True, False) * 3]
    assert ask(replace(loans, settings=longer), "x", RecordedModel({"x": {"steps": sorts}})).answer == {"steps": sorts}


def test_a_question_ends_it_at_once(loans: Workspace) -> None:
    question = {"question": {"kind": "which_column", "options": ["qoldiq_uzs"]}}
    model = RecordedModel({"qoldiq": question})
    assert ask(loans, "qoldiq", model).answer == question
    assert len(model.prompts) == 1


def test_a_follow_up_goes_on_from_the_result_step_by_step(loans: Workspace) -> None:
    model = RecordedModel({"dollar": {"steps": [DOLLARS]}, "soni": {"on": "result", "steps": [REGIONS, TOP]}})
    talk, heard = Talk(loans), []
    talk.ask("dollar", model)
    talk.ask("soni", model, Listening(made=lambda step, result: heard.append(result["row_count"])))
    assert heard == [14, 3]
    assert talk.conversation.scope() == "result"
    assert talk.result is not None
    assert talk.result["row_count"] == 3


def test_a_step_that_cannot_run_ends_the_plan_and_goes_back_to_the_model(
    loans: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = engine.session.run

    def refusing(workspace: Workspace, history: Any, answer: Any, **options: Any) -> Any:
        if any(step["tool"] == "sort" for step in answer["steps"]):
            raise ToolError("too_many", found="sort")
        return real(workspace, history, answer, **options)

    monkeypatch.setattr(engine.session, "run", refusing)
    monkeypatch.setattr(engine.talk, "run", refusing)
    sort = {"tool": "sort", "args": {"by": "qoldiq_uzs", "descending": True}}
    model, failed = RecordedModel({"x": {"steps": [DOLLARS, sort, REGIONS]}}), []

    def heard(answer: Any, error: Any) -> None:
        failed.append(answer)
        model.answers = {"x": PLAN}

    answered = Talk(loans).ask("x", model, Listening(failed=heard))
    assert failed == [{"steps": [DOLLARS, sort]}], "no step is written behind one that fails"
    assert answered.answer == PLAN
    assert "could not run" in model.prompts[2]


@pytest.fixture(scope="module")
def matcher(loans: Workspace) -> Callable[[], AnswerMatcher]:
    """What says how an answer may be written, where Hypothesis does not write it out."""
    asked = prepare(loans, "Toshkent sh. USD")
    found = asked.matcher(loans)
    return lambda: found


def test_a_server_is_not_asked_step_by_step(loans: Workspace) -> None:
    with pytest.raises(RequestError, match="no steps"):
        ask_server(loans, "x", None, (), (True, None, False, None), (silent, unread), None, None)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.sampled_from(GOLD), st.integers(1, 4), st.data())
def test_up_to_a_step_the_grammar_is_that_of_whole_answers(
    matcher: Callable[[], AnswerMatcher], steps: Any, most: int, data: st.DataObject
) -> None:
    answers = matcher()
    text = answer_text({"steps": steps}, by_name(shipped_contracts()), limits(PLAIN)).encode()
    assume(answers.accepts(text.decode()))
    within = StepMatcher(answers, most)
    state, at = within.start(), 0
    while within.first_bytes(state):
        assert within.first_bytes(state) == answers.first_bytes(state.written)
        forced = within.forced(state)
        assert text[at:].startswith(forced)
        size = len(forced) or 1
        moved = within.advance(state, text[at : at + size])
        assert moved is not None
        state, at = moved, at + size
    written = json.loads(text[:at] + (b"" if at == len(text) else b"]}"))
    assert len(written["steps"]) == min(most, len(steps))
    assert written["steps"] == steps[: len(written["steps"])]
    if at < len(text):
        assert within.advance(state, text[at : at + 1]) is None
        over = data.draw(st.integers(0, at - 1))
        middle = within.advance(within.start(), text[:over])
        assert middle is not None
        assert within.advance(middle, text[over : at + 1]) is None, "no token reaches into the next step"


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_the_default_model_writes_step_by_step() -> None:
    request = "Viloyatlar bo'yicha qoldiq yig'indisi, eng katta 3 tasi"
    done = tez("ask", LOANS, request, "--stepwise", "--json", "--rows", "3")
    assert done.code in (0, 3), done.err
    found = json.loads(done.out)
    steps = found["answer"].get("steps", [])
    assert len(steps) <= SETTINGS.stepwise.steps
    said = tez("ask", LOANS, request, "--stepwise", "--lang", "en")
    assert (said.code, said.err.count("; columns: ")) == (done.code, len(steps)), said.err
