"""A first try of an unknown model in a process of its own: a file that ends llama.cpp then ends only the trial.

The header check (`gguf`) catches most broken files; what llama.cpp still dies of cannot be caught in the process
that loads it. A model that came through is remembered by the identity of its files and is not tried again.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from grammar.errors import TezError

from .gguf import check_model, file_identity, read_header
from .machine import environment_with
from .model_error import ModelError
from .settings import ModelSettings, load_settings
from .weights import weights_folder

REMEMBERED = "tried.json"
TRIED_TEXT = "1 a <s> й 😀"


def try_model(path: Path, settings: ModelSettings, adapter: Path | None = None, folder: Path | None = None) -> None:
    """Load the model and evaluate a few tokens in a child process, unless these files were tried before.

    `folder` is where it is remembered, the cache folder by default. Raises ModelError: those of `gguf`,
    `model_crashes` where the child died, `too_slow` where it took longer than an answer may take.
    """
    check_model(read_header(path))
    remembered = (weights_folder() if folder is None else folder) / REMEMBERED
    key = "+".join([version("llama-cpp-python"), *(file_identity(file) for file in (path, adapter) if file)])
    known = _known(remembered)
    if key in known:
        return
    command = [sys.executable, "-m", "engine.trial", str(path), *([str(adapter)] if adapter else [])]
    environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    try:
        ended = subprocess.run(command, env=environment, capture_output=True, timeout=settings.seconds, check=False)
    except subprocess.TimeoutExpired:
        raise ModelError("too_slow", seconds=settings.seconds, tokens=0) from None
    if ended.returncode:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ModelError("model_crashes", path=str(path), code=ended.returncode, detail=lines[-1] if lines else None)
    _remember(remembered, [*known, key])


def _known(remembered: Path) -> list[str]:
    try:
        known = json.loads(remembered.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [key for key in known if isinstance(key, str)] if isinstance(known, list) else []


def _remember(remembered: Path, keys: list[str]) -> None:
    growing = remembered.with_name(f".{remembered.name}.{os.getpid()}")
    try:
        remembered.parent.mkdir(parents=True, exist_ok=True)
        growing.write_text(json.dumps(keys), "utf-8")
        growing.replace(remembered)
    except OSError:
        return  # it is tried again next time
    finally:
        growing.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    """Load the model and evaluate a few tokens; an error of ours is no crash, and the parent meets it itself."""
    from .model import LlamaModel

    path, adapter = Path(arguments[0]), Path(arguments[1]) if len(arguments) > 1 else None
    settings = load_settings().model
    try:
        with LlamaModel(path, replace(settings, context=settings.batch), adapter) as model:
            tokens = model.chat_tokens(TRIED_TEXT)[: settings.batch - 1]
            model.read(tokens)
            model.append(int(model.logits().argmax()))
    except TezError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
