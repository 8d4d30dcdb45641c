"""What a person may settle about a file before it is opened, where Tez would otherwise conclude it from the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

DateOrder = Literal["dmy", "mdy", "ymd"]
Mark = Literal[".", ","]
ColumnKind = Literal["number", "date", "text", "boolean"]

DATE_ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
ASK = "ask"
MARKS: tuple[Mark, ...] = (".", ",")
COLUMN_KINDS: tuple[ColumnKind, ...] = ("number", "date", "text", "boolean")


@dataclass(frozen=True)
class LoadOptions:
    """Decisions that overrule what a file shows; None where the file decides.

    `header` is the line of the column names, counted from 1, and 0 where there are none; `header_to` is the last one
    where they take two rows. `types` maps column names to kinds; `keep_totals` leaves notes and total rows in the
    table.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: int | None = None
    header_to: int | None = None
    decimal: Mark | None = None
    dates: DateOrder | None = None
    types: Mapping[str, ColumnKind] = field(default_factory=dict)
    keep_totals: bool = False


AS_FOUND = LoadOptions()
"""Everything is decided by what the file shows."""
