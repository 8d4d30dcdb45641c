"""Endings: the forms under which a word of a request meets a word of the data.

Rules, not a dictionary: Uzbek endings are taken off one after the other, Russian and English ones once.
"""

from collections.abc import Mapping
from functools import lru_cache

from .script import cyrillic_forms, latin_forms, sound_key, twin_key

EXACT = 1.0
LATIN = 0.97
TWIN = 0.95
_STEM = 0.9
_RUSSIAN_STEM = 0.88
SOUND = 0.7
_STEP = 0.02

_SHORTEST_STEM = 3
_MOST_ENDINGS = 4
_KEPT_WORDS = 1 << 16

_UZBEK_CASES = ("ning", "dagi", "gacha", "ni", "ga", "ka", "qa", "dan", "da", "dir", "lar", "larcha", "chi", "mi")
_UZBEK_OWNERS = ("ingiz", "imiz", "ing", "im", "si", "i")
_LATIN_VOWELS = frozenset("aeiou")
_HARDENED = ("q", "k")
_ENGLISH_PLURALS = (("ies", "y"), ("es", ""), ("s", ""))
# fmt: off
_RUSSIAN_ENDINGS = (
    "иями", "ьями", "ями", "ами", "иях", "иям", "ием", "ией", "ого", "его", "ому", "ему", "ыми", "ими", "ях", "ах",
    "ям", "ам", "ых", "их", "ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие", "ую", "юю", "ым", "им", "ом", "ем",
    "ов", "ев", "ей", "ью", "ья", "ье", "ии", "ия", "ию", "а", "я", "о", "е", "и", "ы", "у", "ю", "ь", "й",
)
# fmt: on
_RUSSIAN_VOWELS = frozenset("аеиоуыэюя")


@lru_cache(maxsize=_KEPT_WORDS)
def word_keys(word: str) -> Mapping[str, float]:
    """Return the forms of a folded word, each with how sure it is (1.0 = as written)."""
    keys: dict[str, float] = {}

    def add(key: str, score: float) -> None:
        keys[key] = max(score, keys.get(key, 0.0))

    add("=" + word.replace("ё", "е"), EXACT)
    twin = twin_key(word)
    if twin is not None:
        add("twin:" + twin, TWIN)
    for latin in latin_forms(word):
        add(latin, LATIN)
        for stem, endings in latin_stems(latin).items():
            add(stem, _STEM - _STEP * endings)
        for form in (latin, *latin_stems(latin)):
            sound = sound_key(form)
            if sound is not None:
                add("~" + sound, SOUND)
    for cyrillic in cyrillic_forms(word):
        add("=" + cyrillic, LATIN)
        for stem in _russian_stems(cyrillic):
            add("ru:" + stem, _RUSSIAN_STEM)
            sound = sound_key(latin_forms(stem)[0])
            if sound is not None:
                add("~" + sound, SOUND)
    return keys


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return how sure it is that two words are one: the best form that they share, 0.0 if there is none."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return max((min(score, many[key]) for key, score in few.items() if key in many), default=0.0)


def latin_stems(word: str) -> dict[str, int]:
    """Return the stems of an Uzbek (or English plural) word in Latin letters with the number of endings taken off."""
    stems: dict[str, int] = {}
    stage = [word]
    for endings in range(1, _MOST_ENDINGS + 1):
        stage = [stem for form in stage for stem in _without_one_ending(form) if stem not in stems]
        stems.update(dict.fromkeys(stage, endings))
    for plural, singular in _ENGLISH_PLURALS:
        if word.endswith(plural) and not word.endswith("ss"):
            stem = word.removesuffix(plural) + singular
            if _is_stem(stem):
                stems.setdefault(stem, 1)
    return stems


def _without_one_ending(word: str) -> list[str]:
    stems = []
    for ending in (*_UZBEK_CASES, *_UZBEK_OWNERS):
        stem = word.removesuffix(ending)
        if stem == word or not _is_stem(stem) or (ending in ("ka", "qa") and stem[-1] != ending[0]):
            continue
        stems.append(stem)
        if ending in _UZBEK_OWNERS and stem.endswith("g"):
            stems += [stem[:-1] + hard for hard in _HARDENED]
    return stems


def _is_stem(stem: str) -> bool:
    return len(stem) >= _SHORTEST_STEM and any(letter in _LATIN_VOWELS for letter in stem)


def _russian_stems(word: str) -> set[str]:
    ending = next(
        (each for each in _RUSSIAN_ENDINGS if word.endswith(each) and len(word) - len(each) >= _SHORTEST_STEM), ""
    )
    stems = {word, word.removesuffix(ending)}
    return stems | {_without_fleeting_vowel(stem) for stem in stems}


def _without_fleeting_vowel(stem: str) -> str:
    """Return остатк for остаток: the stem that the other cases of such a word have."""
    if len(stem) > _SHORTEST_STEM and stem[-2:] in ("ок", "ек", "ец") and stem[-3] not in _RUSSIAN_VOWELS:
        return stem[:-2] + stem[-1]
    return stem
