"""Finding the domain that fits the opened tables."""

import json
from pathlib import Path

import pytest
from command_line import ROOT

from engine import database
from engine.domain import Domain, DomainError, find_domain
from engine.files import open_file
from engine.profile import table_state
from engine.settings import load_settings
from grammar import Column, TableState
from grammar.state import Limits

SETTINGS = load_settings()
LEAST = SETTINGS.prompt.domain_match
DATA = sorted((ROOT / "domains").glob("*/*.csv"))


def test_there_is_data() -> None:
    assert len(DATA) >= 5


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.parent.name)
def test_every_shipped_table_is_recognised(path: Path) -> None:
    con = database.connect(SETTINGS.database)
    open_file(con, path, "t", SETTINGS.files)
    found = find_domain(None, [table_state(con, "t", SETTINGS)], LEAST)
    assert found.name == path.parent.name
    assert found.context["examples"]


def state(*names: str) -> TableState:
    return TableState(tuple(Column(name, "text") for name in names), Limits(9, 9, 9, 2, 3, 5, 4, 4), name="t")


def test_a_table_of_another_business_has_no_domain() -> None:
    assert find_domain(None, [state("planet", "moons")], LEAST) == Domain()


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
