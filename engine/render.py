"""Results as text: tables for a person, JSON for a program. The only writer to standard output."""

import json
import math
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from io import StringIO
from typing import Any, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grammar import Kind, TezError
from prompt.words import Language, number_text, screen_text

from . import terminal
from .settings import OutputSettings

SEPARATOR = " ┃ "


class OutputError(TezError):
    """Standard output is closed or cannot take what is written."""


def print_text(text: str) -> None:
    """Print a text and a line break; OutputError if it cannot be written, BrokenPipeError if nobody reads on.

    A character that the output's encoding does not have is written as its escape (`\\u0434`).
    """
    _write(text if text.endswith("\n") else text + "\n")


def print_json(value: Any) -> None:
    """Print a JSON document. Dates are ISO texts, numbers that JSON does not know are null."""
    print_text(json_text(value, ascii_only=not is_unicode()))


def json_text(value: Any, *, ascii_only: bool = False, indent: int | None = None) -> str:
    """Return a JSON document. Dates are ISO texts, numbers that JSON does not know are null."""
    return json.dumps(json_value(value), ensure_ascii=ascii_only, allow_nan=False, indent=indent)


def json_value(value: Any) -> Any:
    """Return a value as JSON has it; a decimal that a JSON number cannot carry exactly becomes a text."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Decimal():
            if value == value.to_integral_value():
                return int(value)
            return float(value) if Decimal(repr(float(value))) == value else str(value)
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): json_value(each) for key, each in value.items()}
        case list() | tuple():
            return [json_value(each) for each in value]
        case _:
            return str(value)


def print_table(
    columns: Sequence[str],
    kinds: Sequence[Kind],
    rows: Sequence[Sequence[Any]],
    language: Language,
    settings: OutputSettings,
    wanted: Collection[str] = (),
) -> list[str]:
    """Print rows as a table that fits the terminal; return the names of the columns that did not fit.

    Numbers stand to the right in the language's form, binary fractions `shortened`; long texts are cut, visibly.
    `wanted` are the columns that are shown before all others, as far as they fit.
    """
    text, hidden = table_text(
        columns,
        kinds,
        rows,
        language,
        settings,
        wanted,
        width=line_width(settings),
        terminal=_output().isatty(),
        plain=not is_unicode(),
    )
    _write(text)
    return hidden


def table_text(
    columns: Sequence[str],
    kinds: Sequence[Kind],
    rows: Sequence[Sequence[Any]],
    language: Language,
    settings: OutputSettings,
    wanted: Collection[str] = (),
    *,
    width: int,
    terminal: bool = False,
    plain: bool = False,
) -> tuple[str, list[str]]:
    """Return what `print_table` prints in lines of this `width`, and the names of the columns that did not fit.

    With the colours of a `terminal`, and its frame in ASCII where it is to be `plain`.
    """
    drawn = StringIO()
    console = Console(file=drawn, width=width, force_terminal=terminal, force_jupyter=False, highlight=False)
    names = [one_line(name) for name in columns]
    cells = [[cell_text(value, language, settings.decimals) for value in row] for row in rows]
    widths = []
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        longest = max(map(cell_len, [name, *(row[place] for row in cells)]))
        widths.append(longest if kind == "number" else min(longest, settings.text_width))
    shown = _fitting(columns, widths, width, wanted)
    edge = box.ASCII if plain else box.HEAVY_HEAD
    table = Table(show_edge=False, pad_edge=False, header_style="bold", box=edge)
    for place in shown:
        justify: Any = "right" if kinds[place] == "number" else "left"
        header = Text(names[place])
        table.add_column(header, justify=justify, overflow="ellipsis", no_wrap=True, width=widths[place])
    for row in cells:
        table.add_row(*(Text(row[place]) for place in shown))
    console.print(table)
    return drawn.getvalue(), [name for place, name in enumerate(columns) if place not in shown]


def _fitting(columns: Sequence[str], widths: Sequence[int], space: int, wanted: Collection[str]) -> list[int]:
    """Return the places of the columns that fit into `space`, in their order; the first choice always."""
    by_choice = sorted(range(len(columns)), key=lambda place: columns[place] not in wanted)
    shown: list[int] = []
    for place in by_choice:
        needed = widths[place] + (len(SEPARATOR) if shown else 0)
        if shown and needed > space:
            break
        space -= needed
        shown.append(place)
    return sorted(shown)


def cell_text(value: Any, language: Language, decimals: int) -> str:
    """Return a cell as a person reads it, on one line; empty for what is empty or not finite."""
    match value:
        case None:
            return ""
        case bool():
            return screen_text("yes" if value else "no", language)
        case float():
            return number_text(shortened(value, decimals), language) if math.isfinite(value) else ""
        case int() | Decimal():
            return number_text(value, language) if math.isfinite(value) else ""
        case datetime():
            return value.isoformat(sep=" ")
        case _:
            return one_line(str(json_value(value)))


def shortened(value: float, decimals: int) -> float:
    """Return a finite binary fraction with so many decimals, one below 1 with so many figures: for the eye alone."""
    if abs(value) >= 1 or value == 0:
        return round(value, decimals)
    return float(f"{value:.{max(decimals, 1)}g}")


def one_line(text: str) -> str:
    """Return the text with control characters made visible, so that a value cannot move the cursor."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _output() -> TextIO:
    if sys.stdout is None:
        raise OutputError("closed")
    return sys.stdout


def is_unicode() -> bool:
    """Return whether standard output takes every character; OutputError if it is closed."""
    return (_output().encoding or "").lower().replace("-", "").startswith("utf")


def is_terminal() -> bool:
    """Return whether a person sees what is written to standard output; OutputError if it is closed."""
    return _output().isatty()


def line_width(settings: OutputSettings) -> int:
    """Return how many characters a line of standard output takes; OutputError if it is closed."""
    output = _output()
    return Console(file=output).width if output.isatty() else settings.piped_width


def _write(text: str) -> None:
    output = _output()
    encoding = output.encoding or "utf-8"
    try:
        output.write(text.encode(encoding, "backslashreplace").decode(encoding))
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError("not_written", found=error.strerror) from error


class Beside:
    """Stands for standard output while functions of the user's run: what other threads print goes to standard error."""

    def __init__(self) -> None:
        self._output = sys.stdout
        self._writer = threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output if threading.get_ident() == self._writer else terminal.errors(), name)


@contextmanager
def beside() -> Iterator[None]:
    """Keep what other threads print off standard output; for good, where one of them had to be left running."""
    before = sys.stdout
    if before is not None and not isinstance(before, Beside):
        sys.stdout = Beside()
    yield
    sys.stdout = before
