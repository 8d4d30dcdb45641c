"""What the readers of sources share: names of columns, types by the values found, rows in batches."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, TypeAlias

from grammar import clean_name, unique_name

from . import sql
from .database import Connection, execute, insert
from .load_report import LoadReport

Sort: TypeAlias = Literal["whole", "big", "number", "boolean", "date", "moment", "bytes", "text"]

_EXACT_IN_DOUBLE = 2**53
_EXACT_IN_BIGINT = 2**63

# The types of columns, the first one whose sorts cover all those found; a mixed column stays text.
_TYPES: tuple[tuple[str, frozenset[Sort]], ...] = (
    ("BOOLEAN", frozenset({"boolean"})),
    ("BIGINT", frozenset({"whole", "big"})),
    ("DOUBLE", frozenset({"whole", "number"})),
    ("DATE", frozenset({"date"})),
    ("TIMESTAMP", frozenset({"date", "moment"})),
    ("BLOB", frozenset({"bytes"})),
)


@dataclass(frozen=True)
class Loaded:
    """A table that a reader made: its name, labels of columns where they differ, notes, and a report if it has one."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    report: LoadReport | None = None


def column_names(labels: Iterable[object]) -> dict[str, str]:
    """Return the columns' names, cleaned and unique, each with the label that it was made of."""
    columns: dict[str, str] = {}
    for number, each in enumerate(labels, 1):
        label = "" if each is None else value_text(each)
        columns[unique_name(clean_name(label, f"column_{number}"), columns)] = label
    return columns


def differing(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of those columns whose name differs from it."""
    return {name: label for name, label in columns.items() if name != label}


def sort_of(value: object) -> Sort:
    """Return the sort of a filled cell; a time of day and a span of time are text."""
    match value:
        case bool():
            return "boolean"
        case int():
            if abs(value) <= _EXACT_IN_DOUBLE:
                return "whole"
            return "big" if -_EXACT_IN_BIGINT <= value < _EXACT_IN_BIGINT else "text"
        case float():
            return "whole" if value.is_integer() and abs(value) <= _EXACT_IN_DOUBLE else "number"
        case datetime():
            return "moment"
        case date():
            return "date"
        case bytes():
            return "bytes"
        case _:
            return "text"


def type_of(sorts: Iterable[Sort]) -> str:
    """Return the DuckDB type for a column that holds these sorts of cells."""
    found = set(sorts)
    return next((each for each, covered in _TYPES if found and found <= covered), "VARCHAR")


def value_text(value: object) -> str:
    """Return a cell as text in which no digit is lost: 45658.0 is `45658`."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case float():
            return str(int(value)) if value.is_integer() else f"{Decimal(repr(value)):f}"
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            minutes, seconds = divmod(int(value.total_seconds()), 60)
            return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
        case bytes():
            return value.hex()
        case _:
            return str(value)


def as_type(value: Any, duckdb_type: str) -> Any:
    """Return a cell as a value of the column's type."""
    if value is None:
        return None
    if duckdb_type == "VARCHAR":
        return value_text(value)
    if duckdb_type == "BIGINT":
        return int(value)
    if duckdb_type == "DOUBLE":
        return float(value)
    if duckdb_type == "TIMESTAMP" and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value


def mixed(column: str, sorts: Counter[Sort]) -> dict[str, Any] | None:
    """Return the note on a column that stays text although some of its cells are none; None for any other."""
    cells, others = sorts.total(), sorts.total() - sorts["text"]
    if not others or type_of(sorts) != "VARCHAR":
        return None
    return {"note": "mixed_column", "column": column, "cells": cells, "others": others}


def make_table(
    con: Connection,
    name: str,
    types: Mapping[str, str],
    rows: Iterable[Sequence[Any]],
    batch_rows: int,
    *,
    temporary: bool = False,
) -> None:
    """Make a table of columns with these types and fill it, `batch_rows` rows at a time; nothing stays if it fails."""
    columns = ", ".join(f"{sql.name(column)} {duckdb_type}" for column, duckdb_type in types.items())
    execute(con, f"CREATE {'TEMP ' if temporary else ''}TABLE {sql.name(name)} ({columns})")
    kinds = list(types.values())
    try:
        for batch in _batches(rows, batch_rows):
            cells = [[as_type(row[place], kind) for row in batch] for place, kind in enumerate(kinds)]
            insert(con, sql.name(name), kinds, cells)
    except BaseException:
        execute(con, f"DROP TABLE {sql.name(name)}")
        raise


def _batches(rows: Iterable[Sequence[Any]], size: int) -> Iterator[list[Sequence[Any]]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch
