"""Public question sets: reading their forms, comparing as they do, their gold as plans, and asking a model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel

from accuracy.__main__ import main
from accuracy.public.answers import answers
from accuracy.public.asking import ASKED, INVALID, RIGHT, RIGHT_AMONG_OTHERS, WRONG, ask_questions, sampled
from accuracy.public.building import CannotSayError
from accuracy.public.express import OTHER_ANSWER, SAID, express
from accuracy.public.questions import FORMS, Question, read_questions, scored
from accuracy.public.sketches import plan_of_sketch
from accuracy.public.statements import plan_of_statement
from accuracy.records import BenchError
from engine.database import query
from engine.session import Workspace, open_workspace, run
from engine.settings import load_settings

CASES = json.loads((Path(__file__).parents[1] / "cases" / "public_sets.json").read_text(encoding="utf-8"))
SETTINGS = load_settings()
LINES: dict[str, dict[str, Any]] = {
    "wikisql": {
        "table": "shops.csv",
        "sel": 1,
        "agg": "",
        "conds": [[0, "=", "2"]],
        "columns": [],
        "answer": [["Bahor"]],
    }
    | {"gold_nonempty": True},
    "spider": {"tables": ["shops.csv", "sales.csv"], "gold_duckdb": "SELECT count(*) FROM sales", "answer": [[4]]}
    | {"nested_or_set": False, "limit_tie": None},
    "wikitq": {"table": "shops.csv", "gold": None, "answer": [["9"]], "ops_guess": ["superlative"]},
    "tabfact": {"table": "shops.csv", "gold": None, "answer": [[True]]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in CASES["tables"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    opened = open_workspace([folder / name for name in CASES["tables"]], SETTINGS)
    yield opened
    opened.con.close()


def write_set(folder: Path, *lines: dict[str, Any]) -> Path:
    numbered = [{"id": f"q{number}", "question": "How many?", **line} for number, line in enumerate(lines)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in numbered), encoding="utf-8")
    return folder


@pytest.mark.parametrize("case", CASES["statements"], ids=lambda case: case["sql"])
def test_a_statement_becomes_a_plan_of_the_same_table_or_says_why_not(
    case: dict[str, Any], workspace: Workspace
) -> None:
    if "reason" in case:
        with pytest.raises(CannotSayError) as refused:
            plan_of_statement(workspace, case["sql"])
        assert refused.value.reason == case["reason"]
        return
    plan = plan_of_statement(workspace, case["sql"])
    assert len(plan["steps"]) == case["steps"]
    rows = tuple(query(workspace.con, case["sql"]))
    asked = Question("q", "spider", "?", (), None, rows, case.get("ordered", False))
    assert rows
    assert answers(asked, run(workspace, [], dict(plan)))


@pytest.mark.parametrize("sketch", CASES["sketches"], ids=str)
def test_a_sketch_becomes_a_plan_of_its_answer(sketch: dict[str, Any], workspace: Workspace) -> None:
    asked = Question("q", "wikisql", "?", (), None, tuple(map(tuple, sketch["answer"])))
    assert answers(asked, run(workspace, [], dict(plan_of_sketch(workspace, sketch))))


@pytest.mark.parametrize("case", CASES["answers"], ids=str)
def test_answers_are_compared_as_the_set_compares_them(case: dict[str, Any]) -> None:
    asked = Question("q", case["form"], "?", (), None, tuple(map(tuple, case["answer"])), case.get("ordered", False))
    rows = case["rows"]
    assert answers(asked, {"rows": rows, "columns": [""] * len(rows[0] if rows else [])}) == case["right"]


def test_every_form_is_told_by_its_keys(folder: Path) -> None:
    found = read_questions(write_set(folder, *LINES.values()))
    assert [question.form for question in found] == list(LINES)
    assert set(LINES) == set(FORMS)
    assert found[2].kinds == ("superlative",)
    assert all(table.is_file() for question in found for table in question.tables)


@pytest.mark.parametrize(
    ("form", "change", "reason"),
    [
        ("wikisql", {"gold_nonempty": False}, "empty_answer"),
        ("spider", {"nested_or_set": True}, "nested_or_set"),
        ("spider", {"limit_tie": True}, "limit_tie"),
        ("spider", {"gold_duckdb": None}, "no_gold"),
        ("spider", {"answer": []}, "empty_answer"),
        ("wikitq", {}, None),
    ],
)
def test_questions_without_one_right_answer_are_left_out(
    form: str, change: dict[str, Any], reason: str | None, folder: Path
) -> None:
    questions = read_questions(write_set(folder, LINES[form] | change))
    assert [question.left_out for question in questions] == [reason]
    assert bool(scored(questions)) == (reason is None)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (None, "no_questions"),
        ("{", "line_broken"),
        ("[1]", "line_broken"),
        (json.dumps({"id": "a", "question": "?", "table": "none.csv", "answer": [["a"]]}), "line_broken"),
        (json.dumps({"id": "a", "question": "?", "table": "shops.csv", "answer": [[1]]}), "line_broken"),
        (
            "\n".join([json.dumps({"id": "a", "question": "?", "table": "shops.csv", "answer": [["a"]]})] * 2),
            "case_twice",
        ),
    ],
)
def test_a_folder_that_is_no_set_is_refused(
    lines: str | None, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if lines is not None:
        (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(BenchError) as refused:
        read_questions(folder)
    assert refused.value.reason == reason
    assert main(["express", str(folder)]) != 0
    assert str(folder) in capsys.readouterr().err


def test_what_is_said_and_what_is_not_is_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        LINES["wikisql"],
        LINES["wikisql"] | {"answer": [["Sharq"]]},
        LINES["spider"],
        LINES["spider"] | {"gold_duckdb": "SELECT min(amount), max(amount) FROM sales"},
        LINES["spider"] | {"limit_tie": True},
        LINES["wikitq"],
    ]
    write_set(folder, *lines)
    found = express(scored(read_questions(folder)), SETTINGS, lambda name: None)
    assert [each.outcome for each in found] == [SAID, OTHER_ANSWER, SAID, "several_totals"]
    assert [each.offered for each in found] == [True, True, True, False]
    assert main(["express", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)[folder.name]
    assert (told["questions"], told["tried"], told["said"], told["share"]) == (6, 4, 2, 0.5)
    assert told["left_out"] == {"limit_tie": 1}
    assert told["reasons"] == {"other_answer": 1, "several_totals": 1}
    assert [each["id"] for each in told["unsaid"]] == ["q1", "q3"]
    assert main(["express", str(folder)]) == 0
    assert "Plans say 2 of 4 (50.0%)" in capsys.readouterr().out


def test_a_sample_is_part_of_a_larger_one(folder: Path) -> None:
    questions = read_questions(write_set(folder, *[LINES["wikitq"]] * 9))
    small, large = sampled(questions, 3, 1), sampled(questions, 6, 1)
    assert (len(small), len(large)) == (3, 6)
    assert {each.id for each in small} < {each.id for each in large}
    assert sampled(questions, None, 1) == list(questions)
    with pytest.raises(BenchError) as refused:
        sampled(questions, 10, 1)
    assert refused.value.reason == "sample_size"


@pytest.mark.parametrize(
    ("answer", "gold", "outcome"),
    [
        ([{"tool": "top_n", "args": {"by": "staff", "n": 1, "descending": True}}], "Bahor", RIGHT_AMONG_OTHERS),
        ([{"tool": "group_and_total", "args": {"value_column": "staff", "agg": "max"}}], "9", RIGHT),
        ([{"tool": "group_and_total", "args": {"value_column": "staff", "agg": "min"}}], "9", WRONG),
        (None, "9", ASKED),
    ],
)
def test_a_model_is_judged_by_the_sets_own_comparison(
    answer: list[dict[str, Any]] | None, gold: str, outcome: str, folder: Path
) -> None:
    text = {"question": {"kind": "not_in_table", "options": ["staff"]}} if answer is None else {"steps": answer}
    model = ScriptedModel(json.dumps(text, separators=(",", ":")))
    questions = read_questions(write_set(folder, LINES["wikitq"] | {"answer": [[gold]]}))
    assert [each.outcome for each in ask_questions(questions, model, SETTINGS, lambda name: None)] == [outcome]


def test_a_table_that_does_not_open_is_an_invalid_answer(folder: Path) -> None:
    questions = read_questions(write_set(folder, LINES["wikitq"]))
    (folder / "shops.csv").write_bytes(b"")
    model = ScriptedModel("")
    assert [each.outcome for each in ask_questions(questions, model, SETTINGS, lambda name: None)] == [INVALID]


def test_the_command_prints_shares_by_kind_of_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = '{"steps":[{"tool":"group_and_total","args":{"value_column":"staff","agg":"max"}}]}'
    monkeypatch.setattr("engine.model.LlamaModel", lambda *_, **__: ScriptedModel(plan))
    write_set(folder, LINES["wikitq"], LINES["wikitq"] | {"answer": [["1"]], "ops_guess": ["count", "superlative"]})
    assert main(["public", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)[folder.name]
    assert (told["questions"], told["right"], told["wrong"]) == (2, 1, 1)
    assert {kind: (each["questions"], each["right"]) for kind, each in told["kinds"].items()} == {
        "superlative": (2, 1),
        "count": (1, 0),
    }
    assert main(["public", str(folder), "--sample", "1"]) == 0
    assert "| superlative | 1 |" in capsys.readouterr().out
