"""What a request means, part by part: each part is one step of a plan and, elsewhere, some words of the request."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .tables import Made

COUNT: Final = "count"


@dataclass(frozen=True)
class Where:
    """Rows to keep, or with `drop` to remove. `value` is a cell, a number, a day or a tuple of cells."""

    column: Made
    op: str
    value: Any = None
    drop: bool = False


@dataclass(frozen=True)
class Total:
    """An aggregate of a column, or the count of rows without one, for each group."""

    agg: str
    value: Made | None
    groups: tuple[Made, ...] = ()


@dataclass(frozen=True)
class TopGroups:
    """The n groups with the largest or smallest total of a column."""

    agg: str
    value: Made
    group: Made
    n: int
    descending: bool


@dataclass(frozen=True)
class Top:
    """The n rows with the largest or smallest cell of a column."""

    by: Made
    n: int
    descending: bool


@dataclass(frozen=True)
class Order:
    """All rows by a column, or by the total before where that is None."""

    by: Made | None
    descending: bool


@dataclass(frozen=True)
class Best:
    """The first n groups of the totals before."""

    n: int
    descending: bool


@dataclass(frozen=True)
class Columns:
    """Only these columns; with `describe`, what is in them."""

    columns: tuple[Made, ...]
    describe: bool = False


@dataclass(frozen=True)
class Periods:
    """A total for each period, compared with the one before."""

    day: Made
    period: str
    agg: str
    value: Made | None


@dataclass(frozen=True)
class Spread:
    """A pivot: rows by one column, columns by the values of another."""

    rows: Made
    column: Made
    agg: str
    value: Made | None


@dataclass(frozen=True)
class Share:
    """Each group's percent of the totals before."""


@dataclass(frozen=True)
class Calculated:
    """A new column from a column and another one or a number."""

    name: str
    left: Made
    op: str
    right: Made | float


@dataclass(frozen=True)
class Mended:
    """A column made clean: `how` is fix_dates, fix_numbers, unify_spelling or a method of fill_empty."""

    column: Made
    how: str
    value: Any = None


@dataclass(frozen=True)
class Distinct:
    """Rows that are the same in these columns, or in all, only once."""

    columns: tuple[Made, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """The totals before as a chart."""

    kind: str


@dataclass(frozen=True)
class Written:
    """The table before as a file."""

    format: str


Part: TypeAlias = (
    Where
    | Total
    | TopGroups
    | Top
    | Order
    | Best
    | Columns
    | Periods
    | Spread
    | Share
    | Calculated
    | Mended
    | Distinct
    | Drawn
    | Written
)
