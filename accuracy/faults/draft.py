"""A file on its way: a clean table, how its values and rows are going to be written, and what a reader has to find."""

import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Final, Literal, TypeAlias

from .clean import CleanColumn, CleanTable, Value

Role = Literal["title", "blank", "header", "data", "aside"]
Cell: TypeAlias = Value | datetime.datetime
DateStyle: TypeAlias = Callable[[datetime.date], str]

_UNCLEAR_GROUP: Final = re.compile(r"\d{1,3}[.,]\d{3}")
_FIGURES: Final = re.compile(r"\d[\d.,' \u00a0\u202f]*\d|\d")


class UnfitError(Exception):
    """The fault cannot be put into this table."""


@dataclass(frozen=True)
class Line:
    """A row of the file: what it is, and its cells as text. `bare` cells are written without any quoting."""

    role: Role
    cells: tuple[str, ...]
    bare: bool = False


def iso(day: datetime.date) -> str:
    """Return a day as 2024-05-25."""
    return day.isoformat()


@dataclass
class Draft:
    """What the faults of a file change; as it comes, it is a plain UTF-8 file with commas.

    Values: `decimal`, `group` and `negative` say how numbers are written, `wrap` puts text around those of a column,
    `date_style` writes a day (`month_first`, `day_slash` say what it looks like), `marks` are words for nothing.
    Rows: `header` (None: there is none), `above`, `below`, and `between`, lines before the row of that number; `cut`
    rows end before their empty cells, `long` ones have a cell too many. Text and bytes: the rest.
    """

    table: CleanTable
    rng: Random
    rows: list[list[Cell]] = field(init=False)
    header: list[str] | None = field(init=False)
    decimal: str = "."
    group: str = ""
    negative: str = "-{}"
    wrap: dict[int, str] = field(default_factory=dict)
    date_style: DateStyle = iso
    slashed: bool = False
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)
    above: list[Line] = field(default_factory=list)
    below: list[Line] = field(default_factory=list)
    between: dict[int, list[Line]] = field(default_factory=dict)
    cut: set[int] = field(default_factory=set)
    long: set[int] = field(default_factory=set)
    bare: set[int] = field(default_factory=set)
    blank_columns: list[int] = field(default_factory=list)
    pad: str = ""
    delimiter: str = ","
    quote_all: bool = False
    newline: str = "\n"
    last_newline: bool = True
    encoding: str = "utf-8"
    mark: bytes = b""
    source: Literal["text", "xlsx", "json", "jsonl"] = "text"
    packing: Literal["", "gz", "zip"] = ""

    def __post_init__(self) -> None:
        self.rows = [list(row) for row in self.table.rows]
        self.header = [column.name for column in self.table.columns]

    @property
    def columns(self) -> Sequence[CleanColumn]:
        """Return the columns of the clean table."""
        return self.table.columns

    def places(self, *kinds: str, unit: str | None = None) -> list[int]:
        """Return the places of the columns of these kinds and this unit, the key left out; UnfitError if none is."""
        found = [
            place
            for place, column in enumerate(self.columns)
            if place != self.table.key and column.kind in kinds and (unit is None or column.unit == unit)
        ]
        if not found:
            raise UnfitError
        return found

    def text(self, row: int, place: int) -> str:
        """Return a cell of the table as it is going to be written."""
        value = self.rows[row][place]
        if value is None:
            return self.marks.get((row, place), "")
        return self.pad + self.written(value, place) + self.pad

    def written(self, value: Cell, place: int) -> str:
        """Return a value as it is written in a column."""
        if isinstance(value, datetime.datetime):
            return f"{self.date_style(value.date())} {value:%H:%M}"
        if isinstance(value, datetime.date):
            return self.date_style(value)
        if value is None or isinstance(value, str):
            return value or ""
        if place == self.table.key:
            return str(value)
        figures = self.wrap.get(place, "{}").format(self._figures(-value if value < 0 else value))
        return self.negative.format(figures) if value < 0 else figures

    def _figures(self, number: int | Decimal) -> str:
        return f"{number:,}".translate({ord(","): self.group, ord("."): self.decimal})

    def lines(self) -> Iterator[Line]:
        """Yield the rows of the file in their order."""
        yield from self.above
        if self.header is not None:
            yield Line("header", self._spread(self.header))
        width = len(self.columns)
        for row in range(len(self.rows)):
            yield from self.between.get(row, ())
            cells = list(self._spread([self.text(row, place) for place in range(width)]))
            while row in self.cut and cells and not cells[-1]:
                cells.pop()
            if row in self.long:
                cells.append("?")
            yield Line("aside" if row in self.long else "data", tuple(cells), row in self.bare)
        yield from self.below

    def _spread(self, cells: Sequence[str]) -> tuple[str, ...]:
        """Return cells with empty ones where blank columns stand."""
        spread = list(cells)
        for place in self.blank_columns:
            spread.insert(place, "")
        return tuple(spread)

    def undecidable(self) -> set[int]:
        """Return the places of the columns whose meaning no reader can know from this file alone."""
        return self.unclear | self._unclear_days() | self._unclear_groups()

    def _unclear_days(self) -> set[int]:
        """A slash between two numbers up to twelve is either order, unless a date of any column shows it."""
        places = [place for place, column in enumerate(self.columns) if column.kind == "date"]
        days = [day for row in self.rows for place in places if isinstance(day := row[place], datetime.date)]
        return set(places) if self.slashed and all(day.day <= 12 for day in days) else set()

    def _unclear_groups(self) -> set[int]:
        """A mark before three figures may be either, unless another number of the file shows what it is."""
        if self.group not in (",", "."):
            return set()
        texts: dict[int, list[str]] = {}
        for place in self.places("whole", "decimal"):
            found = (_FIGURES.search(self.text(row, place)) for row in range(len(self.rows)))
            figures = [match[0] for match in found if match]
            texts[place] = [text for text in figures if self.group in text or self.decimal in text]
        if any(self.decimal in text for each in texts.values() for text in each):
            return set()
        return {place for place, each in texts.items() if each and all(map(_UNCLEAR_GROUP.fullmatch, each))}
