"""What a step can see of a table, and what an answer can be about.

A table state starts as the profile of an opened table and changes with every step. It is plain frozen data:
nothing here looks at a database.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["number", "date", "text", "boolean", "other"]
DayOrder = Literal["dmy", "mdy", "ymd", "unclear"]
DecimalMark = Literal[".", ","]


@dataclass(frozen=True)
class Limits:
    """The bounds of what can be written, all from the settings.

    `text_length` is in code points, `list_length` in items, `number_digits`, `number_decimals` and
    `integer_digits` in decimal digits; `question_options`, `pivot_columns` (the most columns that a pivot makes of the
    values of one) and `max_steps` count.
    """

    text_length: int
    list_length: int
    number_digits: int
    number_decimals: int
    integer_digits: int
    question_options: int
    pivot_columns: int
    max_steps: int


@dataclass(frozen=True)
class Column:
    """One column: its exact name, its kind, and the known values of a text column.

    `values` is None where the values are not known or too many to list; where `complete` is false they are only some
    of the column's values. `label` is the name as it stood in the file, where that differs. A column of the kind
    `other` is shown and never offered.

    What is known of how a text column writes its values: `day_order` is the order of day, month and year in dates
    between slashes or hyphens (`unclear`: nothing tells it, so the column is not offered where a contract excludes
    `unclear_dates`), `decimal` the mark before decimals that a person named.

    A `hidden` column is there and keeps its name from others, but is not offered: the request cannot mean it.
    `repeated` is known only while a plan runs: a join put the same cell of the column into several rows.
    `joins` are the columns of other opened tables, `(table, column)` each, that have values in common with this one;
    None where that was not measured or no longer holds, so that any column of a fitting kind may be its partner.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] | None = None
    label: str = ""
    day_order: DayOrder | None = None
    decimal: DecimalMark | None = None
    complete: bool = True
    hidden: bool = False
    repeated: bool = False
    joins: tuple[tuple[str, str], ...] | None = None

    @cached_property
    def choices(self) -> tuple[str, ...] | None:
        """Return the known values of a text column, each once; None where they are not known."""
        return tuple(dict.fromkeys(self.values)) if self.kind == "text" and self.values is not None else None

    def all_values(self) -> tuple[str, ...] | None:
        """Return every value that the column may hold, None if they are not known: those of a boolean always are."""
        if self.kind == "boolean":
            return ("false", "true")
        return self.values if self.kind == "text" and self.complete else None


@dataclass(frozen=True)
class TableState:
    """The columns of a table in order, what its rows are grouped by, and the other opened tables."""

    columns: tuple[Column, ...]
    limits: Limits
    groups: tuple[str, ...] = ()
    name: str = ""
    others: tuple["TableState", ...] = ()

    def column(self, name: str) -> Column:
        """Return the column of exactly this name; KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def other(self, name: str) -> "TableState":
        """Return the other opened table of exactly this name; KeyError if there is none."""
        for other in self.others:
            if other.name == name:
                return other
        raise KeyError(name)

    def offered(self) -> Iterator[Column]:
        """Yield the columns that a plan may name."""
        return iter(self._offered)

    @cached_property
    def _offered(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.kind != "other" and not column.hidden)


@dataclass(frozen=True)
class Scene:
    """What an answer can be about: the opened tables, and the current result once there is an earlier plan."""

    tables: tuple[TableState, ...]
    result: TableState | None = None
