"""A model's tokens as bytes, and quick ways to find those that may follow."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
State = TypeVar("State")

UNUSABLE = 256
# Ids of more bytes than this are found by one look over the whole vocabulary.
FEW_BYTES = 24
# Choices of beginnings whose ids are remembered.
KEPT = 64


class Vocabulary:
    """The pieces of a vocabulary: the bytes of every token by its id, and the ids that an answer may be made of.

    A token that is not usable (control, special, unused, no bytes) is never a candidate.
    """

    def __init__(self, pieces: Sequence[bytes], usable: Iterable[int]) -> None:
        self.pieces = pieces
        self.usable = tuple(token for token in usable if pieces[token])
        self._first = np.full(len(pieces), UNUSABLE, dtype=np.int16)
        ids = np.array(self.usable, dtype=np.int64)
        self._first[ids] = np.frombuffer(b"".join([pieces[token][:1] for token in self.usable]), dtype=np.uint8)
        self._starting = lru_cache(KEPT)(self._found_starting)
        order = np.argsort(self._first, kind="stable")
        ends = np.searchsorted(self._first[order], np.arange(UNUSABLE + 1))
        self._by_byte = [order[ends[byte] : ends[byte + 1]] for byte in range(UNUSABLE)]

    def starting(self, first_bytes: frozenset[int]) -> Ids:
        """Return the ids, ascending, of the usable tokens that begin with one of these bytes."""
        return self._starting(first_bytes)

    def _found_starting(self, first_bytes: frozenset[int]) -> Ids:
        if len(first_bytes) <= FEW_BYTES:
            found = [self._by_byte[byte] for byte in first_bytes]
            return np.sort(np.concatenate(found), kind="stable") if found else np.empty(0, dtype=np.int64)
        return np.flatnonzero(self._wanted(first_bytes)[self._first])

    def may_begin(self, token: int, first_bytes: frozenset[int]) -> bool:
        """Say whether a token is usable and begins with one of these bytes."""
        return int(self._first[token]) in first_bytes

    def only_starting(self, ids: Ids, first_bytes: frozenset[int]) -> Ids:
        """Return those of the ids that are usable and begin with one of these bytes."""
        return ids[self._wanted(first_bytes)[self._first[ids]]]

    def _wanted(self, first_bytes: frozenset[int]) -> npt.NDArray[np.bool_]:
        wanted = np.zeros(UNUSABLE + 1, dtype=np.bool_)
        wanted[list(first_bytes)] = True
        return wanted

    def beginning(self, data: bytes) -> list[int]:
        """Return the usable tokens that begin with these bytes."""
        ids, pieces = self._sorted
        start = bisect_left(pieces, data)
        end = next((place for place in range(start, len(pieces)) if not pieces[place].startswith(data)), len(pieces))
        return ids[start:end]

    def accepted(
        self,
        state: State,
        first_bytes: Callable[[State], Iterable[int]],
        advance: Callable[[State, bytes], State | None],
    ) -> Iterator[tuple[int, State]]:
        """Yield every usable token that an automaton accepts in `state`, with the state after it.

        Walks the pieces in byte order as a tree and leaves a branch where the automaton refuses, so the
        cost follows what is allowed and not the size of the vocabulary.
        """
        ids, pieces = self._sorted
        branches = [(state, b"", 0, len(pieces))]
        while branches:
            reached, prefix, low, high = branches.pop()
            for byte in first_bytes(reached):
                longer = prefix + bytes((byte,))
                start = bisect_left(pieces, longer, low, high)
                end = bisect_left(pieces, prefix + bytes((byte + 1,)), start, high) if byte < 255 else high
                if start == end:
                    continue
                following = advance(reached, bytes((byte,)))
                if following is None:
                    continue
                same = bisect_right(pieces, longer, start, end)
                yield from ((token, following) for token in ids[start:same])
                if same < end:
                    branches.append((following, longer, same, end))

    @cached_property
    def _sorted(self) -> tuple[list[int], list[bytes]]:
        ids = sorted(self.usable, key=lambda token: self.pieces[token])
        return ids, [self.pieces[token] for token in ids]
