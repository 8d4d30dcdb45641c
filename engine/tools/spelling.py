"""unify_spelling: which spellings of a column are one value.

Two steps, both on the distinct values with their counts. First, values with one reading are one value: letter case,
blanks, the Uzbek apostrophes, ё and е, look-alike letters and the two Uzbek alphabets do not count. Then a rare reading
that is one slip of the hand away from a frequent one (a letter more, less, other, or two letters swapped) joins it.
Candidates are found by the texts that remain when one letter is left out, as in SymSpell (W. Garbe, 2012), and
checked by the optimal string alignment distance. A reading only ever joins a more frequent one that joins none itself:
there are no chains.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import OSA

from engine import sql
from engine.settings import SpellingSettings
from grammar.script import reading

from .registry import Made, Table, cleaning_report, executes


@dataclass(frozen=True)
class Spelling:
    """A spelling of a column: its text, in how many rows it stands, and the place of the first."""

    text: str
    rows: int
    first: int


@dataclass(frozen=True)
class _Value:
    """The spellings that have one reading, the most frequent first."""

    reading: str
    spellings: tuple[Spelling, ...]

    @property
    def rows(self) -> int:
        return sum(spelling.rows for spelling in self.spellings)

    @property
    def rank(self) -> tuple[int, int]:
        """Return what orders values: the most rows first, of equal ones the first in the table."""
        return -self.rows, min(spelling.first for spelling in self.spellings)


@executes("unify_spelling", named=True)
def unify_spelling(table: Table, *, column: str) -> Made:
    """Give all spellings of one value the most frequent one, of equally frequent ones the first in the table."""
    source, place = table.numbered()
    cell, filled = table.cell(column), table.filled(column)
    rows = table.query(
        f"SELECT {cell} AS spelling, count(*) AS n, min({place}) AS first FROM {source} AS t "
        f"WHERE {filled} GROUP BY 1 ORDER BY first ASC"
    )
    spellings = [Spelling(*row) for row in rows]
    kept = merged(spellings, table.settings.tools.spelling)
    pairs = [(each, kept[each.text]) for each in spellings if each.text in kept]
    changed = sum(spelling.rows for spelling, _ in pairs)
    left = sum(spelling.rows for spelling in spellings) - changed
    listed_pairs = [{"from": spelling.text, "to": to, "cells": spelling.rows} for spelling, to in pairs]
    report = cleaning_report(column, changed, left, pairs=listed_pairs)
    if not pairs:
        return Made(f"SELECT {table.select_list({column: cell})} FROM {table.source} AS t", artifacts=[report])
    listed = ", ".join(f"({sql.literal(spelling.text)}, {sql.literal(to)})" for spelling, to in pairs)
    select = (
        f"SELECT {table.select_list({column: f'coalesce(m.kept, {cell})'})} FROM {source} AS t "
        f"LEFT JOIN (VALUES {listed}) AS m(spelling, kept) ON m.spelling = {cell} ORDER BY {place} ASC"
    )
    examples = [[spelling.text, to] for spelling, to in pairs[: table.settings.tools.evidence_examples]]
    note = {"note": "merged", "column": column, "cells": changed, "spellings": len(pairs), "pairs": examples}
    return Made(select, [note], [report])


def merged(spellings: Iterable[Spelling], settings: SpellingSettings) -> dict[str, str]:
    """Return the spelling that each one is to have, for those that are to have another."""
    by_reading: dict[str, list[Spelling]] = defaultdict(list)
    for spelling in spellings:
        by_reading[reading(spelling.text)].append(spelling)
    values = [
        _Value(read, tuple(sorted(written, key=lambda each: (-each.rows, each.first))))
        for read, written in by_reading.items()
    ]
    joined = _slips(sorted(values, key=lambda value: value.rank), settings)
    kept: dict[str, str] = {}
    for value in values:
        name = joined.get(value.reading, value).spellings[0].text
        kept |= {spelling.text: name for spelling in value.spellings if spelling.text != name}
    return kept


def _slips(values: Sequence[_Value], settings: SpellingSettings) -> dict[str, _Value]:
    """Return the value that each rare reading joins. `values` come in the order of their rank."""
    joined: dict[str, _Value] = {}
    if not settings.slips:
        return joined
    for number, candidates in _neighbours([value.reading for value in values]).items():
        value = values[number]
        for frequent in (values[candidate] for candidate in candidates):
            if (
                frequent.reading not in joined
                and _is_rare(value, frequent, settings)
                and _is_slip(value.reading, frequent.reading, settings.word_letters)
            ):
                joined[value.reading] = frequent
                break
    return joined


def _neighbours(texts: Sequence[str]) -> dict[int, list[int]]:
    """Return for each text, by its number, the earlier texts that one letter more, less or other may make of it.

    In ascending order, both the keys and their lists; a few pairs are further apart than that.
    """
    numbers, left_over = [], []
    for number, text in enumerate(texts):
        for left in _one_less(text):
            numbers.append(number)
            left_over.append(hash(left))
    keys = np.array(left_over, dtype=np.int64)
    owners = np.array(numbers, dtype=np.int64)
    order = np.lexsort((owners, keys))
    keys, owners = keys[order], owners[order]
    found: dict[int, set[int]] = defaultdict(set)
    for start, end in zip(*_runs(keys), strict=True):
        alike = owners[start:end].tolist()
        for place, later in enumerate(alike):
            found[later].update(alike[:place])
    return {number: sorted(found[number] - {number}) for number in sorted(found)}


def _runs(keys: np.ndarray) -> tuple[list[int], list[int]]:
    """Return where the runs of at least two equal keys begin and end."""
    bounds = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True]))) if len(keys) else np.array([0])
    starts, ends = bounds[:-1], bounds[1:]
    several = ends - starts > 1
    return starts[several].tolist(), ends[several].tolist()


def _one_less(text: str) -> Iterator[str]:
    """Yield the text, and what remains of it when one letter, apostrophe or blank is left out."""
    yield text
    for place, sign in enumerate(text):
        if sign.isalpha() or sign in " '":
            yield text[:place] + text[place + 1 :]


def _is_rare(value: _Value, frequent: _Value, settings: SpellingSettings) -> bool:
    return value.rows <= max(settings.rare_rows, settings.rare_share * frequent.rows)


def _is_slip(one: str, other: str, letters: int) -> bool:
    """Return whether two readings differ by one slip inside one long word.

    The first letter, digits and signs always count, and so does an ending more or less: Karimov and Karimova are two.
    """
    if OSA.distance(one, other, score_cutoff=1) > 1:
        return False
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return one.replace(" ", "") == other.replace(" ", "")
    pairs = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and _is_slip_of_word(*pairs[0], letters) and _skeleton(one) == _skeleton(other)


def _is_slip_of_word(one: str, other: str, letters: int) -> bool:
    if min(len(one), len(other)) < letters or one[0] != other[0]:
        return False
    return not (one.startswith(other) or other.startswith(one))


def _skeleton(text: str) -> str:
    return "".join(sign for sign in text if not sign.isalpha() and sign not in " '")
