"""Which of the three languages a person writes: evidence of words, endings and letters, added up."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from grammar.script import fold, latin_forms, word_spans
from grammar.stems import latin_stems

from .wordfiles import word_file

Language = Literal["uz", "ru", "en"]
LANGUAGES: tuple[Language, ...] = ("uz", "ru", "en")

_WORD, _NOUN, _ENDING, _LETTER = 3.0, 1.5, 1.0, 3.0
_CYRILLIC = 0.4
_LEAST_STEM = 3


def detect_language(text: str, fallback: Language) -> Language:
    """Return the language of a short text; the fallback where nothing in it tells.

    Uzbek counts in both alphabets, with or without apostrophes. Words with an underscore are names of columns
    and tell nothing.
    """
    evidence = dict.fromkeys(LANGUAGES, 0.0)
    folded = fold(text).text
    for start, end in word_spans(folded):
        if "_" in folded[max(0, start - 1) : start] + folded[end : end + 1] or folded[start:end].isdigit():
            continue
        for language, weight in _word_evidence(folded[start:end]).items():
            evidence[language] += weight
    most = max(evidence.values())
    winners = [language for language in LANGUAGES if evidence[language] == most]
    if not most:
        return fallback
    return winners[0] if len(winners) == 1 or fallback not in winners else fallback


def _word_evidence(word: str) -> Mapping[Language, float]:
    cyrillic = any("Ѐ" <= letter <= "ӿ" for letter in word)
    latin = latin_forms(word)[0]
    evidence: dict[Language, float] = {
        "uz": max(_weight("uz", latin), _uzbek_stem_weight(latin)),
        "ru": _weight("ru", word.replace("ё", "е")) if cyrillic else 0.0,
        "en": 0.0 if cyrillic else _weight("en", word),
    }
    if any(letter in word for letter in word_file("languages")["uz"]["letters"]):
        evidence["uz"] += _LETTER
        evidence["ru"] = 0.0
    elif cyrillic:
        evidence["ru"] += _CYRILLIC
    return evidence


def _uzbek_stem_weight(latin: str) -> float:
    known = _evidence_of("uz")
    return _ENDING if any(stem in known["words"] or stem in known["nouns"] for stem in latin_stems(latin)) else 0.0


def _weight(language: Language, form: str) -> float:
    known = _evidence_of(language)
    if form in known["words"]:
        return _WORD
    weight = _NOUN if form in known["nouns"] else 0.0
    if any(form.endswith(ending) and len(form) - len(ending) >= _LEAST_STEM for ending in known["endings"]):
        weight = max(weight, _ENDING)
    if language != "uz" and any(letter in form for letter in known["letters"]):
        weight += _LETTER if language == "ru" else _ENDING
    return weight


@cache
def _evidence_of(language: Language) -> Mapping[str, Any]:
    """Return the evidence of a language; Uzbek words in Latin letters without apostrophes, Russian ones without ё."""
    kept = word_file("languages")[language]

    def form(word: str) -> str:
        return word.replace("'", "").replace("ё", "е")

    return {
        "words": frozenset(form(word) for word in kept["words"]),
        "nouns": frozenset(form(word) for word in kept["nouns"]),
        "endings": tuple(kept["endings"]),
        "letters": kept["letters"],
    }
