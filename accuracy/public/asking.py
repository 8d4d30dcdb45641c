"""Asks a model the questions of a public set and compares its tables as the set does."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from accuracy.records import BenchError
from engine.decoder import TokenModel
from engine.session import ask
from engine.settings import Settings
from engine.terminal import Tick
from grammar import TezError

from .answers import answers
from .express import OpenedTables
from .questions import TABFACT, Question

RIGHT: Final = "right"
RIGHT_AMONG_OTHERS: Final = "right_among_others"
ASKED: Final = "asked"
WRONG: Final = "wrong"
INVALID: Final = "invalid"
OUTCOMES: Final = (RIGHT, RIGHT_AMONG_OTHERS, ASKED, WRONG, INVALID)


@dataclass(frozen=True)
class Outcome:
    """What became of a question: one of OUTCOMES, the answer or the error's words, and the seconds it took."""

    question: Question
    outcome: str
    answer: Mapping[str, Any] | None
    detail: str
    seconds: float


def sampled(questions: Sequence[Question], size: int | None, seed: int) -> list[Question]:
    """Return so many questions drawn without replacement, in their order; all of them for None.

    With one seed a smaller sample is a part of a larger one. Raises BenchError `sample_size`.
    """
    if size is None:
        return list(questions)
    if not 1 <= size <= len(questions):
        raise BenchError("sample_size", found=size, allowed=len(questions))
    places = list(range(len(questions)))
    random.Random(seed).shuffle(places)
    return [questions[place] for place in sorted(places[:size])]


def ask_questions(questions: Sequence[Question], model: TokenModel, settings: Settings, tick: Tick) -> list[Outcome]:
    """Let the model answer each question over its tables, neighbours about the same tables one after the other."""
    tables = OpenedTables(settings)
    try:
        found = []
        for question in sorted(questions, key=lambda each: each.tables):
            tick(question.id)
            found.append(_asked(question, model, tables))
        tick("")
        return found
    finally:
        tables.close()


def _asked(question: Question, model: TokenModel, tables: OpenedTables) -> Outcome:
    started = time.monotonic()
    try:
        workspace = tables.of(question)
        answered = ask(workspace, question.text, model)
    except TezError as error:
        return Outcome(question, INVALID, None, f"{error.reason}: {error}", time.monotonic() - started)
    seconds = time.monotonic() - started
    if answered.result is None:
        return Outcome(question, ASKED, answered.answer, "", seconds)
    outcome = _judged(question, answered.result)
    return Outcome(question, outcome, answered.answer, "", seconds)


def _judged(question: Question, result: Mapping[str, Any]) -> str:
    """Return RIGHT, RIGHT_AMONG_OTHERS where one column of several is the answer, or WRONG."""
    if answers(question, result):
        return RIGHT
    if question.form == TABFACT:
        return WRONG
    columns = range(len(result["columns"])) if len(question.answer[0]) == 1 else ()
    parts = (
        {**result, "columns": [result["columns"][at]], "rows": [(row[at],) for row in result["rows"]]} for at in columns
    )
    return RIGHT_AMONG_OTHERS if any(answers(question, part) for part in parts) else WRONG
