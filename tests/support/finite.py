"""A matcher over a finite set of texts and a model with made-up logits, for tests of the decoder."""

from collections.abc import Callable, Sequence

import numpy as np

from engine.decoder import Cancelled, Progress, never, silent
from engine.draft import Logits
from engine.vocabulary import Vocabulary

Rule = Callable[[Sequence[int]], Logits]


class FiniteMatcher:
    """Accepts exactly these texts; none may be the beginning of another. A state is what was written."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = [text.encode() for text in texts]

    def start(self) -> bytes:
        return b""

    def advance(self, state: bytes, data: bytes) -> bytes | None:
        longer = state + data
        return longer if any(text.startswith(longer) for text in self.texts) else None

    def first_bytes(self, state: bytes) -> frozenset[int]:
        return frozenset(text[len(state)] for text in self._open(state) if len(text) > len(state))

    def forced(self, state: bytes) -> bytes:
        texts = self._open(state)
        shortest = min(texts, key=len)
        ends = (end for end in range(len(shortest), -1, -1) if all(text.startswith(shortest[:end]) for text in texts))
        return shortest[len(state) : next(ends)]

    def _open(self, state: bytes) -> list[bytes]:
        return [text for text in self.texts if text.startswith(state)]


class FakeModel:
    """Answers with the logits of a rule, which sees the tokens so far (prompt first)."""

    def __init__(self, pieces: Sequence[bytes], rule: Rule, control: Sequence[int] = (), context: int = 4096) -> None:
        self.vocabulary = Vocabulary(pieces, [token for token in range(len(pieces)) if token not in control])
        self.context = context
        self.tokens: list[int] = []
        self.reads = 0
        self._rule = rule

    def chat_tokens(self, content: str) -> list[int]:
        return list(content.encode())

    def tokenise(self, text: str) -> list[int]:
        return list(text.encode())

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        return [len(content[:length].encode()) for length in beginnings]

    def read(
        self,
        tokens: Sequence[int],
        progress: Progress = silent,
        cancelled: Cancelled = never,
        *,
        shared: Sequence[int] = (),
        answer: int = 0,
    ) -> int:
        self.reads += 1
        cancelled()
        progress("read", len(tokens), len(tokens))
        self.tokens = list(tokens)
        return 0

    def logits(self) -> Logits:
        return self._rule(self.tokens)

    def append(self, token: int) -> None:
        self.tokens.append(token)

    def append_many(self, tokens: Sequence[int]) -> None:
        self.tokens.extend(tokens)


def chance(size: int, seed: int, levels: int = 0) -> Rule:
    """Return a rule of random logits; with `levels` they take so few values that many are equal."""

    def rule(tokens: Sequence[int]) -> Logits:
        random = np.random.default_rng([seed, len(tokens), *tokens[-3:]])
        if levels:
            return random.integers(0, levels, size).astype(np.float32)
        return random.normal(0, 3, size).astype(np.float32)

    return rule


def preferring(pieces: Sequence[bytes], text: str, strength: float = 5.0) -> Rule:
    """Return a rule under which the pieces of this text are the likeliest, longer ones first."""
    wanted = text.encode()
    made = np.array([strength * len(piece) if piece and piece in wanted else 0.0 for piece in pieces], dtype=np.float32)
    return lambda tokens: made


def masked_argmax(vocabulary: Vocabulary, matcher: FiniteMatcher, state: bytes, logits: Logits) -> int:
    """Return the best token by trying the whole vocabulary: the meaning of greedy decoding under a mask."""
    allowed = [token for token in vocabulary.usable if matcher.advance(state, vocabulary.pieces[token]) is not None]
    return max(allowed, key=lambda token: (logits[token], -token))
