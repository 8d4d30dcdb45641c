"""Glossary entries: what the words of a business mean in the tables that are open.

An entry maps phrases ("qoldiq / остаток / balance") to a meaning in English. A meaning may say `column X`,
`value V of column X` or `value V`; what it names is looked up in the tables.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grammar.script import reading
from grammar.state import Column, TableState

_PHRASE_MARK = re.compile(r"\s*/\s*")
_VALUE_OF = re.compile(r"\bvalue\s+(?P<value>.+?)\s+of\s+column\s+", re.IGNORECASE)
_COLUMN = re.compile(r"\bcolumn\s+", re.IGNORECASE)
_VALUE = re.compile(r"\bvalue\s+", re.IGNORECASE)
_QUOTES = "\"'«“„"


@dataclass(frozen=True)
class Target:
    """A column of a table, or one of its values, that a meaning names."""

    table: str
    column: str
    value: str | None = None


@dataclass(frozen=True)
class Entry:
    """One entry that holds for the opened tables: `key` as it stands in the file, its phrases and what it names."""

    key: str
    phrases: tuple[str, ...]
    meaning: str
    targets: tuple[Target, ...]


def entries(glossary: Mapping[str, str], states: Sequence[TableState]) -> list[Entry]:
    """Return the entries that hold for these tables; one that names only columns or values elsewhere is left out."""
    kept = []
    known = [_Known(state) for state in states]
    for key, meaning in glossary.items():
        targets, names_something = _targets(meaning, known)
        if targets or not names_something:
            phrases = tuple(phrase for phrase in _PHRASE_MARK.split(key) if phrase.strip())
            kept.append(Entry(key, phrases, meaning, tuple(dict.fromkeys(targets))))
    return kept


def column_meanings(glossary: Mapping[str, str], state: TableState) -> dict[str, Entry]:
    """Return for each column of a table that the glossary knows the first entry about it."""
    found: dict[str, Entry] = {}
    for entry in entries(glossary, [state]):
        for target in entry.targets:
            if target.value is None:
                found.setdefault(target.column, entry)
    return found


class _Known:
    """A table with its columns and values under their folded names."""

    def __init__(self, state: TableState) -> None:
        self.table = state.name
        self.columns = [(reading(column.name), column) for column in state.offered()]
        self.values = [(reading(value), column, value) for column in state.offered() for value in column.values or ()]


def _targets(meaning: str, states: Sequence[_Known]) -> tuple[list[Target], bool]:
    """Return what the meaning names in these tables, and whether it names a column at all."""
    targets: list[Target] = []
    names_a_column = False
    rest = meaning
    for match in _VALUE_OF.finditer(meaning):
        names_a_column = True
        rest = rest.replace(match.group(0), " ")
        for table, column in _columns_at(meaning[match.end() :], states):
            value = _own_value(column, match.group("value").strip().strip(_QUOTES + "»”"))
            if value is not None:
                targets.append(Target(table, column.name, value))
    for match in _COLUMN.finditer(rest):
        names_a_column = True
        targets += [Target(table, column.name) for table, column in _columns_at(rest[match.end() :], states)]
    if not names_a_column:
        for match in _VALUE.finditer(meaning):
            targets += _values_at(meaning[match.end() :], states)
    return targets, names_a_column


def _columns_at(text: str, states: Iterable[_Known]) -> list[tuple[str, Column]]:
    """Return, for each table by its name, the column with the longest name that the text begins with."""
    written = reading(text.lstrip(_QUOTES))
    found = []
    for state in states:
        names = [(len(column.name), column) for name, column in state.columns if _begins(written, name)]
        if names:
            found.append((state.table, max(names, key=lambda pair: pair[0])[1]))
    return found


def _values_at(text: str, states: Iterable[_Known]) -> list[Target]:
    written = reading(text.lstrip(_QUOTES))
    found = [
        (len(value), Target(state.table, column.name, value))
        for state in states
        for name, column, value in state.values
        if _begins(written, name)
    ]
    longest = max((length for length, _ in found), default=0)
    return [target for length, target in found if length == longest]


def _begins(written: str, name: str) -> bool:
    """Say whether a folded text begins with a folded name, as a whole word."""
    return bool(name) and written.startswith(name) and re.match(r"\w", written[len(name) :]) is None


def _own_value(column: Column, value: str) -> str | None:
    """Return the column's spelling of the value; the value itself where the column's values are not known."""
    if column.values is None:
        return value
    return next((own for own in column.values if reading(own) == reading(value)), None)
