"""Who answers what a file leaves open: earlier answers and, in a terminal, the person at it."""

import argparse
from datetime import date
from decimal import Decimal

from prompt.words import Language, day_text, number_text, screen_text

from . import terminal
from .load_options import ASK
from .remembered import Memory, memory_path
from .settings import Settings
from .settling import ABOUT, About, FileQuestion, Settling
from .sources import STANDARD_INPUT

_ASKING = ("ask", "chat", "run", "profile")


def settling_of(arguments: argparse.Namespace, settings: Settings, language: Language) -> Settling:
    """Return where answers come from for the command of these arguments."""
    asks = arguments.command in _ASKING and str(getattr(arguments, "plan", "")) != STANDARD_INPUT
    again: frozenset[About] = frozenset(about for about in ABOUT if getattr(arguments, about) == ASK)

    def answer(question: FileQuestion) -> str | None:
        return _answer(question, language)

    memory = Memory(memory_path(), settings.files.remembered_files)
    return Settling(memory, answer if asks and terminal.attended() else None, again)


def _answer(question: FileQuestion, language: Language) -> str | None:
    said = [_meaning_text(meaning, language) for _, meaning in question.choices]
    asked = {"table": question.table, "column": question.column, "cell": question.cell}
    choice = terminal.choice(screen_text(f"settle_{question.about}", language, **asked), said, language)
    return None if choice is None else question.choices[choice][0]


def _meaning_text(meaning: date | Decimal, language: Language) -> str:
    return number_text(meaning, language) if isinstance(meaning, Decimal) else day_text(meaning, language)
