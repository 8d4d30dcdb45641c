"""What hands do to requests: small letters, no marks, no apostrophes, the other script, slips, politeness."""

import re
from random import Random
from typing import Final

from .uzbek import to_cyrillic

_POLITE: Final = {
    "uz": (("iltimos, ", ""), ("", ", iltimos"), ("menga ", " kerak edi"), ("", " qani")),
    "ru": (("пожалуйста, ", ""), ("", ", пожалуйста"), ("мне бы ", ""), ("подскажи: ", "")),
    "en": (("please ", ""), ("", " please"), ("can you ", "?"), ("I'd like to know: ", "")),
}
_APOSTROPHES: Final = ("'", "ʻ", "`", "‘", "")


def noisy(random: Random, text: str, language: str, cells: bool) -> str:
    """Return a request as somebody typed it. Where it names `cells`, Uzbek stays in its script."""
    if random.random() < 0.08:
        before, after = random.choice(_POLITE[language])
        text = f"{before}{text.removesuffix('?')}{after}"
    if language == "uz":
        if not cells and random.random() < 0.15:
            text = to_cyrillic(text)
        elif random.random() < 0.5:
            text = text.replace("'", random.choice(_APOSTROPHES))
    shape = random.random()
    if shape < 0.35:
        text = text[:1].upper() + text[1:]
    elif shape < 0.5:
        text = text.rstrip("?.")
    if random.random() < 0.12:
        text = _slip(random, text)
    return re.sub(r" +", " ", text).strip()


def _slip(random: Random, text: str) -> str:
    """Return the text with one slip in one of its longer words: two letters changed, one doubled or left out."""
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    place = random.choice(long)
    word = words[place]
    at = random.randint(2, len(word) - 2)
    words[place] = random.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
        )
    )
    return " ".join(words)
