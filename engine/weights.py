"""The default weights: carried by a package, assembled once into the user's cache folder, told by their SHA-256."""

import hashlib
import importlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import platformdirs
import psutil

from .model_error import ModelError
from .settings import WeightsSettings

BLOCK = 1 << 20
MEGABYTE = 1_000_000


def weights_folder() -> Path:
    """Return the folder in the user's cache where assembled weights are kept."""
    return platformdirs.user_cache_path("tez", appauthor=False) / "models"


def default_weights(settings: WeightsSettings, folder: Path | None = None) -> Path:
    """Return the path of the default model, assembled from its package where it is not there yet.

    The file appears under its name only when it is complete and has the right SHA-256. A file that was checked is
    not read again while its size and time of change stay. Raises ModelError: `weights_missing` without the package,
    `weights_wrong` for another file under the name, `weights_broken` where the package makes another file,
    `weights_no_space` (sizes in megabytes), `weights_not_written`.
    """
    folder = weights_folder() if folder is None else folder
    path = folder / settings.file
    try:
        if path.exists():
            _check(path, settings)
        else:
            _assemble(path, settings)
    except OSError as error:
        raise ModelError("weights_not_written", path=str(path), detail=error.strerror or str(error)) from None
    return path


def _check(path: Path, settings: WeightsSettings) -> None:
    if _remembered(path, settings):
        return
    found = sha256_of(path) if path.stat().st_size == settings.bytes else f"{path.stat().st_size} bytes"
    if found != settings.sha256:
        raise ModelError("weights_wrong", path=str(path), found=found, allowed=settings.sha256)
    _remember(path, settings)


def _assemble(path: Path, settings: WeightsSettings) -> None:
    package = _package(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in _abandoned(path):
        left.unlink(missing_ok=True)
    free = shutil.disk_usage(path.parent).free
    if free < settings.bytes:
        raise ModelError(
            "weights_no_space", path=str(path.parent), needed=settings.bytes // MEGABYTE, found=free // MEGABYTE
        )
    growing = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            package.assemble(growing)
        except (ImportError, FileNotFoundError, ValueError) as error:
            raise ModelError("weights_broken", package=_distribution(settings), detail=str(error)) from None
        found = sha256_of(growing)
        if found != settings.sha256:
            raise ModelError("weights_broken", package=_distribution(settings), detail=f"SHA-256 {found}")
        growing.replace(path)
    finally:
        growing.unlink(missing_ok=True)
    _remember(path, settings)


def _package(settings: WeightsSettings) -> ModuleType:
    missing = ModelError(
        "weights_missing", package=_distribution(settings), command=f"pip install {_distribution(settings)}"
    )
    try:
        package = importlib.import_module(settings.package)
    except ImportError:
        raise missing from None
    if not callable(getattr(package, "assemble", None)):
        raise missing
    return package


def _distribution(settings: WeightsSettings) -> str:
    return settings.package.replace("_", "-")


def _abandoned(path: Path) -> Iterator[Path]:
    """Yield the unfinished files of processes that are gone."""
    for left in path.parent.glob(f".{path.name}.*"):
        number = left.suffix[1:]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            yield left


def _seal(path: Path) -> Path:
    return path.with_name(f"{path.name}.checked")


def _state(path: Path, settings: WeightsSettings) -> dict[str, object]:
    about = path.stat()
    return {"sha256": settings.sha256, "bytes": about.st_size, "changed": about.st_mtime_ns}


def _remembered(path: Path, settings: WeightsSettings) -> bool:
    try:
        kept: object = json.loads(_seal(path).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return kept == _state(path, settings)


def _remember(path: Path, settings: WeightsSettings) -> None:
    growing = path.with_name(f".{path.name}.checked.{os.getpid()}")
    try:
        growing.write_text(json.dumps(_state(path, settings)), "utf-8")
        growing.replace(_seal(path))
    finally:
        growing.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
