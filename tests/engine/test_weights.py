"""The default weights: assembled once, checked by SHA-256, never half there."""

import hashlib
import os
import subprocess
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine import weights
from engine.model_error import ModelError
from engine.settings import WeightsSettings, load_settings
from engine.weights import default_weights, sha256_of, weights_folder

CONTENT = b"weights " * 1000
SETTINGS = WeightsSettings(
    package="made_up_weights", file="small.gguf", bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest()
)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes | Exception], list[Path]]:
    """Return a function that installs a package which assembles this content, and gives the list of its calls."""

    def install(content: bytes | Exception) -> list[Path]:
        calls: list[Path] = []

        def assemble(path: Path) -> Path:
            calls.append(path)
            path.write_bytes(CONTENT[:50] if isinstance(content, Exception) else content)
            if isinstance(content, Exception):
                raise content
            return path

        module = types.ModuleType(SETTINGS.package)
        module.assemble = assemble  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, SETTINGS.package, module)
        return calls

    return install


Install = Callable[[bytes | Exception], list[Path]]


def refused(settings: WeightsSettings, folder: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        default_weights(settings, folder)
    return caught.value


def test_the_file_is_assembled_once_under_another_name_first(package: Install, tmp_path: Path) -> None:
    calls = package(CONTENT)
    folder = tmp_path / "new" / "models"
    path = default_weights(SETTINGS, folder)
    assert path == folder / "small.gguf"
    assert path.read_bytes() == CONTENT
    assert calls[0] != path
    assert default_weights(SETTINGS, folder) == path
    assert len(calls) == 1
    assert sorted(file.name for file in folder.iterdir()) == ["small.gguf", "small.gguf.checked"]


def test_a_checked_file_is_not_read_again(package: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(CONTENT)
    default_weights(SETTINGS, tmp_path)
    read: list[Path] = []

    def noted(path: Path) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(weights, "sha256_of", noted)
    default_weights(SETTINGS, tmp_path)
    assert read == []
    os.utime(tmp_path / "small.gguf", (1, 1))
    default_weights(SETTINGS, tmp_path)
    assert read == [tmp_path / "small.gguf"]


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT[:-1] + b"x", b""])
def test_another_file_under_the_name_is_refused_and_left_alone(
    package: Install, tmp_path: Path, content: bytes
) -> None:
    calls = package(CONTENT)
    path = tmp_path / "small.gguf"
    path.write_bytes(content)
    error = refused(SETTINGS, tmp_path)
    assert (error.reason, error.facts["path"], error.facts["allowed"]) == ("weights_wrong", str(path), SETTINGS.sha256)
    assert path.read_bytes() == content
    assert calls == []


def test_a_file_exchanged_after_the_check_is_refused(package: Install, tmp_path: Path) -> None:
    package(CONTENT)
    path = default_weights(SETTINGS, tmp_path)
    path.write_bytes(CONTENT[:-1] + b"x")
    assert refused(SETTINGS, tmp_path).reason == "weights_wrong"


@pytest.mark.parametrize(
    "content",
    [CONTENT[:-1], ValueError("sha256 did not match"), FileNotFoundError("Missing chunk"), ImportError("part2")],
)
def test_a_package_that_makes_another_file_leaves_nothing(
    package: Install, tmp_path: Path, content: bytes | Exception
) -> None:
    package(content)
    error = refused(SETTINGS, tmp_path)
    assert (error.reason, error.facts["package"]) == ("weights_broken", "made-up-weights")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_assembly_leaves_nothing(package: Install, tmp_path: Path) -> None:
    package(CONTENT)
    sys.modules[SETTINGS.package].assemble = interrupted  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        default_weights(SETTINGS, tmp_path)
    assert list(tmp_path.iterdir()) == []


def interrupted(path: Path) -> Path:
    path.write_bytes(CONTENT[:99])
    raise KeyboardInterrupt


def test_what_a_dead_process_left_is_cleared_away(package: Install, tmp_path: Path) -> None:
    package(CONTENT)
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = tmp_path / f".small.gguf.{int(ended.stdout)}"
    left.write_bytes(b"half")
    alive = tmp_path / f".small.gguf.{os.getppid()}"
    alive.write_bytes(b"growing")
    default_weights(SETTINGS, tmp_path)
    assert not left.exists()
    assert alive.exists()


def test_without_the_package_the_error_names_the_command(tmp_path: Path) -> None:
    error = refused(replace(SETTINGS, package="no_such_weights"), tmp_path)
    assert (error.reason, error.facts["command"]) == ("weights_missing", "pip install no-such-weights")
    assert refused(replace(SETTINGS, package="json"), tmp_path).reason == "weights_missing"


def test_too_little_room_is_said_before_anything_is_written(package: Install, tmp_path: Path) -> None:
    calls = package(CONTENT)
    error = refused(replace(SETTINGS, bytes=1 << 60), tmp_path)
    assert error.reason == "weights_no_space"
    assert error.facts["needed"] > error.facts["found"]
    assert calls == []


def test_a_folder_that_cannot_be_made_is_an_error(package: Install, tmp_path: Path) -> None:
    package(CONTENT)
    (tmp_path / "file").write_bytes(b"")
    assert refused(SETTINGS, tmp_path / "file" / "models").reason == "weights_not_written"


def test_the_folder_is_in_the_users_cache() -> None:
    assert weights_folder().parts[-2:] == ("tez", "models")


@pytest.mark.model
def test_the_real_package_makes_the_file_of_the_settings(tmp_path: Path) -> None:
    settings = load_settings().weights
    pytest.importorskip(settings.package, reason=f"the weights are not installed: {settings.package}")
    path = default_weights(settings, tmp_path)
    assert path.stat().st_size == settings.bytes
    assert sha256_of(path) == settings.sha256
    path.unlink()
