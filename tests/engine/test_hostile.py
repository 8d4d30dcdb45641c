"""Tables, requests and wills of a model that kill programs around language models: `cases/decoding/hostile.json`.

A case has column `names` (a text and a number column), the `values` of the text column, `requests`, and perhaps what
the model is made to want (`will`, one of `obsessed.WILLS`). Each ends in a valid answer or in an error that can be
said, and the model is as good as before. `make check` asks a tenth of the requests, the long runs all.
"""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from obsessed import Obsessed

from engine.model import LlamaModel
from engine.session import ask, open_workspace
from engine.settings import load_settings
from grammar import TezError
from prompt.words import error_text

CASES = json.loads((Path(__file__).parents[1] / "cases" / "decoding" / "hostile.json").read_text(encoding="utf-8"))
SETTINGS = load_settings()
SHORT = replace(
    SETTINGS, max_steps=2, grammar=replace(SETTINGS.grammar, text_length=30, list_length=4, question_options=3)
)
NAMES, VALUES = ["viloyat", "summa"], ["Toshkent", "Samarqand"]
ASKED = [(case, request) for case in CASES for request in case["requests"]]
SHARE = 10


def ending(case: dict[str, Any], request: str, folder: Path, model: LlamaModel) -> str:
    """Return what a request ends in: "answer", or the reason of an error."""
    path = folder / "jadval.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows = [[value, number] for number, value in enumerate(case.get("values", VALUES))]
        writer.writerows([case.get("names", NAMES), *rows, *rows])
    asked = Obsessed(model, case["will"]) if "will" in case else model
    try:
        given = ask(open_workspace([path], SHORT), request, asked, max_rows=5)
    except TezError as error:
        return said(error)
    assert ("steps" in given.answer) != ("question" in given.answer)
    return "answer"


def said(error: TezError) -> str:
    assert all(error_text(error, language).strip() for language in ("uz", "ru", "en"))
    return error.reason


def test_the_cases_are_as_they_are_described() -> None:
    allowed = {"pain", "description", "names", "values", "requests", "will"}
    for case in CASES:
        assert {"pain", "description", "requests"} <= case.keys() <= allowed
        assert case["requests"]
    assert len({case["description"] for case in CASES}) == len(CASES)
    assert {f"P{number}" for number in (54, 55, 56, 57, 58, 59, 60, 61, 62)} <= {case["pain"] for case in CASES}


def in_turns(folder: Path, model: LlamaModel, first: int, every: int) -> None:
    before = ending({}, "viloyat bo'yicha summa", folder, model)
    endings = {
        f"{case['description']}: {request}": ending(case, request, folder, model)
        for case, request in ASKED[first::every]
    }
    refused = {key: reason for key, reason in endings.items() if reason not in ("answer", "bad_logits")}
    assert refused == {}
    assert ending({}, "viloyat bo'yicha summa", folder, model) == before == "answer"


@pytest.mark.model
def test_a_tenth_of_what_is_hostile_ends_in_an_answer(tmp_path: Path, default_model: LlamaModel) -> None:
    in_turns(tmp_path, default_model, 3, SHARE)


@pytest.mark.model
@pytest.mark.soak
def test_all_that_is_hostile_ends_in_an_answer(tmp_path: Path, default_model: LlamaModel) -> None:
    in_turns(tmp_path, default_model, 0, 1)
