"""The measure of a busy neighbour: its process, and what it says of a tiny model."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf

from accuracy import neighbour
from engine.settings import load_settings

SETTINGS = load_settings()


def test_the_neighbour_is_there_while_the_block_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Kept)
    with neighbour.spinning():
        assert started[0].poll() is None
    assert started[0].poll() is not None


def test_each_request_is_answered_alone_and_beside_the_neighbour(tmp_path: Path) -> None:
    path = tiny_gguf.write_model(tmp_path / "tiny.gguf", {"llama.context_length": (tiny_gguf.UINT32, 16384)})
    short = replace(SETTINGS.grammar, text_length=4, list_length=2, question_options=2)
    model = replace(SETTINGS.model, context=16384)
    heard: list[str] = []
    settings = replace(SETTINGS, max_steps=1, grammar=short, model=model)
    found = neighbour.measure(path, settings, 2, heard.append)
    assert [each.rpartition(" ")[2] for each in heard] == ["alone", "beside", "beside", "alone"]
    assert found["seconds"]["alone"] > 0
    assert found["worst"] >= found["ratio"] > 0
    text = neighbour.summary(found)
    assert "tiny.gguf" in text
    assert "under 10" in text
