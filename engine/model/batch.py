"""A batch of tokens for llama.cpp: which token, at which place of which sequence, and whether its logits are wanted."""

from collections.abc import Sequence

import llama_cpp
import numpy as np


class Batch:
    """Room for `size` tokens, filled anew for each evaluation. Call `free` at the end."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.raw = llama_cpp.llama_batch_init(size, 0, 1)
        self._tokens = np.ctypeslib.as_array(self.raw.token, shape=(size,))
        self._places = np.ctypeslib.as_array(self.raw.pos, shape=(size,))
        self._wanted = np.ctypeslib.as_array(self.raw.logits, shape=(size,))
        self._sequences = [self.raw.seq_id[place] for place in range(size)]
        np.ctypeslib.as_array(self.raw.n_seq_id, shape=(size,))[:] = 1

    def fill(
        self, tokens: Sequence[int], places: Sequence[int], wanted: Sequence[bool], sequences: Sequence[int]
    ) -> None:
        """Put tokens into the batch, in the place of those before."""
        count = len(tokens)
        self.raw.n_tokens = count
        self._tokens[:count] = tokens
        self._places[:count] = places
        self._wanted[:count] = wanted
        for place, sequence in enumerate(sequences):
            self._sequences[place][0] = sequence

    def free(self) -> None:
        """Give the memory back; the batch cannot be used afterwards."""
        llama_cpp.llama_batch_free(self.raw)
