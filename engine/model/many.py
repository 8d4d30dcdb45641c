"""Several sequences of tokens in one context, which share a beginning and are evaluated together."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import llama_cpp
import numpy as np

from engine.decoder import Cancelled, never
from engine.draft import Logits
from engine.model_error import ModelError

from .batch import Batch
from .log import LOG

SHARED = 0


class ManySequences:
    """Sequences 1 to `count` in one native context of their own; what they share is in sequence 0.

    `room` is how many tokens they may hold together. The model must outlive it. Use it as a context manager.
    """

    def __init__(self, context: Any, size: int, vocabulary: int, room: int) -> None:
        self._context = context
        self._memory = llama_cpp.llama_get_memory(context)
        self._batch = Batch(size)
        self._vocabulary = vocabulary
        self._room = room
        self._held: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._batch.free()
        llama_cpp.llama_free(self._context)

    def share(self, tokens: Sequence[int], cancelled: Cancelled = never) -> None:
        """Evaluate the beginning that all sequences have, and drop whatever there was. Raises as `append`."""
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held = {SHARED: 0}
        size = self._batch.size
        for start in range(0, len(tokens), size):
            if cancelled():
                raise ModelError("cancelled")
            self._evaluate([(SHARED, token, False) for token in tokens[start : start + size]])

    def begin(self, sequence: int) -> None:
        """Let a sequence begin as all do; what it held is dropped."""
        self.end(sequence)
        llama_cpp.llama_memory_seq_cp(self._memory, SHARED, sequence, -1, -1)
        self._held[sequence] = self._held[SHARED]

    def append(self, tokens: Mapping[int, Sequence[int]]) -> dict[int, Logits]:
        """Evaluate more tokens of several sequences together; return the logits after the last of each.

        Raises ModelError: `context_full`, `decode_failed`.
        """
        items = [
            (sequence, token, place == len(run))
            for sequence, run in tokens.items()
            for place, token in enumerate(run, 1)
        ]
        size = self._batch.size
        found: dict[int, Logits] = {}
        for start in range(0, len(items), size):
            found |= self._evaluate(items[start : start + size])
        return found

    def end(self, sequence: int) -> None:
        """Drop a sequence, so that the others need not look at it."""
        llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        self._held.pop(sequence, None)

    def _evaluate(self, items: Sequence[tuple[int, int, bool]]) -> dict[int, Logits]:
        """Evaluate one batch of (sequence, token, whether its logits are wanted)."""
        places = []
        for sequence, _, _ in items:
            places.append(self._held[sequence])
            self._held[sequence] += 1
        begun = self._held[SHARED]
        needed = begun + sum(held - begun for sequence, held in self._held.items() if sequence != SHARED)
        if needed > self._room:
            raise ModelError("context_full", found=needed, allowed=self._room)
        sequences, tokens, wanted = zip(*items, strict=True)
        self._batch.fill(tokens, places, wanted, sequences)
        code = llama_cpp.llama_decode(self._context, self._batch.raw)
        if code:
            raise ModelError("decode_failed", code=code, detail=LOG.last())
        return {sequence: self._logits(row) for row, (sequence, _, last) in enumerate(items) if last}

    def _logits(self, row: int) -> Logits:
        """Return a copy of the logits of a token of the last batch."""
        found = llama_cpp.llama_get_logits_ith(self._context, row)
        if not found:
            raise ModelError("decode_failed", detail=LOG.last())
        return np.ctypeslib.as_array(found, shape=(self._vocabulary,)).copy()
