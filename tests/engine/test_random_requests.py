"""The real default model, asked anything in three scripts: a valid answer that runs, or a clear error.

What `make check` lets the model answer about random tables is short, which takes a third of the time.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import pytest
from command_line import ROOT
from obsessed import Obsessed
from random_tables import random_request, random_table

from engine.batch import Request, decode_many
from engine.decoder import Decoded, TokenModel
from engine.model import LlamaModel
from engine.model_error import ModelError
from engine.session import Workspace, ask, open_workspace, prepare
from engine.settings import Settings, load_settings
from grammar import TezError
from prompt.words import error_text

SETTINGS = load_settings()
TOGETHER = 8
SHARE = 0.9
REQUESTS_A_TABLE = 5
SHORT = replace(
    SETTINGS, max_steps=1, grammar=replace(SETTINGS.grammar, text_length=8, list_length=2, question_options=2)
)


@dataclass(frozen=True)
class About:
    """An opened table, and words that stand in it."""

    workspace: Workspace
    words: list[str]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[About]:
    """Return tables as people have them, one of them odd, and two at a time."""
    names = ROOT / "domains"
    odd = tmp_path_factory.mktemp("odd") / "o'dd.csv"
    odd.write_text('"a ""b""",C:\\temp,select,Қарз\n"x\ny",1,true,2024-01-31\n"😀",2,false,\n')
    paths: list[list[Path]] = [
        [odd],
        [odd, names / "shop_sales" / "sales.csv"],
        [names / "bank_loans" / "loans.csv"],
        [names / "harvest" / "harvest.csv"],
    ]
    return [About(open_workspace(each, SETTINGS), []) for each in paths]


def outcome(about: About, model: TokenModel, request: str, decoded: Decoded | ModelError | None = None) -> str:
    """Return what a request ended in: "steps", "question", or the reason of an error that can be said."""
    try:
        if isinstance(decoded, ModelError):
            raise decoded
        given = ask(about.workspace, request, model, dry_run=False, max_rows=5, decoded=decoded)
    except TezError as error:
        return said(error)
    assert ("steps" in given.answer) != ("question" in given.answer)
    assert (given.result is not None) == ("steps" in given.answer)
    return "steps" if given.result is not None else "question"


def said(error: TezError) -> str:
    """Return the reason of an error, which has words in every language."""
    assert all(error_text(error, language).strip() for language in ("uz", "ru", "en"))
    return error.reason


def random_tables(chance: random.Random, folder: Path, count: int, settings: Settings) -> list[About]:
    """Return so many random tables; a file that is refused, with a reason that can be said, counts for nothing."""
    found: list[About] = []
    for number in range(10 * count):
        path = folder / f"{number}.csv"
        words = random_table(chance, path)
        try:
            found.append(About(open_workspace([path], settings), words))
        except TezError as error:
            said(error)
        if len(found) == count:
            return found
    raise AssertionError("hardly any file was opened")


def together(model: LlamaModel, questions: Sequence[tuple[About, str]]) -> list[Decoded | ModelError]:
    """Return what the model writes where it is asked about many tables side by side."""
    prepared = [(about, prepare(about.workspace, request)) for about, request in questions]
    requests = [Request(asked.prompt.text, asked.matcher(about.workspace)) for about, asked in prepared]
    return decode_many(model, requests, SETTINGS.model, TOGETHER)


def asked_of_random_tables(
    model: LlamaModel, folder: Path, count: int, seed: int, *, settings: Settings = SETTINGS, many: bool = False
) -> None:
    """Ask so many requests about random tables, under these settings; many at a time, or alone.

    The default model would mostly ask back; so every second request is one that it wants to answer with a plan.
    """
    chance = random.Random(seed)
    tables = random_tables(chance, folder, count // REQUESTS_A_TABLE, settings)
    questions = [(each, random_request(chance, each.words)) for each in tables for _ in range(REQUESTS_A_TABLE)]
    written = together(model, questions) if many else [None] * count
    willing = cycle((model, Obsessed(model, "plans")))
    answered(
        outcome(about, each, request, decoded)
        for (about, request), decoded, each in zip(questions, written, willing, strict=False)
    )
    for about in tables:
        about.workspace.con.close()


def asked_alone(model: LlamaModel, tables: Sequence[About], each: int, seed: int) -> None:
    chance = random.Random(seed)
    answered(outcome(about, model, random_request(chance)) for about in tables for _ in range(each))


def answered(outcomes: Iterable[str]) -> None:
    """Hold that nearly all were answered: an error of its own is right here and there, and not all the time."""
    ended = Counter(outcomes)
    assert ended["steps"] + ended["question"] >= SHARE * ended.total(), ended


@pytest.mark.model
def test_random_requests_about_random_tables_end_in_an_answer(tmp_path: Path, default_model: LlamaModel) -> None:
    asked_of_random_tables(default_model, tmp_path, 180, 1, settings=SHORT)


@pytest.mark.model
def test_random_requests_end_in_an_answer(tables: list[About], default_model: LlamaModel) -> None:
    asked_alone(default_model, tables, 5, 20261130)


@pytest.mark.model
@pytest.mark.soak
def test_random_requests_asked_together_end_in_an_answer(tmp_path: Path, default_model: LlamaModel) -> None:
    asked_of_random_tables(default_model, tmp_path, 400, 2, many=True)


@pytest.mark.model
@pytest.mark.soak
def test_two_thousand_random_requests_end_in_an_answer(
    tables: list[About], tmp_path: Path, default_model: LlamaModel
) -> None:
    asked_of_random_tables(default_model, tmp_path, 1_400, 3)
    asked_alone(default_model, tables, 150, 4)


@pytest.mark.model
def test_a_very_long_request_ends_in_an_answer(tables: list[About], default_model: LlamaModel) -> None:
    assert outcome(tables[0], default_model, "Qoldiq bo'yicha hikoya yoz! " * 120) in ("steps", "question")
