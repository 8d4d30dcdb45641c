"""Which of many tools a request is about."""

from typing import Any

import pytest

from engine.domain import common_lexicon
from grammar.openai_function import explained
from prompt.tool_choice import best_tools, meanings, ranking, tool_scores


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
    assert TOOLS[ranking(TOOLS, request_text, ())[0]]["name"] == tool


def test_what_the_resolver_says_in_english_counts() -> None:
    assert tool_scores(TOOLS, "солиқ", ()) == [0.0] * len(TOOLS)
    assert [tool["name"] for tool in best_tools(TOOLS, "солиқ", ["tax of sales"], 1)] == ["vat"]
    assert meanings([]) == []


def test_equals_and_what_matches_nothing_stay_in_their_order() -> None:
    assert ranking(TOOLS, "", ()) == [0, 1, 2, 3, 4]
    assert ranking(TOOLS, "the of and", ()) == [0, 1, 2, 3, 4]
    assert [tool["name"] for tool in best_tools(TOOLS, "warehouse", (), 3)] == ["get_weather", "loanSchedule", "ship"]


def test_words_of_two_languages_meet_by_the_lexicon() -> None:
    tools = [contract("a", "Send a letter"), contract("b", "Say what is left in the warehouse")]
    for asked in ("Omborda nima bor?", "Что на складе?"):
        assert tool_scores(tools, asked, ()) == [0.0, 0.0]
        first, second = tool_scores(tools, asked, (), common_lexicon())
        assert second > first


def test_a_word_that_few_tools_have_tells_more() -> None:
    tools = [contract(f"count_{number}", "Count things", words={"en": ["red"]}) for number in range(5)]
    tools.append(contract("other", "Paint it blue"))
    scores = tool_scores(tools, "red blue", ())
    assert scores[5] > scores[0] > 0


@pytest.mark.parametrize("request_text", ["\ud800", "🙂" * 50, "x" * 10000, "'", "-- - _"])
def test_any_text_is_ranked(request_text: str) -> None:
    assert sorted(ranking(TOOLS, request_text, ())) == [0, 1, 2, 3, 4]
