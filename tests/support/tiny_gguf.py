"""Writes tiny GGUF files: a whole Llama model of a few hundred tokens, and a LoRA adapter for it."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

UINT32, INT32, FLOAT32, BOOLEAN, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
WIDTH, HEADS, KEPT_HEADS, INNER, LAYERS, CONTEXT = 32, 2, 1, 48, 2, 512

Values = Mapping[str, tuple[int, Any]]
Tensors = Mapping[str, np.ndarray[Any, np.dtype[np.float32]]]

WORDS = [
    "▁",
    "▁so",
    "▁sort",
    "sort",
    "filter",
    "tool",
    '{"',
    '":"',
    '"}',
    "Фа",
    "ол",
    "▁Фаол",
    "qoldiq",
    "😀",
    "a",
    "b",
]


def vocabulary() -> list[tuple[str, int, float]]:
    """Return name, type and score of every token."""
    special = [("<unk>", UNKNOWN, 0.0), ("<s>", CONTROL, 0.0), ("</s>", CONTROL, 0.0), ("<|turn|>", CONTROL, 0.0)]
    own = [("<table>", USER_DEFINED, 0.0), ("\n\n", USER_DEFINED, 0.0), ("<unused0>", UNUSED, 0.0)]
    plain = [(f"<0x{byte:02X}>", BYTE, 0.0) for byte in range(256)]
    return [*special, *own, *plain, *((word, NORMAL, -float(place)) for place, word in enumerate(WORDS))]


def model_values() -> dict[str, tuple[int, Any]]:
    """Return the header of the tiny model."""
    tokens = vocabulary()
    return {
        "general.architecture": (STRING, "llama"),
        "general.type": (STRING, "model"),
        "general.name": (STRING, "Tiny"),
        "llama.context_length": (UINT32, CONTEXT),
        "llama.embedding_length": (UINT32, WIDTH),
        "llama.block_count": (UINT32, LAYERS),
        "llama.feed_forward_length": (UINT32, INNER),
        "llama.attention.head_count": (UINT32, HEADS),
        "llama.attention.head_count_kv": (UINT32, KEPT_HEADS),
        "llama.attention.layer_norm_rms_epsilon": (FLOAT32, 1e-5),
        "llama.rope.dimension_count": (UINT32, WIDTH // HEADS),
        "tokenizer.ggml.model": (STRING, "llama"),
        "tokenizer.ggml.tokens": (ARRAY, (STRING, [name for name, _, _ in tokens])),
        "tokenizer.ggml.scores": (ARRAY, (FLOAT32, [score for _, _, score in tokens])),
        "tokenizer.ggml.token_type": (ARRAY, (INT32, [kind for _, kind, _ in tokens])),
        "tokenizer.ggml.bos_token_id": (UINT32, 1),
        "tokenizer.ggml.eos_token_id": (UINT32, 2),
        "tokenizer.ggml.unknown_token_id": (UINT32, 0),
        "tokenizer.ggml.add_bos_token": (BOOLEAN, True),
        "tokenizer.ggml.add_space_prefix": (BOOLEAN, False),
    }


def model_tensors(seed: int = 7) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """Return random weights of the tiny model; the sizes are in numpy's order, rows first."""
    random = np.random.default_rng(seed)

    def made(*sizes: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return random.normal(0, 0.6, sizes).astype(np.float32)

    count, kept = len(vocabulary()), WIDTH // HEADS * KEPT_HEADS
    tensors = {"token_embd.weight": made(count, WIDTH), "output.weight": made(count, WIDTH)}
    tensors["output_norm.weight"] = np.ones(WIDTH, np.float32)
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        tensors |= {name + "attn_norm.weight": np.ones(WIDTH, np.float32), name + "attn_q.weight": made(WIDTH, WIDTH)}
        tensors |= {name + "attn_k.weight": made(kept, WIDTH), name + "attn_v.weight": made(kept, WIDTH)}
        tensors |= {
            name + "attn_output.weight": made(WIDTH, WIDTH),
            name + "ffn_norm.weight": np.ones(WIDTH, np.float32),
        }
        tensors |= {name + "ffn_gate.weight": made(INNER, WIDTH), name + "ffn_up.weight": made(INNER, WIDTH)}
        tensors |= {name + "ffn_down.weight": made(WIDTH, INNER)}
    return tensors


def write_gguf(path: Path, values: Values, tensors: Tensors) -> Path:
    """Write a GGUF file of version 3."""
    head = bytearray(b"GGUF" + struct.pack("<Iqq", 3, len(tensors), len(values)))
    for key, (kind, value) in values.items():
        head += _text(key) + struct.pack("<I", kind) + _value(kind, value)
    offset = 0
    for name, tensor in tensors.items():
        sizes = tensor.shape[::-1]
        head += _text(name) + struct.pack(f"<I{len(sizes)}qIQ", len(sizes), *sizes, 0, offset)
        offset += -(-tensor.nbytes // 32) * 32
    head += bytes(-len(head) % 32)
    body = b"".join(tensor.tobytes() + bytes(-tensor.nbytes % 32) for tensor in tensors.values())
    path.write_bytes(head + body)
    return path


def write_model(path: Path, changes: Values | None = None, without: Sequence[str] = ()) -> Path:
    """Write the tiny model with some values of its header changed or left out."""
    values = {key: value for key, value in (model_values() | dict(changes or {})).items() if key not in without}
    return write_gguf(path, values, model_tensors())


def write_adapter(path: Path, changes: Values | None = None) -> Path:
    """Write a LoRA adapter of rank 4 for the tiny model."""
    random = np.random.default_rng(11)
    values: dict[str, tuple[int, Any]] = {
        "general.architecture": (STRING, "llama"),
        "general.type": (STRING, "adapter"),
        "adapter.type": (STRING, "lora"),
        "adapter.lora.alpha": (FLOAT32, 8.0),
    }
    tensors = {
        f"blk.{layer}.attn_q.weight.lora_{part}": random.normal(0, 0.5, sizes).astype(np.float32)
        for layer in range(LAYERS)
        for part, sizes in (("a", (4, WIDTH)), ("b", (WIDTH, 4)))
    }
    return write_gguf(path, values | dict(changes or {}), tensors)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind: int, value: Any) -> bytes:
    if kind == STRING:
        return _text(value)
    if kind == ARRAY:
        item, items = value
        return struct.pack("<IQ", item, len(items)) + b"".join(_value(item, one) for one in items)
    form = {UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOLEAN: "<?"}[kind]
    return struct.pack(form, value)
