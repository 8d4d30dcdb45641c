"""The header of a model file: whatever is broken in it is a clear error, and llama.cpp never ends the process."""

import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import broken_models
import pytest
import tiny_gguf as tiny

from engine.gguf import check_model, read_header
from engine.model_error import ModelError

LOADER = """
import sys
from dataclasses import replace
from pathlib import Path
from engine.model import LlamaModel
from engine.settings import load_settings
from grammar.errors import TezError
settings = replace(load_settings().model, threads=1, context=256)
for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, end="\\t", flush=True)
    try:
        with LlamaModel(path, settings) as model:
            model.read(model.chat_tokens("sort x Ў 😀 <s>"))
            model.append(int(model.logits().argmax()))
        print("loaded", flush=True)
    except TezError as error:
        print(error.reason, flush=True)
"""


def reason(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        check_model(read_header(path))
    return caught.value.reason


def test_the_header_of_a_good_model(tiny_path: Path) -> None:
    header = read_header(tiny_path)
    check_model(header)
    assert header.architecture == "llama"
    assert header.number("block_count") == tiny.LAYERS
    assert len(header.tensors) == len(tiny.model_tensors())
    assert header.cache_bytes(100) == 100 * tiny.LAYERS * tiny.KEPT_HEADS * 2 * (tiny.WIDTH // tiny.HEADS) * 2


def test_what_is_no_file_or_no_model(tmp_path: Path) -> None:
    assert reason(tmp_path / "none.gguf") == "model_missing"
    assert reason(tmp_path) == "model_unreadable"
    path = tmp_path / "x.gguf"
    for data in (b"", b"GG", b"PK\x03\x04 a zip", bytes(1000), b"viloyat,qoldiq\n" * 50):
        path.write_bytes(data)
        assert reason(path) in {"not_a_model", "model_cut"}
    for version in (1, 4, 3 << 24):
        path.write_bytes(b"GGUF" + struct.pack("<Iqq", version, 1, 1) + bytes(100))
        assert reason(path) == "model_version"


def test_a_file_cut_anywhere_is_an_error(tiny_path: Path, tmp_path: Path) -> None:
    whole = tiny_path.read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in [*range(5, 1200, 37), *range(1200, len(whole), 9973), len(whole) - 40]:
        cut.write_bytes(whole[:length])
        assert reason(cut) == "model_cut", length


@pytest.mark.parametrize(
    ("place", "data"),
    [
        (8, struct.pack("<Q", 2**63)),
        (16, struct.pack("<Q", 2**64 - 1)),
        (16, struct.pack("<Q", 10**6)),
        (24, struct.pack("<Q", 2**40)),
    ],
)
def test_absurd_counts_are_errors(tiny_path: Path, place: int, data: bytes) -> None:
    whole = bytearray(tiny_path.read_bytes())
    whole[place : place + len(data)] = data
    tiny_path.write_bytes(whole)
    assert reason(tiny_path) in {"model_damaged", "model_cut"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("llama.block_count", (tiny.UINT32, 0)),
        ("llama.block_count", (tiny.UINT32, 10**6)),
        ("llama.attention.head_count", (tiny.UINT32, 0)),
        ("llama.embedding_length", (tiny.STRING, "wide")),
        ("llama.attention.layer_norm_rms_epsilon", (tiny.FLOAT32, float("nan"))),
        ("llama.rope.scaling.type", (tiny.STRING, "odd")),
        ("llama.expert_count", (tiny.UINT32, 3)),
        ("general.alignment", (tiny.UINT32, 1)),
        ("tokenizer.ggml.tokens", (tiny.ARRAY, (tiny.STRING, []))),
        ("tokenizer.ggml.tokens", (tiny.ARRAY, (tiny.STRING, ["a"] * 278))),
        ("tokenizer.ggml.token_type", (tiny.ARRAY, (tiny.INT32, [1, 2]))),
        ("tokenizer.ggml.scores", (tiny.ARRAY, (tiny.FLOAT32, [0.0]))),
        ("tokenizer.ggml.bos_token_id", (tiny.UINT32, 10**6)),
    ],
)
def test_a_number_that_cannot_be_is_named(tmp_path: Path, key: str, value: tuple[int, object]) -> None:
    path = tiny.write_model(tmp_path / "m.gguf", {key: value})
    with pytest.raises(ModelError) as caught:
        check_model(read_header(path))
    assert caught.value.reason == "model_damaged"
    assert caught.value.facts["part"].startswith(key.rsplit(".", 1)[0])


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    assert reason(tiny.write_model(tmp_path / "a.gguf", {"general.type": (tiny.STRING, "mmproj")})) == "model_kind"
    assert reason(tiny.write_model(tmp_path / "b.gguf", without=["general.architecture"])) == "model_kind"
    assert (
        reason(tiny.write_model(tmp_path / "c.gguf", {"tokenizer.ggml.model": (tiny.STRING, "bert")})) == "model_kind"
    )


def test_the_pieces_of_a_split_model_belong_together(tmp_path: Path) -> None:
    split = {"split.count": (tiny.UINT32, 2)}
    first = tiny.write_model(tmp_path / "m-00001-of-00002.gguf", split)
    assert reason(first) == "model_missing"
    second = tiny.write_model(tmp_path / "m-00002-of-00002.gguf", split)
    assert read_header(first).size == first.stat().st_size + second.stat().st_size
    assert reason(tiny.write_model(tmp_path / "m.gguf", split)) == "model_piece"


Maker = Callable[[Path], Iterator[Path]]


def some_headers(folder: Path) -> Iterator[Path]:
    """Keep every fifth of the changed headers; all of them are a soak run."""
    for number, path in enumerate(broken_models.changed_headers(folder)):
        if number % 5:
            path.unlink()
        else:
            yield path


def loads_without_dying(folder: Path, make: Maker) -> None:
    made = {path.name for path in make(folder)}
    ended = subprocess.run(
        [sys.executable, "-c", LOADER, str(folder)],
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    outcomes = dict(line.split("\t") for line in ended.stdout.splitlines() if "\t" in line)
    assert ended.returncode == 0, ended.stdout.splitlines()[-1:] + ended.stderr.splitlines()[-3:]
    assert outcomes.keys() == made
    assert ended.stderr == ""


def test_broken_models_do_not_end_the_process(tmp_path: Path) -> None:
    loads_without_dying(tmp_path, lambda folder: broken_models.damaged_bytes(folder, 60, 1))


@pytest.mark.soak
@pytest.mark.parametrize(
    "make",
    [
        broken_models.changed_headers,
        broken_models.changed_types,
        *(lambda folder, seed=seed: broken_models.damaged_bytes(folder, 500, seed) for seed in range(2, 6)),
    ],
)
def test_many_broken_models_do_not_end_the_process(tmp_path: Path, make: Maker) -> None:
    loads_without_dying(tmp_path, make)


def test_changed_headers_do_not_end_the_process(tmp_path: Path) -> None:
    loads_without_dying(tmp_path, some_headers)
