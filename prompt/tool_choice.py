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


def best_tools(
    contracts: Sequence[Contract], request: str, meanings: Iterable[str], most: int, lexicon: Lexicon | None = None
) -> list[Contract]:
    """Return at most `most` contracts, those whose words match the request best, in the order in which they stand.

    `meanings` say in English what the resolver made of words of the request; by the `lexicon` words of two languages
    meet. Tools that match equally well are taken in their order.
    """
    return [contracts[place] for place in sorted(ranking(contracts, request, meanings, lexicon)[:most])]


def ranking(
    contracts: Sequence[Contract], request: str, meanings: Iterable[str], lexicon: Lexicon | None = None
) -> list[int]:
    """Return the places of the tools, those first that match the request best; equals in their order."""
    scores = tool_scores(contracts, request, meanings, lexicon)
    return sorted(range(len(contracts)), key=lambda place: -scores[place])


def tool_scores(
    contracts: Sequence[Contract], request: str, meanings: Iterable[str], lexicon: Lexicon | None = None
) -> list[float]:
    """Return how well each tool matches the request: the sum over its words of how rare and how sure they are."""
    stop, hints = _stop_words(), _hints()
    tools = [_keys(contract, hints, stop, lexicon) for contract in contracts]
    having: dict[str, int] = defaultdict(int)
    for keys in tools:
        for key in keys:
            having[key] += 1
    asked = {word: (forms, 1.0) for word, forms in _meant(request, stop, lexicon)}
    asked = {word: (forms, _MEANT) for word, forms in _meant(" ".join(meanings), stop, lexicon)} | asked
    scores = [0.0] * len(tools)
    for forms, weight in asked.values():
        for place, keys in enumerate(tools):
            shared = [_rarity(having[key], len(tools)) * sure * keys[key] for key, sure in forms.items() if key in keys]
            scores[place] += weight * max(shared, default=0.0)
    return scores


def _rarity(having: int, all_tools: int) -> float:
    """Return how much a word tells that so many of the tools have (the inverse document frequency of BM25)."""
    return math.log(1 + (all_tools - having + 0.5) / (having + 0.5))


def _keys(contract: Contract, hints: Mapping[str, str], stop: frozenset[str], lexicon: Lexicon | None) -> _Keys:
    """Return the forms of the words that are said of a tool, each with how much it counts."""
    keys: dict[str, float] = {}
    for text, weight in _texts(contract, hints):
        for _, forms in _meant(text, stop, lexicon):
            for key, sure in forms.items():
                keys[key] = max(sure * weight, keys.get(key, 0.0))
    return keys


def _meant(text: str, stop: frozenset[str], lexicon: Lexicon | None) -> Iterator[tuple[str, _Keys]]:
    """Yield the words of a text that tell something, each with its forms and the concepts that begin with it."""
    words = _words(text)
    spans: Sequence[Sequence[Span]] = [()] * len(words) if lexicon is None else lexicon.spans(words, names=False)
    for word, found in zip(words, spans, strict=True):
        if word not in stop:
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
