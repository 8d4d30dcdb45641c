"""Ranges of code points as ranges of UTF-8 bytes.

Source of the algorithm: Russ Cox, RE2 (`compile.cc`), and Andrew Gallant's crate `utf8-ranges`: a range is split
where the length of the encoding changes, then so that within a piece all bytes after the first vary fully.
"""

from collections.abc import Iterator

ByteRanges = tuple[tuple[int, int], ...]

_LENGTH_ENDS = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)
_CONTINUATION_BITS = 6


def byte_ranges(low: int, high: int) -> Iterator[ByteRanges]:
    """Yield sequences of byte ranges that together match the UTF-8 of every code point from low to high.

    The range must not hold surrogates (U+D800 to U+DFFF).
    """
    for end in _LENGTH_ENDS:
        if low <= end < high:
            yield from byte_ranges(low, end)
            yield from byte_ranges(end + 1, high)
            return
    for bits in range(_CONTINUATION_BITS, 4 * _CONTINUATION_BITS, _CONTINUATION_BITS):
        mask = (1 << bits) - 1
        if low & ~mask != high & ~mask:
            if low & mask:
                yield from byte_ranges(low, low | mask)
                yield from byte_ranges((low | mask) + 1, high)
                return
            if high & mask != mask:
                yield from byte_ranges(low, (high & ~mask) - 1)
                yield from byte_ranges(high & ~mask, high)
                return
    yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))
