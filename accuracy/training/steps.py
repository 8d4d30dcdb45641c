"""The command `examples`: training examples as a file, one JSON object a line."""

import argparse
from importlib.util import find_spec
from random import Random
from typing import Final

from accuracy.records import BenchError, as_line, write_text
from engine import exit_codes, render
from engine.settings import Settings
from engine.terminal import counted

from .examples import learned, lessons

MORPHOLOGY: Final = "pymorphy3"


def write_examples(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write examples and print how many, and how many were left out because the grammar does not have their answer.

    Raises BenchError `missing_extra` where Russian words cannot be inflected, `not_written`.
    """
    if find_spec(MORPHOLOGY) is None:
        raise BenchError("missing_extra", found=MORPHOLOGY, allowed="tez-analyst[train]")
    seed = settings.accuracy.seed if arguments.seed is None else arguments.seed
    lines: list[str] = []
    left_out = 0
    with counted(0, arguments.count) as tick:
        for lesson in lessons(Random(seed), arguments.count, settings):
            for example in lesson.examples:
                tick(lesson.table.name)
                line = learned(lesson, example)
                if line is None:
                    left_out += 1
                else:
                    lines.append(as_line(line))
        tick("")
    write_text(arguments.out, "".join(lines))
    found = {"file": str(arguments.out), "examples": len(lines), "left_out": left_out, "seed": seed}
    if arguments.json:
        render.print_json(found)
    else:
        render.print_text(f"{arguments.out}: {len(lines)} examples; {left_out} left out; seed {seed}")
    return exit_codes.ANSWERED
