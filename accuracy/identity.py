"""What a run was made with: everything that is needed to repeat it, and to see that two runs are not the same."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from engine.gguf import read_header
from engine.plan import shipped_contracts
from engine.served import TextModel
from engine.settings import Settings, home
from engine.weights import sha256_of

from .cases import Case
from .records import PREDICTIONS, BenchError, Record
from .tables import Tables

CODE: Final = ("grammar", "prompt", "engine")
CODE_FILES: Final = (".py", ".json", ".txt")
LIBRARIES: Final = ("tez-analyst", "llama-cpp-python", "duckdb", "numpy", "jsonschema")
PASSING: Final = ("time",)
SERVER: Final = "server"


def run_header(
    cases: Sequence[Case],
    choice: Mapping[str, Any],
    tables: Tables,
    model: Path | TextModel,
    adapter: Path | None = None,
) -> Record:
    """Return the header of a file of predictions: what was asked, of which model, with which code and settings.

    `choice` is how the cases were chosen (domain, sample, seed). No path of this machine is in it. Raises what opening
    a model file raises (ModelError), BenchError `file_unreadable` for a table that cannot be read.
    """
    settings = settings_record(tables.settings)
    return {
        "kind": PREDICTIONS,
        "model": _served(model) if isinstance(model, TextModel) else {"name": _model_name(model), **_file(model)},
        "adapter": None if adapter is None else _file(adapter),
        "settings": {"sha256": hash_of(settings), "values": settings},
        "contracts": hash_of(shipped_contracts()),
        "code": code_hash(),
        "cases": {**asked(cases, tables), "choice": dict(choice)},
        "revision": revision(),
        "versions": versions(),
        "time": now(),
    }


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the parts in which two headers differ, the time apart."""
    return sorted(key for key in old.keys() | new.keys() if key not in PASSING and old.get(key) != new.get(key))


def settings_record(settings: Settings) -> Record:
    """Return the settings as JSON has them, without the paths of the model, which say nothing elsewhere."""
    values: Record = json.loads(json.dumps(asdict(settings)))
    values["model"] |= {"path": None, "adapter": None}
    return values


def asked(cases: Sequence[Case], tables: Tables) -> Record:
    """Return what stands for the questions of these cases: their ids, and hashes of their words and tables.

    Golds are not part of it: a corrected gold changes the score of a prediction and not the prediction.
    """
    ordered = sorted(cases, key=lambda case: case.id)
    words = [
        [case.id, case.request, case.domain, case.tables, [[turn.request, turn.answer] for turn in case.history]]
        for case in ordered
    ]
    named = {
        f"{case.domain}/{name}": path
        for case in ordered
        for name, path in zip(case.tables, tables.files(case), strict=True)
    }
    return {
        "sha256": hash_of(words),
        "tables": {name: _table_hash(path) for name, path in sorted(named.items())},
        "ids": [case.id for case in ordered],
    }


def golds_hash(cases: Iterable[Case]) -> str:
    """Return the hash of what counts as right in these cases."""
    return hash_of([[case.id, case.gold, case.sql, case.ordered] for case in sorted(cases, key=lambda case: case.id)])


def hash_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in its canonical form: sorted keys, no white space."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def code_hash() -> str:
    """Return one hash of all that makes a prediction: the files of grammar, prompt, engine and the domains' words.

    It tells two runs apart that a revision does not: those of a changed checkout.
    """
    digest = hashlib.sha256()
    roots = [(name, Path(str(files(name)))) for name in CODE] + [("domains", home("domains"))]
    for name, root in roots:
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.suffix in CODE_FILES and inside.parts[0] != "data":
                digest.update(f"{name}/{inside.as_posix()}\0".encode())
                digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def revision() -> Record | None:
    """Return the revision of the checkout and whether a file that git knows is changed; None outside a checkout."""
    root = Path(__file__).parents[1]
    commit = _git(root, "rev-parse", "HEAD") if (root / ".git").exists() else None
    if not commit:
        return None
    return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain", "--untracked-files=no"))}


def now() -> str:
    """Return the present time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def versions() -> Record:
    """Return the versions of Python and of the libraries that matter, and the sort of machine."""
    found: Record = {"python": platform.python_version(), "machine": platform.machine()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def from_server(header: Mapping[str, Any]) -> bool:
    """Return whether the model of a run was one that a server holds."""
    model = header["model"]
    return bool(model["file"] == SERVER and model.get("bytes") == 0)


def _served(model: TextModel) -> Record:
    """Return what is known of a model that a server holds: no file of it can be told."""
    return {"name": model.name, "file": SERVER, "bytes": 0, "sha256": hash_of(model.key)}


def _model_name(path: Path) -> str:
    return str(read_header(path).values.get("general.name") or path.stem)


def _file(path: Path) -> Record:
    read_header(path)
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256_of(path)}


def _table_hash(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise BenchError("file_unreadable", file=str(path), found=error.strerror) from error
