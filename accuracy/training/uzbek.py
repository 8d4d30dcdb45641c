"""Uzbek words: their endings, and their spelling in Cyrillic."""

import re
from typing import Final

_PAIRS: Final = {"sh": "ш", "ch": "ч", "yo": "ё", "yu": "ю", "ya": "я", "o'": "ў", "g'": "ғ"}
_LETTERS: Final = dict(zip("abdefghijklmnopqrstuvxyz", "абдефгҳижклмнопқрстувхйз", strict=True))
_VOWELS: Final = "aeiou"
_PART = re.compile(r"[oO]'|[gG]'|[sS][hH]|[cC][hH]|[yY][oO](?!')|[yY][uU]|[yY][aA]|[yY][eE]|.", re.DOTALL)


def to_cyrillic(text: str) -> str:
    """Return Uzbek text in Cyrillic letters, by the rules of the 1940 alphabet; what has no letter stays."""
    written: list[str] = []
    before = ""
    for part in _PART.findall(text.replace("ʻ", "'").replace("ʼ", "'")):
        low = part.lower()
        begins = not before.isalpha() and before != "'"
        if low == "ye":
            letters = "е" if begins or before in _VOWELS else "йе"
        elif low == "e":
            letters = "э" if begins or before in _VOWELS else "е"
        elif low == "'":
            letters = "ъ" if before.isalpha() else part
        else:
            letters = _PAIRS.get(low) or _LETTERS.get(low, part)
        written.append(_cased(letters, part))
        before = low[-1]
    return "".join(written)


def _cased(letters: str, part: str) -> str:
    return letters.capitalize() if part[:1].isupper() else letters


def genitive(word: str) -> str:
    """Return "of the word"."""
    return word + "ning"


def accusative(word: str) -> str:
    """Return the word as an object."""
    return word + "ni"


def ablative(word: str) -> str:
    """Return "from the word"."""
    return word + "dan"


def locative(word: str) -> str:
    """Return "in the word"."""
    return word + "da"


def dative(word: str) -> str:
    """Return "to the word": the ending is -ka after k, -qa after q."""
    return word + ("ka" if word.endswith("k") else "qa" if word.endswith("q") else "ga")


def plural(word: str) -> str:
    """Return the plural. A compound whose last word is possessed ("xona turi") has -lar before the possession."""
    possessed = re.search(r"(?<=[a-z'])(si|i)$", word)
    if " " in word and possessed and word.rsplit(" ", 1)[1] not in _NOT_POSSESSED:
        return word[: possessed.start()] + "lari"
    return word + "lar"


_NOT_POSSESSED: Final = frozenset({"model", "ikki"})


def singular(word: str) -> str:
    """Return a plural in -lar without it, as after a number."""
    return word.removesuffix("lar")
