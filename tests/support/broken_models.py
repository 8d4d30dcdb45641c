"""Makes broken copies of the tiny model: values changed, bytes flipped, the end cut off."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tiny_gguf as tiny

ODD_VALUES: list[tuple[int, Any]] = [
    (tiny.UINT32, 0),
    (tiny.UINT32, 1),
    (tiny.UINT32, 3),
    (tiny.UINT32, 2**32 - 1),
    (tiny.INT32, -1),
    (tiny.FLOAT32, float("nan")),
    (tiny.FLOAT32, -1e30),
    (tiny.BOOLEAN, True),
    (tiny.STRING, ""),
    (tiny.STRING, "x"),
    (tiny.ARRAY, (tiny.UINT32, [])),
    (tiny.ARRAY, (tiny.STRING, ["a"] * 3)),
    (tiny.ARRAY, (tiny.INT32, [-7] * len(tiny.vocabulary()))),
    (tiny.ARRAY, (tiny.STRING, [""] * len(tiny.vocabulary()))),
]
OTHER_KEYS = [
    "llama.rope.scaling.type",
    "llama.rope.freq_base",
    "llama.expert_count",
    "llama.expert_used_count",
    "llama.attention.key_length",
    "llama.attention.value_length",
    "llama.attention.sliding_window",
    "llama.nextn_predict_layers",
    "llama.vocab_size",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.precompiled_charsmap",
    "tokenizer.chat_template",
    "split.count",
    "general.alignment",
]


def changed_headers(folder: Path) -> Iterator[Path]:
    """Write a copy for every value left out, and for every value replaced by an odd one."""
    number = 0
    for key in tiny.model_values():
        yield tiny.write_model(folder / f"without {number} {key}.gguf", without=[key])
        number += 1
    for key in [*tiny.model_values(), *OTHER_KEYS]:
        for kind, value in ODD_VALUES:
            yield tiny.write_model(folder / f"changed {number} {key}.gguf", {key: (kind, value)})
            number += 1


def changed_types(folder: Path) -> Iterator[Path]:
    """Write a copy for every type of tensor that could stand where a float stood."""
    whole = tiny.write_model(folder / "whole.gguf").read_bytes()
    (folder / "whole.gguf").unlink()
    for name in ("token_embd.weight", "blk.0.attn_q.weight", "blk.1.attn_norm.weight", "output_norm.weight"):
        at = whole.index(name.encode()) + len(name)
        place = at + 4 + 8 * whole[at]
        for kind in range(1, 44):
            path = folder / f"type {kind} {name}.gguf"
            path.write_bytes(whole[:place] + bytes((kind,)) + whole[place + 1 :])
            yield path


def damaged_bytes(folder: Path, count: int, seed: int) -> Iterator[Path]:
    """Write copies with a few bytes of the header changed or with the end cut off."""
    chance = random.Random(seed)
    whole = tiny.write_model(folder / "whole.gguf").read_bytes()
    (folder / "whole.gguf").unlink()
    header = len(whole) - sum(-(-tensor.nbytes // 32) * 32 for tensor in tiny.model_tensors().values())
    for number in range(count):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 1, 2, 4])):
            place = chance.choice(
                [chance.randrange(header), chance.randrange(900), chance.randrange(header - 2000, header)]
            )
            data[place] = chance.choice([0, 1, 128, 255, chance.randrange(256), data[place] ^ 1 << chance.randrange(8)])
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        path = folder / f"bytes {seed} {number}.gguf"
        path.write_bytes(data)
        yield path
