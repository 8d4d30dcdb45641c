"""How fast plans run on a large table: `run_plan`, one statement of SQL and pandas, in turns and in own processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from engine import sql
from engine.database import connect, execute
from engine.files import open_file
from engine.machine import cores, environment_with
from engine.settings import Settings

from .data import BASE
from .identity import revision, versions
from .large import large_file
from .records import BenchError
from .report import number, table
from .typical_plans import PLANS

WAYS: Final = ("run_plan", "without evidence", "sql", "pandas")
GOALS: Final = {"without evidence / sql": 1.3, "run_plan / sql": 2.0, "pandas / run_plan": 5.0}
SMALLEST: Final = 10_000
_GROWTH: Final = 10
_BYTES_IN_MB: Final = 1 << 20


@dataclass(frozen=True)
class Taken:
    """What one way took: for each plan the median of its seconds, and the peak of memory in bytes."""

    way: str
    seconds: tuple[float, ...]
    memory: int


@contextmanager
def opened_table(rows: int, columns: int, seed: int, settings: Settings) -> Iterator[Path]:
    """Give a DuckDB file with the table as Tez opens it, which is gone afterwards."""
    with large_file(rows, columns, seed, settings) as path:
        target = path.with_name("large.duckdb")
        con = connect(settings.database)
        open_file(con, path, BASE, settings.files)
        execute(con, f"ATTACH {sql.literal(str(target))} AS wide")
        execute(con, f"CREATE TABLE wide.{BASE} AS FROM {BASE}")
        con.close()
        yield target


def measure(path: Path, runs: int, settings_file: Path | None, ways: Sequence[str] = WAYS) -> list[Taken]:
    """Do all plans so many times in each way, the ways in turns; BenchError `not_measured` if one fails."""
    found: dict[str, list[Mapping[str, Any]]] = {way: [] for way in ways}
    for _ in range(runs):
        for way in ways:
            found[way].append(_run(way, path, settings_file))
    return [
        Taken(
            way,
            tuple(median(each) for each in zip(*(run["seconds"] for run in done), strict=True)),
            max(run["memory"] for run in done),
        )
        for way, done in found.items()
    ]


def sizes(rows: int) -> list[int]:
    """Return ten thousand rows and its tenfolds below this number, and the number."""
    found = []
    size = SMALLEST
    while size < rows:
        found.append(size)
        size *= _GROWTH
    return [*found, rows]


def ratios(taken: Sequence[Taken]) -> dict[str, list[float]]:
    """Return the ratio of two ways for every plan, for each goal whose ways were measured."""
    by_way = {each.way: each for each in taken}
    found = {}
    for goal in GOALS:
        first, second = goal.split(" / ")
        if first in by_way and second in by_way:
            pairs = zip(by_way[first].seconds, by_way[second].seconds, strict=True)
            found[goal] = [one / other for one, other in pairs]
    return found


def as_json(measured: Mapping[int, Sequence[Taken]], columns: int, seed: int) -> dict[str, Any]:
    """Return what was measured at each size, and with what."""
    return {
        "columns": columns,
        "seed": seed,
        "cores": cores(),
        "revision": revision(),
        "versions": versions(),
        "plans": [plan.name for plan in PLANS],
        "goals": GOALS,
        "sizes": {
            str(rows): {
                "ways": {each.way: {"seconds": each.seconds, "memory": each.memory} for each in taken},
                "ratios": ratios(taken),
            }
            for rows, taken in measured.items()
        },
    }


def summary(measured: Mapping[int, Sequence[Taken]], columns: int, seed: int, runs: int) -> str:
    """Return what was measured as Markdown: every plan at the largest size, the ratios, and growth with the rows."""
    rows = max(measured)
    taken = measured[rows]
    heads = ["plan", *(f"{each.way} ms" for each in taken)]
    lines = [[plan.name, *(number(1000 * each.seconds[place]) for each in taken)] for place, plan in enumerate(PLANS)]
    lines.append(["peak MB", *(f"{each.memory / _BYTES_IN_MB:,.0f}" for each in taken)])
    goals = [
        [name, number(median(each)), number(max(each)), number(min(each)), number(GOALS[name])]
        for name, each in ratios(taken).items()
    ]
    growth = [
        [f"{size:,}", *(number(1000 * median(each.seconds)) for each in measured[size])] for size in sorted(measured)
    ]
    method = (
        f"Each plan's second run in a process of its own for each way, medians of {runs} such processes in turns, on "
        f"{cores()} cores."
    )
    return "\n\n".join(
        [
            f"{rows:,} rows x {columns} columns, seed {seed}.",
            table(heads, lines),
            table(["ratio", "median", "worst", "best", "goal"], goals),
            table(["rows", *(f"{each.way}, median ms" for each in taken)], growth),
            method,
        ]
    )


def _run(way: str, path: Path, settings_file: Path | None) -> dict[str, Any]:
    arguments = [way, str(path), *([str(settings_file)] if settings_file else [])]
    environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-m", "accuracy.timed_plans", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise BenchError("not_measured", task="plans", way=way, detail=lines[-1] if lines else str(done.returncode))
    found: dict[str, Any] = json.loads(done.stdout)
    return found
