"""Broken files of every source end in a table with a report or in a clear error, within limits of time and memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import mutations
import open_files
import pytest

FILES = {"dev": 60, "check": 300, "soak": 300}[os.environ.get("HYPOTHESIS_PROFILE", "dev")]
LONG_RUN = 5000
BATCH = 50
SECONDS, MEMORY = 60, 3 << 30
# Most of the files are text; a workbook takes a process of its own.
RARE = (".xlsx", ".xls", ".ods", ".duckdb", ".sqlite")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return dict(mutations.good_files(tmp_path_factory.mktemp("good")))


def written(folder: Path, good: dict[str, bytes], seed: int) -> Path:
    """Write the broken file of this seed."""
    rng = Random(seed)
    suffixes = [suffix for suffix in sorted(good) for _ in range(1 if suffix in RARE else 3)]
    suffix = rng.choice(suffixes)
    path = folder / f"{seed}{suffix}"
    path.write_bytes(mutations.broken(rng, suffix, good[suffix]))
    return path


def endings(paths: list[Path], temporary: Path) -> dict[str, str]:
    """Open the files in one process; return how each ended, in their order."""
    environment = os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, open_files.__file__, *map(str, paths)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS * len(paths),
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    at = paths[len(lines)].name if len(lines) < len(paths) else "the end"
    assert done.returncode == 0, f"ended with {done.returncode} at {at}: {done.stderr[-3000:]}"
    assert [line["file"] for line in lines] == [path.name for path in paths]
    assert [line for line in lines if line["seconds"] > SECONDS or line["memory"] > MEMORY] == []
    assert list(temporary.iterdir()) == []
    return {line["file"]: line["end"] for line in lines}


def all_end_well(folder: Path, good: dict[str, bytes], first: int, number: int) -> None:
    temporary, files = folder / "temporary", folder / "files"
    temporary.mkdir()
    files.mkdir()
    found: dict[str, str] = {}
    for begin in range(first, first + number, BATCH):
        paths = [written(files, good, seed) for seed in range(begin, min(begin + BATCH, first + number))]
        found |= endings(paths, temporary)
        for path in paths:
            path.unlink()
    assert len(found) == number
    assert "table" in found.values()
    assert len(set(found.values())) > 3


def test_good_files_are_tables(tmp_path: Path, good: dict[str, bytes]) -> None:
    temporary, files = tmp_path / "temporary", tmp_path / "files"
    temporary.mkdir()
    files.mkdir()
    paths = [files / f"good{suffix}" for suffix in good]
    for path, content in zip(paths, good.values(), strict=True):
        path.write_bytes(content)
    assert set(endings(paths, temporary).values()) == {"table"}


def test_broken_files_end_in_a_table_or_in_a_clear_error(tmp_path: Path, good: dict[str, bytes]) -> None:
    all_end_well(tmp_path, good, 0, FILES)


@pytest.mark.soak
def test_thousands_of_broken_files_end_in_a_table_or_in_a_clear_error(tmp_path: Path, good: dict[str, bytes]) -> None:
    all_end_well(tmp_path, good, 0, LONG_RUN)
