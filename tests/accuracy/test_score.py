"""Scoring: recorded predictions, the golds of every case, and what is refused."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accuracy.__main__ import main
from accuracy.cases import Case, load_cases
from accuracy.columns import holds_columns
from accuracy.identity import settings_record
from accuracy.outcomes import OUTCOMES, rank
from accuracy.records import PREDICTIONS, SCORES, BenchError, Records, read_records
from accuracy.score import fits, gold_results, handed_over, score, score_one
from accuracy.selection import read_cases
from accuracy.tables import Tables
from engine.settings import load_settings

SETTINGS = load_settings()
FOLDER = Path(__file__).parents[1] / "cases" / "accuracy"
TOY = load_cases(FOLDER / "toy.jsonl")
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
RECORDED = read_records(FOLDER / "recorded.jsonl", PREDICTIONS)


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    with Tables(SETTINGS, FOLDER) as opened:
        yield opened


def prediction(case: Case, answer: Any, error: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"case": case.id, "answer": answer, "error": error, "tokens": {}, "seconds": {"total": 1.0}, "choices": []}


def test_the_recorded_predictions_have_every_outcome() -> None:
    assert {each["outcome"] for each in EXPECTED.values()} == set(OUTCOMES)
    assert set(EXPECTED) == {line["case"] for line in RECORDED.lines} == {case.id for case in TOY}


@pytest.mark.parametrize("line", RECORDED.lines, ids=lambda line: line["case"])
def test_a_recorded_prediction_is_worth_what_is_expected(tables: Tables, line: dict[str, Any]) -> None:
    case = next(case for case in TOY if case.id == line["case"])
    found = score_one(line, case, tables)
    assert {"outcome": found["outcome"], "failure": found["failure"]} == EXPECTED[case.id]


def test_a_score_keeps_what_the_report_groups_by(tables: Tables) -> None:
    lines = {line["case"]: line for line in score(RECORDED, TOY, tables).lines}
    steps = lines["toy-uz-003"]
    assert (steps["domain"], steps["table"], steps["lang"]) == ("toy", "toy/toy.csv", "uz")
    assert (steps["tools"], steps["steps"], steps["follow_up"]) == (["filter", "group_and_total"], 2, False)
    assert lines["toy-en-004"]["tools"] == []
    assert lines["toy-en-006"]["follow_up"] is True
    assert lines["toy-en-001"]["confidence"] == pytest.approx(0.9 * 0.95)
    assert lines["toy-en-008"]["confidence"] is None
    assert lines["toy-en-005"]["detail"] == "too slow (seconds: 120.0, tokens: 3)"


@pytest.mark.parametrize(
    "domain", ["bank_loans", "clinic_visits", "coworker_survey", "harvest", "school_grades", "shop_sales"]
)
def test_every_gold_answer_is_right(domain: str) -> None:
    with Tables(SETTINGS) as opened:
        for case in [case for case in read_cases() if case.domain == domain]:
            for gold in case.gold:
                assert score_one(prediction(case, gold), case, opened)["outcome"] == "right", case.id


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (None, "invalid"),
        ({}, "invalid"),
        ("x", "invalid"),
        ({"steps": []}, "invalid"),
        ({"steps": ["sort"]}, "invalid"),
        ({"steps": [{}]}, "invalid"),
        ({"steps": [{"tool": "sort"}]}, "invalid"),
        ({"steps": [{"tool": "chart", "args": {}}]}, "invalid"),
        ({"on": "result", "steps": [{"tool": "group_and_total", "args": {"agg": "count"}}]}, "invalid"),
        ({"table": "moon", "steps": [{"tool": "group_and_total", "args": {"agg": "count"}}]}, "invalid"),
        ({"question": {}}, "invalid"),
        ({"question": {"kind": "which_column", "options": [1]}}, "invalid"),
        ({"question": {"kind": "which_column", "options": ["qty"]}}, "asked"),
        ({"steps": [{"tool": "group_and_total", "args": {"agg": "count"}}]}, "right"),
        ({"steps": [{"tool": "group_and_total", "args": {"agg": "count", "value_column": "city"}}]}, "right"),
        ({"steps": [{"tool": "group_and_total", "args": {"agg": "count_distinct", "value_column": "city"}}]}, "wrong"),
    ],
)
def test_answers_to_how_many_sales(tables: Tables, answer: Any, outcome: str) -> None:
    assert score_one(prediction(TOY[0], answer), TOY[0], tables)["outcome"] == outcome


@pytest.mark.parametrize(
    ("kind", "options", "right"),
    [
        ("which_column", ["qty", "amount"], True),
        ("which_column", ["amount", "day", "qty"], True),
        ("which_column", ["qty"], False),
        ("which_value", ["qty", "amount"], False),
        ("not_in_table", ["qty", "amount"], False),
        ("not_in_table", ["city"], True),
    ],
)
def test_a_question_fits_by_kind_and_by_what_it_offers(kind: str, options: list[str], right: bool) -> None:
    golds = [
        {"question": {"kind": "which_column", "options": ["amount", "qty"]}},
        {"question": {"kind": "not_in_table", "options": ["city"]}},
    ]
    assert fits({"kind": kind, "options": options}, golds) is right


WANTED = {"columns": ["city", "sum"], "rows": [("A", 1), ("B", 2), ("C", 2)], "row_count": 3}
MORE: list[tuple[str, list[str], list[tuple[Any, ...]], bool]] = [
    ("another column", ["city", "sum", "n"], [("A", 1, 5), ("B", 2, 5), ("C", 2, 5)], True),
    ("another column in front", ["n", "city", "sum"], [(5, "A", 1), (5, "B", 2), (5, "C", 2)], True),
    ("another order of columns", ["sum", "city"], [(1, "A"), (2, "B"), (2, "C")], True),
    ("twins that only go together one way", ["s1", "s2", "city"], [(2, 1, "A"), (1, 2, "B"), (2, 2, "C")], True),
    ("columns that are right one by one", ["sum", "city", "n"], [(2, "A", 0), (1, "B", 0), (2, "C", 0)], False),
    ("a row too few", ["city", "sum", "n"], [("A", 1, 5), ("B", 2, 5)], False),
    ("a column too few", ["city"], [("A",), ("B",), ("C",)], False),
    ("one column cannot be two", ["city", "n"], [("A", 0), ("B", 0), ("C", 0)], False),
]


@pytest.mark.parametrize(("columns", "rows", "holds"), [each[1:] for each in MORE], ids=[each[0] for each in MORE])
def test_wanted_columns_among_others(columns: list[str], rows: list[tuple[Any, ...]], holds: bool) -> None:
    result = {"columns": columns, "rows": rows, "row_count": len(rows)}
    assert holds_columns(result, WANTED, SETTINGS, ordered=False) is holds
    assert holds_columns(result, WANTED, SETTINGS, ordered=True) is holds


def test_the_order_of_rows_counts_where_it_is_asked_for() -> None:
    turned = {"columns": ["n", "city", "sum"], "rows": [(5, "B", 2), (5, "A", 1), (5, "C", 2)], "row_count": 3}
    assert holds_columns(turned, WANTED, SETTINGS, ordered=False)
    assert not holds_columns(turned, WANTED, SETTINGS, ordered=True)


def test_a_chart_or_file_that_was_asked_for_counts(tables: Tables) -> None:
    chart = {"tool": "chart", "args": {"kind": "histogram", "x": "qoldiq_uzs"}}
    case = replace(
        TOY[0], domain="bank_loans", tables=("loans.csv",), sql="SELECT * FROM base", gold=({"steps": [chart]},)
    )
    drawn = gold_results(case, tables)
    assert [handed_over(each) for each in drawn] == [[("chart", "histogram", "qoldiq_uzs", None, None)]]
    filed = replace(case, gold=({"steps": [chart, {"tool": "export", "args": {"format": "csv"}}]},))
    assert handed_over(gold_results(filed, tables)[0])[1:] == [("file", "csv")]


def test_outcomes_have_an_order() -> None:
    ordered = ["right", "right_rows", "asked", "wrong", "invalid", "crashed"]
    assert [rank(each) for each in ordered] == list(range(len(OUTCOMES)))
    with pytest.raises(ValueError, match="not in tuple"):
        rank("fine")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sql": "SELECT 7"}, "gold_differs"),
        ({"sql": "SELECT count(*) FROM nothing"}, "gold_fails"),
        ({"gold": ({"steps": [{"tool": "sort", "args": {"by": "x", "descending": True}}]},)}, "gold_fails"),
        ({"gold": (*TOY[0].gold, {"steps": [{"tool": "remove_duplicates", "args": {}}]})}, "gold_differs"),
    ],
)
def test_a_wrong_gold_is_an_error_and_no_score(tables: Tables, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(BenchError) as raised:
        gold_results(replace(TOY[0], **change), tables)
    assert raised.value.reason == reason
    assert raised.value.facts["case"] == TOY[0].id


def test_predictions_of_other_words_or_tables_are_refused(tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cases differ"):
        score(RECORDED, (replace(TOY[0], request="How many?"), *TOY[1:]), tables)
    with pytest.raises(BenchError, match="unknown case"):
        score(RECORDED, TOY[1:], tables)
    stranger = Records(RECORDED.header, ({**RECORDED.lines[0], "case": "toy-en-999"},), 0)
    with pytest.raises(BenchError, match="unknown case"):
        score(stranger, TOY, tables)
    (tmp_path / "toy.csv").write_text((FOLDER / "toy.csv").read_text() + "Bukhara,Tea,4,21,2024-03-05\n")
    with Tables(SETTINGS, tmp_path) as changed, pytest.raises(BenchError, match="cases differ") as raised:
        score(RECORDED, TOY, changed)
    assert raised.value.facts["found"] == ["tables"]


def test_a_part_of_a_run_can_be_scored(tables: Tables) -> None:
    part = Records(RECORDED.header, RECORDED.lines[:3], 0)
    assert [line["case"] for line in score(part, TOY, tables).lines] == [line["case"] for line in part.lines]


def test_the_command_scores_to_a_file_beside_the_predictions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.jsonl").write_bytes((FOLDER / "recorded.jsonl").read_bytes())
    command = ["score", str(tmp_path / "run.jsonl"), "--cases", str(FOLDER / "toy.jsonl"), "--data", str(FOLDER)]
    assert main([*command, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["outcomes"] == {"right": 4, "right_rows": 1, "asked": 1, "wrong": 7, "invalid": 3, "crashed": 1}
    scores = read_records(tmp_path / "run.scores.jsonl", SCORES)
    assert {line["case"]: line["outcome"] for line in scores.lines} == {
        case: each["outcome"] for case, each in EXPECTED.items()
    }
    assert scores.header["predictions"] == RECORDED.header
    assert main(command) == 0
    assert "| Recorded | 17 | 4 (24 %) |" in capsys.readouterr().out
    assert main(["score", str(tmp_path / "run.scores.jsonl")]) == 4
    assert main(["score", str(tmp_path / "none.jsonl")]) == 4


def test_settings_in_a_header_have_no_path_of_a_model() -> None:
    here = replace(SETTINGS, model=replace(SETTINGS.model, path="/a/b.gguf", adapter="/a/c.gguf"))
    assert settings_record(here) == settings_record(SETTINGS)
