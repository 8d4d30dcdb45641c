import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import accuracy
from accuracy.cases import Case, CaseError, load_cases
from accuracy.compare import same_result
from accuracy.tables import Tables
from engine.plan import shipped_contracts
from engine.profile import opened_scene
from engine.session import Workspace, current_result, run
from engine.settings import home, load_settings
from grammar import Scene, same_name, validate_answer

SETTINGS = load_settings()
CONTRACTS = shipped_contracts()
FILES = sorted((Path(accuracy.__file__).parent / "cases").glob("*.jsonl"))
CASES = {path.stem: load_cases(path) for path in FILES}
EVERY = [case for cases in CASES.values() for case in cases]
PLANS = [case for case in EVERY if not case.asks]


def named(case: Case) -> str:
    return case.id


@pytest.fixture(scope="module")
def opened() -> Iterator[Tables]:
    """Opens the tables of a case; those of one set of files once."""
    with Tables(SETTINGS) as tables:
        yield tables


def scenes(case: Case, workspace: Workspace) -> Iterator[tuple[Scene, list[dict[str, Any]]]]:
    """Yield for each turn of a case what its answers can be about, and these answers."""
    earlier: list[dict[str, Any]] = []
    for answers in [*([turn.answer] for turn in case.history), list(case.gold)]:
        yield opened_scene(workspace.scene.tables, current_result(workspace, earlier)), answers
        earlier.append(answers[0])


@pytest.mark.parametrize("case", PLANS, ids=named)
def test_gold_plans_give_the_table_of_the_sql(case: Case, opened: Tables) -> None:
    assert case.sql is not None
    wanted = opened.sql_result(case, case.sql)
    assert (wanted["row_count"] == 0) == ("P46" in case.tags)
    for answer in case.gold:
        result = run(opened.workspace(case), [turn.answer for turn in case.history], answer)
        assert same_result(result, wanted, SETTINGS, ordered=case.ordered), answer


@pytest.mark.parametrize("case", EVERY, ids=named)
def test_plans_are_valid_where_they_stand(case: Case, opened: Tables) -> None:
    for scene, answers in scenes(case, opened.workspace(case)):
        for answer in answers:
            if "steps" in answer:
                validate_answer(CONTRACTS, scene, answer)


@pytest.mark.parametrize("case", [case for case in EVERY if case.asks], ids=named)
def test_what_a_question_must_offer_is_there(case: Case, opened: Tables) -> None:
    workspace = opened.workspace(case)
    columns = {column.name for state in workspace.scene.tables for column in state.offered()}
    values: set[str] = set()
    for state in workspace.scene.tables:
        texts = [f'"{column.name}"' for column in state.offered() if column.kind == "text"]
        rows = workspace.con.execute(f'SELECT {", ".join(texts)} FROM "{state.name}"').fetchall()
        values |= {cell for row in rows for cell in row}
    names = {state.name for state in workspace.scene.tables}
    real = {"which_column": columns, "which_value": values, "which_table": names, "not_in_table": columns | values}
    for answer in case.gold:
        question = answer["question"]
        assert set(question["options"]) <= real[question["kind"]]
        assert len(question["options"]) <= SETTINGS.grammar.question_options


@pytest.mark.parametrize("case", [case for case in PLANS if case.ordered], ids=named)
def test_the_sql_orders_where_the_request_asks_for_it(case: Case) -> None:
    assert case.sql is not None
    assert "ORDER BY" in case.sql.rpartition(" FROM ")[2].upper()


def plain(request: str) -> str:
    return re.sub(r"[\W_]+", " ", same_name(request)).strip()


@pytest.mark.parametrize("domain", CASES)
def test_examples_and_glossary_share_no_request_with_the_cases(domain: str) -> None:
    folder = home("domains") / domain
    examples = json.loads((folder / "examples.json").read_text(encoding="utf-8"))
    glossary = json.loads((folder / "glossary.json").read_text(encoding="utf-8"))
    taught = {plain(example["request"]) for example in examples}
    taught |= {plain(phrase) for words in glossary for phrase in (words, *words.split("/"))}
    requests = {plain(case.request) for case in CASES[domain]}
    requests |= {plain(turn.request) for case in CASES[domain] for turn in case.history}
    assert not taught & requests


@pytest.mark.parametrize("domain", CASES)
def test_each_domain_has_its_share(domain: str) -> None:
    cases = CASES[domain]
    assert all(case.domain == domain for case in cases)
    assert min(Counter(case.lang for case in cases)[language] for language in ("uz", "ru", "en")) >= 20
    steps = {len(answer["steps"]) for case in cases if not case.asks for answer in case.gold}
    assert steps >= {1, 2, 3}
    tags = Counter(tag for case in cases for tag in case.tags)
    assert tags["follow_up"] == sum(bool(case.history) for case in cases)
    assert tags["ask"] + tags["decline"] == sum(case.asks for case in cases)
    assert all(tags[tag] for tag in ("P41", "P42", "P43", "P46", "P47", "P50", "P52", "on_result", "on_table", "mixed"))


def test_all_domains_together() -> None:
    assert len(EVERY) >= 300
    assert sum(bool(case.history) for case in EVERY) >= 40
    assert sum(case.asks for case in EVERY) >= 40


def test_bank_loans_covers_what_it_must() -> None:
    cases = CASES["bank_loans"]
    tags = Counter(tag for case in cases for tag in case.tags)
    assert sum(bool(case.history) for case in cases) >= 10
    assert sum(case.asks for case in cases) >= 10
    assert sum(bool(re.search("[а-яёқғҳў]", case.request, re.IGNORECASE)) and case.lang == "uz" for case in cases) >= 4
    assert tags["mixed"] >= 3
    assert {case.lang for case in cases if "P41" in case.tags} == {"uz", "ru", "en"}
    assert max(len(answer["steps"]) for case in cases if not case.asks for answer in case.gold) == 4
    assert tags["P45"]


@pytest.mark.parametrize("domain", CASES)
def test_one_question_in_several_languages_has_one_table(domain: str) -> None:
    groups: dict[str, set[str]] = {}
    for case in CASES[domain]:
        if "P50" in case.tags and case.sql:
            groups.setdefault(case.sql, set()).add(case.lang)
    assert any(languages == {"uz", "ru", "en"} for languages in groups.values())


GOOD = {
    "id": "toy-en-001",
    "lang": "en",
    "request": "How many?",
    "domain": "toy",
    "tables": ["toy.csv"],
    "history": [],
    "gold": [{"steps": [{"tool": "group_and_total", "args": {"agg": "count"}}]}],
    "sql": "SELECT count(*) FROM base",
    "ordered": False,
    "tags": [],
}
PLAN = GOOD["gold"][0]  # type: ignore[index]
ASK = {"question": {"kind": "not_in_table", "options": []}}
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("unknown key", {"note": "x"}),
    ("unknown language", {"lang": "fr"}),
    ("id of another language", {"id": "toy-ru-001"}),
    ("id without three digits", {"id": "toy-en-1"}),
    ("blank request", {"request": " "}),
    ("request of another type", {"request": 1}),
    ("no tables", {"tables": []}),
    ("tags of another type", {"tags": "short"}),
    ("a tag twice", {"tags": ["short", "short"]}),
    ("no gold", {"gold": []}),
    ("gold of another type", {"gold": PLAN}),
    ("no steps", {"gold": [{"steps": []}]}),
    ("a step without args", {"gold": [{"steps": [{"tool": "sort"}]}]}),
    ("args that are a list", {"gold": [{"steps": [{"tool": "sort", "args": []}]}]}),
    ("an unknown key beside the steps", {"gold": [{**PLAN, "why": "x"}]}),
    ("a plan without SQL", {"sql": None}),
    ("a question with SQL", {"gold": [ASK]}),
    ("a question and a plan", {"gold": [PLAN, ASK]}),
    ("an unknown kind of question", {"gold": [{"question": {"kind": "why", "options": []}}], "sql": None}),
    ("a question without options", {"gold": [{"question": {"kind": "which_value"}}], "sql": None}),
    ("a question with an order", {"gold": [ASK], "sql": None, "ordered": True}),
    ("a scope without an earlier plan", {"gold": [{"on": "table", **PLAN}]}),
    (
        "a scope after a question only",
        {"gold": [{"on": "table", **PLAN}], "history": [{"request": "x", "answer": ASK}]},
    ),
    ("no scope after a plan", {"history": [{"request": "x", "answer": PLAN}]}),
    ("an unknown scope", {"gold": [{"on": "all", **PLAN}], "history": [{"request": "x", "answer": PLAN}]}),
    ("a turn without its answer", {"history": [{"request": "x"}]}),
    ("an order that is no boolean", {"ordered": 0}),
]


def write(path: Path, *cases: Any) -> Path:
    lines = [case if isinstance(case, str) else json.dumps(case, ensure_ascii=False) for case in cases]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_good_case_is_read_whole(tmp_path: Path) -> None:
    follow_up = {**GOOD, "id": "toy-en-002", "request": "and\u2028now?", "gold": [{"on": "result", **PLAN}]}
    follow_up["history"] = [{"request": "x", "answer": ASK}, {"request": "y", "answer": PLAN}]
    first, second = load_cases(write(tmp_path / "toy.jsonl", GOOD, follow_up))
    assert first == Case(
        "toy-en-001", "en", "How many?", "toy", ("toy.csv",), (), (PLAN,), "SELECT count(*) FROM base", False, ()
    )
    assert [turn.request for turn in second.history] == ["x", "y"]
    assert second.request == "and\u2028now?"


@pytest.mark.parametrize("change", [case[1] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_case_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    other = {**GOOD, "id": "toy-en-002", "request": "other"}
    with pytest.raises(CaseError) as raised:
        load_cases(write(tmp_path / "toy.jsonl", other, {**GOOD, **change}))
    assert raised.value.reason == "wrong"
    assert raised.value.facts["line"] == 2


@pytest.mark.parametrize("key", GOOD)
def test_a_missing_key_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(CaseError, match="wrong"):
        load_cases(write(tmp_path / "toy.jsonl", {name: value for name, value in GOOD.items() if name != key}))


@pytest.mark.parametrize("line", ["", "[]", "{", '{"id": "a", "id": "b"}'])
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(CaseError, match="wrong"):
        load_cases(write(tmp_path / "toy.jsonl", GOOD, line))


@pytest.mark.parametrize("change", [{"id": "toy-en-002"}, {"request": " how MANY? "}])
def test_an_id_or_request_that_occurs_twice_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    other = {**GOOD, "id": "toy-en-002", "request": "other"}
    with pytest.raises(CaseError) as raised:
        load_cases(write(tmp_path / "toy.jsonl", other, {**GOOD, "id": "toy-en-003", **change}, GOOD))
    assert raised.value.reason == "twice"


def test_an_empty_file_and_a_file_that_is_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(CaseError, match="no cases"):
        load_cases(tmp_path / "empty.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseError, match="unreadable"):
        load_cases(tmp_path / "binary.jsonl")
    with pytest.raises(CaseError, match="unreadable"):
        load_cases(tmp_path / "missing.jsonl")
