"""The commands of public sets: `express` and `public`."""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from engine import exit_codes, render
from engine.decoder import TokenModel
from engine.settings import Settings
from engine.terminal import counted

from . import report
from .asking import ask_questions, sampled
from .express import PLANS, express
from .questions import read_questions, scored

OpenModel = Callable[[], AbstractContextManager[TokenModel]]


def express_sets(arguments: argparse.Namespace, settings: Settings) -> int:
    """Print how much of each set plans can say."""
    found = {}
    for folder in arguments.folders:
        questions = read_questions(folder)
        tried = [question for question in scored(questions) if question.form in PLANS]
        with counted(0, len(tried)) as tick:
            found[_name(folder)] = report.express_as_json(questions, express(tried, settings, tick))
            tick("")
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text("\n\n".join(report.express_summary(name, each) for name, each in found.items()))
    return exit_codes.ANSWERED


def ask_sets(arguments: argparse.Namespace, settings: Settings, open_model: OpenModel) -> int:
    """Print how often a model answers the questions of each set."""
    seed = settings.accuracy.seed if arguments.seed is None else arguments.seed
    chosen = {
        _name(folder): sampled(scored(read_questions(folder)), arguments.sample, seed) for folder in arguments.folders
    }
    found = {}
    with open_model() as model, counted(0, sum(map(len, chosen.values()))) as tick:
        for name, questions in chosen.items():
            found[name] = report.asked_as_json(ask_questions(questions, model, settings, tick))
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text("\n\n".join(report.asked_summary(name, each) for name, each in found.items()))
    return exit_codes.ANSWERED


def _name(folder: Path) -> str:
    return folder.resolve().name
