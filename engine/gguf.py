"""The header of a GGUF file, read by a small bounded reader before llama.cpp sees the file.

llama.cpp ends the process on some broken files, so every count, length and offset is held against the size
of the file here, and the few values that the loader divides by or indexes with are checked.
The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import re
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

from .model_error import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_ENTRIES = 100_000
MAX_ITEMS = 4_000_000
MAX_DIMENSIONS = 4
MAX_TENSOR_NAME = 63
MAX_LAYERS = 512
MAX_WIDTH = 1 << 20
KEPT_ITEMS = 1024
BYTE_NAMES = frozenset(b"<0x%02X>" % byte for byte in range(256))
MAX_EXPERTS = 512
LEAST_ALIGNMENT = 32
ALIGNMENTS = (32, 64, 128, 256, 512, 1024, 2048, 4096)
ROPE_SCALINGS = ("none", "linear", "yarn", "longrope")
NO_TOKEN = (1 << 32) - 1
BLOCK = 1 << 20

STRING, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
BOOLEAN = 7
INTEGERS = (0, 1, 2, 3, 4, 5, 10, 11)
INT32, UINT32, FLOAT32 = 5, 4, 6
WHOLE_NUMBERS = (24, 25, 26, 27)  # ggml types that no weight has

# ggml type -> (values in a block, bytes of a block)
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip


@dataclass(frozen=True)
class Array:
    """An array in the header: the type and number of its items, and the items of a short array of numbers.

    Of an array of strings it is known whether one is repeated, and whether every byte has its name there.
    """

    type: int
    count: int
    items: tuple[int | float | bool, ...] = ()
    repeated: bool = False
    all_bytes: bool = False


Value = int | float | bool | str | Array


@dataclass(frozen=True)
class Tensor:
    """One tensor's place: its sizes, its ggml type, its offset in bytes from the start of the data."""

    name: str
    sizes: tuple[int, ...]
    type: int
    offset: int

    def bytes(self) -> int:
        """Return the bytes that the tensor takes in the file; 0 where its type is not known here."""
        values, size = BLOCKS.get(self.type, (1, 0))
        return prod(self.sizes) // values * size


@dataclass(frozen=True)
class Header:
    """What a GGUF file says about itself. `size` is the file's, in bytes."""

    path: Path
    size: int
    values: dict[str, Value]
    tensors: tuple[Tensor, ...]

    @property
    def architecture(self) -> str:
        """Return the name under which the file keeps its model's numbers."""
        return str(self.values.get("general.architecture", ""))

    def number(self, key: str, default: int = 0) -> int:
        """Return the model's whole number of this key (the largest one where every layer has its own)."""
        value = self.values.get(f"{self.architecture}.{key}", default)
        if isinstance(value, Array):
            value = max(value.items, default=default)
        return value if isinstance(value, int) else default

    def cache_bytes(self, context: int) -> int:
        """Return the bytes of the key and value cache (16-bit) for a context of so many tokens."""
        heads = self.number("attention.head_count")
        width = self.number("embedding_length") // max(heads, 1)
        key = self.number("attention.key_length", width)
        value = self.number("attention.value_length", width)
        kept = self.number("attention.head_count_kv", heads)
        return context * self.number("block_count") * kept * (key + value) * 2


class _Reader:
    """Reads a file forward and never past its end."""

    def __init__(self, file: BinaryIO, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self._file = file
        self._block = b""
        self._at = 0
        self._start = 0

    @property
    def position(self) -> int:
        return self._start + self._at

    def need(self, count: int) -> None:
        """Have `count` bytes ready at the reading position."""
        if count > self.size - self.position:
            raise ModelError("model_cut", path=str(self.path), size=self.size, needed=self.position + count)
        if self._at + count > len(self._block):
            self._start += self._at
            self._block = self._block[self._at :] + self._file.read(max(count, BLOCK))
            self._at = 0
            if len(self._block) < count:
                raise ModelError("model_cut", path=str(self.path), size=self.size, needed=self._start + count)

    def take(self, count: int) -> bytes:
        self.need(count)
        self._at += count
        return self._block[self._at - count : self._at]

    def scalar(self, kind: int) -> int | float | bool:
        form = struct.Struct("<" + SCALARS[kind])
        (value,) = form.unpack(self.take(form.size))
        return bool(value) if kind == BOOLEAN else value

    def whole(self, kind: int = 10) -> int:
        return int(self.scalar(kind))

    def text(self, limit: int | None = None) -> str:
        length = self.whole()
        if limit is not None and length > limit:
            raise self.damaged("name", length, limit)
        return self.take(length).decode("utf-8", "replace")

    def skip(self, count: int) -> None:
        if count > self.size - self.position:
            raise ModelError("model_cut", path=str(self.path), size=self.size, needed=self.position + count)
        target = self.position + count
        if target <= self._start + len(self._block):
            self._at += count
        else:
            self._file.seek(target)
            self._block, self._at, self._start = b"", 0, target

    def texts(self, count: int) -> Iterator[bytes]:
        """Yield `count` strings as bytes; a vocabulary has hundreds of thousands."""
        length_of = struct.Struct("<Q").unpack_from
        for _ in range(count):
            if self._at + 8 > len(self._block):
                self.need(8)
            (length,) = length_of(self._block, self._at)
            self._at += 8
            if self._at + length > len(self._block):
                self.need(length)
            start = self._at
            self._at = start + length
            yield self._block[start : self._at]

    def damaged(self, part: str, found: object, allowed: object) -> ModelError:
        return ModelError("model_damaged", path=str(self.path), part=part, found=found, allowed=allowed)


def file_identity(path: Path) -> str:
    """Return what tells a file apart without reading it: its name, bytes and time of change. Raises ModelError."""
    try:
        about = path.stat()
    except OSError:
        raise ModelError("model_missing", path=str(path)) from None
    return f"{path.name}:{about.st_size}:{about.st_mtime_ns}"


def read_header(path: Path) -> Header:
    """Read and check the header of the GGUF file at `path`, and of the other pieces of a split file.

    Every tensor named lies inside its file. Raises ModelError: `model_missing`, `model_unreadable`,
    `not_a_model`, `model_version`, `model_cut`, `model_damaged`.
    """
    first = _read_one(path)
    pieces = first.values.get("split.count", 1)
    if not isinstance(pieces, int) or pieces <= 1:
        return first
    others = [_read_one(piece) for piece in _pieces(path, pieces)[1:]]
    size = first.size + sum(piece.size for piece in others)
    tensors = first.tensors + tuple(tensor for piece in others for tensor in piece.tensors)
    return Header(path, size, first.values, tensors)


def _pieces(path: Path, count: int) -> list[Path]:
    named = re.fullmatch(r"(.*)-00001-of-(\d{5})\.gguf", path.name)
    if named is None or int(named[2]) != count:
        raise ModelError("model_piece", path=str(path), pieces=count)
    return [path.with_name(f"{named[1]}-{number:05d}-of-{named[2]}.gguf") for number in range(1, count + 1)]


def _read_one(path: Path) -> Header:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _parse(_Reader(file, path, size))
    except FileNotFoundError:
        raise ModelError("model_missing", path=str(path)) from None
    except OSError as error:
        raise ModelError("model_unreadable", path=str(path), detail=error.strerror) from None


def _parse(reader: _Reader) -> Header:
    magic = reader.take(min(len(MAGIC), reader.size))
    if magic != MAGIC:
        raise ModelError("not_a_model", path=str(reader.path), found=magic.decode("ascii", "replace"))
    version = reader.whole(UINT32)
    if version not in VERSIONS:
        raise ModelError("model_version", path=str(reader.path), found=version, allowed=list(VERSIONS))
    tensor_count, value_count = reader.whole(), reader.whole()
    for part, found in (("tensors", tensor_count), ("values", value_count)):
        if found > MAX_ENTRIES:
            raise reader.damaged(part, found, MAX_ENTRIES)
    values: dict[str, Value] = {}
    for _ in range(value_count):
        key = reader.text()
        if key in values:
            raise reader.damaged(key[:MAX_TENSOR_NAME], 2, 1)
        values[key] = _value(reader, key)
    tensors = tuple(_tensors(reader, tensor_count))
    _check_places(reader, values, tensors)
    return Header(reader.path, reader.size, values, tensors)


def _value(reader: _Reader, key: str) -> Value:
    kind = reader.whole(UINT32)
    if kind == STRING:
        return reader.text()
    if kind in SCALARS:
        return reader.scalar(kind)
    if kind != ARRAY:
        raise reader.damaged(key, kind, [*SCALARS, STRING, ARRAY])
    kind, count = reader.whole(UINT32), reader.whole()
    if count > MAX_ITEMS:
        raise reader.damaged(key, count, MAX_ITEMS)
    if kind == STRING:
        return _words(reader, count)
    if kind not in SCALARS:
        raise reader.damaged(key, kind, [*SCALARS, STRING])
    if count <= KEPT_ITEMS:
        return Array(kind, count, tuple(reader.scalar(kind) for _ in range(count)))
    reader.skip(count * struct.calcsize("<" + SCALARS[kind]))
    return Array(kind, count)


def _words(reader: _Reader, count: int) -> Array:
    words = Counter(reader.texts(count))
    repeated = any(number > 1 for word, number in words.items() if word)
    return Array(STRING, count, repeated=repeated, all_bytes=words.keys() >= BYTE_NAMES)


def _tensors(reader: _Reader, count: int) -> Iterator[Tensor]:
    names = set()
    for _ in range(count):
        name = reader.text(MAX_TENSOR_NAME)
        if name in names:
            raise reader.damaged(name, 2, 1)
        names.add(name)
        dimensions = reader.whole(UINT32)
        if dimensions > MAX_DIMENSIONS:
            raise reader.damaged(name, dimensions, MAX_DIMENSIONS)
        sizes = tuple(reader.whole(11) for _ in range(dimensions))
        if any(size < 0 for size in sizes) or prod(sizes) > reader.size * 8:
            raise reader.damaged(name, list(sizes), reader.size * 8)
        yield Tensor(name, sizes, reader.whole(UINT32), reader.whole())


def _check_places(reader: _Reader, values: dict[str, Value], tensors: tuple[Tensor, ...]) -> None:
    alignment = values.get("general.alignment", LEAST_ALIGNMENT)
    if not isinstance(alignment, int) or alignment not in ALIGNMENTS:
        raise reader.damaged("general.alignment", alignment, list(ALIGNMENTS))
    data = -(-reader.position // alignment) * alignment
    for tensor in tensors:
        values_in_block = BLOCKS.get(tensor.type, (1, 0))[0]
        if tensor.sizes and tensor.sizes[0] % values_in_block:
            raise reader.damaged(tensor.name, tensor.sizes[0], f"n * {values_in_block}")
        end = data + tensor.offset + tensor.bytes()
        if end > reader.size:
            raise ModelError("model_cut", path=str(reader.path), size=reader.size, needed=end)


def check_model(header: Header) -> None:
    """Check that the header describes a text model whose numbers llama.cpp can work with.

    Raises ModelError: `model_kind` for an adapter or another kind of file, `model_damaged` for a number
    that is absent, of another type or absurd.
    """
    kind = header.values.get("general.type", "model")
    if not header.architecture or kind != "model" or not header.tensors:
        raise ModelError("model_kind", path=str(header.path), found=str(kind), allowed="model")
    recurrent = any(key.startswith(f"{header.architecture}.ssm.") for key in header.values)
    least = 0 if recurrent else 1
    for key, low, high in (
        ("block_count", 1, MAX_LAYERS),
        ("embedding_length", 1, MAX_WIDTH),
        ("context_length", 1, 1 << 30),
        ("attention.head_count", least, MAX_WIDTH),
    ):
        _bounded(header, key, low, high)
    for key, low in (("attention.head_count_kv", 0), ("attention.key_length", 1), ("attention.value_length", 1)):
        if f"{header.architecture}.{key}" in header.values:
            _bounded(header, key, low, MAX_WIDTH)
    _check_settled(header)
    _check_vocabulary(header)


def _check_settled(header: Header) -> None:
    """Check what llama.cpp only asserts: the process would end there."""
    name, values = header.architecture, header.values
    for key in ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"):
        number = values.get(f"{name}.{key}", 0.0)
        if not isinstance(number, int | float) or not 0 <= number < 1:
            raise _damaged(header, f"{name}.{key}", number, "0 ... 1")
    scaling = values.get(f"{name}.rope.scaling.type", ROPE_SCALINGS[0])
    if scaling not in ROPE_SCALINGS:
        raise _damaged(header, f"{name}.rope.scaling.type", scaling, list(ROPE_SCALINGS))
    experts, used = header.number("expert_count"), header.number("expert_used_count")
    if not (0 < used <= experts <= MAX_EXPERTS or used == experts == 0):
        raise _damaged(header, f"{name}.expert_used_count", used, f"1 ... {min(experts, MAX_EXPERTS)}")
    if header.number("nextn_predict_layers") > header.number("block_count"):
        found = header.number("nextn_predict_layers")
        raise _damaged(header, f"{name}.nextn_predict_layers", found, f"0 ... {header.number('block_count')}")
    for tensor in header.tensors:
        if tensor.type in WHOLE_NUMBERS:
            raise _damaged(header, tensor.name, tensor.type, "0 ... 23")


def _bounded(header: Header, key: str, low: int, high: int) -> None:
    full = f"{header.architecture}.{key}"
    value = header.values.get(full)
    found = list(value.items) if isinstance(value, Array) else [value]
    if not found or not all(type(item) is int and low <= item <= high for item in found):
        shown = found[0] if len(found) == 1 else found
        raise _damaged(header, full, "-" if value is None else shown, f"{low} ... {high}")


def _check_vocabulary(header: Header) -> None:
    kind = header.values.get("tokenizer.ggml.model")
    if kind == "bert":
        raise ModelError("model_kind", path=str(header.path), found="bert", allowed="model")
    tokens = header.values.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, Array) or tokens.type != STRING or not tokens.count:
        raise _damaged(header, "tokenizer.ggml.tokens", "-", "1 ...")
    if tokens.repeated or (kind == "llama" and not tokens.all_bytes):
        raise _damaged(header, "tokenizer.ggml.tokens", "x2" if tokens.repeated else "-", "<0x00> ... <0xFF>")
    for key, kinds in (("token_type", (INT32, UINT32)), ("scores", (FLOAT32,))):
        value = header.values.get(f"tokenizer.ggml.{key}")
        if value is None:
            continue
        if not isinstance(value, Array) or value.type not in kinds or value.count != tokens.count:
            found = value.count if isinstance(value, Array) else "-"
            raise _damaged(header, f"tokenizer.ggml.{key}", found, tokens.count)
    for key, number in header.values.items():
        if not (key.startswith("tokenizer.ggml.") and key.endswith("_token_id")):
            continue
        if type(number) is not int or (number >= tokens.count and number != NO_TOKEN) or number < 0:
            raise _damaged(header, key, number, f"0 ... {tokens.count - 1}")


def _damaged(header: Header, part: str, found: object, allowed: object) -> ModelError:
    return ModelError("model_damaged", path=str(header.path), part=part, found=found, allowed=allowed)
