"""What a model is known by, wherever its files lie: their sizes, and a digest of samples of them."""

import hashlib
from pathlib import Path

from .model_error import ModelError

SAMPLE_BYTES = 1 << 20


def model_key(model: Path, adapter: Path | None = None) -> str:
    """Return what a model and its adapter are known by in a table, wherever the files lie: sizes and samples of them.

    Raises ModelError `model_missing`.
    """
    return "+".join(_sampled(path) for path in (model, adapter) if path is not None)


def _sampled(path: Path) -> str:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            digest = hashlib.sha256(file.read(SAMPLE_BYTES))
            file.seek(max(size - SAMPLE_BYTES, 0))
            digest.update(file.read(SAMPLE_BYTES))
    except OSError:
        raise ModelError("model_missing", path=str(path)) from None
    return f"{size}-{digest.hexdigest()[:32]}"
