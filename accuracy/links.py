"""Links: how often the resolver finds what a gold plan uses, and how often what it finds is used. Asks no model."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from engine.domain import Domain
from engine.session import Workspace, prepare
from engine.settings import ResolverSettings
from grammar.contracts import Contract, at_path, by_name, refs
from grammar.script import plain
from prompt.resolve import Link

from .cases import Case
from .tables import Tables

TUNING: Final = ("bank_loans", "coworker_survey", "shop_sales")
HALVES: Final = ("tuning", "checking")
WAYS: Final = ("names", "glossary", "lexicon", "both")
TOTAL: Final = "all"
Ticked = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """What one gold plan uses of the opened tables.

    `columns` are all of them; `needed` those that a value of theirs does not stand for; `values` are known values of
    columns, `(column, value)`.
    """

    columns: frozenset[str]
    needed: frozenset[str]
    values: frozenset[tuple[str, str]]


@dataclass
class Tally:
    """Counts over some cases: links made, right ones, things wanted, found ones, and the single mistakes.

    `asked` is one request for each mistake.
    """

    cases: int = 0
    made: int = 0
    right: int = 0
    wanted: int = 0
    found: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    asked: dict[str, str] = field(default_factory=dict)

    @property
    def precision(self) -> float | None:
        """The share of the links that the plans use, None without any."""
        return self.right / self.made if self.made else None

    @property
    def recall(self) -> float | None:
        """The share of what the plans use that is linked, None where they use nothing."""
        return self.found / self.wanted if self.wanted else None


Tallies = dict[str, dict[str, Tally]]


def measure(cases: Iterable[Case], tables: Tables, each: Ticked = lambda case: None) -> Tallies:
    """Return the tallies of each way and group of cases; a group is a half, a language, a domain, or all.

    Cases whose right answer is a question are left out. Of several gold plans that counts which the links fit best.
    """
    tallies: Tallies = {way: {} for way in WAYS}
    for case in cases:
        each(case.id)
        if case.asks:
            continue
        workspace = tables.workspace(case)
        golds = [wanted_by(gold["steps"], workspace) for gold in case.gold]
        for way in WAYS:
            found = links_of(case, _in_way(workspace, way))
            best = max((judged(case, found, gold) for gold in golds), key=lambda tally: (tally.found, -tally.wanted))
            for group in groups_of(case):
                _add(tallies[way].setdefault(group, Tally()), best)
    return tallies


def groups_of(case: Case) -> tuple[str, ...]:
    """Return the groups in which a case counts."""
    half = HALVES[0] if case.domain in TUNING else HALVES[1]
    return (TOTAL, half, case.lang, f"{half} {case.lang}", case.domain)


def links_of(case: Case, workspace: Workspace) -> tuple[Link, ...]:
    """Return the links that the prompt of a case shows."""
    turns = [{"request": turn.request, "answer": turn.answer} for turn in case.history]
    return prepare(workspace, case.request, turns).links


def wanted_by(steps: Sequence[Mapping[str, Any]], workspace: Workspace) -> Wanted:
    """Return what the steps of a plan use of the opened tables; columns that a step makes are left out."""
    contracts = by_name(workspace.contracts)
    known = {column.name: column for state in workspace.scene.tables for column in state.columns}
    columns: set[str] = set()
    needed: set[str] = set()
    values: set[tuple[str, str]] = set()
    for step in steps:
        named = [name for name in _columns(contracts[step["tool"]], step["args"]) if name in known]
        columns.update(named)
        stated = set(_values(step["args"], known))
        values |= stated
        needed.update(name for name in named if name not in {column for column, _ in stated})
    return Wanted(frozenset(columns), frozenset(needed), frozenset(values))


def judged(case: Case, links: Sequence[Link], wanted: Wanted) -> Tally:
    """Return what the links of one request are worth for one gold plan."""
    tally = Tally(cases=1)
    made = {(link.phrase, link.column, link.value) for link in links if link.column is not None}
    linked = {column for _, column, _ in made}
    values = {(column, plain(value)) for _, column, value in made if column is not None and value is not None}
    wanted_values = {(column, plain(value)): value for column, value in wanted.values}
    for phrase, column, value in sorted(made, key=str):
        right = column in wanted.columns if value is None else (column, plain(value)) in wanted_values
        tally.made += 1
        tally.right += right
        if not right:
            _note(tally.wrong, tally, case, f"{plain(phrase)}: {_target(column, value)}")
    things: list[tuple[str, str | None, bool]] = [(name, None, name in linked) for name in wanted.needed]
    things += [(column, value, (column, folded) in values) for (column, folded), value in wanted_values.items()]
    for name, value, found in things:
        tally.wanted += 1
        tally.found += found
        if not found:
            _note(tally.missing, tally, case, _target(name, value))
    return tally


def as_json(tallies: Tallies) -> dict[str, Any]:
    """Return the counts of each way and group for `--json`."""
    return {
        way: {
            group: {
                "cases": each.cases,
                "links": each.made,
                "right": each.right,
                "precision": each.precision,
                "wanted": each.wanted,
                "found": each.found,
                "recall": each.recall,
                "wrong": dict(each.wrong.most_common()),
                "missing": dict(each.missing.most_common()),
            }
            for group, each in groups.items()
        }
        for way, groups in tallies.items()
    }


def _note(mistakes: Counter[str], tally: Tally, case: Case, mistake: str) -> None:
    mistake = f"{case.domain}: {mistake}"
    mistakes[mistake] += 1
    tally.asked.setdefault(mistake, case.request)


def _target(column: str | None, value: str | None) -> str:
    return f"{column}" if value is None else f"{column} = {value}"


def _add(tally: Tally, one: Tally) -> None:
    tally.cases += one.cases
    tally.made += one.made
    tally.right += one.right
    tally.wanted += one.wanted
    tally.found += one.found
    tally.wrong += one.wrong
    tally.missing += one.missing
    for mistake, request in one.asked.items():
        tally.asked.setdefault(mistake, request)


def _in_way(workspace: Workspace, way: str) -> Workspace:
    """Return the workspace with the words that this way of linking has."""
    settings = replace(workspace.settings, resolver=ResolverSettings(lexicon=way in ("lexicon", "both")))
    domain = workspace.domain if way in ("glossary", "both") else Domain()
    return replace(workspace, domain=domain, settings=settings)


def _columns(contract: Contract, args: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that stand where the contract wants a column."""
    for path, argument in _arguments(contract["args"]):
        if not any(ref in ("column_value", "table") for ref in refs(argument)) and refs(argument):
            value = at_path(args, path)
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))


def _arguments(arguments: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, argument in arguments.items():
        yield prefix + name, argument
        yield from _arguments(argument.get("properties", {}), f"{prefix}{name}.")


def _values(args: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the values of a text column that a condition compares with."""
    column = known.get(str(args.get("column")))
    if column is None or column.kind != "text" or args.get("op") not in ("=", "!=", "in", "not_in"):
        return
    for value in (args.get("value"), *(args.get("values") or ())):
        if isinstance(value, str):
            yield column.name, value
