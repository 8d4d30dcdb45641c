"""What a busy neighbour costs: requests answered alone and beside a process that takes one core, in turns."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any, Final

from engine.decoder import decode
from engine.domain import Domain
from engine.machine import cores
from engine.model import LlamaModel
from engine.plan import shipped_contracts
from engine.settings import Settings
from grammar import AnswerMatcher
from prompt.build import build_prompt
from prompt.resolve import links

from .report import number, table
from .speed_tables import requests, scene

SIZE: Final = 50
GOAL: Final = 10
SPIN: Final = "print(flush=True)\nwhile True: pass"


@contextmanager
def spinning() -> Iterator[None]:
    """Let a process take one core as long as the block lasts."""
    process = subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()


def measure(path: Path, settings: Settings, many: int, tick: Callable[[str], None]) -> dict[str, Any]:
    """Answer each of so many requests twice, alone and beside a neighbour; the order changes with every request.

    Seconds are those of reading the request, behind a beginning that is read before, and of writing the answer.
    """
    made = scene(SIZE, settings)
    taken: dict[str, list[float]] = {"alone": [], "beside": []}
    ways: Mapping[str, Callable[[], Any]] = {"alone": nullcontext, "beside": spinning}
    with LlamaModel(path, settings.model) as model:
        for place, request in enumerate(requests(SIZE, many, settings.accuracy.seed)):
            found = links(request, made, {}, settings.prompt)
            prompt = build_prompt(shipped_contracts(), made, Domain().context, request, found, (), settings.prompt)
            shared = model.chat_tokens(prompt.text)[: model.shared_tokens(prompt.text, prompt.shared)[-1]]
            for way in sorted(ways, reverse=place % 2 == 1):
                tick(f"{path.name}: {place + 1} {way}")
                model.read(shared)
                with ways[way]():
                    started = time.perf_counter()
                    decode(model, AnswerMatcher(shipped_contracts(), made), prompt.text, settings.model)
                    taken[way].append(time.perf_counter() - started)
    ratios = [beside / alone for alone, beside in zip(taken["alone"], taken["beside"], strict=True)]
    return {
        "model": path.name,
        "requests": many,
        "cores": cores(),
        "threads": settings.model.threads or cores(),
        "seconds": {way: median(each) for way, each in taken.items()},
        "ratio": median(ratios),
        "worst": max(ratios),
    }


def summary(found: Mapping[str, Any]) -> str:
    """Return what was measured, in Markdown."""
    head = ["model", "alone s", "beside a busy process s", "ratio", "worst ratio"]
    seconds = found["seconds"]
    row = [
        found["model"],
        *(number(seconds[way]) for way in ("alone", "beside")),
        *(number(found[key]) for key in ("ratio", "worst")),
    ]
    goal = ["goal", "", "", f"under {GOAL}", ""]
    measured = f"{found['requests']} requests, {found['threads']} threads on {found['cores']} cores."
    return f"{table(head, [row, goal])}\n\n{measured}"
