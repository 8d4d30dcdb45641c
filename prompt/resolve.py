"""The resolver: which columns, values and meanings a person's words stand for.

Nothing here asks a model. One resolver serves everything that a person types.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Protocol

from grammar.contracts import LANGUAGES
from grammar.script import Folded, fold, latin_forms, plain, word_spans
from grammar.state import Scene, TableState
from grammar.stems import EXACT, word_keys

from .amounts import written_amounts
from .concepts import full_matches, named, part_matches
from .glossary import entries
from .lexicon import Lexicon
from .matches import (
    Form,
    LinkKind,
    Match,
    Sense,
    Word,
    bent_matches,
    column_parts,
    forms_of,
    request_words,
    typed_matches,
    value_parts,
)
from .wordfiles import function_words, meanings

_GLOSSARY, _NAMED, _GENERAL, _COMMON = 1, 2, 3, 4
_SAME_SCORE = 0.02


class ResolverSettings(Protocol):
    """What the resolver needs of the settings: at most so many values of one phrase are linked."""

    @property
    def matched_values(self) -> int:
        """At most so many values are linked to one phrase."""


@dataclass(frozen=True)
class Link:
    """A phrase of the request, as written, and what it stands for.

    `kind` "column": the column; "value": a value of the column; "meaning": `value` says in English what the
    phrase means. `table` is the name of the table; `score` is 1.0 where the name stands as it is written.
    """

    phrase: str
    kind: LinkKind
    column: str | None
    value: str | None
    table: str | None
    score: float


def links(
    request: str,
    scene: Scene,
    glossary: Mapping[str, str],
    settings: ResolverSettings,
    lexicon: Lexicon | None = None,
) -> list[Link]:
    """Return what the words of the request stand for, in the order of the request.

    The longest name wins, then the one typed most exactly; what fits several names equally is linked to each of
    them. A word that several columns share links none of them. The glossary goes before the lexicon of common words.
    Never raises on any text.
    """
    folded = fold(request)
    states = linked_states(scene)
    limits = scene.tables[0].limits if scene.tables else None
    most = limits.question_options if limits is not None else 0
    words = request_words(folded.text)
    columns, values, phrases = _column_forms(states), _value_forms(states), _phrase_forms(glossary, states)
    whole = [*columns, *values, *phrases, *_general_forms()]
    amounts = [
        Match(start, end, Sense("meaning", None, number, None), _GENERAL, EXACT)
        for start, end, number in written_amounts(folded.text)
    ]
    matches = [*typed_matches(folded.text, whole), *bent_matches(words, whole), *amounts]
    chosen = _chosen(matches, [])
    data = named(lexicon, columns, values, states) if lexicon is not None else None
    if data is not None:
        common = _left(full_matches(words, data, _COMMON, _stop_keys()), phrases, chosen)
        chosen = _chosen([*matches, *common], [])
    chosen += _chosen(column_parts(_free_runs(words, chosen), columns, _stop_keys()), chosen)
    stop = _stop_keys() | _keys_of(columns)
    chosen += _chosen(value_parts(_free_runs(words, chosen), values, stop, most), chosen)
    if data is not None:
        common = _left(part_matches(_free_runs(words, chosen), data, _COMMON, _stop_keys()), phrases, [])
        chosen += _chosen(common, chosen)
    kept = _bounded(_in_linked_columns(chosen), request, folded, most, settings.matched_values)
    return [
        Link(
            request[folded.starts[match.start] : folded.ends[match.end - 1]],
            match.sense.kind,
            match.sense.column,
            match.sense.value,
            match.sense.table,
            round(match.score, 3),
        )
        for match in kept
    ]


def nearest(text: str, options: Sequence[str], limit: int) -> list[str]:
    """Return at most `limit` of the options, those most like the text first (in any alphabet), equals in order."""
    wanted = _compared(text)
    scored = []
    for place, option in enumerate(options):
        form = _compared(option)
        score = SequenceMatcher(None, wanted, form, autojunk=False).ratio()
        if wanted and form and (wanted in form or form in wanted):
            score += 1
        scored.append((-score, place, option))
    return [option for _, _, option in sorted(scored)[:limit]]


def linked_states(scene: Scene) -> list[TableState]:
    """Return the opened tables and, of the current result, the columns that no opened table has."""
    states = list(scene.tables)
    if scene.result is not None:
        known = {column.name for state in states for column in state.columns}
        new = tuple(column for column in scene.result.columns if column.name not in known)
        if new:
            states.append(TableState(new, scene.result.limits, name=scene.result.name))
    return states


def _column_forms(states: Sequence[TableState]) -> list[Form]:
    return [
        form
        for state in states
        for column in state.offered()
        for written in dict.fromkeys((column.name, column.label))
        if written
        for form in forms_of(written, _NAMED, Sense("column", column.name, None, state.name), rough=True, camel=True)
    ]


def _value_forms(states: Sequence[TableState]) -> list[Form]:
    return [
        form
        for state in states
        for column in state.offered()
        for value in column.values or ()
        for form in forms_of(value, _NAMED, Sense("value", column.name, value, state.name), rough=True)
    ]


def _phrase_forms(glossary: Mapping[str, str], states: Sequence[TableState]) -> list[Form]:
    forms = []
    for entry in entries(glossary, states):
        senses = [
            Sense("column" if target.value is None else "value", target.column, target.value, target.table)
            for target in entry.targets
        ] or [Sense("meaning", None, entry.meaning, None)]
        forms += [form for phrase in entry.phrases for sense in senses for form in forms_of(phrase, _GLOSSARY, sense)]
    return forms


@cache
def _general_forms() -> tuple[Form, ...]:
    """Return the forms of what any request about a table may say."""
    return tuple(
        form
        for entry in entries(meanings(), ())
        for phrase in entry.phrases
        for form in forms_of(phrase, _GENERAL, Sense("meaning", None, entry.meaning, None))
    )


def _chosen(matches: Sequence[Match], before: Sequence[Match]) -> list[Match]:
    """Return the matches that hold: the longest first, none that overlaps a better one, equals side by side.

    A value that stands as it is typed stays beside a glossary entry of the same place.
    """
    best: dict[tuple[int, int], Match] = {}
    taken = [(match.start, match.end) for match in before]
    kept: dict[tuple[int, int, Sense], Match] = {}
    for match in sorted(matches, key=lambda each: (each.start - each.end, each.precision, -each.score)):
        place = (match.start, match.end)
        if place not in best:
            if any(match.start < end and start < match.end for start, end in taken):
                continue
            taken.append(place)
            best[place] = match
        winner = best[place]
        as_good = match.precision == winner.precision and match.score >= winner.score - _SAME_SCORE
        if as_good or (match.exact and match.sense.kind == "value"):
            kept.setdefault((*place, match.sense), match)
    return list(kept.values())


def _left(common: Sequence[Match], phrases: Sequence[Form], chosen: Sequence[Match]) -> list[Match]:
    """Return what the lexicon may say: nothing about columns that the glossary knows or phrases that it explains."""
    known = {form.sense.column for form in phrases}
    owned = [match for match in chosen if match.rank == _GLOSSARY]
    return [
        match
        for match in common
        if match.sense.column not in known
        and not any(match.start < other.end and other.start < match.end for other in owned)
    ]


def _free_runs(words: Sequence[Word], chosen: Sequence[Match]) -> list[list[Word]]:
    """Return the runs of neighbouring words that no match covers."""
    runs: list[list[Word]] = [[]]
    for word in words:
        if any(word.start < match.end and match.start < word.end for match in chosen):
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def _in_linked_columns(chosen: Sequence[Match]) -> list[Match]:
    """Where one phrase is a value of several columns, keep those whose column the request names elsewhere."""
    named = {match.sense.column for match in chosen if match.sense.kind == "column"}
    kept = []
    for match in chosen:
        rivals = {
            each.sense.column
            for each in chosen
            if (each.start, each.end) == (match.start, match.end) and each.sense.kind == "value"
        }
        if match.sense.kind == "value" and rivals & named and match.sense.column not in named:
            continue
        kept.append(match)
    return kept


def _bounded(chosen: Sequence[Match], request: str, folded: Folded, most_columns: int, most_values: int) -> list[Match]:
    """Return the matches in the order of the request, one spelling of a value, not more of a phrase than allowed."""
    by_place: dict[tuple[int, int], dict[tuple[object, ...], Match]] = {}
    for match in sorted(chosen, key=lambda each: (each.start, each.end)):
        sense = match.sense
        one = (sense.kind, sense.column, sense.table, sense.value if not match.exact else plain(sense.value or ""))
        phrase = request[folded.starts[match.start] : folded.ends[match.end - 1]]
        beside = by_place.setdefault((match.start, match.end), {})
        if one not in beside or sense.value == phrase:
            beside[one] = match
    kept = []
    for beside in by_place.values():
        columns = [match for match in beside.values() if match.sense.kind == "column"]
        values = [match for match in beside.values() if match.sense.kind == "value"]
        kept += columns if len(columns) <= most_columns else []
        kept += [*values[:most_values], *(match for match in beside.values() if match.sense.kind == "meaning")]
    return kept


@cache
def _stop_keys() -> frozenset[str]:
    """Return the forms of words that name no column or value when they stand alone."""
    phrases = [phrase for entry in entries(meanings(), ()) for phrase in entry.phrases]
    texts = [*phrases, *(word for language in LANGUAGES for word in function_words(language))]
    return frozenset(
        key for text in texts for word in _words(text) for key in ("=" + word.replace("ё", "е"), *latin_forms(word))
    )


def _keys_of(forms: Sequence[Form]) -> frozenset[str]:
    return frozenset(key for form in forms for word in form.words for key in word_keys(word))


def _words(text: str) -> list[str]:
    folded = fold(text).text
    return [folded[start:end] for start, end in word_spans(folded)]


def _compared(text: str) -> str:
    return " ".join(latin_forms(word)[0] for word in _words(text)) or plain(text)
