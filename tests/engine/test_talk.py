"""A conversation that runs: random talks of the benchmark's plans, ways back, replays, kept tables, repairs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_model import RecordedModel
from tables_in_files import written

import engine.talk
from accuracy.cases import load_cases
from engine import database
from engine.conversation import Conversation, ConversationError, conversation_of
from engine.readings import Reading
from engine.session import Workspace, open_workspace, prepare, run
from engine.settings import home, load_settings
from engine.talk import RepairError, Talk
from grammar import ToolError

SETTINGS = load_settings()
ROOT = Path(__file__).parents[2]
CASES = [case for case in load_cases(ROOT / "accuracy" / "cases" / "bank_loans.jsonl") if len(case.tables) == 1]
GOLD = [case.gold[0]["steps"] for case in CASES if not case.asks]
QUESTION = {"question": {"kind": "not_in_table", "options": []}}


def request_of(number: int) -> str:
    return f"request {number}"


@pytest.fixture(scope="module")
def loans() -> Iterator[Workspace]:
    workspace = open_workspace([home("domains") / "bank_loans" / "loans.csv"], SETTINGS)
    yield workspace
    workspace.con.close()


class Told(RecordedModel):
    """Answers every request with what is put into `next`."""

    def __init__(self) -> None:
        super().__init__({})
        self.next: dict[str, Any] = {}

    def chat_tokens(self, content: str) -> list[int]:
        lines = [line for line in content.split("\n") if line.startswith("Request: ")]
        self.answers = {json.loads(lines[-1].removeprefix("Request: ")): self.next}
        return super().chat_tokens(content)


def tell(talk: Talk, model: Told, request: str, answer: dict[str, Any]) -> None:
    model.next = answer
    talk.ask(request, model)


def scoped(talk: Talk, answer: dict[str, Any], on: str, table: int = 0) -> dict[str, Any]:
    if "question" in answer:
        return answer
    head: dict[str, Any] = {} if talk.conversation.result_at is None else {"on": on}
    if head.get("on") != "result" and len(talk.workspace.tables) > 1:
        head["table"] = talk.workspace.tables[table % len(talk.workspace.tables)].name
    return {**head, **answer}


def shown(talk: Talk) -> Any:
    return None if talk.result is None else (talk.result["columns"], talk.result["rows"], talk.result["row_count"])


moves = st.lists(
    st.one_of(
        st.tuples(
            st.just("ask"),
            st.sampled_from([*range(len(GOLD)), -1]),
            st.sampled_from(["result", "table"]),
            st.sampled_from([0, 0, 1, 2]),
        ),
        st.tuples(st.sampled_from(["undo", "redo", "switch"])),
        st.tuples(st.just("keep"), st.sampled_from(["kept", 'its "name"', "яна", "loans"])),
        st.tuples(st.just("back"), st.integers(1, 6)),
    ),
    min_size=3,
    max_size=10,
)


@pytest.fixture(scope="module")
def hidden(loans: Workspace) -> Callable[[], Workspace]:
    """The workspace where Hypothesis does not write it out."""
    return lambda: loans


@settings(max_examples=25)
@given(moves)
def test_undo_redo_keep_and_replay_give_the_same_tables(hidden: Callable[[], Workspace], drawn: list[Any]) -> None:
    loans = hidden()
    talk = Talk(loans)
    try:
        play(talk, drawn)
        document, before = json.dumps(talk.conversation.as_json()), shown(talk)
        kept = [(table.name, table.rows) for table in talk.workspace.tables]
    finally:
        talk.forget()
    again = Talk(loans, conversation_of(json.loads(document)))
    try:
        again.stand()
        assert shown(again) == before
        assert [(table.name, table.rows) for table in again.workspace.tables] == kept
        plan = again.conversation.plan("loans")
        if plan is not None:
            rows = run(again.workspace, [], plan, max_rows=SETTINGS.output.shown_rows)["rows"]
            assert rows == before[1]
    finally:
        again.forget()
    assert [name for name in database.tables(loans.con) if not name.startswith("_step_")] == ["loans"]


def play(talk: Talk, drawn: list[Any]) -> None:
    """Do what was drawn: the same answers always give the same table, and what cannot be done changes nothing."""
    made: dict[str, Any] = {}
    for name, *rest in drawn:
        before = (talk.conversation, shown(talk))
        try:
            if name == "ask":
                number, on, table = rest
                answer = scoped(talk, QUESTION if number < 0 else {"steps": GOLD[number]}, on, table)
                talk.add(request_of(len(talk.conversation.now)), answer)
                assert talk.conversation.answers[-1] == answer
            elif name == "back":
                talk.back_to(rest[0])
            elif name == "keep":
                talk.keep(rest[0])
                assert talk.workspace.tables[-1].rows == before[1][2]
                assert shown(talk) == before[1]
            else:
                getattr(talk, name)()
        except (ConversationError, ToolError):
            assert (talk.conversation, shown(talk)) == before
            continue
        known = json.dumps(talk.conversation.answers)
        assert made.setdefault(known, shown(talk)) == shown(talk)


def test_the_26th_answer_to_a_question_is_the_first_and_the_prompt_stays_as_short(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    cases = [case for case in CASES if not case.asks and not case.history][:25]
    first: Any = None
    for number, case in enumerate([*cases, cases[0]]):
        answer = scoped(talk, {"steps": case.gold[0]["steps"]}, "table")
        if number in (0, 25):
            tell(talk, model, case.request, answer)
        else:
            talk.add(case.request, answer)
        first = shown(talk) if number == 0 else first
    assert len(talk.conversation.now) == 26
    assert shown(talk) == first
    last = dict(prepare(loans, cases[0].request, talk.conversation.history).prompt.parts)
    recent = talk.conversation.history[-SETTINGS.prompt.history :]
    assert last == dict(prepare(loans, cases[0].request, recent).prompt.parts)
    assert last["conversation"].count("Request: ") == SETTINGS.prompt.history


DIRTY = "Hudud,Narx\n" + "".join(f"{name},{price}\n" for name, price in [
    ("Toshkent", "1 200 so'm"), ("toshkent", "3 000 so'm"), ("Buxoro", "500 so'm"), ("TOSHKENT ", "-"),
])  # fmt: skip
SPELL = {"tool": "unify_spelling", "args": {"column": "Hudud"}}
NUMBERS = {"tool": "fix_numbers", "args": {"column": "Narx"}}


@pytest.fixture
def dirty(tmp_path: Path) -> Workspace:
    return open_workspace([written(tmp_path, DIRTY)], SETTINGS)


def test_p43_values_that_a_step_changed_are_read_from_the_result(dirty: Workspace) -> None:
    talk, model = Talk(dirty), Told()
    tell(talk, model, "tuzat", {"steps": [SPELL]})
    assert talk.standing is not None
    computed = prepare(dirty, "Buxoro", talk.conversation.history).scene.result
    read = prepare(dirty, "Buxoro", talk.conversation.history, standing=talk.standing).scene.result
    assert computed is not None
    assert read is not None
    assert computed.column("Hudud").values is None
    assert talk.result is not None
    real = {row[0] for row in talk.result["rows"]}
    assert len(real) == 2
    assert set(read.column("Hudud").values or ()) == real
    gone = {"on": "result", "steps": [{"tool": "filter", "args": {"column": "Hudud", "op": "=", "value": "toshkent"}}]}
    tell(talk, model, "faqat Toshkent", gone)
    assert talk.conversation.answers[-1] != gone
    city = {"tool": "filter", "args": {"column": "Hudud", "op": "=", "value": "Buxoro"}}
    talk.undo()
    tell(talk, model, "faqat Buxoro", {"on": "result", "steps": [city]})
    assert talk.result["row_count"] == 1


def test_p43_numbers_that_a_step_made_are_offered_in_the_next(dirty: Workspace) -> None:
    talk, model = Talk(dirty), Told()
    if dict.fromkeys(column.kind for column in dirty.scene.tables[0].columns) == {"text": None}:
        tell(talk, model, "narxni songa aylantir", {"steps": [NUMBERS]})
    total = {"tool": "group_and_total", "args": {"value_column": "Narx", "agg": "sum"}}
    tell(talk, model, "jami", scoped(talk, {"steps": [total]}, "result"))
    assert talk.result is not None
    assert talk.result["rows"] == [(4700,)]


def test_p43_a_follow_up_works_on_what_it_names_and_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "Shahar,Baho\nToshkent,5\nToshkent,3\nBuxoro,5\nXiva,4\n")
    talk, model = Talk(open_workspace([path], SETTINGS)), Told()
    city = {"tool": "filter", "args": {"column": "Shahar", "op": "=", "value": "Toshkent"}}
    good = {"tool": "filter", "args": {"column": "Baho", "op": ">", "value": 4}}
    tell(talk, model, "Toshkentdagi sotuvlar", {"steps": [city]})
    assert (talk.conversation.scope(), shown(talk)[2]) == ("table", 2)
    tell(talk, model, "shulardan 4 dan yuqori baholilarini ko'rsat", {"on": "result", "steps": [good]})
    assert (talk.conversation.scope(), shown(talk)[1]) == ("result", [("Toshkent", 5)])
    tell(talk, model, "butun jadvaldan-chi?", {"on": "table", "steps": [good]})
    assert (talk.conversation.scope(), shown(talk)[1]) == ("table", [("Toshkent", 5), ("Buxoro", 5)])
    talk.switch()
    assert (talk.conversation.scope(), shown(talk)[1]) == ("result", [("Toshkent", 5)])


def test_p46_the_average_of_nothing_is_no_row(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    nothing = {"tool": "filter", "args": {"column": "qoldiq_uzs", "op": "<", "value": -1}}
    tell(talk, model, "manfiy qoldiqlar", {"steps": [nothing]})
    assert shown(talk)[2] == 0
    mean = {"tool": "group_and_total", "args": {"value_column": "qoldiq_uzs", "agg": "avg"}}
    tell(talk, model, "o'rtachasi?", {"on": "result", "steps": [mean]})
    assert shown(talk)[2] == 0


DOLLARS = {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}
BY_REGION = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}


def test_the_state_follows_grouped_results(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    tell(talk, model, "viloyatlar", {"steps": [BY_REGION]})
    asked = prepare(loans, "eng ko'pi", talk.conversation.history, standing=talk.standing)
    assert asked.scene.result is not None
    assert asked.scene.result.groups == ("viloyat",)
    assert 'already grouped by "viloyat"' in dict(asked.prompt.parts)["result"]


def test_a_kept_result_is_a_table_that_others_join_and_a_document_brings_back(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    tell(talk, model, "viloyatlar", {"steps": [BY_REGION]})
    talk.keep("sonlar")
    assert [table.name for table in talk.workspace.tables] == ["loans", "sonlar"]
    join = {
        "tool": "join_table",
        "args": {"table": "sonlar", "column": "viloyat", "other_column": "viloyat", "how": "left"},
    }
    tell(talk, model, "qo'sh", {"on": "table", "table": "loans", "steps": [DOLLARS, join]})
    assert shown(talk)[2] == 510
    assert "count" in shown(talk)[0]
    tell(
        talk,
        model,
        "soni",
        {"on": "table", "table": "sonlar", "steps": [{"tool": "group_and_total", "args": {"agg": "count"}}]},
    )
    assert shown(talk)[1] == [(14,)]
    for name in ("loans", "SONLAR", "_step_9", " "):
        with pytest.raises(ToolError):
            talk.keep(name)
    keys = talk.workspace.scene.tables[0].column("viloyat").joins
    assert keys == (("sonlar", "viloyat"),), "the keys of a kept table are measured"
    document, before = talk.conversation, shown(talk)
    talk.forget()
    assert "sonlar" not in database.tables(loans.con)
    again = Talk(loans, document)
    again.stand()
    assert shown(again) == before
    again.back_to(2)
    assert shown(again)[2] == 510
    again.forget()


def test_a_step_is_shown_and_the_result_still_stands_afterwards(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    tell(talk, model, "dollar", {"steps": [DOLLARS, BY_REGION]})
    before = shown(talk)
    assert talk.step(1)["row_count"] == 510
    with pytest.raises(ConversationError, match="no such step"):
        talk.step(3)
    assert shown(talk) == before
    talk.stand()
    assert talk.standing is not None
    assert database.query(loans.con, f"SELECT count(*) FROM {talk.standing}") == [(before[2],)]


def test_an_edited_plan_takes_the_place_of_the_last_answer(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    tell(talk, model, "dollar", {"steps": [DOLLARS]})
    tell(talk, model, "viloyatlar", {"on": "result", "steps": [BY_REGION]})
    talk.edit({"steps": [{"tool": "group_and_total", "args": {"group_by": ["VALYUTA"], "agg": "count"}}]})
    assert talk.conversation.answers[-1]["on"] == "table"
    assert talk.conversation.answers[-1]["steps"][0]["args"]["group_by"] == ["valyuta"]
    assert shown(talk)[2] == 3
    before = shown(talk)
    with pytest.raises(ToolError):
        talk.edit({"steps": [{"tool": "sort", "args": {"by": "foyda", "descending": True}}]})
    assert shown(talk) == before
    assert len(talk.conversation.turns) == 2


class Mending(Told):
    """Answers the first time with one plan, then with others; `prompts` keeps what it read."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        super().__init__()
        self.waiting = list(answers)

    def chat_tokens(self, content: str) -> list[int]:
        self.next = self.waiting.pop(0)
        return super().chat_tokens(content)


OLD = "shahar,summa\nBuxoro,1\nXiva,2\n"
NEW = "shahar,jami\nBuxoro,1\nXiva,2\n"
OLD_PLAN = {"steps": [{"tool": "sort", "args": {"by": "summa", "descending": True}}]}
NEW_PLAN = {"steps": [{"tool": "sort", "args": {"by": "jami", "descending": True}}]}


def test_a_plan_that_a_changed_file_refuses_goes_back_to_the_model_once(tmp_path: Path) -> None:
    saved = Conversation().added("eng katta summa", OLD_PLAN)
    talk = Talk(open_workspace([written(tmp_path, NEW)], SETTINGS), saved)
    with pytest.raises(ToolError) as caught:
        talk.stand()
    model = Mending(NEW_PLAN)
    talk.repair(caught.value, model)
    assert talk.conversation.answers == [NEW_PLAN]
    assert shown(talk)[1][0] == ("Xiva", 2)
    assert 'could not run:\n{"steps":[{"tool":"sort","args":{"by":"summa"' in model.prompts[0]
    assert "there is no column" in model.prompts[0]
    assert model.asked == ["eng katta summa"]


def test_a_repair_that_fails_says_what_was_tried(loans: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    talk, real = Talk(loans), engine.talk.run

    def refusing(workspace: Workspace, history: Any, answer: Any, **options: Any) -> Any:
        if answer["steps"][0]["tool"] == "filter":
            raise ToolError("too_many", found=answer["steps"][0]["args"]["value"])
        return real(workspace, history, answer, **options)

    monkeypatch.setattr(engine.talk, "run", refusing)
    other = {"steps": [{**DOLLARS, "args": {**DOLLARS["args"], "value": "EUR"}}]}  # type: ignore[dict-item]
    model = Mending({"steps": [DOLLARS]}, other, {"steps": [DOLLARS]}, {"steps": [BY_REGION]})
    with pytest.raises(RepairError) as caught:
        talk.ask("dollar", model)
    assert [answer for answer, _ in caught.value.tried] == [{"steps": [DOLLARS]}, other]
    assert (talk.conversation.turns, talk.result) == ((), None)
    assert talk.ask("dollar", model).answer == {"steps": [BY_REGION]}
    assert shown(talk)[2] == 14


def test_another_reading_takes_the_place_of_the_answer_and_can_be_taken_back(loans: Workspace) -> None:
    talk, model = Talk(loans), Told()
    model.next = {"steps": [DOLLARS]}
    answered = talk.ask("dollar", model, others=True)
    assert talk.readings == answered.readings
    assert talk.readings[0].answer == answered.answer
    assert talk.standing is not None, "the readings leave no table of theirs in the place of the result's"
    other = {"steps": [{**DOLLARS, "args": {**DOLLARS["args"], "value": "EUR"}}]}  # type: ignore[dict-item]
    talk.readings = (Reading(answered.answer, 0.6), Reading(other, 0.4))
    talk.take(2)
    assert (talk.conversation.answers, shown(talk)[2]) == ([other], 91)
    talk.take(1)
    assert (talk.conversation.answers, shown(talk)[2]) == ([{"steps": [DOLLARS]}], 510)
    with pytest.raises(ConversationError, match="no such reading"):
        talk.take(3)
