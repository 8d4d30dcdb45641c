"""The words that training tables and requests are made of: columns of many domains in three languages, their cells."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("uz", "ru", "en")
_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True)
class Concept:
    """A column as people speak of it.

    `kind` is text, number, date or code; `words` its names in each language, the first the commonest. A text column has
    cells from the list `values`, about `spread` different ones; a number lies between `low` and `high`. `empty` is the
    share of empty cells.
    """

    id: str
    kind: str
    words: Mapping[str, tuple[str, ...]]
    values: str | None = None
    spread: int = 0
    low: float = 0
    high: float = 0
    decimals: int = 0
    money: bool = False
    empty: float = 0.0


@dataclass(frozen=True)
class Domain:
    """A sort of table: what a row of it is called, in the plural, and its own columns."""

    name: str
    rows: Mapping[str, str]
    columns: tuple[Concept, ...]


@dataclass(frozen=True)
class Bank:
    """All domains, the columns that any of them can have, and the lists of cells by name and language."""

    domains: tuple[Domain, ...]
    common: tuple[Concept, ...]
    values: Mapping[str, Mapping[str, Sequence[str]]] = field(repr=False)

    def translated(self, concept: Concept, cell: str, source: str, target: str) -> str:
        """Return a cell as people say it in another language, or as it stands where the lists do not correspond."""
        lists = self.values.get(concept.values or "", {})
        theirs, ours = lists.get(target, ()), lists.get(source, ())
        if concept.values in UNLIKE or len(theirs) != len(ours) or cell not in ours:
            return cell
        return theirs[list(ours).index(cell)]


# Lists of proper names: those of one language are not translations of those of another.
UNLIKE: Final = frozenset(
    {
        "books",
        "branches",
        "cars",
        "cities",
        "companies",
        "countries",
        "currencies",
        "districts",
        "events",
        "hotels",
        "languages",
        "people",
        "projects",
        "regions",
        "streets",
        "teams",
        "vehicles",
        "venues",
        "warehouses",
    }
)


@cache
def load_bank() -> Bank:
    """Read the bank that comes with the benchmark."""
    columns = json.loads((_FOLDER / "columns.json").read_text(encoding="utf-8"))
    values = json.loads((_FOLDER / "values.json").read_text(encoding="utf-8"))
    domains = tuple(
        Domain(each["name"], {language: each[language] for language in LANGUAGES}, _concepts(each["columns"]))
        for each in columns["domains"]
    )
    return Bank(domains, _concepts(columns["common"]), values)


def _concepts(columns: Sequence[Mapping[str, Any]]) -> tuple[Concept, ...]:
    return tuple(
        Concept(
            words={language: tuple(each[language]) for language in LANGUAGES},
            **{key: value for key, value in each.items() if key not in LANGUAGES},
        )
        for each in columns
    )
