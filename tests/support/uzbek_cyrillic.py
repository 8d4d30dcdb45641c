"""Uzbek in Latin letters written in Cyrillic ones, by the rules of the alphabet."""

_PAIRS = {
    "o'": "ў", "g'": "ғ", "sh": "ш", "ch": "ч", "yo": "ё", "yu": "ю", "ya": "я", "ye": "е", "a": "а", "b": "б",
    "d": "д", "e": "е", "f": "ф", "g": "г", "h": "ҳ", "i": "и", "j": "ж", "k": "к", "l": "л", "m": "м", "n": "н",
    "o": "о", "p": "п", "q": "қ", "r": "р", "s": "с", "t": "т", "u": "у", "v": "в", "x": "х", "y": "й", "z": "з",
    "'": "ъ", "c": "с", "w": "в",
}  # fmt: skip
_VOWELS = "aeiou"


def in_cyrillic(latin: str) -> str:
    """Return a word or phrase in lower-case Cyrillic letters."""
    text = latin.casefold()
    written: list[str] = []
    place = 0
    while place < len(text):
        pair = text[place : place + 2]
        letter = pair if pair in _PAIRS and (pair != "yo" or text[place : place + 3] != "yo'") else text[place]
        before = text[place - 1 : place]
        if letter == "e" and (not before.isalpha() or before in _VOWELS):
            written.append("э")
        elif letter == "ye" and before.isalpha() and before not in _VOWELS:
            written.append("ье")
        else:
            written.append(_PAIRS.get(letter, letter))
        place += len(letter)
    return "".join(written)
