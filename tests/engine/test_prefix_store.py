"""Stored beginnings of prompts: whole or not there, bounded, and the same as reading anew."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_gguf

from engine.model import LlamaModel
from engine.prefix_store import PrefixStore
from engine.settings import load_settings

SETTINGS = load_settings().model
PROMPT = "sort filter tool Фаол qoldiq 😀 " * 8
LARGE = 10**9


def stored(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path / "new", LARGE)
    assert store.load("a") is None
    assert store.save("a", b"one\ntwo")
    assert store.load("a") == b"one\ntwo"
    assert store.load("b") is None


@pytest.mark.parametrize("damage", [b"", b"x", b'{"bytes": 3}\none', b'{"bytes": 3, "sha256": "0"}\none'])
def test_a_damaged_file_is_none_and_goes(tmp_path: Path, damage: bytes) -> None:
    store = PrefixStore(tmp_path, LARGE)
    store.save("a", b"one")
    (path,) = stored(tmp_path)
    path.write_bytes(damage)
    assert store.load("a") is None
    assert stored(tmp_path) == []


def test_a_file_under_the_name_of_another_key_is_none(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, LARGE)
    store.save("a", b"one")
    (first,) = stored(tmp_path)
    store.save("b", b"two")
    (second,) = set(stored(tmp_path)) - {first}
    second.write_bytes(first.read_bytes())
    assert store.load("b") is None


def test_what_was_used_longest_ago_leaves_first(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, 600)
    assert store.save("a", b"a" * 100)
    assert store.save("b", b"b" * 100)
    assert store.load("a") is not None
    assert store.save("c", b"c" * 200)
    assert [store.load(key) is not None for key in "abc"] == [True, False, True]
    assert not store.save("d", b"d" * 1000)
    assert sum(path.stat().st_size for path in stored(tmp_path)) <= 600


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert not PrefixStore(tmp_path / "file" / "folder", LARGE).save("a", b"one")


def test_a_stored_beginning_gives_the_logits_of_a_fresh_read(tmp_path: Path) -> None:
    path, folder = tiny_gguf.write_model(tmp_path / "tiny.gguf"), tmp_path / "store"
    with LlamaModel(path, SETTINGS) as model:
        tokens = model.chat_tokens(PROMPT + "a b")
        (end,) = model.shared_tokens(PROMPT + "a b", [len(PROMPT)])
        model.read(tokens, shared=[end])
        fresh = model.logits().copy()
    assert 0 < end < len(tokens)
    for reused in (0, end):
        with LlamaModel(path, SETTINGS, store=PrefixStore(folder, LARGE)) as model:
            assert model.read(tokens, shared=[end]) == reused
            np.testing.assert_array_equal(model.logits(), fresh)
    assert len(stored(folder)) == 1


def test_another_model_or_context_does_not_take_it(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path / "store", LARGE)
    path = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    other = tiny_gguf.write_model(tmp_path / "other.gguf")
    for file, settings in ((path, SETTINGS), (other, SETTINGS), (path, replace(SETTINGS, context=256))):
        with LlamaModel(file, settings, store=store) as model:
            tokens = model.chat_tokens(PROMPT + "a")
            assert model.read(tokens, shared=[len(tokens) // 2]) == 0


@pytest.mark.parametrize("size", [0, 1, 40])
def test_a_state_that_llama_cpp_refuses_is_read_anew(tmp_path: Path, size: int) -> None:
    store, path = PrefixStore(tmp_path / "store", LARGE), tiny_gguf.write_model(tmp_path / "tiny.gguf")
    with LlamaModel(path, SETTINGS, store=store) as model:
        tokens = model.chat_tokens(PROMPT + "a")
        model.read(tokens, shared=[40])
        fresh = model.logits().copy()
        store.save(model.state_key(tokens[:40], [40]), b"\0" * size)
    with LlamaModel(path, SETTINGS, store=store) as model:
        assert model.read(tokens, shared=[40]) == 0
        np.testing.assert_array_equal(model.logits(), fresh)
