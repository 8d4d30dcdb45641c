"""What each command of the benchmark does: read files, call one function, write or print what it gives."""

import argparse
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from engine import exit_codes, outcome, render, terminal
from engine.calibration import as_json as tables_json
from engine.calibration import calibration_of, read_calibrations
from engine.chosen_model import server_model
from engine.decoder import TokenModel
from engine.model_address import is_address
from engine.model_error import ServerError
from engine.model_key import model_key
from engine.served import TextModel
from engine.settings import Settings, load_settings
from engine.show import say_server
from engine.terminal import counted
from engine.weights import default_weights
from grammar import TezError
from prompt.words import Language, error_text, screen_text

from . import report, timing_steps
from .calibrate import answers_of, as_record, calibrate, key_of_run
from .cases import Case, CaseError
from .compare import CompareError
from .faults.catalogue import SIZE, write_files
from .faults.measure import as_json as measured
from .faults.measure import markdown, measure, overview
from .faults.truth import new_folder, read_manifest
from .identity import run_header
from .optional import as_json as tallies_json
from .optional import compare_ways, kept_lines, tally, ways
from .page import page
from .paired import compare_runs
from .ratchet import BASELINE, judge, read_baseline, update_baseline
from .records import PREDICTIONS, SCORES, WAYS, BenchError, read_records, write_records, write_text
from .run import run_cases, same_alone
from .score import score
from .selection import choose, in_order, read_cases
from .summary import Together, as_json, read_runs, summarise
from .tables import Tables, stepwise

DONE: Final = exit_codes.ANSWERED
WORSE: Final = 1
OWN_ERRORS: Final = (BenchError, CaseError, CompareError)
SCORES_SUFFIX: Final = ".scores.jsonl"


def do(arguments: argparse.Namespace) -> int:
    """Run one step and return its exit code; an error is told in the language of the user."""
    language: Language = getattr(arguments, "lang", None) or "en"
    try:
        settings = load_settings(getattr(arguments, "settings", None))
        language = getattr(arguments, "lang", None) or settings.language
        return _STEPS[arguments.step](arguments, settings, language)
    except KeyboardInterrupt:
        terminal.say(screen_text("interrupted", language))
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        terminal.close()
        return DONE
    except TezError as error:
        if getattr(arguments, "debug", False):
            traceback.print_exc()
        terminal.say(screen_text("error", language, text=error_text(error, language)))
        return exit_codes.DATA if isinstance(error, OWN_ERRORS) else outcome.exit_code(error)


def open_model(
    path: Path, adapter: Path | None, settings: Settings, language: Language
) -> AbstractContextManager[TokenModel]:
    """Load a model, with its progress shown."""
    from engine.model import LlamaModel

    with terminal.progress(language) as progress:
        return LlamaModel(path, settings.model, adapter, progress=progress)


def _run(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    served = _served(arguments, settings, language)
    model, adapter = (served, None) if served is not None else _chosen_files(arguments, settings)
    cases, choice = _chosen_cases(arguments, settings)
    with Tables(stepwise(settings, on=arguments.stepwise), arguments.data) as tables:
        header = run_header(cases, choice, tables, model, adapter)
        if arguments.batch > 1:
            header["batch"] = arguments.batch
        run_cases(
            arguments.out,
            header,
            cases,
            tables,
            lambda: (
                nullcontext(model) if isinstance(model, TextModel) else open_model(model, adapter, settings, language)
            ),
            arguments.batch,
            also_alone=_also_alone(arguments, settings, cases),
            calibration=calibration_of(settings, model_key(model, adapter) if isinstance(model, Path) else model.key),
        )
    if arguments.batch > 1:
        same = [same_alone(line) for line in read_records(arguments.out, PREDICTIONS).lines]
        known = [each for each in same if each is not None]
        text = report.together(Together(len(known), sum(known)))
        render.print_text(text[:1].upper() + text[1:])
    return DONE


def _served(arguments: argparse.Namespace, settings: Settings, language: Language) -> TextModel | None:
    """Return the server's model where options or settings choose a server. Raises ServerError."""
    path = arguments.model or settings.model.path
    if not is_address(path):
        return None
    adapter = arguments.adapter or settings.model.adapter
    chosen = replace(settings.model, path=path, adapter=None if adapter is None else str(adapter))
    settings = replace(settings, model=chosen)
    if arguments.batch > 1:
        raise ServerError("no_batch")
    say_server(settings, language)
    with terminal.progress(language) as progress:
        return server_model(settings, progress)


def _chosen_files(arguments: argparse.Namespace, settings: Settings) -> tuple[Path, Path | None]:
    """Return the weights and the adapter that options or settings choose."""
    named = arguments.model or settings.model.path
    model = Path(named) if named else None
    adapter = arguments.adapter or (Path(settings.model.adapter) if settings.model.adapter else None)
    return model or default_weights(settings.weights), adapter


def _also_alone(arguments: argparse.Namespace, settings: Settings, cases: Sequence[Case]) -> frozenset[str]:
    """Return the ids of the cases that are asked together and then alone too."""
    wanted = settings.accuracy.batch_checked if arguments.check is None else arguments.check
    sample = min(wanted, len(cases)) if arguments.batch > 1 else 0
    return (
        frozenset(case.id for case in choose(cases, sample=sample, seed=settings.accuracy.seed))
        if sample
        else frozenset()
    )


def _chosen_cases(arguments: argparse.Namespace, settings: Settings) -> tuple[tuple[Case, ...], dict[str, object]]:
    """Return the cases that the options choose, and how they were chosen."""
    seed = settings.accuracy.seed if arguments.seed is None else arguments.seed
    cases = choose(read_cases(arguments.cases), domain=arguments.domain, sample=arguments.sample, seed=seed)
    seeded = None if arguments.sample is None else seed
    return cases, {"domain": arguments.domain, "sample": arguments.sample, "seed": seeded}


def _score(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    predictions = read_records(arguments.predictions, PREDICTIONS)
    out = arguments.out or arguments.predictions.with_suffix(SCORES_SUFFIX)
    with Tables(settings, arguments.data) as tables, counted(0, len(predictions.lines)) as tick:
        scores = score(predictions, read_cases(arguments.cases), tables, each=tick)
        tick("")
    write_records(out, scores.header, scores.lines)
    [run] = read_runs([out])
    summary = summarise(run, settings.accuracy)
    if arguments.json:
        render.print_json(as_json(run, summary))
    else:
        render.print_text(f"{report.overview([summary])}\n\n{report.remarks([summary])}")
    return DONE


def _compare(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    first, second = read_runs([arguments.first, arguments.second])
    found = compare_runs(first, second)
    if arguments.json:
        render.print_json(asdict(found))
    else:
        render.print_text(report.comparison(found))
    return DONE


def _report(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    runs = read_runs(arguments.scores)
    if arguments.html is not None:
        write_text(arguments.html, page(runs, settings.accuracy))
    text = report.markdown(runs, settings.accuracy, short=arguments.short)
    if arguments.out is not None:
        write_text(arguments.out, text)
    if arguments.json:
        render.print_json([as_json(run, summarise(run, settings.accuracy)) for run in runs])
    elif arguments.out is None:
        render.print_text(text)
    return DONE


def _calibrate(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    predictions = read_records(arguments.predictions, PREDICTIONS)
    checked = calibrate(answers_of(predictions, read_records(arguments.scores, SCORES)), settings.accuracy)
    if arguments.out is not None:
        key = key_of_run(predictions.header, arguments.model or default_weights(settings.weights), arguments.adapter)
        tables = read_calibrations(arguments.out) if arguments.out.exists() else {}
        made = tables_json({**tables, key: checked.table})
        write_text(arguments.out, render.json_text(made, indent=1) + "\n")
    if arguments.json:
        render.print_json(as_record(checked))
    else:
        render.print_text(report.calibrated(checked))
    return DONE


def _optional(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    model, adapter = _chosen_files(arguments, settings)
    cases, choice = _chosen_cases(arguments, settings)
    tried = ways(arguments.bonus)
    with Tables(settings, arguments.data) as tables, counted(0, len(cases)) as tick:
        if arguments.out is None:
            with open_model(model, adapter, settings, language) as loaded:
                lines = list(compare_ways(in_order(cases), tables, loaded, tried, tick, led=arguments.led))
        else:
            header = run_header(cases, choice, tables, model, adapter)
            header |= {"kind": WAYS, "ways": [asdict(way) for way in tried], "led": arguments.led}
            with open_model(model, adapter, settings, language) as loaded:
                lines = list(kept_lines(arguments.out, header, cases, tables, loaded, tick))
    tallies = tally(lines)
    if arguments.json:
        render.print_json(tallies_json(tallies))
    else:
        render.print_text(report.optional_ways(tallies))
    return DONE


def _ratchet(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    path = arguments.baseline or BASELINE
    [run] = read_runs([arguments.scores])
    if arguments.update and not path.exists():
        update_baseline(path, run)
    found = judge(read_baseline(path), run.lines)
    if arguments.update:
        update_baseline(path, run)
    holds = found.holds(settings.accuracy.ratchet_tolerance if arguments.tolerant else None)
    if arguments.json:
        render.print_json({**asdict(found), "holds": holds})
    else:
        render.print_text(report.verdict(found))
    return DONE if holds or arguments.update else WORSE


def _files(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    seed = settings.accuracy.seed if arguments.seed is None else arguments.seed
    command = "python -m accuracy files"
    with tempfile.TemporaryDirectory(prefix="tez-") as temporary:
        folder = arguments.folder or arguments.keep or Path(temporary)
        if arguments.folder is not None:
            truths = read_manifest(folder)
        else:
            if arguments.sample is not None and arguments.sample < 1:
                raise BenchError("sample_size", found=arguments.sample, allowed=SIZE)
            truths = write_files(new_folder(folder), seed, arguments.sample)
            command += f" --seed {seed}" + (f" --sample {arguments.sample}" if arguments.sample else "")
        with counted(0, len(truths)) as tick:
            verdicts = measure(folder, truths, settings, tick)
    if arguments.out is not None:
        write_text(arguments.out, markdown(verdicts, command))
    if arguments.json:
        render.print_json(measured(verdicts))
    else:
        render.print_text(overview(verdicts))
    return DONE


def _links(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from . import links, links_report

    cases = choose(read_cases(arguments.cases), domain=arguments.domain)
    if arguments.half is not None:
        cases = tuple(case for case in cases if arguments.half in links.groups_of(case))
    with Tables(settings, arguments.data) as tables, counted(0, len(cases)) as tick:
        tallies = links.measure(cases, tables, tick)
        tick("")
    if arguments.json:
        render.print_json(links.as_json(tallies))
    else:
        render.print_text(links_report.summary(tallies, arguments.mistakes))
    return DONE


def _express(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    from .public.steps import express_sets

    return express_sets(arguments, settings)


def _public(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from .public.steps import ask_sets

    model, adapter = _chosen_files(arguments, settings)
    return ask_sets(arguments, settings, lambda: open_model(model, adapter, settings, language))


def _examples(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    from .training.steps import write_examples

    return write_examples(arguments, settings)


def _recall(arguments: argparse.Namespace, settings: Settings, _: Language) -> int:
    from . import recall

    found = recall.measure(settings)
    if arguments.json:
        render.print_json(found.as_json())
    else:
        render.print_text(found.summary(sorted(set(arguments.at)), missed=arguments.missed))
    return DONE


def _memory(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from . import memory

    model, adapter = _chosen_files(arguments, settings)
    known = read_cases(arguments.cases)
    cases = in_order(_chosen_cases(arguments, settings)[0])
    with (
        Tables(settings, arguments.data) as tables,
        memory.Recalling(settings, arguments.data, known=known, examples=arguments.examples) as recalling,
        open_model(model, adapter, settings, language) as loaded,
        counted(0, len(cases)) as tick,
    ):
        lines = memory.compare_memory(cases, tables, recalling, loaded, tick)
    found = memory.as_json(lines, arguments.examples)
    if arguments.json:
        render.print_json({**found, "each": lines})
    else:
        render.print_text(memory.summary(found))
    return DONE


_Step = Callable[[argparse.Namespace, Settings, Language], int]
_STEPS: Final[Mapping[str, _Step]] = {
    "run": _run,
    "score": _score,
    "compare": _compare,
    "report": _report,
    "calibrate": _calibrate,
    "optional": _optional,
    "ratchet": _ratchet,
    "files": _files,
    "large": timing_steps.time_large,
    "plans": timing_steps.time_plans,
    "speed": timing_steps.time_speed,
    "neighbour": timing_steps.time_neighbour,
    "links": _links,
    "express": _express,
    "public": _public,
    "examples": _examples,
    "memory": _memory,
    "recall": _recall,
}
