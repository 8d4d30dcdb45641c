"""One task done once, in a process of its own, so that its memory is its own: prints its time and peak of memory."""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from engine import render
from engine.database import Connection, connect, execute, query
from engine.files import open_file
from engine.machine import peak_memory
from engine.paths import one_file
from engine.profile import profile
from engine.settings import Settings, load_settings

from .data import BASE

Task = Callable[[Connection, Path, Settings], Any]

WAYS: Final = ("tez", "duckdb")


def _open(con: Connection, path: Path, settings: Settings) -> None:
    open_file(con, path, BASE, settings.files)


def _read_csv(con: Connection, path: Path, settings: Settings) -> None:
    execute(con, f"CREATE TABLE {BASE} AS FROM read_csv({one_file(path)})")


def _profile(con: Connection, path: Path, settings: Settings) -> None:
    profile(con, BASE, settings)


def _summarize(con: Connection, path: Path, settings: Settings) -> None:
    query(con, f"SUMMARIZE {BASE}")


# For each task and way: what is done before, and what is measured.
TASKS: Final[Mapping[str, Mapping[str, tuple[Task, ...]]]] = {
    "open": {"tez": (_open,), "duckdb": (_read_csv,)},
    "profile": {"tez": (_open, _profile), "duckdb": (_open, _summarize)},
}


def timed(task: str, way: str, path: Path, settings: Settings) -> dict[str, float]:
    """Do a task in one way; return the seconds of its last part, by clock and of all cores, and the peak of bytes."""
    con = connect(settings.database)
    *before, measured = TASKS[task][way]
    for each in before:
        each(con, path, settings)
    started, worked = time.perf_counter(), time.process_time()
    measured(con, path, settings)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    return {"seconds": seconds, "cpu": cpu, "memory": peak_memory()}


def main(arguments: list[str]) -> int:
    """Print what a task took: task, way, file, and a settings file or nothing."""
    task, way, path, *settings_file = arguments
    settings = load_settings(Path(settings_file[0]) if settings_file else None)
    render.print_json(timed(task, way, Path(path), settings))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
