"""Where tables stand in a JSON document: told from its structure, as DuckDB's `json_structure` gives it.

In a structure a value is the name of its type, a list holds the structure that its elements share, an object has that
of each key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Structure: TypeAlias = Any
Form: TypeAlias = Literal["records", "rows", "columns", "numbered", "keyed"]

_NAMES = ("columns", "fields", "header", "headers", "names")
_UNKNOWN = "NULL"
_FEWEST_KEYED = 2


@dataclass(frozen=True)
class Part:
    """A table inside a document: the keys that lead to it, and its form.

    `records` is a list of objects, `rows` a list of lists (`named` by the key beside it that lists the names of the
    columns), `columns` an object of lists, `numbered` one of objects whose keys are 0, 1, 2, ..., and `keyed` one of
    objects with the same keys. `keys` are the keys of the object in the last three forms.
    """

    path: tuple[str, ...]
    form: Form
    keys: tuple[str, ...] = ()
    named: str | None = None


def parts_of(structure: Structure, depth: int, path: tuple[str, ...] = ()) -> list[Part]:
    """Return the tables inside a value: its lists of records, at most `depth` keys deep, else the one that it is."""
    if isinstance(structure, list):
        return _list(structure, path)
    if not isinstance(structure, Mapping) or not depth:
        return []
    names = next((key for key in _NAMES if structure.get(key) == ["VARCHAR"]), None)
    found: list[Part] = []
    for key, value in structure.items():
        for part in parts_of(value, depth - 1, (*path, key)):
            named = names if part.form == "rows" and part.path == (*path, key) else part.named
            found.append(Part(part.path, part.form, part.keys, named))
    lists = [part for part in found if part.form in ("records", "rows")]
    return lists or found or _whole(structure, path)


def beside(structure: Structure, parts: Sequence[Part], path: tuple[str, ...] = ()) -> list[str]:
    """Return the keys, dotted, of what stands around these tables and is not part of them."""
    paths = [part.path for part in parts]
    names = [(*part.path[:-1], part.named) for part in parts if part.named is not None]
    if path in paths or path in names or not isinstance(structure, Mapping):
        return []
    keys: list[str] = []
    for key, value in structure.items():
        inner = (*path, key)
        if any(each[: len(inner)] == inner for each in [*paths, *names]):
            keys += beside(value, parts, inner)
        else:
            keys.append(".".join(inner))
    return keys


def _list(structure: Sequence[Structure], path: tuple[str, ...]) -> list[Part]:
    if not structure or not isinstance(structure[0], Mapping | list):
        return []
    return [Part(path, "records" if isinstance(structure[0], Mapping) else "rows")]


def _whole(structure: Mapping[str, Structure], path: tuple[str, ...]) -> list[Part]:
    """Return the one table that an object without lists of records is, if it is one."""
    keys, values = tuple(structure), list(structure.values())
    if values and all(isinstance(value, list) and value and isinstance(value[0], str) for value in values):
        known = any(value[0] != _UNKNOWN for value in values)
        return [Part(path, "columns", keys)] if known else []
    if not all(isinstance(value, Mapping) and value for value in values) or not values:
        return []
    inner = list(values[0])
    if any(list(value) != inner for value in values):
        return []
    if inner == [str(number) for number in range(len(inner))]:
        return [Part(path, "numbered", keys)]
    return [Part(path, "keyed", keys)] if len(values) >= _FEWEST_KEYED else []
