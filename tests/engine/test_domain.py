"""Finding the domain that fits the opened tables."""

import json
from pathlib import Path

import pytest
from command_line import ROOT

from engine import database
from engine.domain import Domain, DomainError, common_lexicon, find_domain
from engine.files import open_file
from engine.profile import table_state
from engine.settings import load_settings
from grammar import Column, TableState
from grammar.state import Limits

SETTINGS = load_settings()
LEAST = SETTINGS.prompt.domain_match
FOLDERS = sorted({path.parent for path in (ROOT / "domains").glob("*/*.csv")})


def test_there_is_data() -> None:
    assert len(FOLDERS) >= 6


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_tables_of_every_shipped_domain_are_recognised(folder: Path) -> None:
    con = database.connect(SETTINGS.database)
    states = []
    for path in sorted(folder.glob("*.csv")):
        open_file(con, path, path.stem, SETTINGS.files)
        states.append(table_state(con, path.stem, SETTINGS))
    found = find_domain(None, states, LEAST)
    assert found.name == folder.name
    assert found.context["examples"]
    assert set(found.context["tables"]) == (set() if len(states) == 1 else {state.name for state in states})


def state(*names: str) -> TableState:
    return TableState(tuple(Column(name, "text") for name in names), Limits(9, 9, 9, 2, 3, 5, 4, 4), name="t")


def test_a_table_of_another_business_has_no_domain() -> None:
    assert find_domain(None, [state("planet", "moons")], LEAST) == Domain()


def test_the_words_of_any_business_are_no_domain() -> None:
    with pytest.raises(DomainError, match="bank_loans") as raised:
        find_domain("common", [state("a")], LEAST)
    assert "common" not in raised.value.facts["allowed"]
    assert common_lexicon() is common_lexicon()


def test_a_domain_can_be_named_or_be_a_folder(tmp_path: Path) -> None:
    assert find_domain("bank_loans", [state("a")], LEAST).name == "bank_loans"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "glossary.json").write_text(json.dumps({"a": "column a"}))
    found = find_domain(str(tmp_path / "mine"), [state("a")], LEAST)
    assert (found.name, found.context["glossary"], found.context["examples"]) == ("mine", {"a": "column a"}, [])


@pytest.mark.parametrize("wanted", ["nowhere", "../bank_loans", ""])
def test_an_unknown_domain_is_named(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DomainError, match="bank_loans"):
        find_domain(wanted, [state("a")], LEAST)
