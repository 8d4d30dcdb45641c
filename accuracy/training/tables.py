"""Random tables: named in one of three languages, in any of the ways that people name columns, 4 to 40 columns wide."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from .bank import LANGUAGES, Bank, Concept, Domain
from .uzbek import to_cyrillic

STYLES: Final = ("spaces", "snake", "title", "upper", "cyrillic", "cryptic")
ROWS: Final = (40, 120)
FIRST_DAY: Final = date(2023, 1, 1)
DAYS: Final = 900
# What a column of a kind can have that a cleaning step mends; None most often.
FLAWS: Final[Mapping[str, tuple[str | None, ...]]] = {
    "text": (None, None, None, None, "spellings", "empty"),
    "number": (None, None, None, None, "numbers", "empty"),
    "date": (None, None, None, None, None, "dates"),
    "code": (None,),
}


@dataclass(frozen=True)
class Made:
    """A column of a made table: its name in the file, what it means, its cells as text, and its flaw if it has one."""

    name: str
    concept: Concept
    cells: tuple[str, ...]
    flaw: str | None = None

    @property
    def filled(self) -> list[str]:
        """Return the cells that are not empty."""
        return [cell for cell in self.cells if cell]


@dataclass(frozen=True)
class MadeTable:
    """A made table: the name of its file without ending, the language of its names and cells, its domain, columns.

    `glossary` gives the words of columns whose names tell nothing, as a domain's glossary does.
    """

    name: str
    language: str
    domain: Domain
    columns: tuple[Made, ...]
    glossary: Mapping[str, tuple[str, ...]]

    def csv_text(self) -> str:
        """Return the table as the text of a CSV file."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows(zip(*(column.cells for column in self.columns), strict=True))
        return out.getvalue()


def make_table(
    random: Random, bank: Bank, *, domains: Sequence[Domain] | None = None, width: int | None = None
) -> MadeTable:
    """Return a table of one of `domains` (all of the bank), so many columns wide; 4 to 40 where that is not given.

    A table wider than its domain borrows columns of others, as exports of real systems do.
    """
    domain = random.choice(list(domains or bank.domains))
    language = random.choice(LANGUAGES)
    style = random.choice(STYLES if language == "uz" else [each for each in STYLES if each != "cyrillic"])
    size = width or random.choice((random.randint(4, 10), random.randint(8, 22), random.randint(20, 40)))
    concepts = _chosen(random, bank, domain, size)
    rows = random.randint(*ROWS)
    names = _names(random, concepts, language, style)
    columns = tuple(
        _column(random, bank, name, concept, language, style, rows)
        for name, concept in zip(names, concepts, strict=True)
    )
    named = zip(names, concepts, strict=True)
    glossary = {name: _words(concept) for name, concept in named} if style == "cryptic" else {}
    return MadeTable(domain.name, language, domain, columns, glossary)


def _chosen(random: Random, bank: Bank, domain: Domain, size: int) -> list[Concept]:
    """Return the concepts of a table: its domain's own, then common ones, then borrowed ones; no name twice."""
    own = list(domain.columns)
    common = random.sample(bank.common, len(bank.common))
    borrowed = [concept for other in bank.domains if other is not domain for concept in other.columns]
    random.shuffle(borrowed)
    kept: list[Concept] = []
    taken: set[str] = set()
    for concept in [*(own if size >= len(own) else random.sample(own, max(3, size - 1))), *common, *borrowed]:
        words = {word for each in concept.words.values() for word in each}
        if len(kept) < size and not words & taken:
            kept.append(concept)
            taken |= words
    random.shuffle(kept)
    return kept


def _words(concept: Concept) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in concept.words.values() for word in words))


def _names(random: Random, concepts: Sequence[Concept], language: str, style: str) -> list[str]:
    names: list[str] = []
    forms: set[str] = set()
    for number, concept in enumerate(concepts, 1):
        name = _styled(random.choice(concept.words[language]), style)
        if name.casefold() in forms:
            name = f"{name}_{number}"
        forms.add(name.casefold())
        names.append(name)
    return names


def _styled(word: str, style: str) -> str:
    plain = re.sub(r"['ʻʼ]", "", word)
    match style:
        case "snake":
            return re.sub(r"\W+", "_", plain)
        case "title":
            return word[:1].upper() + word[1:]
        case "upper":
            return re.sub(r"\W+", "_", plain).upper()
        case "cyrillic":
            return to_cyrillic(word)
        case "cryptic":
            return "_".join(_consonants(part) for part in re.split(r"\W+", plain))
        case _:
            return word


def _consonants(word: str) -> str:
    """Return a word as abbreviations are made: its first letter and the consonants after it, at most four letters."""
    return (word[:1] + re.sub(r"[aeiouаеёиоуыэюя]", "", word[1:]))[:4]


def _column(random: Random, bank: Bank, name: str, concept: Concept, language: str, style: str, rows: int) -> Made:
    flaw = random.choice(FLAWS[concept.kind])
    pool = _pool(random, bank, concept, language, style)
    cells = [_cell(random, concept, pool, number) for number in range(rows)]
    empty = max(concept.empty, 0.15 if flaw == "empty" else 0.0)
    return Made(
        name, concept, tuple("" if random.random() < empty else _flawed(random, cell, flaw) for cell in cells), flaw
    )


def _pool(random: Random, bank: Bank, concept: Concept, language: str, style: str) -> list[str]:
    """Return the different cells of a text column; all of them in the script of the table's names."""
    if concept.values is None:
        return []
    listed = bank.values[concept.values][language]
    chosen = random.sample(list(listed), min(concept.spread, len(listed)))
    return [to_cyrillic(each) if style == "cyrillic" else each for each in chosen]


def _cell(random: Random, concept: Concept, pool: Sequence[str], number: int) -> str:
    match concept.kind:
        case "text":
            return random.choice(pool)
        case "date":
            return str(FIRST_DAY + timedelta(days=random.randrange(DAYS)))
        case "code":
            return f"{concept.id[:2].upper()}-{number + 1:04}"
        case _:
            value = random.uniform(concept.low, concept.high)
            if concept.money and concept.high >= 100_000:
                return str(round(value / 1000) * 1000)
            return f"{value:.{concept.decimals}f}"


def _flawed(random: Random, cell: str, flaw: str | None) -> str:
    """Return a cell as a careless hand writes it."""
    if flaw == "spellings" and random.random() < 0.25:
        return random.choice((cell.upper(), cell.lower(), f" {cell}", cell.replace("'", "ʻ")))
    if flaw == "dates":
        day = date.fromisoformat(cell)
        return random.choice((cell, f"{day:%d.%m.%Y}", f"{day:%d.%m.%y}", "?"))
    if flaw == "numbers":
        return random.choice((cell, f"{cell} so'm", f"~{cell}", "?"))
    return cell
