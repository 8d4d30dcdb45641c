"""Which of many tools a request is about: by the words that it shares with what is said of each tool.

No model and no vectors. A tool's text is its name, its description, its arguments with their values, the words that its
contract gives in three languages and the sentences that explain its calls; the hints of the prompt count for the tools
that they name. Words meet under the rules of the resolver: endings are taken off and alphabets do not matter; less
surely by their beginnings, and from one language to another by the concepts of the common lexicon.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from grammar.contracts import LANGUAGES, Contract
from grammar.script import fold, latin_forms, word_spans
from grammar.stems import word_keys

from .lexicon import Lexicon, Span
from .resolve import Link
from .wordfiles import function_words, text_file

_NAME, _WORDS, _DESCRIPTION, _ARGUMENTS, _EXPLAINED = 2.0, 2.0, 1.5, 0.5, 0.5
_MEANT, _CONCEPT = 0.8, 0.7
_KEPT_WORDS = 1 << 14
_BEGINNINGS = {4: 0.3, 5: 0.5}
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_PARTS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")
_Keys = Mapping[str, float]


def meanings(links: Iterable[Link]) -> list[str]:
    """Return what the resolver says in English of words of a request."""
    return [link.value for link in links if link.kind == "meaning" and link.value is not None]


class ToolIndex:
    """The words that are said of each of some tools; by the lexicon, if there is one, words of two languages meet."""

    def __init__(self, contracts: Sequence[Contract], lexicon: Lexicon | None = None) -> None:
        self.contracts = contracts
        self._lexicon = lexicon
        self._stop = _stop_words()
        hints = _hints()
        self._keys = [self._keys_of(contract, hints) for contract in contracts]
        self._having: dict[str, int] = defaultdict(int)
        for keys in self._keys:
            for key in keys:
                self._having[key] += 1

    def best(self, request: str, meanings: Iterable[str], most: int) -> list[Contract]:
        """Return at most `most` contracts, those whose words match the request best, in the order in which they stand.

        `meanings` say in English what the resolver made of words of the request. Tools that match equally well are
        taken in their order.
        """
        return [self.contracts[place] for place in sorted(self.ranking(request, meanings)[:most])]

    def ranking(self, request: str, meanings: Iterable[str]) -> list[int]:
        """Return the places of the tools, those first that match the request best; equals in their order."""
        scores = self.scores(request, meanings)
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    def scores(self, request: str, meanings: Iterable[str]) -> list[float]:
        """Return how well each tool matches the request: the sum over its words of how rare and how sure they are."""
        asked = {word: (forms, 1.0) for word, forms in self._meant(request)}
        asked = {word: (forms, _MEANT) for word, forms in self._meant(" ".join(meanings))} | asked
        scores = [0.0] * len(self._keys)
        for forms, weight in asked.values():
            rare = {key: sure * self._rarity(key) for key, sure in forms.items() if key in self._having}
            for place, keys in enumerate(self._keys):
                scores[place] += weight * max((rare[key] * keys[key] for key in rare.keys() & keys.keys()), default=0.0)
        return scores

    def _rarity(self, key: str) -> float:
        """Return how much a word tells that so many of the tools have (the inverse document frequency of BM25)."""
        having = self._having[key]
        return math.log(1 + (len(self._keys) - having + 0.5) / (having + 0.5))

    def _keys_of(self, contract: Contract, hints: Mapping[str, str]) -> _Keys:
        """Return the forms of the words that are said of a tool, each with how much it counts."""
        keys: dict[str, float] = {}
        for text, weight in _texts(contract, hints):
            for _, forms in self._meant(text):
                for key, sure in forms.items():
                    keys[key] = max(sure * weight, keys.get(key, 0.0))
        return keys

    def _meant(self, text: str) -> Iterator[tuple[str, _Keys]]:
        """Yield the words of a text that tell something, each with its forms and the concepts that begin with it."""
        words = _words(text)
        spans: Sequence[Sequence[Span]] = [()] * len(words)
        if self._lexicon is not None:
            spans = self._lexicon.spans(words, names=False)
        for word, found in zip(words, spans, strict=True):
            if word not in self._stop:
                yield word, {**_forms(word), **{f"concept {concept}": _CONCEPT * sure for _, concept, sure in found}}


@lru_cache(maxsize=_KEPT_WORDS)
def _forms(word: str) -> _Keys:
    """Return the forms of a word, and its beginnings: other words of the same root meet by those, less surely."""
    latin = latin_forms(word)[0]
    begun = {f"^{latin[:length]}": sure for length, sure in _BEGINNINGS.items() if len(latin) > length}
    return {**word_keys(word), **begun}


def _texts(contract: Contract, hints: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    yield " ".join(_PARTS.split(contract["name"])), _NAME
    yield contract["description"], _DESCRIPTION
    yield from ((phrase, _WORDS) for phrases in contract.get("words", {}).values() for phrase in phrases)
    yield " ".join(_argument_words(contract["args"])), _ARGUMENTS
    yield from ((_PLACEHOLDER.sub(" ", text), _EXPLAINED) for text in contract["explain"].values())
    yield hints.get(contract["name"], ""), _DESCRIPTION


def _argument_words(args: Mapping[str, Any]) -> Iterator[str]:
    for name, argument in args.items():
        yield from _PARTS.split(name)
        yield argument.get("description", "")
        yield from argument.get("enum", ())
        yield from _argument_words(argument.get("properties", {}))


def _hints() -> Mapping[str, str]:
    """Return what the prompt says of when to use a tool, with words in three languages."""
    found: dict[str, str] = {}
    for line in text_file("hints").template.splitlines():
        tool, _, hint = line.partition(": ")
        found[tool] = f"{found.get(tool, '')} {hint}"
    return found


def _stop_words() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for each in function_words(language) for word in _words(each))


def _words(text: str) -> list[str]:
    folded = fold(text).text
    return [folded[start:end] for start, end in word_spans(folded)]
