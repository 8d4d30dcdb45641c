"""What is said beside the result: messages and progress. The only writer to standard error."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from prompt.words import Language, screen_text

from .decoder import Phase
from .decoder import Progress as Report

Tick = Callable[[str], None]
"""Called before each of many pieces of work with its name, and once at the end with an empty text."""

FORECAST_FROM = 3600.0
LOOKS_A_SECOND = 10
KEY_BYTES = 16


def say(text: str) -> None:
    """Print a line to standard error; where that is closed or full, there is nobody to tell."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def errors() -> TextIO:
    """Return standard error, or what swallows all where it is closed."""
    return sys.stderr if sys.stderr is not None else io.StringIO()


def attended() -> bool:
    """Return whether a person sits at the terminal: what is said is seen there, and what is typed there is read."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def choice(question: str, choices: Sequence[str], language: Language) -> int | None:
    """Ask a person to choose, and return the place of the choice; None for an empty line or the end of input."""
    say(question)
    for number, text in enumerate(choices, 1):
        say(f"  {number}) {text}")
    while True:
        sys.stderr.write(screen_text("settle_hint", language, numbers=[*range(1, len(choices) + 1)]) + " ")
        sys.stderr.flush()
        typed = sys.stdin.readline().strip()
        if not typed:
            return None
        if typed in map(str, range(1, len(choices) + 1)):
            return int(typed) - 1


def key(hint: str, keys: Collection[str]) -> str | None:
    """Show a hint and return the key that a person presses, one of these; None for any other.

    Where the terminal tells keys only with the line that they stand in, it is the line.
    """
    sys.stderr.write(hint + " ")
    sys.stderr.flush()
    pressed = _pressed() if all(len(each) == 1 for each in keys) else sys.stdin.readline().strip()
    sys.stderr.write("\n")
    return pressed if pressed in keys else None


def _pressed() -> str:
    """Return the next key, read without its line where the system can do that; Ctrl-C interrupts as it does always."""
    try:
        import termios
        import tty
    except ImportError:
        return sys.stdin.readline().strip()
    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSANOW)
        return os.read(stream, KEY_BYTES).decode("utf-8", "replace")
    finally:
        termios.tcsetattr(stream, termios.TCSANOW, before)


def close() -> None:
    """Say nothing more: whoever read the output has gone."""
    sys.stderr.close()


@contextmanager
def progress(language: Language) -> Iterator[Report]:
    """Show how far an answer is (from loading to running) while the block runs; nothing without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda phase, done, total: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def report(phase: Phase, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(screen_text(phase, language))
            bars.update(tasks[phase], completed=done, total=total)

        yield report


@contextmanager
def counted(done: int, total: int) -> Iterator[Tick]:
    """Show a bar that begins at `done` of `total` pieces of work while the block runs; nothing without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda name: None
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=FORECAST_FROM) as bar:
        task = bar.add_task("", total=total, completed=done)
        started = False

        def tick(name: str) -> None:
            nonlocal started
            bar.update(task, advance=1 if started else 0, description=name)
            started = True

        yield tick


@contextmanager
def opening(done: Callable[[], float | None], names: str, language: Language) -> Iterator[None]:
    """Show a bar while the block opens files of these names; nothing without a terminal.

    `done` is asked from another thread how much of what runs is done, from 0 to 1, None if that is not known.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(screen_text("opening", language, names=names)), total=None)
        ended = Event()

        def look() -> None:
            while not ended.wait(1 / LOOKS_A_SECOND):
                share = done()
                bar.update(task, total=None if share is None else 1.0, completed=share or 0.0)

        looking = Thread(target=look, daemon=True)
        looking.start()
        try:
            yield
        finally:
            ended.set()
            looking.join()
