"""Encodings: which one a text file has, on the evidence of all its bytes, and the file again as UTF-8.

A byte-order mark settles it, then whether the bytes are UTF-8, then the zero bytes of UTF-16. The single-byte
encodings remain: each turns the pairs of neighbouring bytes into pairs of letters, and the pairs say how much like
written language the text is. Where no encoding is clearly the most like it, the file is not opened by a guess.

A few bytes that are not in the encoding do not close a file: they are written out as \\xNN, and counted.
"""

import codecs
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from .paths import FileError

UTF8 = "utf-8"
_BLOCK = 1 << 20
_MARKS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SINGLE_BYTE = ("cp1251", "cp866", "koi8-r", "cp1252")
ENCODINGS = (UTF8, "utf-16-le", "utf-16-be", *_SINGLE_BYTE)
_SAME_ENCODING = {"utf-8-sig": UTF8, "windows-1251": "cp1251", "windows-1252": "cp1252", "utf-16": "utf-16-le"}

# How many of a thousand letters of Russian and Uzbek Cyrillic text are each of these, roughly; others count as one.
_CYRILLIC = dict(
    zip(
        "оаеинтсрлвкмдпуяыьгзбчйхжшюцщэфъёўқғҳ",
        (
            *(95, 95, 80, 85, 62, 60, 50, 50, 48, 42, 36, 32, 30, 26, 26, 20, 15, 15, 17),
            *(17, 17, 14, 12, 12, 9, 10, 7, 5, 3, 4, 4, 2, 4, 6, 8, 6, 6),
        ),
        strict=True,
    )
)
_VOWELS = frozenset("аеёиоуўыэюя")
# Letters with marks that Western European texts are full of.
_WESTERN = frozenset("éèêëàâäáãåæçíîïñóôöõøúùûüßœšžýÿÉÈÀÄÁÅÆÇÍÑÓÖØÚÜŠŽ")
_SIGNS = frozenset("«»„“”‘’–—…•№§©®°±·\u00a0€£")

# The upper bytes of Latin and Cyrillic letters in UTF-16, and what share of one half of the bytes they are at least.
_UPPER_BYTES = (0x00, 0x04)
_UTF16_SHARE = 0.9

# Logarithms of how likely a sort of character is in written text, and of how likely one sort is beside another.
_RARE_LETTER, _SIGN, _ODD = math.log(0.0002), math.log(0.01), math.log(0.00002)
_CAPITAL_FIRST, _CAPITAL_AFTER_CAPITAL = math.log(0.2), math.log(0.7)
_SAME_SOUND, _LETTER_AT_FIGURE = math.log(0.5), math.log(0.02)
_OTHER_ALPHABET, _CAPITAL_INSIDE, _MARKED_PAIR = math.log(0.01), math.log(0.01), math.log(0.05)
_CLEAR_LEAD = math.log(20)
_LEAST_LIKELINESS = -7.0

# A file is UTF-8 in spite of a malformed character if it has so many well-formed ones beyond ASCII for each of them.
_WELL_FORMED_FOR_ONE = 20
# One byte in so many characters at most may be none of the encoding.
_CHARACTERS_FOR_ONE = 100
_BYTE_OUTSIDE = re.compile("[\udc80-\udcff]")


class EncodingError(FileError):
    """The encoding of a file cannot be told, or the file is not in the encoding that was named."""


@dataclass(frozen=True)
class Encoding:
    """The encoding of a file, how it was told (`mark`, `bytes`, `letters`, `option`), and how long its mark is.

    `pure` says that no byte of the file is outside the encoding, for sure.
    """

    name: str
    told_by: str
    mark: int = 0
    pure: bool = False


@dataclass(frozen=True)
class Outside:
    """How many bytes of a file are outside its encoding, and the line of the first one."""

    count: int = 0
    line: int | None = None


def encoding_of(path: Path, chosen: str | None = None) -> Encoding:
    """Return the encoding of a file; EncodingError if none is clearly the right one.

    `chosen` is the encoding that a person named.
    """
    with path.open("rb") as file:
        head = file.read(4)
    marked = next(((name, len(mark)) for mark, name in _MARKS if head.startswith(mark)), None)
    if chosen is not None:
        name = _known(path, chosen)
        return Encoding(name, "option", marked[1] if marked and marked[0] == name else 0)
    if marked is not None:
        return Encoding(marked[0], "mark", marked[1], pure=marked[0] == UTF8 and _is_utf8(path))
    pairs = np.zeros(1 << 16, dtype=np.int64)
    small = [0, 0]
    fault = None
    try:
        if not _check_utf8(path):
            return Encoding(UTF8, "bytes", pure=True)
    except _NotUtf8Error as error:
        fault = error
    for block in _blocks(path):
        values = np.frombuffer(block, dtype=np.uint8)
        small = [small[place] + int(np.isin(values[place::2], _UPPER_BYTES).sum()) for place in (0, 1)]
        pairs += _pairs(values)
    half = path.stat().st_size // 2
    if max(small) >= half * _UTF16_SHARE and min(small) < half * (1 - _UTF16_SHARE):
        return Encoding("utf-16-be" if small[0] > small[1] else "utf-16-le", "bytes")
    if fault is None or fault.well_formed >= fault.malformed * _WELL_FORMED_FOR_ONE:
        return Encoding(UTF8, "bytes", pure=fault is None)
    found = _most_likely(pairs)
    if found is None or (fault.well_formed > 0 and fault.well_formed >= fault.malformed):
        raise EncodingError("unclear", path=str(path), line=fault.line, found=fault.byte, allowed=", ".join(ENCODINGS))
    return Encoding(found, "letters")


def write_utf8(path: Path, encoding: Encoding, target: BinaryIO) -> Outside:
    """Write the text of a file as UTF-8, block by block, and say what is outside its encoding.

    EncodingError names the line of the first byte outside if there are too many, or if what follows it is lost.
    """
    wide = encoding.name.startswith("utf-16")
    decoder = codecs.getincrementaldecoder(encoding.name)("strict" if wide else "surrogateescape")
    line, characters, outside, first = 1, 0, 0, None
    with path.open("rb") as file:
        file.seek(encoding.mark)
        while True:
            block = file.read(_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                raise _other_encoding(path, encoding, line, error.object[error.start]) from error
            if found := _BYTE_OUTSIDE.search(text):
                first = first or (line + text.count("\n", 0, found.start()), ord(found[0]) & 0xFF)
                text, count = _BYTE_OUTSIDE.subn(lambda each: f"\\x{ord(each[0]) & 0xFF:02x}", text)
                outside += count
            line += text.count("\n")
            characters += len(text)
            target.write(text.encode(UTF8, "replace"))
            if not block:
                break
    if first is not None and outside * _CHARACTERS_FOR_ONE > characters:
        raise _other_encoding(path, encoding, *first)
    return Outside(outside, first and first[0])


def _other_encoding(path: Path, encoding: Encoding, line: int, byte: int) -> EncodingError:
    return EncodingError("other_encoding", path=str(path), line=line, found=f"0x{byte:02X}", encoding=encoding.name)


class _NotUtf8Error(Exception):
    """The place where a file stops being UTF-8, and how many of its characters beyond ASCII are well formed."""

    def __init__(self, line: int, byte: str, well_formed: int, malformed: int) -> None:
        super().__init__(line, byte)
        self.line, self.byte, self.well_formed, self.malformed = line, byte, well_formed, malformed


def _known(path: Path, chosen: str) -> str:
    try:
        name = codecs.lookup(chosen).name
    except LookupError as error:
        raise EncodingError("unknown", path=str(path), found=chosen, allowed=", ".join(ENCODINGS)) from error
    name = _SAME_ENCODING.get(name, name)
    if name not in ENCODINGS:
        raise EncodingError("unknown", path=str(path), found=chosen, allowed=", ".join(ENCODINGS))
    return name


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield the file in blocks of an even size, the last one excepted."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _check_utf8(path: Path) -> bool:
    """Return whether bytes occur in a file of UTF-8 that UTF-16 is full of; _NotUtf8Error if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    upper, read = False, 0
    try:
        for block in _blocks(path):
            upper = upper or b"\0" in block or b"\4" in block
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
            read += 1
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        before = sum(block.count(b"\n") for block in islice(_blocks(path), read))
        line = 1 + before + error.object[: error.start].count(b"\n")
        well_formed = malformed = 0
        for block in _blocks(path):
            text = block.decode(UTF8, "replace")
            bad = text.count("\ufffd")
            malformed += bad
            well_formed += len(text) - len(text.encode("ascii", "ignore")) - bad
        raise _NotUtf8Error(line, f"0x{error.object[error.start]:02X}", well_formed, malformed) from error
    return upper


def _is_utf8(path: Path) -> bool:
    try:
        _check_utf8(path)
    except _NotUtf8Error:
        return False
    return True


def _pairs(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the pairs of neighbouring bytes that are not both ASCII."""
    first, second = values[:-1].astype(np.int64), values[1:].astype(np.int64)
    wide = (first | second) >= 0x80
    return np.bincount((first[wide] << 8) | second[wide], minlength=1 << 16)


def _most_likely(pairs: NDArray[np.int64]) -> str | None:
    """Return the single-byte encoding under which the text is most like written language, None if none stands out."""
    found = [(int(pair) >> 8, int(pair) & 0xFF, int(pairs[pair])) for pair in np.flatnonzero(pairs)]
    scores: list[tuple[float, str, str]] = []
    for name in _SINGLE_BYTE:
        letters = [bytes([value]).decode(name, "replace") for value in range(256)]
        total = sum(count * (_likeliness(letters[second]) + _fit(letters[first], letters[second]))
                    if second >= 0x80 else count * _fit(letters[first], letters[second])
                    for first, second, count in found)  # fmt: skip
        used = {value for first, second, _ in found for value in (first, second) if value >= 0x80}
        scores.append((total, name, "".join(letters[value] for value in sorted(used))))
    scores.sort(reverse=True)
    best, name, text = scores[0]
    wide = sum(count for _, second, count in found if second >= 0x80)
    if not wide or best / wide < _LEAST_LIKELINESS:
        return None
    rival = next((score for score, _, other in scores[1:] if other != text), -math.inf)
    return name if best - rival >= _CLEAR_LEAD else None


def _likeliness(letter: str) -> float:
    """Return the logarithm of how likely a character beyond ASCII is."""
    small = letter.lower()
    if small in _CYRILLIC:
        return math.log(_CYRILLIC[small] / 1000)
    if letter in _WESTERN:
        return math.log(0.02)
    if letter in _SIGNS:
        return _SIGN
    return _RARE_LETTER if letter.isalpha() else _ODD


def _fit(first: str, second: str) -> float:
    """Return the logarithm of how likely the second character is beside the first, apart from what each is alone."""
    if (first.isdecimal() and second.isalpha()) or (first.isalpha() and second.isdecimal()):
        return _LETTER_AT_FIGURE
    if not (first.isalpha() and second.isalpha()):
        return _CAPITAL_FIRST if second.isupper() else 0
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in (first, second)}
    fit = _OTHER_ALPHABET if len(scripts) > 1 else 0
    if first.islower() and second.isupper():
        fit += _CAPITAL_INSIDE
    elif second.isupper():
        fit += _CAPITAL_AFTER_CAPITAL
    if scripts == {"CYRILLIC"} and (first.lower() in _VOWELS) == (second.lower() in _VOWELS):
        fit += _SAME_SOUND
    if scripts == {"LATIN"} and not first.isascii() and not second.isascii():
        fit += _MARKED_PAIR
    return fit
