"""Letters: one form for texts that differ only in case, apostrophe, alphabet or look-alike letters."""

import re
import unicodedata
from dataclasses import dataclass

_APOSTROPHES = dict.fromkeys("ʻʼ‘’`´ʹ′", "'")
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:(?<=[og])')?")

_APOSTROPHE_LETTER = re.compile("([og])'")
_END_MARKS = " .,;:"

_UZBEK = {
    **dict(zip("абвгдежзийклмнопрстуф", "abvgdejziyklmnoprstuf", strict=True)),
    **{"ё": "yo", "х": "x", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sh", "ъ": "", "ы": "i", "ь": "", "э": "e"},
    **{"ю": "yu", "я": "ya", "ў": "o", "қ": "q", "ғ": "g", "ҳ": "h"},
}
_RUSSIAN = {**_UZBEK, "ё": "e", "ж": "zh", "х": "kh", "щ": "shch", "ы": "y"}
_TWINS = dict(zip("авекмнорстухі", "abekmhopctyxi", strict=True))
_TWINS_BACK = {latin: cyrillic for cyrillic, latin in _TWINS.items()} | {"c": "с", "t": "т"}
_VOWELS = frozenset("аеёиоуыэюяў")
_SOUNDS = (("dj", "j"), ("zh", "j"), ("kh", "h"), ("x", "h"), ("q", "k"), ("ye", "e"), ("o", "a"), ("y", "i"))
_REPEATED = re.compile(r"(.)\1+")
_SOUND_LETTERS = 5


@dataclass(frozen=True)
class Folded:
    """A text in folded form; character i of it was written at `starts[i]:ends[i]` of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def fold(text: str) -> Folded:
    """Fold case, apostrophes, composed letters, blanks and invisible characters, keeping the places.

    Runs of white space become one space, none at the ends. ё stays ё: see `plain`.
    """
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        for letter in _folded_cluster(text[start:end]):
            if letter == " " and (not letters or letters[-1] == " "):
                continue
            letters.append(letter)
            starts.append(start)
            ends.append(end)
        start = end
    while letters and letters[-1] == " ":
        letters.pop()
    return Folded("".join(letters), tuple(starts[: len(letters)]), tuple(ends[: len(letters)]))


def plain(text: str) -> str:
    """Return the folded text with ё as е: the form in which two texts are the same text."""
    return fold(text).text.replace("ё", "е")


def reading(text: str) -> str:
    """Return how a text reads: the form in which all spellings of one value are the same.

    Letter case, blanks, invisible characters, a point or comma at the end, ё and е, the kind of apostrophe, look-alike
    letters and the two Uzbek alphabets do not count. An apostrophe counts only behind o and g, where it makes another
    letter.
    """
    folded = plain(text)
    words = [_reading_of_word(word) for word in folded.split(" ")]
    return " ".join(word for word in words if word).rstrip(_END_MARKS) or folded


def _reading_of_word(word: str) -> str:
    if word.isascii() and "'" not in word:
        return word
    twins = twin_forms(word)
    kept = _APOSTROPHE_LETTER.sub("\\1ʻ", twins[0] if twins else word).replace("ў", "oʻ").replace("ғ", "gʻ")
    return _transliterated(kept, _UZBEK, soft_e=True).replace("ʻ", "'")


def word_spans(folded: str) -> list[tuple[int, int]]:
    """Return where the words of a folded text stand; an underscore or hyphen separates words."""
    return [match.span() for match in _WORD.finditer(folded)]


def latin_forms(word: str) -> tuple[str, ...]:
    """Return the ways in which a folded word is written in Latin letters, without apostrophes.

    Cyrillic letters are read as Uzbek and as Russian ones; a word that mixes the alphabets as either of them.
    """
    forms: dict[str, None] = {}
    for spelling in (word, *twin_forms(word)):
        for table in (_UZBEK, _RUSSIAN):
            forms[_transliterated(spelling, table, soft_e=False)] = None
            forms[_transliterated(spelling, table, soft_e=True)] = None
    return tuple(form for form in forms if form) or (word,)


def cyrillic_forms(word: str) -> tuple[str, ...]:
    """Return the folded word in Cyrillic letters, е for ё, where it is or looks Cyrillic; else nothing."""
    return tuple(
        form.replace("ё", "е") for form in (word, *twin_forms(word)) if _has_cyrillic(form) and not _has_latin(form)
    )


def twin_forms(word: str) -> tuple[str, ...]:
    """Return a word that mixes Latin and Cyrillic letters as purely Latin and purely Cyrillic, where that works."""
    if not (_has_latin(word) and _has_cyrillic(word)):
        return ()
    latin = "".join(_TWINS.get(letter, letter) for letter in word)
    cyrillic = "".join(_TWINS_BACK.get(letter, letter) for letter in word)
    forms = [cyrillic] if not _has_latin(cyrillic) else []
    return (*forms, latin) if not _has_cyrillic(latin) else tuple(forms)


def twin_key(word: str) -> str | None:
    """Return what the word looks like in Latin letters if each of its letters exists in both alphabets."""
    seen = "".join(_TWINS.get(letter, letter) for letter in word)
    return seen if all(letter in _TWINS_BACK or not letter.isalpha() for letter in seen) else None


def sound_key(latin: str) -> str | None:
    """Return a rough form that Uzbek and Russian spellings of one name share, None for a short word.

    Toshkent and Ташкент, Buxoro and Бухара, Surxondaryo and Сурхандарья meet in it.
    """
    if len(latin) < _SOUND_LETTERS:
        return None
    for written, heard in _SOUNDS:
        latin = latin.replace(written, heard)
    return _REPEATED.sub(r"\1", latin)


def _folded_cluster(cluster: str) -> str:
    if cluster in _INVISIBLE:
        return ""
    if cluster.isspace():
        return " "
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", cluster).casefold())
    return "".join(_APOSTROPHES.get(letter, letter) for letter in composed)


def _transliterated(word: str, table: dict[str, str], *, soft_e: bool) -> str:
    written: list[str] = []
    before = ""
    for letter in word:
        if letter == "е" and soft_e and (not before or before in _VOWELS or before in "ъь"):
            written.append("ye")
        elif letter != "'":
            written.append(table.get(letter, letter))
        before = letter
    return "".join(written)


def _has_latin(word: str) -> bool:
    return any("a" <= letter <= "z" for letter in word)


def _has_cyrillic(word: str) -> bool:
    return any("Ѐ" <= letter <= "ӿ" for letter in word)
