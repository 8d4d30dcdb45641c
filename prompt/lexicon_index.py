"""The index of a lexicon: its words by their forms, made once, so that loading it takes a few milliseconds.

Forms of words: Uzbek ones in Latin letters (`viloyat`), Russian ones as written (`=область`), by their stem
(`ru:област`) and in Latin letters as columns are named (`tr:oblast`), English ones (`e:region`), abbreviations
(`n:reg`).
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from grammar.script import cyrillic_forms, fold, latin_forms, word_spans
from grammar.stems import word_keys

ENGLISH, SHORT, SPELLED = "e:", "n:", "tr:"
TYPED, STEM = "=", "ru:"
LANGUAGES = ("uz", "ru", "en")


def index_text(source: str) -> str:
    """Return the text of the index of a lexicon, given the text of its file."""
    lexicon = json.loads(source)
    concepts = concepts_of(lexicon)
    numbers = {name: number for number, name in enumerate(concepts)}
    phrases: list[list[Any]] = []
    first: dict[str, list[int]] = defaultdict(list)
    for name, concept in concepts.items():
        for language in (*LANGUAGES, "names"):
            for phrase in concept.get(language, ()):
                head, *rest = [keys_of(word, language) for word in words_of(phrase)]
                for key in head:
                    first[key].append(len(phrases))
                phrases.append([numbers[name], *(" ".join(keys) for keys in rest)])
    listed = [
        [name, concept.get("use", ""), [numbers[near] for near in concept.get("near", ())]]
        for name, concept in concepts.items()
    ]
    content = {"lexicon": digest(source), "concepts": listed, "phrases": phrases, "first": first}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def digest(source: str) -> str:
    """Return what tells whether an index belongs to a lexicon."""
    return hashlib.sha256(source.encode()).hexdigest()


def concepts_of(lexicon: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the concepts of all themes by name."""
    return {name: concept for theme in lexicon["themes"].values() for name, concept in theme.items()}


def words_of(phrase: str) -> tuple[str, ...]:
    """Return the folded words of a phrase."""
    folded = fold(phrase).text
    return tuple(folded[start:end] for start, end in word_spans(folded))


def keys_of(word: str, language: str) -> Sequence[str]:
    """Return the forms under which a folded word of the lexicon is found."""
    latin = latin_forms(word)
    cyrillic = bool(cyrillic_forms(word))
    if language == "names":
        return [SHORT + latin[0], *([TYPED + word] if cyrillic else [])]
    if language == "ru" and cyrillic:
        stems = sorted(key for key in word_keys(word) if key.startswith(STEM))
        return [TYPED + word.replace("ё", "е"), *stems, *(SPELLED + form for form in latin)]
    if language == "uz":
        return [*latin, *([TYPED + word] if cyrillic else [])]
    return [ENGLISH + latin[0]]
