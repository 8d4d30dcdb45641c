"""Columns that a person names in options: found whatever the case, apostrophes, alphabet or look-alike letters."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from grammar import same_name
from prompt.resolve import nearest
from prompt.script import fold, latin_forms, plain, word_spans

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
    """Return the column that a name means, by the strictest form in which it is one of them."""
    if name in columns:
        return name
    forms: tuple[Callable[[str], Hashable], ...] = (same_name, plain)
    for form in forms:
        alike = [column for column in columns if form(column) == form(name)]
        if alike:
            return _only(name, alike)
    wanted = _spellings(name)
    return _only(name, [column for column in columns if _alike(_spellings(column), wanted)])


def _only(name: str, alike: Sequence[str]) -> str | None:
    if len(alike) > 1:
        raise FileError("ambiguous_column", found=name, allowed=list(alike))
    return alike[0] if alike else None


def _spellings(name: str) -> list[set[str]]:
    """Return for each word of a name the ways in which it is written in Latin letters."""
    folded = fold(name).text
    return [set(latin_forms(folded[start:end])) for start, end in word_spans(folded)]


def _alike(one: Sequence[set[str]], other: Sequence[set[str]]) -> bool:
    return bool(one) and len(one) == len(other) and all(a & b for a, b in zip(one, other, strict=True))
