"""The meaning of greedy decoding under a grammar: the whole vocabulary masked, and the largest logit that is left."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from engine.draft import Logits, Matcher
from engine.vocabulary import Vocabulary

State = TypeVar("State")


class Mask:
    """Asks a matcher about every token of a vocabulary that could be taken instead of the chosen one."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._pieces = vocabulary.pieces
        self._usable = np.array(sorted(vocabulary.usable))
        self._first = np.array([vocabulary.pieces[token][0] for token in self._usable])

    def better(self, matcher: Matcher[State], state: State, logits: Logits, chosen: int) -> list[int]:
        """Return the allowed tokens that come before the chosen one: of larger logit, or of the same and a lower id.

        The masked argmax is the chosen one exactly if it is allowed itself and there are none.
        """
        allowed = np.zeros(256, dtype=np.bool_)
        allowed[list(matcher.first_bytes(state))] = True
        found = logits[self._usable]
        before = (found > logits[chosen]) | ((found == logits[chosen]) & (self._usable < chosen))
        candidates: list[int] = self._usable[before & allowed[self._first]].tolist()
        return [token for token in candidates if matcher.advance(state, self._pieces[token]) is not None]


@dataclass
class Watched:
    """A model that keeps every row of logits it gave, with the number of the answer's tokens it had read by then."""

    model: Any
    read_tokens: int = 0
    prompt_tokens: int = 0
    rows: list[tuple[int, Logits]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def chat_tokens(self, content: str) -> list[int]:
        tokens: list[int] = self.model.chat_tokens(content)
        self.prompt_tokens = len(tokens)
        return tokens

    def read(self, tokens: Sequence[int], *arguments: Any, **options: Any) -> int:
        self.read_tokens = len(tokens) - self.prompt_tokens
        self.rows.clear()
        reused: int = self.model.read(tokens, *arguments, **options)
        return reused

    def append_many(self, tokens: Sequence[int]) -> None:
        self.read_tokens += len(tokens)
        self.model.append_many(tokens)

    def logits(self) -> Logits:
        found: Logits = self.model.logits()
        self.rows.append((self.read_tokens, found.copy()))
        return found


def wrong_tokens(watched: Watched, matcher: Matcher[State], written: Sequence[int], mask: Mask) -> list[str]:
    """Return what is wrong with an answer that was written without `begun`: tokens that the grammar refuses, and
    tokens that the model chose though the mask leaves a better one."""
    pieces, wrong = watched.vocabulary.pieces, []
    rows = dict(watched.rows)
    assert len(rows) == len(watched.rows), "asked twice about one place"
    state: Any = matcher.start()
    for place, token in enumerate(written):
        if place in rows:
            wrong += [
                f"{place}: {pieces[token]!r} and not {pieces[other]!r}"
                for other in mask.better(matcher, state, rows[place], token)
            ]
        state = matcher.advance(state, pieces[token])
        if state is None:
            return [*wrong, f"{place}: {pieces[token]!r} is refused"]
    return wrong
