"""Links of requests, held against what the gold plans use."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from accuracy.__main__ import main
from accuracy.cases import Case, load_cases
from accuracy.links import Tally, Wanted, groups_of, judged, measure, wanted_by
from accuracy.links_report import summary
from accuracy.selection import read_cases
from accuracy.tables import Tables
from engine.settings import load_settings
from prompt.resolve import Link

LOANS = Path(__file__).parents[2] / "accuracy" / "cases" / "bank_loans.jsonl"
CASES = {case.id: case for case in load_cases(LOANS)}
OVERDUE = CASES["bank_loans-uz-005"]


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    with Tables(load_settings()) as opened:
        yield opened


def wanted(case: Case, tables: Tables) -> Wanted:
    return wanted_by(case.gold[0]["steps"], tables.workspace(case))


def link(phrase: str, column: str | None, value: str | None = None) -> Link:
    kind = "meaning" if column is None else "column" if value is None else "value"
    return Link(phrase, kind, column, value, "loans", 1.0)


def test_what_a_plan_uses(tables: Tables) -> None:
    assert wanted(OVERDUE, tables) == Wanted(
        frozenset({"holat", "viloyat"}), frozenset({"viloyat"}), frozenset({("holat", "Muddati o'tgan")})
    )


def test_columns_inside_an_object_are_used_and_made_ones_are_not(tables: Tables) -> None:
    assert wanted(CASES["bank_loans-uz-002"], tables).needed == {"qoldiq_uzs", "viloyat"}
    assert wanted(CASES["bank_loans-ru-002"], tables).columns == {"filial"}
    assert wanted(CASES["bank_loans-ru-022"], tables).columns == {"kredit_summasi_uzs", "qoldiq_uzs"}


def test_links_are_right_where_the_plan_uses_them(tables: Tables) -> None:
    found = [
        link("muddati otgan", "holat", "Muddati o'tgan"),
        link("kreditlar", "kredit_turi"),
        link("viloyatlar", "holat", "Faol"),
        link("soni", None, "agg count"),
    ]
    tally = judged(OVERDUE, found, wanted(OVERDUE, tables))
    assert (tally.made, tally.right, tally.wanted, tally.found) == (3, 1, 2, 1)
    assert sorted(tally.wrong) == ["bank_loans: kreditlar: kredit_turi", "bank_loans: viloyatlar: holat = Faol"]
    assert list(tally.missing) == ["bank_loans: viloyat"]
    assert (tally.precision, tally.recall) == (1 / 3, 1 / 2)


def test_the_column_of_a_condition_may_be_linked_too(tables: Tables) -> None:
    tally = judged(OVERDUE, [link("holati", "holat")], wanted(OVERDUE, tables))
    assert (tally.made, tally.right, tally.wanted, tally.found) == (1, 1, 2, 0)


def test_nothing_linked_has_no_precision() -> None:
    assert (Tally().precision, Tally().recall) == (None, None)


def test_every_case_counts_in_its_half_language_and_domain(tables: Tables) -> None:
    cases = list(CASES.values())[:12]
    found = measure(cases, tables)
    plans = [case for case in cases if not case.asks]
    assert found["glossary"]["all"].cases == len(plans)
    assert set(found["glossary"]) == {group for case in plans for group in groups_of(case)}
    assert found["glossary"]["all"].found > found["names"]["all"].found
    text = summary(found, 3)
    assert "| bank_loans (" in text
    assert text.count("wrong links") <= len(found)


def test_the_lexicon_finds_without_a_glossary_and_leaves_a_glossary_alone(tables: Tables) -> None:
    found = measure(list(CASES.values())[:24], tables)
    shares = {way: groups["all"] for way, groups in found.items()}
    assert shares["lexicon"].found > shares["names"].found
    assert (shares["lexicon"].precision or 0) >= (shares["names"].precision or 1)
    assert (shares["both"].made, shares["both"].found) == (shares["glossary"].made, shares["glossary"].found)


def test_both_halves_have_tables() -> None:
    halves = {case.domain: groups_of(case)[1] for case in read_cases()}
    assert sorted(halves.values()) == ["checking"] * 3 + ["tuning"] * 3


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "--domain", "bank_loans", "--half", "tuning", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["glossary"]["bank_loans"]["recall"] > found["names"]["bank_loans"]["recall"]
    assert main(["links", "--domain", "bank_loans", "--half", "checking"]) == 0
