"""The common lexicon: concepts of business tables with their words in three languages, and where they stand in words.

Its file is `lexicon.json`; what is read is the index beside it, which `lexicon_index` makes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any

from grammar.errors import TezError
from grammar.script import latin_forms
from grammar.stems import EXACT, word_keys

from .lexicon_index import ENGLISH, SHORT, SPELLED, STEM

FILE, INDEX = "lexicon.json", "lexicon.index.json"
JOINT, TIME, MEASURE = "joint", "time", "measure"
UNKNOWN = -1

_STEM_SCORE = 0.905
_PLURAL_SCORE = 0.95
_SPELLED_SCORE = 0.94
_PLURALS = (("ies", "y"), ("es", ""), ("s", ""))
_SHORTEST = 3
_MOST_READINGS = 4
_KEPT = 1 << 14
_UZBEK_LETTER = re.compile("[og]'")
_JOINERS = frozenset(("of", "the", "in", "a", "an", "в", "на", "за", "с", "со", "у"))

Span = tuple[int, int, float]
Cover = frozenset[int]


class LexiconError(TezError):
    """The index of the lexicon is missing or broken; names the file and what was found."""


@dataclass(frozen=True)
class Meaning:
    """What some words can mean: the concepts that cover all of them, in each way to read them, and how sure it is.

    `within` are all concepts that stand anywhere in the words; a word without one is `UNKNOWN` in the covers.
    """

    covers: tuple[Cover, ...]
    within: Cover
    score: float


class Lexicon:
    """A loaded lexicon. Concepts are numbers; equal only to itself."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _index(self) -> Mapping[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise LexiconError("unreadable", path=str(self._path), found=str(error)) from error
        return content

    @property
    def concepts(self) -> Sequence[Sequence[Any]]:
        """Each concept by its number: name, use, numbers of those near it."""
        concepts: Sequence[Sequence[Any]] = self._index["concepts"]
        return concepts

    def use(self, concept: int) -> str:
        """Return how a concept counts: `joint`, `time`, `measure`, or nothing special."""
        return "" if concept == UNKNOWN else str(self.concepts[concept][1])

    def near(self, concept: int) -> Sequence[int]:
        """Return the concepts that stand for this one where a table does not have it."""
        numbers: Sequence[int] = self.concepts[concept][2]
        return numbers

    def spans(self, words: Sequence[str], *, names: bool) -> list[list[Span]]:
        """Return for each word the concepts that begin there: the end, the concept, how sure it is; longest first.

        Of several concepts over the same words the surest are kept. `names` says that the words are a name of the
        data, where abbreviations stand too.
        """
        typed = [typed_keys(word, names) for word in words]
        return [self._from(typed, place) for place in range(len(words))]

    def _from(self, typed: Sequence[Mapping[str, float]], place: int) -> list[Span]:
        first, phrases = self._index["first"], self._index["phrases"]
        found: dict[tuple[int, int], float] = {}
        for key, sure in typed[place].items():
            for number in first.get(key, ()):
                concept, *rest = phrases[number]
                end = place + 1 + len(rest)
                if end > len(typed):
                    continue
                score = min([sure, *map(_fit, typed[place + 1 : end], rest)])
                if score > found.get((end, concept), 0.0):
                    found[end, concept] = score
        best: dict[int, float] = {}
        for (end, _), score in found.items():
            best[end] = max(score, best.get(end, 0.0))
        kept = [(end, concept, score) for (end, concept), score in found.items() if score == best[end]]
        return sorted(kept, key=lambda span: (-span[0], span[1]))


@lru_cache(maxsize=_KEPT)
def meaning_of(lexicon: Lexicon, words: tuple[str, ...], names: bool) -> Meaning:
    """Return what words mean taken together; see `Lexicon.spans` for `names`."""
    spans = lexicon.spans(words, names=names)
    return meaning_between(words, spans, 0, len(words))


def meaning_between(words: Sequence[str], spans: Sequence[Sequence[Span]], start: int, end: int) -> Meaning:
    """Return what the words from `start` to `end` mean together."""
    covers: dict[Cover, float] = {}
    for most in (end - start, 1):
        parts, score = _parts(words, spans, start, end, most)
        for reading in islice(product(*parts), _MOST_READINGS):
            covers.setdefault(frozenset(reading), score)
    within = {span[1] for place in range(start, end) for span in spans[place] if span[0] <= end}
    whole = [cover for cover in covers if UNKNOWN not in cover] or list(covers)
    return Meaning(tuple(whole), frozenset(within), max((covers[cover] for cover in whole), default=0.0))


def is_joiner(word: str) -> bool:
    """Tell whether a word only joins others ("date of sale")."""
    return word in _JOINERS


@lru_cache(maxsize=_KEPT)
def typed_keys(word: str, names: bool) -> Mapping[str, float]:
    """Return the forms of a folded word under which the index may know it, each with how sure it is."""
    keys: dict[str, float] = {}
    for key, score in word_keys(word).items():
        if key.startswith(STEM):
            keys[key] = _STEM_SCORE
        elif key.startswith("=") or (":" not in key and not key.startswith("~")):
            keys[key] = score
    latin = latin_forms(word)
    if word.isascii() and not _UZBEK_LETTER.search(word):
        keys[ENGLISH + latin[0]] = EXACT
        for plural, singular in _PLURALS:
            stem = latin[0].removesuffix(plural) + singular
            if latin[0].endswith(plural) and not latin[0].endswith("ss") and len(stem) >= _SHORTEST:
                keys.setdefault(ENGLISH + stem, _PLURAL_SCORE)
        if names:
            keys[SPELLED + latin[0]] = _SPELLED_SCORE
    if names:
        keys[SHORT + latin[0]] = EXACT
    return keys


def _fit(typed: Mapping[str, float], keys: str) -> float:
    """Return how well a typed word fits a word of a phrase."""
    return max((typed.get(key, 0.0) for key in keys.split(" ")), default=0.0)


def _parts(
    words: Sequence[str], spans: Sequence[Sequence[Span]], start: int, end: int, most: int
) -> tuple[list[list[int]], float]:
    """Return, from left to right, the concepts of the longest phrases of at most so many words; how sure all are."""
    parts: list[list[int]] = []
    score = EXACT
    while start < end:
        fitting = [span for span in spans[start] if span[0] <= min(end, start + most)]
        if fitting:
            longest = fitting[0][0]
            parts.append([span[1] for span in fitting if span[0] == longest])
            score = min(score, fitting[0][2])
            start = longest
            continue
        if not is_joiner(words[start]):
            parts.append([UNKNOWN])
        start += 1
    return parts, score
