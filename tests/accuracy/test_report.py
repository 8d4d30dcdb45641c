"""The report and the comparison: what they say, and that the page is whole and needs nothing else."""

import json
import re
from copy import deepcopy
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from accuracy.__main__ import main
from accuracy.page import page
from accuracy.paired import compare_runs
from accuracy.plots import Bar, bars, calibration, stacked
from accuracy.records import BenchError, write_records
from accuracy.report import comparison, interval, markdown, number, table
from accuracy.selection import read_cases
from accuracy.stats import Share
from accuracy.summary import VIEWS, Run, read_runs, summarise
from engine.settings import load_settings

SETTINGS = load_settings().accuracy
FOLDER = Path(__file__).parents[1] / "cases" / "accuracy"
VOID = {"meta", "line", "rect", "circle", "br"}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded predictions, scored."""
    out = tmp_path_factory.mktemp("scores") / "run.scores.jsonl"
    recorded, toy = str(FOLDER / "recorded.jsonl"), str(FOLDER / "toy.jsonl")
    assert main(["score", recorded, "--cases", toy, "--data", str(FOLDER), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def run(scores: Path) -> Run:
    return read_runs([scores])[0]


def changed(run: Run, name: str = "Other", **outcomes: str) -> Run:
    """The run with other outcomes of some cases, named by the end of their ids."""
    lines = deepcopy(run.lines)
    for line in lines:
        line["outcome"] = outcomes.get(line["case"].removeprefix("toy-").replace("-", "_"), line["outcome"])
    return replace(run, name=name, lines=lines)


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n\n")[1].split("\n\n")[0]


def test_the_short_report_is_as_expected(run: Run) -> None:
    expected = (FOLDER / "short.md").read_text(encoding="utf-8")
    assert markdown([run], SETTINGS, short=True) == expected


def test_the_whole_report_has_every_view(run: Run) -> None:
    text = markdown([run, changed(run, en_002="right", en_001="crashed")], SETTINGS)
    assert [f"By {view}" for view in VIEWS] == re.findall(r"^## (By .*)$", text, re.MULTILINE)
    assert "| en | 3 of 9: 33 % (12–65 %) | 3 of 9: 33 % (12–65 %) |" in section(text, "By language")
    assert "| top_n | 2 of 3: 67 % (21–94 %) | 3 of 3: 100 % (44–100 %) |" in section(text, "By tool")
    assert "| (question) | 1 of 3" in section(text, "By tool")
    assert "| 2 | 0 of 2" in section(text, "By steps")
    assert "| follow-up | 1 of 2" in section(text, "By turn")
    assert "| follow-up on result | 1 of 2" in section(text, "By scope")
    assert "| crashed: ModelError.too_slow | 1 | 1 |" in section(text, "Kinds of failure")
    assert "| total | 1.73 / 27.1 | 1.73 / 27.1 |" in section(text, "Seconds a case")
    assert "| prompt | 900 / 900 | 900 / 900 |" in section(text, "Tokens a case")
    assert "| 0.8–1.0 | 4 | 93 % | 75 % |" in section(text, "Calibration of Recorded")


def test_a_view_has_the_groups_of_all_runs_and_none_twice(run: Run) -> None:
    only = replace(run, name="Only", lines=tuple(line for line in run.lines if line["lang"] == "ru"))
    text = markdown([only, run], SETTINGS)
    assert "| en | – | 3 of 9" in section(text, "By language")
    assert "**Only is not finished:** 4 of 17 cases were asked." in text


def test_without_confidences_there_is_no_calibration(run: Run) -> None:
    lines = tuple({**line, "confidence": None} for line in run.lines)
    assert "Calibration" not in markdown([replace(run, lines=lines)], SETTINGS)
    assert "confidence" not in page([replace(run, lines=lines)], SETTINGS)


def test_an_empty_run_can_be_reported(run: Run) -> None:
    empty = replace(run, lines=())
    assert "| Recorded | 0 | 0 (0 %) | 0–100 % | 0 | 0 | 0 | 0 | 0 | – | – |" in markdown([empty], SETTINGS)
    assert "0 of 17 cases" in page([empty], SETTINGS)


class Whole(HTMLParser):
    """Checks that each element is closed where it should be, and gathers links and drawings."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset", "data")]
        if tag not in VOID - {"rect", "circle"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset", "data")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(run: Run) -> None:
    text = page([run, changed(run, en_002="right")], SETTINGS)
    parser = Whole()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert parser.links == []
    assert not re.search(r"url\(|@import|<script|<link", text)
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    titles = [ElementTree.fromstring(drawing)[0].text for drawing in drawings]
    assert titles == [
        "Outcomes",
        *(f"Right by {view}" for view in VIEWS),
        "Kinds of failure",
        "Seconds a case: p50 and p95",
        "Tokens a case: p50 and p95",
        "Calibration of Recorded",
        "Calibration of Other",
    ]


def test_what_people_write_cannot_break_the_page(run: Run) -> None:
    nasty = '</td><script>alert("1")</script> & |'
    lines = tuple({**line, "request": nasty, "failure": nasty, "lang": nasty, "outcome": "wrong"} for line in run.lines)
    text = page([replace(run, name=nasty, lines=lines)], SETTINGS)
    parser = Whole()
    parser.feed(text)
    assert parser.open == []
    assert "<script" not in text
    assert "| \\| |" in markdown([replace(run, name="|", lines=lines)], SETTINGS)
    assert table(["a"], [["x\ny | z"]]) == "| a |\n| --- |\n| x y \\| z |"


def drawn(text: str) -> list[dict[str, str]]:
    """The attributes of the rectangles of a drawing."""
    return [dict(each.attrib) for each in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}rect")]


def test_bars_are_as_long_as_their_values() -> None:
    text = bars("T", ["m"], [("a", [Bar(0.5, "half", 0.25, 1.0)]), ("b", [Bar(1.0, "all")]), ("c", [None])], 1.0)
    half, whole = (float(each["width"]) for each in drawn(text))
    assert whole == 2 * half > 100
    interval_line = ElementTree.fromstring(text).find("{http://www.w3.org/2000/svg}line")
    assert interval_line is not None
    left = float(drawn(text)[0]["x"])
    assert float(interval_line.attrib["x1"]) == pytest.approx(left + half / 2)
    assert float(interval_line.attrib["x2"]) == pytest.approx(left + whole)
    assert "half" in text
    assert drawn(bars("nothing", ["m"], [("a", [Bar(0, "0")])], 0))[0]["width"] == "0.0"


def test_a_long_name_is_cut_and_can_be_read_whole() -> None:
    text = bars("T", ["m"], [("x" * 60, [Bar(1, "1")])], 1)
    assert f">{'x' * 43}…<title>{'x' * 60}</title></text>" in text


def test_stacked_bars_fill_their_row() -> None:
    text = stacked("T", ["x", "y", "z"], [("a", [1, 0, 3]), ("b", [0, 0, 0])])
    widths = [float(each["width"]) for each in drawn(text) if each["height"] == "22.0"]
    assert len(widths) == 2
    assert widths[1] == pytest.approx(3 * widths[0])
    assert "z: 3" in text


def test_a_calibrated_answer_lies_on_the_line() -> None:
    root = ElementTree.fromstring(calibration("T", [(0.25, 0.25, 9)]))
    line, point = (root.find(f"{{http://www.w3.org/2000/svg}}{each}") for each in ("line", "circle"))
    assert line is not None
    assert point is not None
    ends = [float(line.attrib[each]) for each in ("x1", "y1", "x2", "y2")]
    x, y = float(point.attrib["cx"]), float(point.attrib["cy"])
    assert (x - ends[0]) / (ends[2] - ends[0]) == pytest.approx(0.25)
    assert (y - ends[1]) / (ends[3] - ends[1]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0123, "0.0123"), (1.734, "1.73"), (27.14, "27.1"), (1234.5, "1,234"), (0, "0")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_an_interval_is_written_in_percent() -> None:
    assert interval(Share(1, 4, 0.046, 0.699, 2)) == "5–70 %"


def test_two_runs_are_held_against_each_other(run: Run) -> None:
    other = changed(run, en_001="wrong", en_002="right", uz_003="right", ru_003="wrong", en_005="invalid")
    found = compare_runs(run, other)
    assert (found.cases, found.only_in_one) == (17, 0)
    assert (found.both_right, found.only_first, found.only_second) == (3, 1, 2)
    assert found.p == 1.0
    assert [(each.case, each.before, each.after) for each in found.worse] == [("toy-en-001", "right", "wrong")]
    assert [each.case for each in found.better] == ["toy-en-002", "toy-en-005", "toy-uz-003", "toy-ru-003"]
    text = comparison(found)
    assert "## Worse: 1\n\n- toy-en-001: right → wrong: How many sales are there?\n" in text
    assert "| neither | 11 |" in text
    back = compare_runs(other, run)
    assert (back.better, back.p) == (
        tuple(replace(each, before=each.after, after=each.before) for each in found.worse),
        found.p,
    )


def test_only_cases_of_both_runs_are_compared(run: Run) -> None:
    found = compare_runs(replace(run, lines=run.lines[:5]), replace(run, lines=run.lines[3:]))
    assert (found.cases, found.only_in_one) == (2, 15)
    with pytest.raises(BenchError, match="nothing in common"):
        compare_runs(replace(run, lines=run.lines[:5]), replace(run, lines=run.lines[5:]))


def test_runs_that_were_scored_with_other_golds_are_not_compared(run: Run) -> None:
    lines = deepcopy(run.lines)
    lines[0]["wanted"] = {"steps": []}
    with pytest.raises(BenchError, match="other golds") as raised:
        compare_runs(run, replace(run, lines=lines))
    assert raised.value.facts == {"case": lines[0]["case"], "found": 1}


def test_runs_are_named_after_model_adapter_and_where_needed_file(run: Run, tmp_path: Path) -> None:
    tuned: dict[str, Any] = deepcopy(run.header)
    tuned["predictions"]["adapter"] = {"file": "loans.gguf", "bytes": 1, "sha256": "4" * 64}
    for name, header in (("a", run.header), ("b", run.header), ("c", tuned)):
        write_records(tmp_path / f"{name}.jsonl", header, run.lines)
    runs = read_runs([tmp_path / f"{name}.jsonl" for name in "abc"])
    assert [each.name for each in runs] == ["Recorded (a)", "Recorded (b)", "Recorded + loans.gguf"]
    assert "- adapter: loans.gguf, 1 bytes" in markdown(runs, SETTINGS, short=True)


def test_the_commands_write_and_print(scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, html = tmp_path / "report.md", tmp_path / "report.html"
    assert main(["report", str(scores), "--short", "--out", str(text), "--html", str(html)]) == 0
    assert capsys.readouterr().out == ""
    assert text.read_text(encoding="utf-8") == (FOLDER / "short.md").read_text(encoding="utf-8")
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["report", str(scores)]) == 0
    assert capsys.readouterr().out.startswith("# Accuracy\n")
    assert main(["report", str(scores), "--json"]) == 0
    [said] = json.loads(capsys.readouterr().out)
    assert (said["right"]["hits"], said["asked"], said["run"]["model"]["name"]) == (4, 17, "Recorded")
    assert main(["compare", str(scores), str(scores)]) == 0
    assert "## Better: 0" in capsys.readouterr().out
    assert main(["compare", str(scores), str(scores), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["both_right"] == 4
    assert main(["report", str(scores), "--out", str(tmp_path / "none" / "report.md")]) == 4


def test_the_summary_counts_every_case_once_where_groups_do_not_overlap(run: Run) -> None:
    found = summarise(run, SETTINGS)
    for view in ("language", "domain", "steps", "turn"):
        assert sum(share.count for share in found.shares[view].values()) == len(run.lines)
    assert sum(found.outcomes.values()) == len(run.lines)
    assert sum(found.failures.values()) == len(run.lines) - found.outcomes["right"]


def test_follow_ups_are_told_apart_by_what_they_work_on_and_the_survey_has_a_row() -> None:
    lines = [
        {
            "case": case.id,
            "domain": case.domain,
            "table": f"{case.domain}/{'+'.join(case.tables)}",
            "lang": case.lang,
            "tags": list(case.tags),
            "tools": [],
            "steps": 0,
            "follow_up": bool(case.history),
            "wanted": case.gold[0],
            "outcome": "right",
            "failure": None,
            "tokens": {},
            "seconds": {},
            "confidence": None,
        }
        for case in read_cases()
    ]
    found = summarise(Run("all", {}, tuple(lines)), SETTINGS)
    of_survey = [line for line in lines if line["domain"] == "coworker_survey"]
    assert found.shares["domain"]["coworker_survey"].count == len(of_survey) == 60
    assert any(line["follow_up"] for line in of_survey)
    scopes = {name: share.count for name, share in found.shares["scope"].items()}
    assert scopes.keys() == {"follow-up on result", "follow-up on table", "follow-up on (question)"}
    assert min(scopes["follow-up on result"], scopes["follow-up on table"]) > 10
    assert sum(scopes.values()) == found.shares["turn"]["follow-up"].count
