"""The first try of an unknown model in a process of its own."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf as tiny

from engine.model_error import ModelError
from engine.settings import load_settings
from engine.trial import try_model

SETTINGS = load_settings().model


def test_a_good_model_is_tried_once(tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    try_model(tiny_path, SETTINGS, folder=folder)

    def started(*arguments: object, **options: object) -> None:
        raise AssertionError("tried again")

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", started)
        try_model(tiny_path, SETTINGS, folder=folder)
    adapter = tiny.write_adapter(tmp_path / "lora.gguf")
    try_model(tiny_path, SETTINGS, adapter, folder)
    assert len((folder / "tried.json").read_text().split(",")) == 2


def test_a_model_of_which_the_process_dies_is_an_error(
    tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run

    def dying(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        assert command[:3] == [sys.executable, "-m", "engine.trial"]
        script = "import os, sys; print('GGML_ASSERT failed', file=sys.stderr, flush=True); os.abort()"
        return real([sys.executable, "-c", script], **options)

    monkeypatch.setattr(subprocess, "run", dying)
    with pytest.raises(ModelError) as caught:
        try_model(tiny_path, SETTINGS, folder=tmp_path / "cache")
    assert caught.value.reason == "model_crashes"
    assert caught.value.facts["detail"] == "GGML_ASSERT failed"
    assert caught.value.facts["code"] == -6
    assert not (tmp_path / "cache").exists()


def test_a_broken_file_is_told_without_a_trial(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelError) as caught:
        try_model(path, SETTINGS, folder=tmp_path / "cache")
    assert caught.value.reason == "model_cut"


def test_what_the_model_refuses_itself_is_no_crash(tmp_path: Path) -> None:
    path = tiny.write_model(tmp_path / "m.gguf", {"tokenizer.ggml.model": (tiny.STRING, "x")})
    try_model(path, SETTINGS, folder=tmp_path / "cache")


def test_a_trial_that_takes_too_long_is_an_error(tiny_path: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        try_model(tiny_path, replace(SETTINGS, seconds=0.001), folder=tmp_path / "cache")
    assert caught.value.reason == "too_slow"


def test_a_spoilt_memory_is_ignored(tiny_path: Path, tmp_path: Path) -> None:
    (tmp_path / "tried.json").write_text('{"a": 1')
    try_model(tiny_path, SETTINGS, folder=tmp_path)
    assert "tiny.gguf" in (tmp_path / "tried.json").read_text()
