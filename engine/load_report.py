"""The load report: everything that was concluded, changed, set aside or refused while a file became a table."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from grammar import DayOrder, DecimalMark

SettledBy = Literal["answer", "answer_kept", "remembered"]
Why = Literal["title", "blank", "note", "total", "header_again", "other_table"]


@dataclass(frozen=True)
class SetAside:
    """A row that is not part of the table: its line (None where lines were not counted), why, and its cells."""

    line: int | None
    why: Why
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Reject:
    """A row that has no place in the table: its line, why, and its text."""

    line: int
    why: Literal["too_many_cells"]
    text: str


@dataclass(frozen=True)
class ColumnReport:
    """What was concluded of a column.

    `form` says how its cells are written (`decimal_comma`, `dmy`, `percent`, ...). Of the filled cells `converted`
    became values, `missing` hold a word for nothing, `unreadable` fit no value; `share` is the part of a text
    column that could be converted, `tool` the one that does it. `settle` is the option that settles a question,
    `examples` show it; `answer` is the value of that option that settled it, `settled_by` where that came from. A text
    column with dates between slashes or hyphens has their `day_order`, one whose decimal mark a person or other columns
    tell has that as `decimal`.
    """

    column: str
    kind: str
    type: str
    form: tuple[str, ...] = ()
    filled: int | None = None
    converted: int = 0
    missing: int = 0
    unreadable: int = 0
    share: float | None = None
    settle: str | None = None
    examples: tuple[str, ...] = ()
    tool: str | None = None
    settled_by: SettledBy | None = None
    answer: str | None = None
    day_order: DayOrder | None = None
    decimal: DecimalMark | None = None


@dataclass(frozen=True)
class LoadReport:
    """What was concluded of a file. Rows in are the rows of the table and those set aside or rejected.

    `header` is the line of the column names, the last one of `header_rows`, and 0 where there are none; `quote` is how
    a quote is written inside quotes, None where it is doubled. `set_aside` and `rejects` hold the first of them,
    `counts` says how many there are of each sort; `padded` rows had too few cells, `mended` rows had quotes out of
    order. `blank_columns` without a name and a filled cell are left out.
    `bytes_outside` bytes, the first one in the line `first_outside`, are none of the encoding and written out as \\xNN.
    """

    encoding: str | None = None
    encoding_told_by: str | None = None
    delimiter: str | None = None
    header: int | None = None
    header_rows: int = 1
    quote: str | None = None
    rows_in: int = 0
    rows: int = 0
    set_aside: tuple[SetAside, ...] = ()
    rejects: tuple[Reject, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    padded: int = 0
    mended: int = 0
    blank_columns: int = 0
    bytes_outside: int = 0
    first_outside: int | None = None
    columns: tuple[ColumnReport, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the whole report as JSON has it."""
        return asdict(self)


@dataclass
class Tally:
    """Rows that leave the table while it is loaded: how many of each sort, and the first of them."""

    most: int
    counts: Counter[str] = field(default_factory=Counter)
    set_aside: list[SetAside] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    padded: int = 0
    mended: int = 0

    def room(self) -> int:
        """Return how many more rows that are set aside will be kept."""
        return self.most - len(self.set_aside)

    def put_aside(self, row: SetAside) -> None:
        """Count a row that is set aside, and keep it while there is room."""
        self.counts[row.why] += 1
        if row.why != "blank" and len(self.set_aside) < self.most:
            self.set_aside.append(row)

    def reject(self, row: Reject) -> None:
        """Count a row that is rejected, and keep it while there is room."""
        self.counts[row.why] += 1
        if len(self.rejects) < self.most:
            self.rejects.append(row)
