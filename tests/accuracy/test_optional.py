"""Ways to write what may be left out, compared on the same cases."""

from pathlib import Path
from typing import Any

from wanting_model import wanting

from accuracy.cases import load_cases
from accuracy.optional import PLAIN, compare_ways, shared_arguments, ways
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
        (frozenset("x"), frozenset("xy")),
        (frozenset("y"), frozenset()),
    ]
    assert list(shared_arguments(wanted, None, FREE)) == []
    assert list(shared_arguments({"question": {}}, answer, FREE)) == []


def test_a_model_that_prefers_the_end_is_led_on_by_a_bonus() -> None:
    """It knows the gold plan of a case and would rather stop before its last argument."""
    case = next(
        each
        for each in load_cases(CASES)
        if not each.history and each.gold[0].get("steps", [{}])[0].get("tool") == "top_n"
        if "group" in each.gold[0]["steps"][0]["args"] and len(each.gold[0]["steps"]) == 1
    )
    gold = case.gold[0]
    args = dict(gold["steps"][0]["args"])
    short = {"steps": [{"tool": "top_n", "args": {key: args[key] for key in args if key != "group"}}]}
    asked: list[str] = []
    with Tables(load_settings()) as tables:
        plain, favoured, _ = compare_ways([case], tables, wanting((gold, 0.3), (short, 0.7)), ways([2.0]), asked.append)
    assert (plain.way, plain.right, plain.wanted, plain.given, plain.both) == (PLAIN, 0, 1, 0, 0)
    assert (favoured.right, favoured.given, favoured.both) == (1, 1, 1)
    assert (favoured.gained, favoured.lost, favoured.p) == (1, 0, 1.0)
    assert asked == [case.id, ""]
