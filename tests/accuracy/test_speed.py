"""The speed measure: its tables and grammars, the binding in a process of its own, what it says."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf

from accuracy import speed
from accuracy.baseline import Baseline, Job
from accuracy.speed_report import summary
from accuracy.speed_tables import FLAT_SIZE, SIZES, flattened, requests, scene, values, wide_scene
from engine.model import LlamaModel
from engine.plan import shipped_contracts
from engine.settings import Settings, load_settings
from grammar.answers import answer_shape
from grammar.automaton import Matcher
from grammar.compile import compile_shape
from grammar.gbnf import gbnf_text

SETTINGS = load_settings()
GRAMMAR = 'root ::= "[" ("1" | "2") "]"'


@pytest.fixture
def baseline(tmp_path: Path) -> Iterator[Baseline]:
    path = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    settings = replace(SETTINGS.model, context=tiny_gguf.CONTEXT)
    with Baseline(path, settings, 60) as opened:
        yield opened


@pytest.mark.parametrize("size", SIZES)
def test_a_table_has_so_many_different_values_and_requests_name_them(size: int) -> None:
    listed = scene(size, SETTINGS).tables[0].columns[0].values
    assert listed == values(size)
    assert len(set(listed or ())) == size
    asked = requests(size, 9, 1)
    assert asked == requests(size, 9, 1)
    assert all(any(value in request for value in listed or ()) for request in asked)


def test_the_wide_table_is_as_wide_as_it_says() -> None:
    columns = wide_scene(SETTINGS).tables[0].columns
    assert (len(columns), sum(len(column.values or ()) for column in columns)) == (200, 5000)


def test_a_flat_list_accepts_the_same_texts_and_is_flat() -> None:
    made = scene(FLAT_SIZE, SETTINGS)
    rules = compile_shape(answer_shape(shipped_contracts(), made))
    listed = values(FLAT_SIZE)
    flat = flattened(rules, listed)
    for value in (listed[0], listed[-1], "nowhere"):
        step = {"tool": "filter", "args": {"column": "hudud", "op": "=", "value": value}}
        text = json.dumps({"steps": [step]}, ensure_ascii=False, separators=(",", ":"))
        assert Matcher(flat).accepts(text) == Matcher(rules).accepts(text) == (value != "nowhere")
    longest = max(gbnf_text(flat).splitlines(), key=len)
    assert longest.count(" | ") == FLAT_SIZE - 1


def test_the_binding_writes_in_a_process_of_its_own(baseline: Baseline) -> None:
    answer = baseline.do(Job([1, 40, 41], 2, 9, GRAMMAR))
    assert answer is not None
    assert answer["text"] in ("[1]", "[2]")
    plain = baseline.do(Job([1, 40, 41], 2, 5))
    assert plain is not None
    assert (plain["tokens"], plain["text"]) == (5, None)
    assert baseline.deaths == 0


@pytest.mark.parametrize("grammar", ['root ::= "a" | nope', 'root := "a"', 'root ::= root "a" | "b"'])
def test_a_grammar_that_kills_the_binding_is_an_outcome(baseline: Baseline, grammar: str) -> None:
    assert baseline.do(Job([1, 40], 1, 5, grammar)) is None
    assert baseline.deaths == 1
    assert baseline.do(Job([1, 40], 1, 5, GRAMMAR)) is not None


def test_the_time_of_the_model_is_not_that_of_the_constraint(tmp_path: Path) -> None:
    with LlamaModel(tiny_gguf.write_model(tmp_path / "tiny.gguf"), SETTINGS.model) as model:
        timed = speed.TimedModel(model)
        tokens = timed.chat_tokens("sort")
        timed.read(tokens)
        timed.append_many(tokens[:1])
        assert timed.logits().shape == (len(model.pieces),)
        assert timed.inside > 0


def test_the_change_of_grammar_is_measured() -> None:
    found = speed.grammar_change(SETTINGS, times=1)
    assert found.keys() == {"grammar", "change"}
    assert min(found.values()) > 0


def found_of(settings: Settings) -> dict[str, Any]:
    table = {
        "values": 500,
        "prompt_tokens": 1000,
        "shared_tokens": 900,
        "seconds": {"ours": 1.0, "our GBNF": 3.5, "flat list": 11.0, "plain": 1.5},
        "ratios": {"our GBNF": 3.5, "flat list": 11.0, "plain": 1.5},
        "died": {"our GBNF": 0, "flat list": 1, "plain": 0},
        "same": {"our GBNF": 2, "flat list": 0},
        "same_ratios": {"our GBNF": 3.4, "flat list": None},
        "constraint_microseconds": 87.5,
        "forced": 0.57,
        "passes": 12,
        "answer_tokens": 30,
        "grammar_milliseconds": 0.6,
    }
    fresh = {
        "read_seconds": {"without": 4.0, "with": 0.2},
        "process_seconds": {"without": 6.0, "with": 2.0},
        "read_ratio": 20.0,
        "process_ratio": 3.0,
    }
    batch = {"together": settings.accuracy.speed_batch, "one": 1.0, "many": 2.6, "same": 0.875}
    model = {"model": "m.gguf", "tables": [table], "fresh": fresh, "batch": batch}
    return {"requests": 3, "cores": 2, "grammar": {"grammar": 2.0, "change": 4.0}, "models": [model]}


def test_the_summary_says_every_figure_with_its_goal() -> None:
    text = summary(found_of(SETTINGS))
    for figure in ("3.5", "11", "1.5", "3.4 (2)", "88", "57 %", "20", "2.6", "88 %", "under 100", "goal 2.5"):
        assert figure in text
    assert "| 500 | 1 | 3.5 | 11 | 1.5 | 3.4 (2) |  | 1 |" in text
