"""Which of many tools a request is about."""

from typing import Any

import pytest

from engine.domain import common_lexicon
from grammar.openai_function import explained
from prompt.tool_choice import ToolIndex, meanings


def contract(name: str, description: str, **parts: Any) -> dict[str, Any]:
    args = parts.pop("args", {})
    return {
        "name": name,
        "description": description,
        "args": args,
        "effects": {},
        "explain": explained(name, args),
        **parts,
    }


TOOLS = [
    contract("get_weather", "Get the weather at a place", words={"uz": ["ob-havo"], "ru": ["погода"]}),
    contract("loanSchedule", "Write when a loan is paid back"),
    contract("vat", "Add a tax", args={"rate": {"enum": ["reduced", "full"]}}),
    contract("ship", "Send goods", args={"to": {"type": "string", "description": "the warehouse"}}),
    contract("mark_rows", "Mark rows"),
]

INDEX = ToolIndex(TOOLS)


@pytest.mark.parametrize(
    ("request_text", "tool"),
    [
        ("what is the WEATHER like", "get_weather"),
        ("weathers", "get_weather"),
        ("ob-havoni ayt", "get_weather"),
        ("обҳаво", "get_weather"),
        ("какой будет погоде конец", "get_weather"),
        ("the schedule please", "loanSchedule"),
        ("loans", "loanSchedule"),
        ("taxes", "vat"),
        ("the reduced one", "vat"),
        ("from the warehouse", "ship"),
        ("marking", "mark_rows"),
    ],
)
def test_words_meet_whatever_their_ending_and_alphabet(request_text: str, tool: str) -> None:
    assert TOOLS[INDEX.ranking(request_text, ())[0]]["name"] == tool


def test_what_the_resolver_says_in_english_counts() -> None:
    assert INDEX.scores("солиқ", ()) == [0.0] * len(TOOLS)
    assert [tool["name"] for tool in INDEX.best("солиқ", ["tax of sales"], 1)] == ["vat"]
    assert meanings([]) == []


def test_equals_and_what_matches_nothing_stay_in_their_order() -> None:
    assert INDEX.ranking("", ()) == [0, 1, 2, 3, 4]
    assert INDEX.ranking("the of and", ()) == [0, 1, 2, 3, 4]
    assert [tool["name"] for tool in INDEX.best("warehouse", (), 3)] == ["get_weather", "loanSchedule", "ship"]


def test_words_of_two_languages_meet_by_the_lexicon() -> None:
    tools = [contract("a", "Send a letter"), contract("b", "Say what is left in the warehouse")]
    for asked in ("Omborda nima bor?", "Что на складе?"):
        assert ToolIndex(tools).scores(asked, ()) == [0.0, 0.0]
        first, second = ToolIndex(tools, common_lexicon()).scores(asked, ())
        assert second > first


def test_a_word_that_few_tools_have_tells_more() -> None:
    tools = [contract(f"count_{number}", "Count things", words={"en": ["red"]}) for number in range(5)]
    tools.append(contract("other", "Paint it blue"))
    scores = ToolIndex(tools).scores("red blue", ())
    assert scores[5] > scores[0] > 0


@pytest.mark.parametrize("request_text", ["\ud800", "🙂" * 50, "x" * 10000, "'", "-- - _"])
def test_any_text_is_ranked(request_text: str) -> None:
    assert sorted(INDEX.ranking(request_text, ())) == [0, 1, 2, 3, 4]
