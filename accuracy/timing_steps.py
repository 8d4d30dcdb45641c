"""The commands of the benchmark that take times: call one function, print what it gives."""

import argparse

from engine import exit_codes, render
from engine.machine import cores
from engine.settings import Settings
from engine.terminal import counted
from engine.weights import default_weights
from prompt.words import Language

from . import large, neighbour, plans, speed, speed_report
from .identity import revision, versions


def time_large(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    """Time how a large file is opened and profiled."""
    defaults = settings.accuracy
    rows, columns = arguments.rows or defaults.large_rows, arguments.columns or defaults.large_columns
    seed = defaults.seed if arguments.seed is None else arguments.seed
    with large.large_file(rows, columns, seed, settings) as path:
        timings = large.measure(path, arguments.runs or defaults.large_runs, getattr(arguments, "settings", None))
        found = large.as_json(path, rows, columns, seed, timings)
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text(large.summary(found, timings))
    return exit_codes.ANSWERED


def time_plans(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    """Time typical plans."""
    defaults = settings.accuracy
    rows, columns = arguments.rows or defaults.large_rows, arguments.columns or defaults.large_columns
    seed = defaults.seed if arguments.seed is None else arguments.seed
    runs = arguments.runs or defaults.large_runs
    measured = {}
    for size in [rows] if arguments.one_size else plans.sizes(rows):
        with plans.opened_table(size, columns, seed, settings) as path:
            measured[size] = plans.measure(path, runs, getattr(arguments, "settings", None))
    if arguments.json:
        render.print_json(plans.as_json(measured, columns, seed))
    else:
        render.print_text(plans.summary(measured, columns, seed, runs))
    return exit_codes.ANSWERED


def time_speed(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    """Time how answers are written."""
    requests = arguments.requests or settings.accuracy.speed_requests
    paths = [default_weights(settings.weights), *([arguments.model] if arguments.model else [])]
    found: dict[str, object] = {"requests": requests, "cores": cores(), "revision": revision(), "versions": versions()}
    found["grammar"] = speed.grammar_change(settings)
    with counted(0, len(paths) * speed.PARTS) as tick:
        found["models"] = [
            speed.measure(path, settings, requests, tick, is_default=place == 0) for place, path in enumerate(paths)
        ]
        tick("")
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text(speed_report.summary(found))
    return exit_codes.ANSWERED


def time_neighbour(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    """Time answers alone and beside a busy process."""
    requests = arguments.requests or settings.accuracy.speed_requests
    path = arguments.model or default_weights(settings.weights)
    with counted(0, 2 * requests) as tick:
        found = neighbour.measure(path, settings, requests, tick)
        tick("")
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text(neighbour.summary(found))
    return exit_codes.ANSWERED
