"""The pipeline around the model: what is asked, what becomes of the answer."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS
from scripted_model import ScriptedModel

from engine.model_error import ModelError
from engine.session import Workspace, ask, open_workspace, prepare, run
from engine.settings import load_settings
from grammar import ToolError

SETTINGS = load_settings()
FILTER = {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}
SUMS = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "value_column": "qoldiq_uzs", "agg": "sum"}}
TOP = {
    "tool": "top_n",
    "args": {"by": "qoldiq_uzs", "n": 3, "descending": True, "group": {"columns": ["viloyat"], "agg": "sum"}},
}


@pytest.fixture(scope="module")
def loans() -> Workspace:
    return open_workspace([LOANS], SETTINGS)


def written(answer: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def test_a_plan_is_run(loans: Workspace) -> None:
    answered = ask(loans, "Dollar kreditlari", written({"steps": [FILTER]}))
    assert answered.answer == {"steps": [FILTER]}
    assert answered.result is not None
    assert answered.result["row_count"] == 510
    assert set(answered.timing) == {"prepare", "read", "write", "others", "run", "total"}
    assert answered.tokens["answer"] == len(json.dumps({"steps": [FILTER]}, separators=(",", ":")))


def test_a_question_and_a_dry_run_are_not_run(loans: Workspace) -> None:
    question = {"question": {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}}
    answered = ask(loans, "qoldiq", written(question))
    assert (answered.answer, answered.result) == (question, None)
    assert ask(loans, "Dollar", written({"steps": [FILTER]}), dry_run=True).result is None


def test_what_the_table_does_not_have_cannot_be_written(loans: Workspace) -> None:
    wrong = {"steps": [{"tool": "sort", "args": {"by": "foyda", "descending": True}}]}
    answered = ask(loans, "foyda bo'yicha", written(wrong))
    column = answered.answer["steps"][0]["args"]["by"]
    assert column in [each.name for each in loans.scene.tables[0].columns]


def test_follow_ups_go_on_from_the_result_or_from_the_table(loans: Workspace) -> None:
    first = {"request": "Dollar kreditlari", "answer": {"steps": [FILTER]}}
    sums = run(loans, [first["answer"]], {"on": "result", "steps": [SUMS]})  # type: ignore[list-item]
    direct = run(loans, [], {"steps": [FILTER, SUMS]})
    assert sums["rows"] == direct["rows"]
    assert len(sums["rows"]) == 14
    top = run(loans, [first["answer"]], {"on": "table", "steps": [TOP]})  # type: ignore[list-item]
    assert top["rows"] == run(loans, [], {"steps": [TOP]})["rows"]
    assert [row[0] for row in top["rows"]] == ["Toshkent sh.", "Toshkent viloyati", "Farg'ona"]


def test_values_of_a_long_column_that_the_request_names_are_offered(loans: Workspace) -> None:
    asked = prepare(loans, "MIRZO ULUG\u02bbBEK tumanidagi kreditlar")
    columns = {column.name: column for column in asked.scene.tables[0].columns}
    assert columns["tuman"].values == ("Mirzo Ulug'bek",)
    assert columns["telefon"].values is None
    assert columns["valyuta"].values == ("UZS", "USD", "EUR")


def test_several_files_give_several_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,p\n")
    (tmp_path / "b.csv").write_text("z,w\n2,q\n3,r\n")
    both = open_workspace([tmp_path / "a.csv", tmp_path / "b.csv"], SETTINGS)
    count = {"tool": "group_and_total", "args": {"agg": "count"}}
    answered = ask(both, "how many rows", written({"table": "b", "steps": [count]}))
    assert answered.result is not None
    assert answered.result["rows"] == [(2,)]
    with pytest.raises(ToolError, match="unknown table"):
        run(both, [], {"table": "c", "steps": [count]})


@pytest.fixture
def two(tmp_path: Path) -> Workspace:
    (tmp_path / "savdo.csv").write_text("kod,summa\n001,100\n002,50\n001,25\n")
    (tmp_path / "hudud.csv").write_text("id,nom\n1,Buxoro\n2,Xiva\n")
    return open_workspace([tmp_path / "savdo.csv", tmp_path / "hudud.csv"], SETTINGS)


JOIN = {"tool": "join_table", "args": {"table": "hudud", "column": "kod", "other_column": "id", "how": "left"}}
BY_NAME = {"tool": "group_and_total", "args": {"group_by": ["nom"], "value_column": "summa", "agg": "sum"}}


def test_two_tables_are_joined(two: Workspace) -> None:
    plan = {"table": "savdo", "steps": [JOIN, BY_NAME]}
    answered = ask(two, "hudud nomi bo'yicha summa", written(plan))
    assert answered.answer == plan
    assert answered.result is not None
    assert answered.result["rows"] == [("Buxoro", 125), ("Xiva", 50)]
    assert "reconciled" in [note["note"] for note in answered.result["evidence"]]


def test_a_follow_up_joins_another_table_to_the_result(two: Workspace) -> None:
    sums = {"tool": "group_and_total", "args": {"group_by": ["kod"], "value_column": "summa", "agg": "sum"}}
    history = [{"request": "kod bo'yicha summa", "answer": {"table": "savdo", "steps": [sums]}}]
    asked = prepare(two, "nomini ham qo'sh", history)
    assert asked.scene.result is not None
    assert [other.name for other in asked.scene.result.others] == ["hudud"]
    answered = ask(two, "nomini ham qo'sh", written({"on": "result", "steps": [JOIN]}), history)
    assert answered.answer == {"on": "result", "steps": [JOIN]}
    assert answered.result is not None
    assert answered.result["rows"] == [("001", 125, "Buxoro"), ("002", 50, "Xiva")]
    joined = [*history, {"request": "nomini ham qo'sh", "answer": answered.answer}]
    last = ask(two, "jami", written({"on": "result", "steps": [BY_NAME]}), joined)
    assert last.result is not None
    assert last.result["rows"] == [("Buxoro", 125), ("Xiva", 50)]


def test_columns_that_are_not_offered_keep_their_names_from_others(tmp_path: Path) -> None:
    names = [f"n{number:03}" for number in range(1, 101)]
    (tmp_path / "keng.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * 100) + "\n")
    wide = open_workspace([tmp_path / "keng.csv"], SETTINGS)
    offered = [column.name for column in prepare(wide, "n001").scene.tables[0].offered()]
    assert "n099" not in offered
    plan = {
        "steps": [
            {"tool": "add_column", "args": {"name": "n099", "left": "n001", "op": "+", "right": 5}},
            {"tool": "group_and_total", "args": {"value_column": "n099_2", "agg": "sum"}},
        ]
    }
    answered = ask(wide, "n001", written(plan))
    assert answered.answer == plan
    assert answered.result is not None
    assert answered.result["rows"] == [(6,)]


def test_a_wide_table_is_cut_to_what_the_request_can_mean(tmp_path: Path) -> None:
    names = [f"Ko'rsatkich {number:03}" for number in range(1, 421)]
    lines = [["Hudud", *names], ["Buxoro", *map(str, range(420))]]
    (tmp_path / "wide.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    wide = open_workspace([tmp_path / "wide.csv"], SETTINGS)
    asked = prepare(wide, "Hudud bo'yicha Ko'rsatkich 117 jami")
    offered = [column.name for column in asked.scene.tables[0].offered()]
    assert {"Hudud", "Ko'rsatkich 117"} <= set(offered)
    assert len(offered) == SETTINGS.prompt.columns
    step = {"tool": "group_and_total", "args": {"group_by": ["Hudud"], "value_column": "Ko'rsatkich 117", "agg": "sum"}}
    answered = ask(wide, "Hudud bo'yicha Ko'rsatkich 117 jami", written({"steps": [step]}))
    assert answered.result is not None
    assert answered.result["rows"] == [("Buxoro", 116)]


def test_a_request_that_is_too_long_is_cut_and_said(loans: Workspace) -> None:
    answered = ask(loans, "x" * 3000, written({"steps": [FILTER]}))
    assert [note["note"] for note in answered.notes] == ["request_cut"]


def test_half_an_answer_is_never_run(loans: Workspace) -> None:
    short = replace(loans, settings=replace(SETTINGS, model=replace(SETTINGS.model, answer_tokens=20)))
    with pytest.raises(ModelError) as caught:
        ask(short, "Dollar", written({"steps": [FILTER]}))
    assert caught.value.reason == "answer_cut"
