"""Asking the cases: what is written, going on after an interruption, what a run remembers of itself."""

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf
from recorded_model import RecordedModel
from wanting_model import wanting

from accuracy import report
from accuracy.__main__ import main
from accuracy.cases import Case, load_cases
from accuracy.identity import asked, differences, golds_hash, run_header
from accuracy.paired import compare_runs
from accuracy.records import PREDICTIONS, BenchError, read_records, write_records
from accuracy.report import repeat_facts
from accuracy.run import predict, run_cases, same_alone
from accuracy.score import score, score_one
from accuracy.selection import choose, in_order, read_cases
from accuracy.summary import Doubts, Run, Together, read_runs, summarise
from accuracy.tables import Tables
from engine.batch import Request
from engine.calibration import Calibration
from engine.decoder import Decoded, TokenModel, decode
from engine.model_error import ModelError
from engine.session import current_result, run
from engine.settings import ModelSettings, load_settings
from engine.talk import Talk
from engine.terminal import counted

SETTINGS = load_settings()
FOLDER = Path(__file__).parents[1] / "cases" / "accuracy"
TOY = load_cases(FOLDER / "toy.jsonl")
EVERY = read_cases()
HEADER = {"kind": PREDICTIONS, "model": {"name": "toy"}, "time": "now"}
CHOICE: dict[str, Any] = {"domain": None, "sample": None, "seed": None}


def golds(cases: tuple[Case, ...] = TOY) -> dict[str, Any]:
    return {case.request: case.gold[0] for case in cases}


@pytest.fixture
def tables() -> Iterator[Tables]:
    with Tables(SETTINGS, FOLDER) as opened:
        yield opened


@pytest.fixture(scope="module")
def own_tables() -> Iterator[Tables]:
    with Tables(SETTINGS) as opened:
        yield opened


class Loader:
    """Gives the model, and counts how often."""

    def __init__(self, model: RecordedModel) -> None:
        self.model = model
        self.times = 0

    def __call__(self) -> AbstractContextManager[TokenModel]:
        self.times += 1
        return self.model


def timeless(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of predictions without what differs from run to run."""
    return [{**line, "seconds": sorted(line["seconds"])} for line in read_records(path, PREDICTIONS).lines]


def test_every_case_gets_a_line_with_its_answer_time_and_tokens(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    loader = Loader(RecordedModel(golds()))
    assert run_cases(out, HEADER, TOY, tables, loader) == len(TOY)
    found = read_records(out, PREDICTIONS)
    assert found.header == HEADER
    assert {line["case"]: line["answer"] for line in found.lines} == {case.id: case.gold[0] for case in TOY}
    assert loader.times == 1
    for line in found.lines:
        assert line["error"] is None
        assert line["tokens"]["answer"] == len(
            json.dumps(line["answer"], ensure_ascii=False, separators=(",", ":")).encode()
        )
        assert line["tokens"]["prompt"] > 1000
        assert {"prepare", "read", "write", "total"} <= line["seconds"].keys()
        assert ("run" in line["seconds"]) == ("steps" in line["answer"])


def test_a_finished_run_loads_no_model(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run_cases(out, HEADER, TOY, tables, Loader(RecordedModel(golds())))
    before = out.read_bytes()
    loader = Loader(RecordedModel({}))
    assert run_cases(out, {**HEADER, "time": "later"}, TOY, tables, loader) == 0
    assert loader.times == 0
    assert out.read_bytes() == before


def test_step_by_step_the_answers_are_the_same_and_the_run_is_told_apart(tmp_path: Path) -> None:
    settings = replace(SETTINGS, stepwise=replace(SETTINGS.stepwise, on=True))
    paths: list[Path] = []
    for each, model in ((SETTINGS, RecordedModel(golds())), (settings, RecordedModel(golds()))):
        with Tables(each, FOLDER) as opened:
            header = {**run_header(TOY, CHOICE, opened, tiny_gguf.write_model(tmp_path / "m.gguf")), "time": "now"}
            paths.append(tmp_path / f"{len(paths)}.jsonl")
            run_cases(paths[-1], header, TOY, opened, Loader(model))
            scored = score(read_records(paths[-1], PREDICTIONS), TOY, opened)
            write_records(paths[-1].with_suffix(".scores.jsonl"), scored.header, scored.lines)
    plain, stepwise = (read_records(path, PREDICTIONS) for path in paths)
    assert differences(plain.header, stepwise.header) == ["settings"]
    assert [line["answer"] for line in stepwise.lines] == [line["answer"] for line in plain.lines]
    steps = {case.id: len(case.gold[0].get("steps", ())) for case in TOY}
    for one, other in zip(plain.lines, stepwise.lines, strict=True):
        assert (other["tokens"]["prompt"] > one["tokens"]["prompt"]) == (steps[one["case"]] > 0)
    first, second = read_runs([path.with_suffix(".scores.jsonl") for path in paths])
    assert second.name == f"{first.name}, step by step"
    found = compare_runs(first, second)
    assert (found.cases, found.only_first, found.only_second) == (len(TOY), 0, 0)
    assert "--stepwise" in repeat_facts(second)["command"]
    assert "--stepwise" not in repeat_facts(first)["command"]


@pytest.mark.parametrize("case", [case for case in EVERY if case.history], ids=lambda case: case.id)
def test_a_follow_up_is_asked_with_the_very_prompt_of_a_conversation(own_tables: Tables, case: Case) -> None:
    model = RecordedModel({case.request: case.gold[0]})
    predict(case, own_tables, model)
    talk = Talk(own_tables.workspace(case))
    for turn in case.history:
        talk.add(turn.request, turn.answer)
    talk.ask(case.request, model)
    assert model.prompts[0] == model.prompts[1]


@pytest.mark.parametrize("torn", [b"", b'{"case":"toy-en-0', '{"case":"toy-ru-001","answer":"\u0421'.encode()[:-1]])
def test_an_interrupted_run_goes_on_after_the_last_whole_line(tables: Tables, tmp_path: Path, torn: bytes) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run_cases(whole, HEADER, TOY, tables, Loader(RecordedModel(golds())))
    stopping = in_order(TOY)[5].request
    with pytest.raises(KeyboardInterrupt):
        run_cases(out, HEADER, TOY, tables, Loader(RecordedModel({**golds(), stopping: KeyboardInterrupt()})))
    assert len(read_records(out, PREDICTIONS).lines) == 5
    with out.open("ab") as file:
        file.write(torn)
    again = RecordedModel(golds())
    assert run_cases(out, HEADER, TOY, tables, Loader(again)) == len(TOY) - 5
    assert again.asked == [case.request for case in in_order(TOY)[5:]]
    assert timeless(out) == timeless(whole)


def test_a_run_that_ended_within_its_header_begins_anew(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b'{"kind":"tez-pre')
    assert run_cases(out, HEADER, TOY, tables, Loader(RecordedModel(golds()))) == len(TOY)
    assert read_records(out, PREDICTIONS).header == HEADER


def test_a_file_with_another_header_is_refused_and_left_alone(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run_cases(out, HEADER, TOY[:2], tables, Loader(RecordedModel(golds())))
    before = out.read_bytes()
    other = {**HEADER, "model": {"name": "other"}, "adapter": {"file": "a.gguf"}}
    with pytest.raises(BenchError, match="other header") as raised:
        run_cases(out, other, TOY, tables, Loader(RecordedModel(golds())))
    assert raised.value.facts["found"] == ["adapter", "model"]
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_header"),
        ("{}\n", "other_kind"),
        ('{"kind":"tez-scores-1"}\n', "other_kind"),
        ("[1]\n", "line_broken"),
        ('{"kind":"tez-predictions-1"}\n{"case":"a"}\n', "line_broken"),
        ('{"kind":"tez-predictions-1"}\nnot json\n', "line_broken"),
        (
            '{"kind":"tez-predictions-1"}\n'
            + 2 * '{"case":1,"answer":1,"error":1,"tokens":1,"seconds":1,"choices":1}\n',
            "case_twice",
        ),
    ],
)
def test_a_file_that_is_no_file_of_predictions_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text(text)
    with pytest.raises(BenchError) as raised:
        read_records(out, PREDICTIONS)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelError("too_slow", seconds=1.0, tokens=3), ("ModelError", "too_slow")),
        (ZeroDivisionError("a fault of our own"), ("ZeroDivisionError", None)),
    ],
)
def test_an_error_in_one_case_is_its_outcome(tables: Tables, tmp_path: Path, error: Exception, told: Any) -> None:
    out = tmp_path / "out.jsonl"
    assert run_cases(out, HEADER, TOY, tables, Loader(RecordedModel({**golds(), TOY[1].request: error}))) == len(TOY)
    lines = {line["case"]: line for line in read_records(out, PREDICTIONS).lines}
    line = lines.pop(TOY[1].id)
    assert line["answer"] is None
    assert (line["error"]["class"], line["error"]["reason"]) == told
    assert set(line["seconds"]) == {"total"}
    assert all(other["error"] is None for other in lines.values())


def test_a_plan_that_fails_when_it_runs_keeps_its_answer(tables: Tables) -> None:
    case = replace(TOY[0], request="Amount a day by amount")
    workspace = tables.workspace(case)
    workspace.con.execute("ALTER TABLE toy DROP COLUMN qty")
    answer = {"steps": [{"tool": "sort", "args": {"by": "qty", "descending": True}}]}
    line = predict(case, tables, RecordedModel({case.request: answer}))
    assert line["answer"] == answer
    assert (line["error"]["class"], line["error"]["reason"]) == ("ToolError", "unknown_column")


def test_a_follow_up_sees_the_result_and_its_columns(tables: Tables) -> None:
    case = next(case for case in TOY if case.id == "toy-en-006")
    model = RecordedModel(golds())
    assert predict(case, tables, model)["answer"]["on"] == "result"
    assert "Tea only" in model.prompts[0]
    first = replace(case, history=())
    answer = predict(first, tables, model)["answer"]
    assert "on" not in answer


@pytest.mark.parametrize("case", [case for case in EVERY if case.history], ids=lambda case: case.id)
def test_the_computed_result_of_a_conversation_is_the_real_one(case: Case, own_tables: Tables) -> None:
    workspace = own_tables.workspace(case)
    answers = [turn.answer for turn in case.history]
    plans = [place for place, answer in enumerate(answers) if "steps" in answer]
    state = current_result(workspace, answers)
    assert (state is None) == (not plans)
    if state is not None:
        real = run(workspace, answers[: plans[-1]], answers[plans[-1]], max_rows=0)
        columns = [(column.name, column.kind) for column in state.columns]
        assert columns == list(zip(real["columns"], real["kinds"], strict=True))


def test_neighbours_share_the_beginning_of_their_prompts() -> None:
    ordered = in_order(EVERY)
    assert sorted(case.id for case in ordered) == sorted(case.id for case in EVERY)
    assert len({case.domain for case in EVERY}) == 1 + sum(
        one.domain != other.domain for one, other in pairwise(ordered)
    )
    follow_ups = [bool(case.history) for case in ordered if case.domain == "harvest"]
    assert follow_ups == sorted(follow_ups)


def test_a_sample_is_spread_evenly_and_part_of_a_larger_one() -> None:
    groups = {(case.domain, case.lang) for case in EVERY}
    size = 2 * len(groups)
    small, large = choose(EVERY, sample=size, seed=3), choose(EVERY, sample=100, seed=3)
    assert (len(small), len(large)) == (size, 100)
    assert {case.id for case in small} <= {case.id for case in large}
    cells = [(case.domain, case.lang) for case in small]
    assert {cells.count(cell) for cell in set(cells)} == {2}
    assert set(cells) == groups
    assert choose(EVERY, sample=size, seed=4) != small
    assert choose(tuple(reversed(EVERY)), sample=size, seed=3) == tuple(reversed(small))
    assert choose(EVERY, sample=len(EVERY), seed=5) == EVERY
    assert {case.domain for case in choose(EVERY, domain="harvest", sample=7, seed=1)} == {"harvest"}


@pytest.mark.parametrize(
    ("asked_for", "reason"),
    [({"domain": "moon"}, "no_such_domain"), ({"sample": 0}, "sample_size"), ({"sample": 10_000}, "sample_size")],
)
def test_an_impossible_choice_is_refused(asked_for: dict[str, Any], reason: str) -> None:
    with pytest.raises(BenchError) as raised:
        choose(EVERY, **asked_for)
    assert raised.value.reason == reason


def test_cases_are_read_from_files_and_folders_and_ids_are_unique(tmp_path: Path) -> None:
    assert read_cases([FOLDER / "toy.jsonl"]) == TOY
    (tmp_path / "empty").mkdir()
    with pytest.raises(BenchError, match="no case files"):
        read_cases([tmp_path / "empty"])
    (tmp_path / "copy.jsonl").write_bytes((FOLDER / "toy.jsonl").read_bytes())
    with pytest.raises(BenchError, match="id twice"):
        read_cases([FOLDER / "toy.jsonl", tmp_path])


def test_a_header_says_what_is_needed_to_repeat_the_run_and_no_path(tables: Tables, tmp_path: Path) -> None:
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    header = run_header(TOY, CHOICE, tables, model)
    assert set(header) == {
        "kind", "model", "adapter", "settings", "contracts", "code", "cases", "revision", "versions", "time",
    }  # fmt: skip
    assert header["model"]["file"] == "tiny.gguf"
    assert header["model"]["bytes"] == model.stat().st_size
    assert len(header["model"]["sha256"]) == 64
    assert header["settings"]["values"]["max_steps"] == SETTINGS.max_steps
    assert header["cases"]["ids"] == sorted(case.id for case in TOY)
    assert list(header["cases"]["tables"]) == ["toy/toy.csv"]
    assert header["versions"]["duckdb"]
    assert str(tmp_path) not in json.dumps(header)
    assert str(FOLDER) not in json.dumps(header)
    assert differences(header, run_header(TOY, CHOICE, tables, model)) == []
    kept = json.loads(json.dumps(header))
    assert differences(kept, run_header(TOY, CHOICE, tables, model)) == [], "a file that was begun is gone on with"


def test_a_header_tells_runs_apart(tables: Tables, tmp_path: Path) -> None:
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    header = run_header(TOY, CHOICE, tables, model)
    other_model = tmp_path / "other.gguf"
    other_model.write_bytes(model.read_bytes() + b"\0")
    assert differences(header, run_header(TOY, CHOICE, tables, other_model)) == ["model"]
    assert differences(header, run_header(TOY[1:], CHOICE, tables, model)) == ["cases"]
    assert differences(header, run_header(TOY, CHOICE, tables, model, model)) == ["adapter"]
    other_settings = Tables(replace(SETTINGS, max_steps=3), FOLDER)
    assert differences(header, run_header(TOY, CHOICE, other_settings, model)) == ["settings"]
    elsewhere = Tables(replace(SETTINGS, model=replace(SETTINGS.model, path="/elsewhere/tiny.gguf")), FOLDER)
    assert differences(header, run_header(TOY, CHOICE, elsewhere, model)) == []


def test_a_corrected_gold_changes_the_golds_and_not_what_was_asked(tables: Tables) -> None:
    corrected = (replace(TOY[0], sql="SELECT 6"), *TOY[1:])
    assert asked(corrected, tables) == asked(TOY, tables)
    assert golds_hash(corrected) != golds_hash(TOY)
    reworded = (replace(TOY[0], request="How many?"), *TOY[1:])
    assert asked(reworded, tables) != asked(TOY, tables)


def test_tables_of_an_own_domain_need_their_folder() -> None:
    with Tables(SETTINGS) as opened, pytest.raises(BenchError, match="no data") as raised:
        opened.files(TOY[0])
    assert raised.value.facts == {"case": TOY[0].id, "found": "toy"}


def test_an_own_glossary_beside_the_tables_is_used(tmp_path: Path) -> None:
    (tmp_path / "toy.csv").write_bytes((FOLDER / "toy.csv").read_bytes())
    (tmp_path / "glossary.json").write_text('{"takings": "column amount"}')
    with Tables(SETTINGS, tmp_path) as opened:
        assert opened.workspace(TOY[0]).domain.context["glossary"] == {"takings": "column amount"}


def test_the_command_writes_the_file_and_refuses_another_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    monkeypatch.setattr("accuracy.steps.open_model", lambda *_: RecordedModel(golds()))
    command = ["run", "--cases", str(FOLDER / "toy.jsonl"), "--data", str(FOLDER), "--model", str(model)]
    command += ["--out", str(tmp_path / "out.jsonl")]
    assert main([*command, "--sample", "6"]) == 0
    assert len(read_records(tmp_path / "out.jsonl", PREDICTIONS).lines) == 6
    assert main([*command, "--sample", "7"]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert str(tmp_path / "out.jsonl") in captured.err


class ManyRecorded(RecordedModel):
    """A recorded model that is asked for several answers at once: what each would be alone."""

    def many(self, count: int, room: int) -> None:
        raise AssertionError("decode_many is replaced")


def test_asked_together_each_case_has_the_answer_that_it_has_alone(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[int] = []

    def alone(
        model: RecordedModel, requests: list[Request[Any]], settings: ModelSettings, count: int
    ) -> list[Decoded | ModelError]:
        asked_for.append(len(requests))
        found: list[Decoded | ModelError] = []
        for request in requests:
            try:
                found.append(decode(model, request.matcher, request.prompt, settings))
            except ModelError as error:
                found.append(error)
        return found

    monkeypatch.setattr("accuracy.run.decode_many", alone)
    answers = {**golds(), TOY[2].request: ModelError("no_token", found=3)}
    run_cases(tmp_path / "one.jsonl", HEADER, TOY, tables, Loader(RecordedModel(answers)))
    run_cases(tmp_path / "many.jsonl", HEADER, TOY, tables, Loader(ManyRecorded(answers)), 2)
    assert max(asked_for) > 2
    one, many = (
        {line["case"]: (line["answer"], line["error"], line["choices"]) for line in timeless(tmp_path / name)}
        for name in ("one.jsonl", "many.jsonl")
    )
    assert one == many


@pytest.mark.parametrize(("other", "same"), [(False, 3), (True, 2)])
def test_some_cases_asked_together_are_asked_alone_too(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: bool, same: int
) -> None:
    """One of them gets another plan in company than alone, if `other` says so."""
    company = dict(golds())
    if other:
        company[TOY[0].request] = TOY[2].gold[0]

    def beside(
        model: Any, requests: list[Request[Any]], settings: ModelSettings, count: int
    ) -> list[Decoded | ModelError]:
        inner = RecordedModel(company)
        return [decode(inner, request.matcher, request.prompt, settings) for request in requests]

    monkeypatch.setattr("accuracy.run.decode_many", beside)
    out, alone = tmp_path / "many.jsonl", {TOY[0].id, TOY[1].id, TOY[3].id}
    run_cases(out, HEADER, TOY, tables, Loader(ManyRecorded(golds())), 2, also_alone=alone)
    predictions = read_records(out, PREDICTIONS)
    found = {line["case"]: same_alone(line) for line in predictions.lines}
    assert {case for case, agrees in found.items() if agrees is not None} == alone
    assert [found[TOY[0].id], sum(map(bool, found.values()))] == [not other, same]
    lines = [score_one(line, case, tables) for line in predictions.lines for case in TOY if case.id == line["case"]]
    told = summarise(Run("toy", {"predictions": HEADER}, tuple(lines)), SETTINGS.accuracy)
    assert told.together == Together(3, same)
    assert f"of 3 cases asked alone too, {same} (" in report.remarks([told])
    assert "none of 17 cases" in report.remarks([told])


AMOUNTS = {"steps": [{"tool": "sort", "args": {"by": "amount", "descending": True}}]}
PIECES = {"steps": [{"tool": "sort", "args": {"by": "qty", "descending": True}}]}
DOUBTFUL = {"question": {"kind": "which_column", "options": ["amount", "qty"]}}
RIGHT_ALWAYS = Calibration("product", (0.0,), (1.0,), 100, {})


@pytest.mark.parametrize(
    ("gold", "sql", "outcome", "doubts"),
    [
        (AMOUNTS, "SELECT * FROM base ORDER BY amount DESC", "right", Doubts(1, 1, 0)),
        (PIECES, "SELECT * FROM base ORDER BY qty DESC", "wrong", Doubts(1, 0, 1)),
        (TOY[4].gold[0], TOY[4].sql, "wrong", Doubts(1, 0, 0)),
        (TOY[3].gold[0], None, "wrong", Doubts(1, 0, 1)),
    ],
)
def test_a_question_by_doubt_is_kept_beside_the_answer_and_measured(
    tables: Tables, gold: dict[str, Any], sql: str | None, outcome: str, doubts: Doubts
) -> None:
    case = replace(TOY[0], gold=(gold,), sql=sql, ordered=sql is not None and "ORDER" in sql)
    model = wanting((AMOUNTS, 0.51), (PIECES, 0.49))
    line = predict(case, tables, model, calibration=RIGHT_ALWAYS)
    assert (line["answer"], line["error"]) == (AMOUNTS, None)
    assert line["doubt"] == {**DOUBTFUL, "plans": [AMOUNTS, PIECES]}
    assert "doubt" not in predict(case, tables, model)
    assert "doubt" not in predict(case, tables, wanting((AMOUNTS, 0.9), (PIECES, 0.1)), calibration=RIGHT_ALWAYS)
    scored = score_one(line, case, tables)
    told = summarise(Run("toy", {"predictions": HEADER}, (scored,)), SETTINGS.accuracy)
    assert (scored["outcome"], told.doubts) == (outcome, doubts)
    assert "in 1 of 1 cases" in report.remarks([told])


def test_ctrl_c_ends_the_command_with_its_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    answers = {**golds(), TOY[3].request: KeyboardInterrupt()}
    monkeypatch.setattr("accuracy.steps.open_model", lambda *_: RecordedModel(answers))
    command = ["run", "--cases", str(FOLDER / "toy.jsonl"), "--data", str(FOLDER), "--model", str(model)]
    assert main([*command, "--out", str(tmp_path / "out.jsonl")]) == 130
    assert len(read_records(tmp_path / "out.jsonl", PREDICTIONS).lines) == [case.id for case in in_order(TOY)].index(
        TOY[3].id
    )


def test_no_model_no_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["run", "--sample", "1", "--model", str(tmp_path / "none.gguf"), "--out", str(out)]) == 6
    assert not out.exists()


def test_the_bar_begins_where_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", screen)
    with counted(3, 5) as tick:
        for case in ("a", "b", ""):
            tick(case)
    shown = re.findall(r"\d/5", screen.getvalue())
    assert (shown[0], shown[-1]) == ("3/5", "5/5")


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with counted(0, 1) as tick:
        tick("a")
        tick("")
    assert capsys.readouterr() == ("", "")
