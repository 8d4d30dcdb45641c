"""The command line of the benchmark, for `python -m accuracy` and for `tez bench`.

What a command needs is loaded when it runs, so that `tez --help` loads neither the database nor the model.
"""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Final

_LANGUAGES: Final = ("uz", "ru", "en")


class Bench:
    """The command `bench`: what `tez` shows of it, its arguments, and what it does."""

    name: Final = "bench"
    help: Final = "measure how often the answers of a model are right"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the commands of the benchmark and their options."""
        steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
        _add_run(steps)
        _add_score(steps)
        _add_compare(steps)
        _add_report(steps)
        _add_calibrate(steps)
        _add_optional(steps)
        _add_ratchet(steps)
        _add_files(steps)
        _add_large(steps)
        _add_plans(steps)
        _add_speed(steps)
        _add_neighbour(steps)
        _add_links(steps)
        _add_express(steps)
        _add_public(steps)
        _add_examples(steps)
        _add_memory(steps)
        _add_recall(steps)

    def run(self, arguments: argparse.Namespace) -> int:
        """Do what the arguments say and return the exit code; errors are told in the user's language."""
        steps = import_module("accuracy.steps")
        code: int = steps.do(arguments)
        return code


bench: Final = Bench()


_Steps = argparse._SubParsersAction


def _add_run(steps: "_Steps[argparse.ArgumentParser]") -> None:
    run = _step(steps, "run", "ask a model the cases; a second call goes on where the first one ended")
    run.add_argument("--out", required=True, type=Path, metavar="FILE.jsonl", help="the file of predictions")
    _case_options(run)
    _choice_options(run)
    run.add_argument("--model", metavar="PATH|URL", help="a GGUF file or a server; by default the default weights")
    run.add_argument("--adapter", type=Path, metavar="PATH", help="a LoRA adapter (GGUF) for the model")
    ways = run.add_mutually_exclusive_group()
    ways.add_argument("--batch", type=_count, default=1, metavar="N", help="ask N cases about the same tables together")
    ways.add_argument(
        "--stepwise", action="store_true", help="write one step at a time: the model sees what each step made"
    )
    run.add_argument(
        "--check", type=int, metavar="N", help="with --batch: ask N of the cases alone too (accuracy.batch_checked)"
    )


def _add_score(steps: "_Steps[argparse.ArgumentParser]") -> None:
    score = _step(steps, "score", "say what each prediction is worth; needs no model")
    score.add_argument("predictions", type=Path, metavar="FILE.jsonl", help="the file of predictions")
    score.add_argument("--out", type=Path, metavar="FILE.jsonl", help="by default beside it, as FILE.scores.jsonl")
    _case_options(score)
    _json_option(score)


def _add_compare(steps: "_Steps[argparse.ArgumentParser]") -> None:
    compare = _step(steps, "compare", "hold two scored runs against each other, case by case")
    compare.add_argument("first", type=Path, metavar="A.scores.jsonl", help="the scores of one run")
    compare.add_argument("second", type=Path, metavar="B.scores.jsonl", help="the scores of the other")
    _json_option(compare)


def _add_calibrate(steps: "_Steps[argparse.ArgumentParser]") -> None:
    calibrate = _step(steps, "calibrate", "learn on half of a run how likely answers are right, check it on the other")
    calibrate.add_argument("predictions", type=Path, metavar="FILE.jsonl", help="the predictions of a run")
    calibrate.add_argument("scores", type=Path, metavar="FILE.scores.jsonl", help="its scores")
    calibrate.add_argument(
        "--model", type=Path, metavar="PATH", help="the model of the run, if not the default weights"
    )
    calibrate.add_argument("--adapter", type=Path, metavar="PATH", help="its adapter")
    calibrate.add_argument(
        "--out", type=Path, metavar="FILE.json", help="put the table there, beside those of other models"
    )
    _json_option(calibrate)


def _add_optional(steps: "_Steps[argparse.ArgumentParser]") -> None:
    optional = _step(steps, "optional", "hold ways to write arguments that may be left out against each other")
    _case_options(optional)
    _choice_options(optional)
    _model_options(optional)
    optional.add_argument(
        "--bonus", type=float, nargs="+", default=[1.0, 2.0, 4.0], metavar="B", help="the bonuses that are tried"
    )
    optional.add_argument(
        "--led", action="store_true", help="begin with the gold plan's first tool: only arguments are left to decide"
    )
    optional.add_argument(
        "--out", type=Path, metavar="FILE.jsonl", help="keep each case there; a second call goes on where it ended"
    )
    _json_option(optional)


def _add_report(steps: "_Steps[argparse.ArgumentParser]") -> None:
    report = _step(steps, "report", "write what scored runs say, several side by side")
    report.add_argument("scores", nargs="+", type=Path, metavar="FILE.scores.jsonl", help="the scores of a run")
    report.add_argument("--short", action="store_true", help="only the shares and what is needed to repeat the runs")
    report.add_argument("--out", type=Path, metavar="FILE.md", help="write the Markdown here; by default it is printed")
    report.add_argument("--html", type=Path, metavar="FILE.html", help="write a page with plots, too")
    _json_option(report)


def _add_ratchet(steps: "_Steps[argparse.ArgumentParser]") -> None:
    ratchet = _step(steps, "ratchet", "fail if a case has become worse than in the baseline")
    ratchet.add_argument("scores", type=Path, metavar="FILE.scores.jsonl", help="the scores of a run")
    ratchet.add_argument("--baseline", type=Path, metavar="FILE.json", help="by default that of the default model")
    ratchet.add_argument("--update", action="store_true", help="take the outcomes of this run into the baseline")
    ratchet.add_argument(
        "--tolerant",
        action="store_true",
        help="let single cases change places, as on another processor (accuracy.ratchet_tolerance)",
    )
    _json_option(ratchet)


def _add_files(steps: "_Steps[argparse.ArgumentParser]") -> None:
    files = _step(steps, "files", "open files with faults, with Tez and with DuckDB, and say what is right and lost")
    folders = files.add_mutually_exclusive_group()
    folders.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="files kept before; else new ones")
    folders.add_argument("--keep", type=Path, metavar="FOLDER", help="write the files into this new folder")
    files.add_argument("--seed", type=int, metavar="S", help="of the files; by default that of the settings")
    files.add_argument("--sample", type=int, metavar="N", help="only N of the files, spread over the set")
    files.add_argument("--out", type=Path, metavar="FILE.md", help="write the whole report here")
    _json_option(files)


def _add_large(steps: "_Steps[argparse.ArgumentParser]") -> None:
    large = _step(steps, "large", "time how a large file is opened and profiled, by Tez and by DuckDB in turns")
    large.add_argument("--rows", type=_count, metavar="N", help="rows of the file (accuracy.large_rows)")
    large.add_argument("--columns", type=_count, metavar="N", help="columns of the file (accuracy.large_columns)")
    large.add_argument("--runs", type=_count, metavar="N", help="runs of each sort (accuracy.large_runs)")
    large.add_argument("--seed", type=int, metavar="S", help="of the file; by default that of the settings")
    _json_option(large)


def _add_plans(steps: "_Steps[argparse.ArgumentParser]") -> None:
    plans = _step(steps, "plans", "time ten typical plans against one statement of SQL and against pandas, in turns")
    plans.add_argument("--rows", type=_count, metavar="N", help="rows of the largest table (accuracy.large_rows)")
    plans.add_argument("--columns", type=_count, metavar="N", help="columns of the table (accuracy.large_columns)")
    plans.add_argument("--runs", type=_count, metavar="N", help="runs of each sort (accuracy.large_runs)")
    plans.add_argument("--seed", type=int, metavar="S", help="of the table; by default that of the settings")
    plans.add_argument("--one-size", action="store_true", help="only the largest table, not ten thousand rows upwards")
    _json_option(plans)


def _add_speed(steps: "_Steps[argparse.ArgumentParser]") -> None:
    speed = _step(steps, "speed", "time how answers are written against llama-cpp-python's own way, in turns")
    speed.add_argument("--requests", type=_count, metavar="N", help="requests a table (accuracy.speed_requests)")
    speed.add_argument("--model", type=Path, metavar="PATH", help="a GGUF file to measure beside the default weights")
    _json_option(speed)


def _add_neighbour(steps: "_Steps[argparse.ArgumentParser]") -> None:
    neighbour = _step(steps, "neighbour", "time answers alone and beside a process that takes one core, in turns")
    neighbour.add_argument("--requests", type=_count, metavar="N", help="requests (accuracy.speed_requests)")
    neighbour.add_argument("--model", type=Path, metavar="PATH", help="a GGUF file; by default the default weights")
    _json_option(neighbour)


def _add_links(steps: "_Steps[argparse.ArgumentParser]") -> None:
    links = _step(steps, "links", "say how often requests are linked to what their gold plans use; needs no model")
    _case_options(links)
    links.add_argument("--domain", metavar="NAME", help="only the cases of this domain")
    links.add_argument("--half", choices=("tuning", "checking"), help="only the tables that words are tuned on, or not")
    links.add_argument("--mistakes", type=int, default=10, metavar="N", help="so many of the commonest are listed")
    _json_option(links)


def _add_express(steps: "_Steps[argparse.ArgumentParser]") -> None:
    express = _step(steps, "express", "say the gold of public question sets as plans, and how much cannot be said")
    express.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a set: cases*.jsonl and its tables")
    _json_option(express)


def _add_public(steps: "_Steps[argparse.ArgumentParser]") -> None:
    public = _step(steps, "public", "ask a model the questions of public sets; each compares answers in its own way")
    public.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a set: cases*.jsonl and its tables")
    public.add_argument("--sample", type=_count, metavar="N", help="only N questions of each set")
    public.add_argument("--seed", type=int, metavar="S", help="of the sample; by default that of the settings")
    _model_options(public)
    _json_option(public)


def _add_examples(steps: "_Steps[argparse.ArgumentParser]") -> None:
    examples = _step(
        steps, "examples", "write training examples: made tables, plans that run on them, requests in words"
    )
    examples.add_argument("--out", required=True, type=Path, metavar="FILE.jsonl", help="the file of examples")
    examples.add_argument("--count", type=_count, default=1000, metavar="N", help="so many examples")
    examples.add_argument("--seed", type=int, metavar="S", help="by default that of the settings")
    _json_option(examples)


def _add_recall(steps: "_Steps[argparse.ArgumentParser]") -> None:
    recall = _step(steps, "recall", "say how often the tool that a request needs is among those that are offered")
    recall.add_argument(
        "--at", type=_count, nargs="+", default=[1, 4, 8, 16], metavar="N", help="so many of the tools are offered"
    )
    recall.add_argument("--missed", action="store_true", help="list the requests whose tool is not among the most")
    _json_option(recall)


def _add_memory(steps: "_Steps[argparse.ArgumentParser]") -> None:
    memory = _step(steps, "memory", "ask cases with and without accepted answers as examples, in turns")
    memory.add_argument("--examples", type=_count, default=3, metavar="N", help="so many accepted answers a prompt")
    _case_options(memory)
    _choice_options(memory)
    _model_options(memory)
    _json_option(memory)


def _count(text: str) -> int:
    """Return the whole number above zero that was typed."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(text)
    return number


def _step(steps: "_Steps[argparse.ArgumentParser]", name: str, text: str) -> argparse.ArgumentParser:
    """Add a step. Its general options leave those alone that stood before its name."""
    step = steps.add_parser(name, help=text, description=text[:1].upper() + text[1:] + ".")
    left_out = argparse.SUPPRESS
    step.add_argument("--settings", type=Path, metavar="FILE", default=left_out, help="overrides single settings")
    step.add_argument("--lang", choices=_LANGUAGES, default=left_out, help="language of the errors")
    step.add_argument("--debug", action="store_true", default=left_out, help="show the traceback of an error")
    return step


def _case_options(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--cases", nargs="+", type=Path, default=[], metavar="PATH", help="files or folders; by default Tez's own cases"
    )
    step.add_argument("--data", type=Path, metavar="FOLDER", help="the tables of cases of a domain of your own")


def _choice_options(step: argparse.ArgumentParser) -> None:
    step.add_argument("--domain", metavar="NAME", help="only the cases of this domain")
    step.add_argument("--sample", type=int, metavar="N", help="only N cases, spread over domains and languages")
    step.add_argument("--seed", type=int, metavar="S", help="of the sample; by default that of the settings")


def _model_options(step: argparse.ArgumentParser) -> None:
    step.add_argument("--model", type=Path, metavar="PATH", help="a GGUF file; by default the default weights")
    step.add_argument("--adapter", type=Path, metavar="PATH", help="a LoRA adapter (GGUF) for the model")


def _json_option(step: argparse.ArgumentParser) -> None:
    step.add_argument("--json", action="store_true", help="print one JSON object")
