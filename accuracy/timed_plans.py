"""The typical plans done in one way, in a process of its own: prints the seconds of each and the peak of memory."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from engine import render, run_plan, sql
from engine.database import Connection, connect, execute, fetch_frame, query
from engine.machine import peak_memory
from engine.profile import table_state
from engine.settings import Settings, load_settings

from .data import BASE
from .typical_plans import PLANS, TypicalPlan

Way = Callable[[TypicalPlan], Any]
COLUMNS: Final = ("sana", "hudud", "tuman", "mijoz", "mahsulot", "miqdor", "narx", "summa", "valyuta", "holat")


def way_of(name: str, con: Connection, settings: Settings) -> Way:
    """Return what does a plan: `run_plan`, the same without evidence, one statement of SQL, or pandas.

    pandas holds only the columns that the plans name, decimals as floats.
    """
    if name == "sql":
        return lambda plan: query(con, plan.sql)
    if name == "pandas":
        frame = fetch_frame(con, f"SELECT {', '.join(_plain(column) for column in COLUMNS)} FROM {BASE}")
        return lambda plan: plan.pandas(frame)
    rows = settings.output.json_rows
    evidence = name == "run_plan"
    known = [table_state(con, BASE, settings)]
    return lambda plan: run_plan(con, BASE, plan.steps, settings, max_rows=rows, evidence=evidence, known=known)


def _plain(column: str) -> str:
    name = sql.name(column)
    return f"CAST({name} AS DOUBLE) AS {name}" if column in ("narx", "summa") else name


def timed_plans(name: str, path: Path, settings: Settings) -> dict[str, Any]:
    """Do every plan twice and return the seconds of the second time, in the order of the plans."""
    con = connect(settings.database)
    execute(con, f"ATTACH {sql.literal(str(path))} AS wide (READ_ONLY)")
    execute(con, f"CREATE VIEW {BASE} AS FROM wide.{BASE}")
    do = way_of(name, con, settings)
    seconds = []
    for plan in PLANS:
        for _ in range(2):
            started = time.perf_counter()
            do(plan)
            taken = time.perf_counter() - started
        seconds.append(taken)
    return {"seconds": seconds, "memory": peak_memory()}


def main(arguments: list[str]) -> int:
    """Print what a way took: way, file, and a settings file or nothing."""
    way, path, *settings_file = arguments
    settings = load_settings(Path(settings_file[0]) if settings_file else None)
    render.print_json(timed_plans(way, Path(path), settings))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
