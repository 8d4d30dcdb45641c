"""Descriptions of tables that no domain describes: in the prompt where several tables are open, else not a byte."""

from pathlib import Path

import pytest
from command_line import LOANS, ROOT, tez

from engine.described import description, with_descriptions
from engine.session import Workspace, open_workspace, prepare
from engine.settings import load_settings
from engine.show import table_text
from engine.talk import Talk
from prompt.words import Language

SETTINGS = load_settings()
ORDERS = "kod,sana,shahar\n" + "".join(f"{number},2024-{number:02}-05,Buxoro\n" for number in range(1, 13))


@pytest.fixture
def two(tmp_path: Path) -> Workspace:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "cities.csv").write_text("shahar,viloyat\nBuxoro,B\nBuxoro,C\n")
    return open_workspace([tmp_path / "orders.csv", tmp_path / "cities.csv"], SETTINGS)


def tables_part(workspace: Workspace) -> str:
    return dict(prepare(workspace, "soni").prompt.parts)["tables"]


def test_several_tables_are_described_from_their_columns_and_values(two: Workspace) -> None:
    text = tables_part(two)
    assert '"orders", 3 columns ("12 rows; one row per kod; sana from 2024-01-05 to 2024-12-05")' in text
    assert '"cities", 2 columns ("2 rows; one row per viloyat")' in text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("uz", "12 ta qator; har bir kod uchun bitta qator; sana: 2024-01-05 dan 2024-12-05 gacha"),
        ("ru", "12 строк; по одной на каждое значение kod; sana: с 2024-01-05 по 2024-12-05"),
    ],
)
def test_the_description_is_in_the_language_of_whoever_reads_it(two: Workspace, language: Language, text: str) -> None:
    assert description(two.con, two.scene.tables[0], 12, SETTINGS, language) == text


def test_a_single_table_is_not_described() -> None:
    loans = open_workspace([LOANS], SETTINGS)
    assert "tables" not in loans.domain.context or not loans.domain.context["tables"]
    assert "3000 rows" not in tables_part(loans)
    assert with_descriptions(loans.con, loans.domain, loans.tables, loans.scene.tables, SETTINGS) is loans.domain


def test_what_the_domain_says_stays() -> None:
    survey = open_workspace([ROOT / "domains" / "coworker_survey"], SETTINGS)
    assert "one row per" not in tables_part(survey)


def test_a_kept_result_is_described_beside_the_opened_table() -> None:
    talk = Talk(open_workspace([LOANS], SETTINGS))
    regions = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}
    talk.add("x", {"steps": [regions]})
    talk.keep("sonlar")
    assert "14 rows; one row per viloyat" in tables_part(talk.workspace)
    talk.forget()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "uz",
            "orders: 12 ta qator, 3 ta ustun; har bir kod uchun bitta qator; sana: 2024-01-05 dan 2024-12-05 gacha.",
        ),
        (
            "ru",
            "orders: 12 строк, 3 столбца; по одной строке на каждое значение kod; sana: с 2024-01-05 по 2024-12-05.",
        ),
        ("en", "orders: 12 rows, 3 columns; one row per kod; sana from 2024-01-05 to 2024-12-05."),
    ],
)
def test_a_person_reads_what_each_table_holds(two: Workspace, language: Language, text: str) -> None:
    assert table_text(two, two.tables[0], two.scene.tables[0], language) == text


def test_a_person_reads_the_domain_s_own_words_and_one_table_s_facts() -> None:
    survey = open_workspace([ROOT / "domains" / "coworker_survey"], SETTINGS)
    lines = [table_text(survey, *pair, "en") for pair in zip(survey.tables, survey.scene.tables, strict=True)]
    (people,) = (line for line in lines if line.startswith("people: "))
    assert people.endswith("columns; one row is one colleague: team, city, role and years of work.")
    loans = open_workspace([LOANS], SETTINGS)
    assert "one row per shartnoma_raqami" in table_text(loans, loans.tables[0], loans.scene.tables[0], "en")


def test_profile_says_what_each_table_holds(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(ORDERS)
    assert "orders: 12 строк, 3 столбца; по одной строке" in tez("profile", tmp_path / "orders.csv", "--lang", "ru").err
