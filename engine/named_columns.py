"""Columns that a person names in options, found as every name that a person types."""

from collections.abc import Iterable, Mapping, Sequence

from grammar import meant_names
from prompt.resolve import nearest

from .load_options import ColumnKind
from .paths import FileError


def named_kinds(types: Mapping[str, ColumnKind], columns: Sequence[str]) -> dict[str, ColumnKind]:
    """Return the kinds that a person gave to columns of a table; a name that fits none of them is left out.

    FileError `ambiguous_column` if a name fits several.
    """
    return {column: kind for name, kind in types.items() if (column := _column(name, columns)) is not None}


def check_named(types: Mapping[str, ColumnKind], tables: Iterable[Sequence[str]]) -> None:
    """Raise FileError `unknown_column` if a name fits no column of any of the tables."""
    known = [list(columns) for columns in tables]
    for name in types:
        if all(_column(name, columns) is None for columns in known):
            names = [column for columns in known for column in columns]
            raise FileError("unknown_column", found=name, allowed=nearest(name, names, len(names)))


def _column(name: str, columns: Sequence[str]) -> str | None:
    """Return the column that a name means, None if there is none."""
    meant = meant_names(name, columns)
    if len(meant) > 1:
        raise FileError("ambiguous_column", found=name, allowed=meant)
    return meant[0] if meant else None
