"""Where the names of columns, values and glossary phrases stand in a request.

A name stands there in full (as typed, or word by word under the forms of `stems`) or in part: some of its
words, if no other name has them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grammar.script import fold, word_spans
from grammar.stems import EXACT, LATIN, SOUND, likeness, word_keys

LinkKind = Literal["column", "value", "meaning"]

_PARTIAL = 0.6
_DIGITS = 0.5
_LEAST_COLUMN_LETTERS = 3
_LEAST_VALUE_LETTERS = 4
_CAMEL = re.compile(r"(?<=[^\W\d_])(?=[A-ZА-ЯЁЎҚҒҲ][^\WA-ZА-ЯЁЎҚҒҲ\d_])")


@dataclass(frozen=True)
class Sense:
    """What a phrase can stand for."""

    kind: LinkKind
    column: str | None
    value: str | None
    table: str | None


@dataclass(frozen=True)
class Form:
    """A text under which a sense can be typed; a lower `rank` is more specific.

    `rough` forms are names, which are known by their sound too.
    """

    written: str
    rank: int
    sense: Sense
    text: str
    words: tuple[str, ...]
    rough: bool = False


@dataclass(frozen=True)
class Word:
    """A word of the request: its place in the folded text and its forms."""

    start: int
    end: int
    text: str
    keys: Mapping[str, float]


@dataclass(frozen=True)
class Match:
    """A form found at `start:end` of the folded request; `exact` if it stands there as it is written."""

    start: int
    end: int
    sense: Sense
    rank: int
    score: float
    exact: bool = False

    @property
    def precision(self) -> tuple[int, int]:
        """Order matches of one place: as written before bent, then the more specific kind of form."""
        return (0 if self.score >= LATIN else 1, self.rank)


def forms_of(written: str, rank: int, sense: Sense, *, rough: bool = False, camel: bool = False) -> list[Form]:
    """Return the forms of a name: its words, and the words of a CamelCase name if asked."""
    spellings = dict.fromkeys((written, _CAMEL.sub(" ", written)) if camel else (written,))
    forms = []
    for spelling in spellings:
        folded = fold(spelling).text
        if folded:
            words = tuple(folded[start:end] for start, end in word_spans(folded))
            forms.append(Form(written, rank, sense, folded.replace("ё", "е"), words, rough))
    return forms


def request_words(folded: str) -> list[Word]:
    """Return the words of a folded request in order."""
    return [Word(start, end, folded[start:end], word_keys(folded[start:end])) for start, end in word_spans(folded)]


def typed_matches(folded: str, forms: Iterable[Form]) -> list[Match]:
    """Return every place where a form stands exactly (but for case, blanks, apostrophes and ё), as whole words."""
    request = folded.replace("ё", "е")
    found = []
    for form in forms:
        start = request.find(form.text)
        while start >= 0:
            end = start + len(form.text)
            if _is_whole(request, start, end):
                score = _DIGITS if form.text.isdigit() else EXACT
                rank = 0 if form.sense.kind == "column" and "_" in form.text else form.rank
                found.append(Match(start, end, form.sense, rank, score, exact=True))
            start = request.find(form.text, start + 1)
    return found


def bent_matches(words: Sequence[Word], forms: Iterable[Form]) -> list[Match]:
    """Return every place where the words of a form stand one after the other in other spellings or with endings."""
    by_key: dict[str, list[tuple[Form, list[Mapping[str, float]]]]] = defaultdict(list)
    for form in forms:
        if form.words and not form.text.isdigit():
            keys = [word_keys(word) for word in form.words]
            for key in keys[0]:
                by_key[key].append((form, keys))
    found = []
    for place, word in enumerate(words):
        tried: dict[int, tuple[Form, list[Mapping[str, float]]]] = {}
        for key in word.keys:
            tried.update((id(form), (form, keys)) for form, keys in by_key.get(key, ()))
        for form, keys in tried.values():
            here = words[place : place + len(keys)]
            if len(here) == len(keys):
                score = min(likeness(typed.keys, wanted) for typed, wanted in zip(here, keys, strict=True))
                if score > SOUND or (score and form.rough):
                    found.append(Match(word.start, here[-1].end, form.sense, form.rank, score))
    return found


def column_parts(runs: Iterable[Sequence[Word]], forms: Iterable[Form], stop: frozenset[str]) -> list[Match]:
    """Return places where some of a column's words stand that no other column has."""
    found = []
    for words, owners in _parts(runs, forms):
        columns = {form.sense.column for form, _, _ in owners}
        if len(columns) == 1 and _says_something(words, stop, _LEAST_COLUMN_LETTERS):
            senses = dict.fromkeys(form.sense for form, _, _ in owners)
            score = _PARTIAL * max(score for _, _, score in owners)
            found += [Match(words[0].start, words[-1].end, sense, 0, score) for sense in senses]
    return found


def value_parts(runs: Iterable[Sequence[Word]], forms: Iterable[Form], stop: frozenset[str], limit: int) -> list[Match]:
    """Return places where some words of a value stand: of one value only, or how at most `limit` values begin.

    Of values of several columns those count of which the words are the largest share.
    """
    found = []
    for words, owners in _parts(runs, forms):
        if not _says_something(words, stop, _LEAST_VALUE_LETTERS):
            continue
        fewest: dict[str | None, int] = {}
        for form, _, _ in owners:
            column = form.sense.column
            fewest[column] = min(len(form.words), fewest.get(column, len(form.words)))
        closest = [column for column, length in fewest.items() if length == min(fewest.values())]
        likely = [owner for owner in owners if owner[0].sense.column in closest]
        senses = dict.fromkeys(form.sense for form, _, _ in likely)
        begin_so = all(first == 0 for _, first, _ in likely) and len(senses) <= limit
        if len(senses) == 1 or (len(closest) == 1 and begin_so):
            score = _PARTIAL * max(score for _, _, score in likely)
            found += [Match(words[0].start, words[-1].end, sense, 0, score) for sense in senses]
    return found


_Owner = tuple[Form, int, float]


def _parts(runs: Iterable[Sequence[Word]], forms: Iterable[Form]) -> list[tuple[Sequence[Word], list[_Owner]]]:
    """Return for each word the longest row of words from there on that stands in a form too, with all such forms.

    An owner is the form, the place of the row in it, and how well it fits.
    """
    by_key: dict[str, list[tuple[int, int]]] = defaultdict(list)
    known = [(form, [word_keys(word) for word in form.words]) for form in forms]
    for number, (_, keys) in enumerate(known):
        for place, keys_of_word in enumerate(keys):
            for key in keys_of_word:
                by_key[key].append((number, place))
    parts = []
    for words in runs:
        for start, word in enumerate(words):
            owners: list[tuple[int, _Owner]] = []
            for number, place in dict.fromkeys(pair for key in word.keys for pair in by_key.get(key, ())):
                form, keys = known[number]
                scores = _row(words[start:], keys[place:])
                owners.append((len(scores), (form, place, min(scores))))
            if owners:
                longest = max(length for length, _ in owners)
                parts.append((words[start : start + longest], [owner for length, owner in owners if length == longest]))
    return parts


def _row(typed: Sequence[Word], wanted: Sequence[Mapping[str, float]]) -> list[float]:
    """Return how well the words fit one after the other, up to the first that does not."""
    scores = []
    for word, keys in zip(typed, wanted, strict=False):
        score = likeness(word.keys, keys)
        if not score:
            break
        scores.append(score)
    return scores


def _says_something(words: Iterable[Word], stop: frozenset[str], letters: int) -> bool:
    return any(len(word.text) >= letters and not word.text.isdigit() and not stop & word.keys.keys() for word in words)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether the place is not inside a longer word."""
    before = text[start - 1 : start]
    inside_left = _is_letter(text[start]) and (
        _is_letter(before) or (before == "'" and _is_letter(text[start - 2 : start - 1]))
    )
    after = text[end : end + 1]
    inside_right = _is_letter(text[end - 1]) and (
        _is_letter(after) or (after == "'" and _is_letter(text[end + 1 : end + 2]))
    )
    return not inside_left and not inside_right


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
