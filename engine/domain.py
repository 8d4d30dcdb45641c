"""Domains: finding the folder with the words of a business that fits the opened tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grammar import TableState, TezError
from prompt.build import load_context
from prompt.glossary import entries
from prompt.lexicon import INDEX, Lexicon

from .settings import home

DOMAINS = "domains"
COMMON = "common"
DOMAIN_FILES = ("glossary.json", "examples.json")


class DomainError(TezError):
    """There is no such domain; names those that there are."""


@dataclass(frozen=True)
class Domain:
    """A domain: its name, and its glossary and examples as `load_context` gives them.

    `derived` are the tables whose description is none of its own, but was made from their rows.
    """

    name: str | None = None
    context: dict[str, Any] = field(default_factory=lambda: {"glossary": {}, "examples": []})
    derived: frozenset[str] = frozenset()


def find_domain(wanted: str | None, states: Sequence[TableState], least_match: float) -> Domain:
    """Return the domain of this name or folder; without one, that whose glossary fits these tables best.

    A glossary fits by the share (0 to 1) of its entries about columns that name a column of these tables. Where no
    glossary reaches `least_match`, the domain is an empty one. Raises DomainError for an unknown name, ContextError for
    a broken file.
    """
    if wanted is not None:
        return _wanted(wanted)
    best, best_match = Domain(), least_match
    for folder in _folders():
        context = load_context(folder)
        match = _match(context["glossary"], states)
        if match >= best_match and (best.name is None or match > best_match):
            best, best_match = Domain(folder.name, context), match
    return best


@cache
def common_lexicon() -> Lexicon:
    """Return the lexicon that holds for the tables of any business; it is read when it is first asked."""
    return Lexicon(home(DOMAINS) / COMMON / INDEX)


def _wanted(wanted: str) -> Domain:
    shipped = home(DOMAINS) / wanted
    folder = shipped if Path(wanted).name == wanted and shipped.is_dir() else Path(wanted)
    if not wanted or not folder.is_dir():
        raise DomainError("unknown_domain", found=wanted, allowed=", ".join(each.name for each in _folders()))
    if not any((folder / name).exists() for name in DOMAIN_FILES):
        allowed = ", ".join(each.name for each in _folders())
        raise DomainError("not_a_domain", path=str(folder), allowed=allowed)
    return Domain(folder.resolve().name, load_context(folder))


def _folders() -> list[Path]:
    return sorted(path for path in home(DOMAINS).iterdir() if any((path / name).exists() for name in DOMAIN_FILES))


def _match(glossary: Mapping[str, str], states: Sequence[TableState]) -> float:
    kept = entries(glossary, states)
    general = sum(not entry.targets for entry in kept)
    about_columns = len(glossary) - general
    return (len(kept) - general) / about_columns if about_columns else 0.0
