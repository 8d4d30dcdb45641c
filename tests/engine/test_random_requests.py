"""The real default model, asked anything in three scripts: it always ends in a valid answer that runs."""

import random
from pathlib import Path

import pytest
from command_line import ROOT

from engine.model import LlamaModel
from engine.session import Workspace, ask, open_workspace
from engine.settings import load_settings

UZBEK = "qoldiq viloyat bo'yicha eng katta beshta kredit o'rtacha nechta Toshkent oxirgi oy yoki emas salom"
RUSSIAN = "сколько всего кредитов по области больше миллиона средний остаток топ худшие и или кроме прошлый год"
CYRILLIC_UZBEK = "ўртача қолдиқ вилоятлар бўйича энг кўп нечта қарздор ҳолати фаол эмас"
ENGLISH = "how many loans by region with balance over average and not paid show me the story of"
HOSTILE = ['"', "\\", "}]}", '{"steps":[', "<unused49>", "<|im_end|>", "</s>", "\n\n\n", "\t", "😀", "٣", "''", "-1e99"]
WORDS = [*f"{UZBEK} {RUSSIAN} {CYRILLIC_UZBEK} {ENGLISH}".split(), *HOSTILE]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Workspace]:
    settings = load_settings()
    names = ROOT / "domains"
    odd = tmp_path_factory.mktemp("odd") / "o'dd.csv"
    odd.write_text('"a ""b""",C:\\temp,select,Қарз\n"x\ny",1,true,2024-01-31\n"😀",2,false,\n')
    paths: list[list[Path]] = [
        [names / "bank_loans" / "loans.csv"],
        [names / "harvest" / "harvest.csv"],
        [odd],
        [odd, names / "shop_sales" / "sales.csv"],
    ]
    return [open_workspace(each, settings) for each in paths]


def random_request(chance: random.Random) -> str:
    """Return up to twelve words; never a blank request, which is refused."""
    return " ".join([chance.choice("?!.a"), *(chance.choice(WORDS) for _ in range(chance.randint(0, 12)))])


def answered(workspace: Workspace, model: LlamaModel, request: str) -> None:
    given = ask(workspace, request, model, dry_run=False, max_rows=5)
    assert ("steps" in given.answer) != ("question" in given.answer)
    assert (given.result is not None) == ("steps" in given.answer)


@pytest.mark.model
def test_random_requests_end_in_a_valid_answer(tables: list[Workspace], default_model: LlamaModel) -> None:
    chance = random.Random(20261130)
    for workspace in tables:
        for _ in range(13):
            answered(workspace, default_model, random_request(chance))


@pytest.mark.model
@pytest.mark.soak
def test_a_thousand_random_requests_end_in_a_valid_answer(tables: list[Workspace], default_model: LlamaModel) -> None:
    chance = random.Random(1130)
    for workspace in tables:
        for _ in range(250):
            answered(workspace, default_model, random_request(chance))


@pytest.mark.model
def test_a_very_long_request_ends_in_a_valid_answer(tables: list[Workspace], default_model: LlamaModel) -> None:
    answered(tables[0], default_model, "Qoldiq bo'yicha hikoya yoz! " * 120)
