"""Recall at eight of a hundred tools: the data, the command, and that it does not become worse."""

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from command_line import ROOT

from accuracy import recall
from engine.plan import shipped_contracts

FLOOR = {"checking": 0.88, "tuning": 0.88}


def printed(*arguments: str) -> str:
    """Return what the command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "accuracy", "recall", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def measured() -> Any:
    """The places of all tools, as the command prints them."""
    return json.loads(printed("--json"))


def test_the_requests_and_contracts_are_as_many_as_said() -> None:
    names = [contract["name"] for contract in recall.contracts()]
    assert len(names) == len(set(names)) > 100
    assert names[: len(shipped_contracts())] == [contract["name"] for contract in shipped_contracts()]
    asked = recall.requests()
    counts = Counter((each.lang, each.half) for each in asked)
    assert counts.keys() == {(lang, half) for lang in ("uz", "ru", "en") for half in recall.HALVES}
    assert min(counts.values()) >= 30
    assert {each.tool for each in asked} <= set(names)
    assert not {each.tool for each in asked if each.half == "tuning"} & {
        each.tool for each in asked if each.half == "checking"
    }
    assert len({each.request for each in asked}) == len(asked)


def test_eight_of_a_hundred_hold_the_tool_that_is_needed(measured: Any) -> None:
    assert measured["tools"] > 100
    for half, least in FLOOR.items():
        places = [
            each["place"] for each in measured["requests"] if each["half"] == half and each["way"] == recall.WAYS[0]
        ]
        assert sum(place <= 8 for place in places) / len(places) >= least


def test_the_table_counts_what_the_places_say(measured: Any) -> None:
    ranked = [
        recall.Ranked(
            recall.Asked(**{key: each[key] for key in ("tool", "lang", "request", "half")}),
            each["way"],
            each["shipped"],
            each["place"],
        )
        for each in measured["requests"]
    ]
    found = recall.Recall(measured["tools"], ranked)
    uzbek = [each for each in ranked if each.asked.lang == "uz" and each.way == recall.WAYS[1]]
    expected = sum(each.place <= 4 for each in uzbek) / len(uzbek)
    assert found.share(recall.WAYS[1], 4, lang="uz") == expected
    text = found.summary([1, 8], missed=True)
    assert "| half | language | tools | requests | of 1 | of 8 |" in text
    assert f"| all | uz | all | {len(uzbek)} |" in text
    assert "not among 8" in text
