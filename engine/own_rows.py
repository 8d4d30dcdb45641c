"""What a function of the user's returned, as the columns of a table: types by the values, nothing guessed or bent."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from typing import Any

from grammar import Column, Kind, ToolError, same_name

_WHOLE, _BINARY, _TRUTH, _DAY, _MOMENT, _TEXT = "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "VARCHAR"
_KINDS: Mapping[str, Kind] = {
    _WHOLE: "number",
    _BINARY: "number",
    _TRUTH: "boolean",
    _DAY: "date",
    _MOMENT: "date",
    _TEXT: "text",
}
_WIDER: Mapping[frozenset[str], str] = {
    frozenset({_WHOLE, _BINARY}): _BINARY,
    frozenset({_DAY, _MOMENT}): _MOMENT,
}
_EMPTY: Mapping[Kind, str] = {"number": _BINARY, "boolean": _TRUTH, "date": _DAY, "text": _TEXT}
_WHOLE_BITS = 63


@dataclass(frozen=True)
class Returned:
    """The DuckDB type of each column, and the rows in that order."""

    types: Mapping[str, str]
    rows: Sequence[Sequence[Any]]


def returned(value: Any, declared: Sequence[Column] | None, most: int) -> Returned:
    """Return the rows of what a function gave back; at most `most` of them.

    Dicts, whose keys are the columns, or tuples in the order of the `declared` columns. Every row has the same columns;
    a column holds numbers, texts, dates or booleans, and None where a cell is empty. Raises ToolError, which names row
    and column.
    """
    rows = _listed(value, declared, most)
    names = _names(rows, declared)
    cells = [_cells(number, row, names) for number, row in enumerate(rows, 1)]
    kinds = {column.name: column.kind for column in declared or ()}
    types = {name: _type(name, [row[place] for row in cells], kinds.get(name)) for place, name in enumerate(names)}
    typed = list(types.values())
    return Returned(types, [[_as(cell, kind) for (cell, _), kind in zip(row, typed, strict=True)] for row in cells])


def _listed(value: Any, declared: Sequence[Column] | None, most: int) -> list[Any]:
    allowed = ["[{...}, ...]", *(["[(...), ...]"] if declared is not None else [])]
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ToolError("own_not_rows", found=type(value).__name__, allowed=allowed)
    rows = list(islice(iter(value), most + 1))
    if len(rows) > most:
        raise ToolError("own_too_many_rows", limit=most)
    for number, row in enumerate(rows, 1):
        if not (isinstance(row, Mapping) or (declared is not None and isinstance(row, list | tuple))):
            raise ToolError("own_not_a_row", row=number, found=type(row).__name__, allowed=allowed)
    return rows


def _names(rows: Sequence[Any], declared: Sequence[Column] | None) -> list[str]:
    if declared is not None:
        return [column.name for column in declared]
    if not rows:
        raise ToolError("own_no_columns")
    names = list(rows[0])
    seen: set[str] = set()
    for name in names:
        form = same_name(name) if isinstance(name, str) else ""
        if not form or form in seen or not _is_unicode(name):
            raise ToolError("own_column_name", found=repr(name))
        seen.add(form)
    if not names:
        raise ToolError("own_no_columns")
    return names


def _cells(number: int, row: Any, names: Sequence[str]) -> list[tuple[Any, str | None]]:
    """Return each cell of a row with its type, None for an empty one."""
    if isinstance(row, Mapping):
        if set(row) != set(names):
            raise ToolError("own_other_columns", row=number, found=", ".join(map(str, row)), allowed=list(names))
        values = [row[name] for name in names]
    else:
        if len(row) != len(names):
            raise ToolError("own_row_length", row=number, cells=len(row), allowed=list(names))
        values = list(row)
    return [_cell(number, name, value) for name, value in zip(names, values, strict=True)]


def _cell(row: int, column: str, value: Any) -> tuple[Any, str | None]:
    match value:
        case None:
            return None, None
        case bool():
            return value, _TRUTH
        case Integral() if int(value).bit_length() <= _WHOLE_BITS:
            return int(value), _WHOLE
        case Decimal() if value.is_finite():
            return float(value), _BINARY
        case Real() if not isinstance(value, Integral) and math.isfinite(value):
            return float(value), _BINARY
        case datetime() if value.tzinfo is None:
            return value, _MOMENT
        case date() if not isinstance(value, datetime):
            return value, _DAY
        case str() if _is_unicode(value):
            return str(value), _TEXT
        case _:
            shown = f"{value!r} ({type(value).__name__})"
            raise ToolError("own_cell", row=row, column=column, found=shown, allowed=["str", *_PLAIN])


_PLAIN = ("int", "float", "bool", "date", "datetime", "None")


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _type(column: str, cells: Sequence[tuple[Any, str | None]], declared: Kind | None) -> str:
    """Return the type of a column; ToolError where its cells are of several kinds, or not of the declared one."""
    first: dict[str, int] = {}
    for row, (_, found) in enumerate(cells, 1):
        if found is not None:
            first.setdefault(found, row)
    kinds: dict[str, int] = {}
    for found, row in first.items():
        kinds.setdefault(_KINDS[found], row)
    if len(kinds) > 1:
        raise ToolError("own_mixed", column=column, found=", ".join(_placed(kinds)))
    if not first:
        return _EMPTY.get(declared or "text", _TEXT)
    if declared is not None and declared not in kinds:
        raise ToolError("own_declared", column=column, found=next(_placed(kinds)), allowed=[declared])
    if len(first) == 1:
        return next(iter(first))
    return _WIDER[frozenset(first)]


def _placed(kinds: Mapping[str, int]) -> Iterator[str]:
    """Yield each kind with the first row that has it."""
    return (f"{kind} (#{row})" for kind, row in kinds.items())


def _as(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == _BINARY:
        return float(value)
    if kind == _MOMENT and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value
