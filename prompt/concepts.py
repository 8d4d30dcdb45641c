"""Where words of a request mean the same as the name of a column or a value that is written in other words.

The common lexicon tells it. Words mean a name in full if the same concepts cover both, and a column in part if no other
column has their concepts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grammar.state import TableState

from .lexicon import (
    JOINT,
    MEASURE,
    TIME,
    UNKNOWN,
    Cover,
    Lexicon,
    Meaning,
    Span,
    is_joiner,
    meaning_between,
    meaning_of,
)
from .matches import Form, Match, Sense, Word

_MOST_WORDS = 6
_FULL, _PART, _NEAR, _DATE = 0.9, 0.6, 0.5, 0.5


@dataclass(frozen=True)
class Named:
    """The names of the data by what they mean."""

    lexicon: Lexicon
    full: Mapping[Cover, Sequence[Sense]]
    columns: Sequence[tuple[Sense, Cover]]
    measures: frozenset[tuple[str | None, str | None]]
    date: Sense | None


def named(lexicon: Lexicon, columns: Iterable[Form], values: Iterable[Form], states: Sequence[TableState]) -> Named:
    """Return what the columns and values of the tables mean."""
    full: dict[Cover, dict[Sense, None]] = defaultdict(dict)
    within: dict[Sense, Cover] = {}
    for form in (*columns, *values):
        meaning = meaning_of(lexicon, form.words, True)
        for cover in meaning.covers:
            if cover and UNKNOWN not in cover:
                full[cover][form.sense] = None
        if form.sense.kind == "column":
            within[form.sense] = within.get(form.sense, frozenset()) | meaning.within
    kinds = {(state.name, column.name): column.kind for state in states for column in state.offered()}
    dates = [place for place, kind in kinds.items() if kind == "date"]
    return Named(
        lexicon,
        {cover: tuple(senses) for cover, senses in full.items()},
        tuple(within.items()),
        frozenset(place for place, kind in kinds.items() if kind == "number"),
        Sense("column", dates[0][1], None, dates[0][0]) if len(dates) == 1 else None,
    )


def full_matches(words: Sequence[Word], data: Named, rank: int, stop: frozenset[str]) -> list[Match]:
    """Return every place where words mean the whole name of a column or value; one of `stop` alone means no value."""
    found = []
    for start, end, meaning in _windows(words, data.lexicon):
        typed = end - start > 1 or not stop & words[start].keys.keys()
        senses = {
            sense
            for cover in meaning.covers
            for sense in data.full.get(cover, ())
            if sense.kind == "column" or (typed and not _only_joint(cover, data.lexicon))
        }
        found += [
            Match(words[start].start, words[end - 1].end, sense, rank, _FULL * meaning.score)
            for sense in sorted(senses, key=str)
        ]
    return found


def part_matches(runs: Iterable[Sequence[Word]], data: Named, rank: int, stop: frozenset[str]) -> list[Match]:
    """Return places where words mean a part of the name of one column, or something near it.

    A point of time means the only date column.
    """
    found = []
    for words in runs:
        for start, end, meaning in _windows(words, data.lexicon):
            idle = all(stop & word.keys.keys() for word in words[start:end])
            if idle:
                continue
            senses, share = _part(meaning, data)
            score = share * meaning.score
            found += [Match(words[start].start, words[end - 1].end, sense, rank, score) for sense in senses]
    return found


def _part(meaning: Meaning, data: Named) -> tuple[Sequence[Sense], float]:
    for cover in meaning.covers:
        single = next(iter(cover)) if len(cover) == 1 else None
        use = "" if single is None else data.lexicon.use(single)
        if use == TIME:
            return ([data.date] if data.date else []), _DATE
        if use == JOINT:
            continue
        senses = _having(cover, data, use)
        if senses:
            return senses, _PART
        if single is None:
            continue
        for near in data.lexicon.near(single):
            columns = [sense for sense in data.full.get(frozenset((near,)), ()) if sense.kind == "column"]
            senses = columns or _having(frozenset((near,)), data, data.lexicon.use(near))
            if len({sense.column for sense in senses}) == 1:
                return senses, _NEAR
    return [], 0.0


def _only_joint(cover: Cover, lexicon: Lexicon) -> bool:
    return all(lexicon.use(concept) == JOINT for concept in cover)


def _having(cover: Cover, data: Named, use: str) -> Sequence[Sense]:
    """Return the only column whose name has these concepts, in each table that has it; nothing if there are several."""
    having = [sense for sense, within in data.columns if cover <= within]
    if use == MEASURE:
        having = [sense for sense in having if (sense.table, sense.column) in data.measures]
    return having if len({sense.column for sense in having}) == 1 else []


def _windows(words: Sequence[Word], lexicon: Lexicon) -> Iterator[tuple[int, int, Meaning]]:
    """Yield each row of neighbouring words that concepts cover, with its place and what it means."""
    texts = [word.text for word in words]
    spans: Sequence[Sequence[Span]] = lexicon.spans(texts, names=False)
    for start in range(len(words)):
        if not spans[start]:
            continue
        for end in range(start + 1, min(len(words), start + _MOST_WORDS) + 1):
            if is_joiner(texts[end - 1]):
                continue
            meaning = meaning_between(texts, spans, start, end)
            if UNKNOWN not in meaning.covers[0]:
                yield start, end, meaning
