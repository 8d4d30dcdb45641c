"""How fast a large file is opened and profiled: Tez and DuckDB in turns, each time in a process of its own.

Opening is held against DuckDB's own reader, the profile against its SUMMARIZE of the same table.

The file is made by DuckDB from hashes of the row numbers, so that the same seed and size give the same bytes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from engine import sql
from engine.database import connect, execute
from engine.machine import cores, environment_with
from engine.settings import Settings

from .identity import revision, versions
from .records import BenchError
from .report import number, table
from .timed import TASKS, WAYS

GOALS: Final = {"open": 2.5, "profile": 0.25}
_BYTES_IN_MB: Final = 1 << 20

# Columns of a shop's sales, as offices export them: SQL over the number of the row `i`; H(n) is the nth hash of it.
COLUMNS: Final = (
    ("tartib raqami", "i + 1"),
    ("sana", "strftime(DATE '2019-01-01' + CAST(H(1) % 2500 AS INTEGER), '%Y-%m-%d')"),
    ("to'lov sanasi", "strftime(DATE '2019-01-01' + CAST(H(2) % 2500 AS INTEGER), '%d.%m.%Y')"),
    ("hudud", "'Hudud ' || chr(CAST(65 + H(3) % 14 AS INTEGER))"),
    ("tuman", "'Tuman ' || H(4) % 200"),
    ("mijoz", "'Mijoz ' || chr(CAST(65 + H(5) % 26 AS INTEGER)) || H(6) % 100000"),
    ("STIR", "200000000 + H(7) % 100000000"),
    ("kod", "lpad(CAST(H(8) % 100000 AS VARCHAR), 6, '0')"),
    ("mahsulot", "['Olma', 'Non', 'Go''sht', 'Sut', 'Guruch', 'Шакар', 'Yog''', 'Чой'][1 + CAST(H(9) % 8 AS INTEGER)]"),
    ("miqdor", "H(10) % 1000"),
    ("narx", "CAST(H(11) % 10000000 AS INTEGER) / 100"),
    ("summa", "replace(CAST(CAST(H(12) % 1000000000 AS BIGINT) / 100 AS VARCHAR), '.', ',')"),
    ("chegirma", "CASE WHEN H(13) % 3 = 0 THEN H(14) % 100 / 10 END"),
    ("valyuta", "['UZS', 'USD', 'RUB'][1 + CAST(H(15) % 3 AS INTEGER)]"),
    ("telefon", "'+998 9' || H(16) % 10 || ' ' || lpad(CAST(H(17) % 10000000 AS VARCHAR), 7, '0')"),
    ("to'langan", "CASE WHEN H(18) % 2 = 0 THEN 'ha' ELSE 'yo''q' END"),
    ("holat", "['yangi', 'yopilgan', NULL, 'kutilmoqda'][1 + CAST(H(19) % 4 AS INTEGER)]"),
    ("izoh", "CASE WHEN H(20) % 10 = 0 THEN 'izoh matni ' || H(21) % 1000 END"),
    ("kenglik", "37 + CAST(H(22) % 8000000 AS DOUBLE) / 1000000"),
    ("vaqt", "strftime(TIMESTAMP '2020-01-01' + to_seconds(CAST(H(23) % 100000000 AS BIGINT)), '%Y-%m-%d %H:%M:%S')"),
    ("ball", "CASE WHEN H(24) % 5 > 0 THEN H(25) % 101 END"),
    (
        "qarz",
        "replace(format('{:,}', CAST(H(26) % 100000000 AS BIGINT)), ',', ' ') || ',' || "
        "lpad(CAST(H(27) % 100 AS VARCHAR), 2, '0')",
    ),
)


@dataclass(frozen=True)
class Timing:
    """What a task took in one way: the seconds of each run, by the clock and of all cores, and the most memory."""

    task: str
    way: str
    seconds: tuple[float, ...]
    cpu: tuple[float, ...]
    memory: int

    @property
    def middle(self) -> float:
        """Return the median of the seconds."""
        return median(self.seconds)


def write_table(path: Path, rows: int, columns: int, seed: int, settings: Settings) -> None:
    """Write the table as CSV with semicolons; beyond the columns there are, they begin again under new names."""
    written = []
    for place in range(columns):
        name, cell = COLUMNS[place % len(COLUMNS)]
        round_of = place // len(COLUMNS)
        hashed = cell.replace("H(", f"hash(i, {seed + round_of}, ")
        written.append(f"{hashed} AS {sql.name(name if not round_of else f'{name} {round_of + 1}')}")
    con = connect(settings.database)
    execute(
        con,
        f"COPY (SELECT {', '.join(written)} FROM range({int(rows)}) AS rows(i)) TO {sql.literal(str(path))} "
        "(FORMAT csv, DELIMITER ';', HEADER)",
    )
    con.close()


def measure(path: Path, runs: int, settings_file: Path | None, tasks: Sequence[str] = tuple(TASKS)) -> list[Timing]:
    """Do each task so many times in each way, the ways in turns; BenchError `not_measured` if one fails."""
    timings = []
    for task in tasks:
        taken: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
        for _ in range(runs):
            for way in WAYS:
                taken[way].append(_run(task, way, path, settings_file))
        timings += [
            Timing(
                task,
                way,
                tuple(run["seconds"] for run in each),
                tuple(run["cpu"] for run in each),
                max(run["memory"] for run in each),
            )
            for way, each in taken.items()
        ]
    return timings


def _run(task: str, way: str, path: Path, settings_file: Path | None) -> dict[str, Any]:
    arguments = [task, way, str(path), *([str(settings_file)] if settings_file else [])]
    environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-m", "accuracy.timed", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise BenchError("not_measured", task=task, way=way, detail=lines[-1] if lines else str(done.returncode))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextmanager
def large_file(rows: int, columns: int, seed: int, settings: Settings) -> Iterator[Path]:
    """Give a file of the table, which is gone afterwards."""
    with TemporaryDirectory(prefix="tez-") as folder:
        path = Path(folder) / "large.csv"
        write_table(path, rows, columns, seed, settings)
        yield path


def as_json(path: Path, rows: int, columns: int, seed: int, timings: Sequence[Timing]) -> dict[str, Any]:
    """Return what was measured, and with what."""
    ratios = {task: first.middle / second.middle for task, first, second in _pairs(timings)}
    return {
        "rows": rows,
        "columns": columns,
        "seed": seed,
        "bytes": path.stat().st_size,
        "cores": cores(),
        "revision": revision(),
        "versions": versions(),
        "timings": [{**asdict(timing), "median": timing.middle} for timing in timings],
        "ratios": ratios,
        "goals": {task: goal for task, goal in GOALS.items() if task in ratios},
    }


def summary(found: dict[str, Any], timings: Sequence[Timing]) -> str:
    """Return what was measured as Markdown."""
    size = f"{found['rows']:,} rows x {found['columns']} columns, {found['bytes'] / _BYTES_IN_MB:,.0f} MB of CSV"
    head = ["task", "Tez s", "DuckDB s", "ratio", "goal", "Tez CPU s", "DuckDB CPU s", "Tez peak MB", "DuckDB peak MB"]
    rows = [
        [
            task,
            number(tez.middle),
            number(duckdb.middle),
            number(tez.middle / duckdb.middle),
            number(GOALS[task]) if task in GOALS else "",
            number(median(tez.cpu)),
            number(median(duckdb.cpu)),
            f"{tez.memory / _BYTES_IN_MB:,.0f}",
            f"{duckdb.memory / _BYTES_IN_MB:,.0f}",
        ]
        for task, tez, duckdb in _pairs(timings)
    ]
    runs = len(timings[0].seconds)
    method = f"Medians of {runs} runs in turns, each in a process of its own, on {found['cores']} cores."
    return "\n\n".join([f"{size}, seed {found['seed']}.", table(head, rows), method])


def _pairs(timings: Sequence[Timing]) -> list[tuple[str, Timing, Timing]]:
    """Return each task with its timing in the two ways."""
    found = {(timing.task, timing.way): timing for timing in timings}
    return [(task, found[task, WAYS[0]], found[task, WAYS[1]]) for task in TASKS if (task, WAYS[0]) in found]
