"""Results as text: tables for a person, JSON for a program. The only writer to standard output."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grammar import Kind
from prompt.words import Language, number_text

from .settings import OutputSettings


def print_text(text: str) -> None:
    """Print a text and a line break."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def print_json(value: Any) -> None:
    """Print a JSON document. Dates are ISO texts, numbers that JSON does not know are null."""
    print_text(json.dumps(json_value(value), ensure_ascii=False, allow_nan=False))


def json_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
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
) -> None:
    """Print rows as a table, cut to the width of the terminal; numbers in the language's form, to the right."""
    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, width=None if terminal else settings.piped_width, highlight=False)
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name, kind in zip(columns, kinds, strict=True):
        justify: Any = "right" if kind == "number" else "left"
        table.add_column(Text(_one_line(name)), justify=justify, overflow="ellipsis", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(_cell(value, language)) for value in row))
    console.print(table)


def _cell(value: Any, language: Language) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return number_text(value, language)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return _one_line(str(json_value(value)))


def _one_line(text: str) -> str:
    """Return the text with control characters made visible, so that a value cannot move the cursor."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
