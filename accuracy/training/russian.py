"""Russian words in their cases, by pymorphy3."""

from functools import cache
from typing import Final

from pymorphy3 import MorphAnalyzer
from pymorphy3.analyzer import Parse

CASES: Final = {"gent": "gent", "datv": "datv", "ablt": "ablt", "acc": "accs", "plur": "plur"}


@cache
def inflected(phrase: str, *forms: str) -> str:
    """Return a phrase in a case and number: its first noun and the adjectives before it; what follows stays.

    `forms` are keys of CASES. A phrase without a noun that pymorphy knows stays as it is.
    """
    words = phrase.split(" ")
    head = next((place for place, word in enumerate(words) if _noun(word)), None)
    if head is None:
        return phrase
    noun = _noun(words[head])
    assert noun is not None
    number = "plur" if "plur" in forms or noun.tag.number == "plur" else "sing"
    case = next((CASES[form] for form in forms if form != "plur"), "nomn")
    done = [
        _put(word, {case, number} | ({noun.tag.gender} if number == "sing" and noun.tag.gender else set()))
        for word in words[:head]
    ]
    return " ".join([*done, _form(noun, {case, number}), *words[head + 1 :]])


def _noun(word: str) -> Parse | None:
    """Return the reading of a word as a noun in its first case, singular or plural."""
    for parse in _analyzer().parse(word):
        if "NOUN" in parse.tag and parse.tag.case == "nomn":
            return parse
    return None


def _put(word: str, form: set[str]) -> str:
    """Return an adjective in a form; another word as it stands."""
    for parse in _analyzer().parse(word):
        if "ADJF" in parse.tag or "PRTF" in parse.tag:
            return _form(parse, form)
    return word


def _form(parse: Parse, form: set[str]) -> str:
    found = parse.inflect(form)
    if found is None:
        return str(parse.word)
    return str(found.word)


@cache
def _analyzer() -> MorphAnalyzer:
    return MorphAnalyzer()
