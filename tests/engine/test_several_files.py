"""Requests over several files, as a user types them: the survey of colleagues from its gold plans, joins, appends."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, tez

from accuracy.cases import load_cases
from accuracy.data import open_data
from engine import database

SURVEY = ROOT / "domains" / "coworker_survey"
CASES = {case.id: case for case in load_cases(ROOT / "accuracy" / "cases" / "coworker_survey.jsonl")}
NAMED = ("coworker_survey-uz-001", "coworker_survey-ru-001", "coworker_survey-en-001")
HARD = ("coworker_survey-uz-002",)


def ran(answer: Any, *files: Path, folder: Path) -> dict[str, Any]:
    plan = folder / "plan.json"
    plan.write_text(json.dumps(answer, ensure_ascii=False), "utf-8")
    done = tez("run", *files, "--plan", plan, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize("case", [*NAMED, *HARD])
def test_the_two_requests_of_the_survey_run_from_their_gold_plans(case: str, tmp_path: Path) -> None:
    files = [SURVEY / name for name in CASES[case].tables]
    assert len(files) == 6
    found = ran(CASES[case].gold[0], *files, folder=tmp_path)
    rows = [tuple(row) for row in found["rows"]]
    if case in NAMED:
        con = open_data(SURVEY / "most_valuable.csv")
        wanted = database.query(
            con, "SELECT reason, count(*) FROM base WHERE chosen = 'Yo''ldosheva Nodira' GROUP BY 1 ORDER BY 1"
        )
        assert sum(count for _, count in wanted) == 5
        assert sorted(rows) == wanted
    else:
        assert len(rows) == 1
        assert found["columns"] == ["team", "count"]
        people = {row["name"]: row["team"] for row in _rows(SURVEY / "people.csv")}
        votes: dict[str, int] = {}
        for row in _rows(SURVEY / "hard_to_work_with.csv"):
            team = people.get(row["chosen"])
            if team is not None:
                votes[team] = votes.get(team, 0) + 1
        assert rows == [max(votes.items(), key=lambda pair: pair[1])]


def _rows(path: Path) -> list[dict[str, str]]:
    import csv

    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_the_folder_of_the_survey_opens_as_its_tables(tmp_path: Path) -> None:
    found = ran(CASES[NAMED[0]].gold[0], SURVEY, folder=tmp_path)
    assert {table["name"] for table in found["tables"]} == {path.stem for path in SURVEY.glob("*.csv")}


@pytest.fixture
def shop(tmp_path: Path) -> list[Path]:
    (tmp_path / "sales.csv").write_text("shahar,summa\nBuxoro,10\nXiva,20\nBuxoro,5\n")
    (tmp_path / "regions.csv").write_text("nomi,viloyat\nBuxoro,Buxoro v.\nXiva,Xorazm\n")
    (tmp_path / "more.csv").write_text("shahar,summa\nXiva,7\n")
    return [tmp_path / name for name in ("sales.csv", "regions.csv", "more.csv")]


JOIN = {"tool": "join_table", "args": {"table": "regions", "column": "shahar", "other_column": "nomi", "how": "left"}}
APPEND = {"tool": "append_table", "args": {"table": "more"}}
BY_REGION = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "value_column": "summa", "agg": "sum"}}


def test_files_are_joined_and_appended_from_where_the_plan_starts(shop: list[Path], tmp_path: Path) -> None:
    found = ran({"table": "sales", "steps": [APPEND, JOIN, BY_REGION]}, *shop, folder=tmp_path)
    assert found["rows"] == [["Buxoro v.", 15], ["Xorazm", 27]]
    sort = {"tool": "sort", "args": {"by": "nomi", "descending": True}}
    assert ran({"table": "regions", "steps": [sort]}, *shop, folder=tmp_path)["rows"][0] == ["Xiva", "Xorazm"]


def test_a_plan_over_several_files_must_say_where_it_starts(shop: list[Path], tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"steps": [JOIN]}))
    done = tez("run", *shop, "--plan", plan, "--lang", "en")
    assert done.code != 0
    assert "sales" in done.err
    assert "regions" in done.err


@pytest.mark.model
@pytest.mark.usefixtures("default_model")
def test_the_default_model_says_where_its_plan_starts(shop: list[Path]) -> None:
    done = tez("ask", *shop, "viloyatlar bo'yicha summa yig'indisi", "--json")
    assert done.code in (0, 3), done.err
    answer = json.loads(done.out)["answer"]
    assert "question" in answer or answer["table"] in {"sales", "regions", "more"}
