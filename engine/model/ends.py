"""Where the reading of a prompt is cut into batches, and how much of an earlier reading may be kept.

The logits after a token depend a little on the batch that it is evaluated in. So a prompt is cut at ends that follow
from the prompt alone, and what was read before is kept up to an end at which both were cut alike all the way: the same
prompt then has the same logits, whatever was read before it, in this process or from the store.
"""

from collections.abc import Sequence


def batch_ends(length: int, shared: Sequence[int], size: int) -> list[int]:
    """Return the ends of the batches of at most `size` tokens in which `length` tokens are read.

    There is one at each of the `shared` beginnings; further ones are counted from the one before.
    """
    ends: list[int] = []
    start = 0
    for stop in (*sorted({end for end in shared if 0 < end < length}), length):
        ends += [*range(start + size, stop, size), stop]
        start = stop
    return ends


def kept(held: Sequence[int], ends: Sequence[int], common: int) -> int:
    """Return how many tokens may be kept of a reading that ended batches at `held`, of which so many are `common`.

    What the earlier reading has beyond all `ends` (an answer that was written after the same prompt) may be kept.
    """
    found = 0
    for place, end in enumerate(held):
        if end > common or (place < len(ends) and end != ends[place]):
            break
        found = end
    return found
