"""Ways to write what may be left out, compared on the same cases."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from wanting_model import wanting

from accuracy.cases import Case, load_cases
from accuracy.optional import PLAIN, compare_ways, kept_lines, shared_arguments, tally, ways
from accuracy.records import WAYS, BenchError
from accuracy.tables import Tables
from engine.settings import load_settings

CASES = Path(__file__).parents[2] / "accuracy" / "cases" / "bank_loans.jsonl"
FREE = {"a": frozenset({"x", "y"}), "b": frozenset({"z"})}


def step(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def test_arguments_are_paired_by_tool() -> None:
    wanted = {"steps": [step("a", x=1, must=1), step("b", z=1), step("a", y=1)]}
    answer = {"steps": [step("a", x=1, y=2, must=1), step("c"), step("a")]}
    assert list(shared_arguments(wanted, answer, FREE)) == [
        ({"x": 1}, {"x": 1, "y": 2}),
        ({"y": 1}, {}),
    ]
    assert list(shared_arguments(wanted, None, FREE)) == []
    assert list(shared_arguments({"question": {}}, answer, FREE)) == []


@pytest.fixture(scope="module")
def ranked() -> Case:
    """A case whose gold plan is one `top_n` of groups."""
    return next(
        each
        for each in load_cases(CASES)
        if not each.history and each.gold[0].get("steps", [{}])[0].get("tool") == "top_n"
        if "group" in each.gold[0]["steps"][0]["args"] and len(each.gold[0]["steps"]) == 1
    )


def shorter(gold: dict[str, Any]) -> dict[str, Any]:
    """Return the plan without its last argument."""
    args = {key: value for key, value in gold["steps"][0]["args"].items() if key != "group"}
    return {"steps": [{"tool": "top_n", "args": args}]}


def test_a_model_that_prefers_the_end_is_led_on_by_a_bonus(ranked: Case) -> None:
    """It knows the gold plan of a case and would rather stop before its last argument."""
    gold = ranked.gold[0]
    model = wanting((gold, 0.3), (shorter(gold), 0.7))
    asked: list[str] = []
    with Tables(load_settings()) as tables:
        plain, favoured, _ = tally(list(compare_ways([ranked], tables, model, ways([2.0]), asked.append)))
    assert (plain.way, plain.right, plain.gold, plain.wanted, plain.given, plain.both) == (PLAIN, 0, 1, 1, 0, 0)
    assert (favoured.right, favoured.given, favoured.both, favoured.same) == (1, 1, 1, 1)
    assert (favoured.gained, favoured.lost, favoured.p) == (1, 0, 1.0)
    assert asked == [ranked.id, ""]


def test_with_another_tool_nothing_is_seen_of_its_arguments_unless_led(ranked: Case) -> None:
    gold = ranked.gold[0]
    sorts = {"steps": [{"tool": "sort", "args": {"by": gold["steps"][0]["args"]["by"], "descending": True}}]}
    other = {**gold["steps"][0]["args"]["group"], "agg": "count"}
    close = {"steps": [{"tool": "top_n", "args": {**gold["steps"][0]["args"], "group": other}}]}
    model = wanting((sorts, 0.8), (close, 0.2))
    question = replace(ranked, gold=({"question": {"kind": "not_in_table", "options": []}},), sql=None)
    with Tables(load_settings()) as tables:
        (plain,) = tally(list(compare_ways([ranked], tables, model, ways([])[:1], lambda name: None)))
        lines = list(compare_ways([question, ranked], tables, model, ways([])[:1], lambda name: None, led=True))
    (led,) = tally(lines)
    assert (plain.gold, plain.wanted, plain.given) == (1, 0, 0)
    assert [line["case"] for line in lines] == [ranked.id]
    assert all(way["seconds"]["total"] >= way["seconds"]["write"] for line in lines for way in line["ways"])
    assert (led.gold, led.wanted, led.given, led.both, led.same, led.right) == (1, 1, 1, 1, 0, 0)


def test_an_interrupted_comparison_goes_on_where_it_ended(ranked: Case, tmp_path: Path) -> None:
    out = tmp_path / "ways.jsonl"
    more = replace(ranked, id="zz-again")
    header = {"kind": WAYS, "ways": [asdict(way) for way in ways([])[:1]], "led": False}
    asked: list[str] = []

    def tick(name: str) -> None:
        asked.append(name)
        if name and name == interrupted:
            raise KeyboardInterrupt

    with Tables(load_settings()) as tables:
        model = wanting((ranked.gold[0], 1.0))
        interrupted = more.id
        with pytest.raises(KeyboardInterrupt):
            kept_lines(out, header, [ranked, more], tables, model, tick)
        interrupted, asked = "", []
        lines = kept_lines(out, header, [ranked, more], tables, model, tick)
        assert (asked, [line["case"] for line in lines]) == ([more.id, ""], [ranked.id, more.id])
        assert [(each.cases, each.right) for each in tally(lines)] == [(2, 2)]
        with pytest.raises(BenchError) as caught:
            kept_lines(out, {**header, "led": True}, [ranked], tables, model, tick)
    assert caught.value.reason == "other_header"
    assert tally([]) == []
