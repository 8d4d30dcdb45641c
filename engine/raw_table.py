"""A table of the rows of a file as they were read, before its columns are settled: what it can be asked about a row."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from . import sql
from .records import Record

Row = tuple[int, int | None, tuple[str | None, ...]]
"""The place of a row (DuckDB's rowid), its line, and its cells without outer blanks, None for an empty one."""


@dataclass(frozen=True)
class RawTable:
    """A table of rows of text: its quoted name, its columns, and the SQL for the line of a row.

    `values` are those of its columns that are no text any more; `written` gives the rows at these places as they stand
    in the file, where the table itself does not tell that.
    """

    name: str
    columns: Sequence[str]
    line: str = "NULL"
    values: Collection[str] = ()
    written: Callable[[Sequence[int]], Mapping[int, Record]] | None = None

    def first(self) -> str:
        """Return the SQL for the first cell of a row that is not empty; it may be blank, `0` stands for any value."""
        return f"coalesce({', '.join(map(self._marked, self.columns))}, NULL)"

    def blank(self) -> str:
        """Return the condition that no cell of a row is filled."""
        cells = ", ".join(map(self._marked, self.columns))
        return f"{self.first()} IS NULL OR trim(concat({cells}), {sql.literal(sql.BLANKS)}) = ''"

    def begins(self, pattern: str) -> str:
        """Return the condition that the first filled cell of a row is text that has this pattern in small letters."""
        leading = []
        for column in self.columns:
            if column not in self.values:
                break
            leading.append(f"{sql.name(column)} IS NULL")
        fits = f"regexp_matches(lower({self.first()}), {sql.literal(pattern)})"
        return f"CASE WHEN {' AND '.join(leading)} THEN {fits} ELSE FALSE END" if leading else fits

    def first_is(self, label: str) -> str:
        """Return the condition that the cell in the first column is this text."""
        column = self.columns[0]
        return "FALSE" if column in self.values else f"{sql.name(column)} = {sql.literal(label)}"

    def rows(self) -> str:
        """Return the query for place, line and cells of all rows, the cells as text."""
        cells = [
            f"CAST({sql.name(column)} AS VARCHAR)" if column in self.values else sql.name(column)
            for column in self.columns
        ]
        return f"SELECT rowid, {self.line}, {', '.join(cells)} FROM {self.name}"

    def as_written(self, rows: Sequence[Row]) -> list[tuple[int | None, tuple[str, ...]]]:
        """Return line and cells of rows as they stand in the file."""
        if self.written is None:
            return [(line, tuple(cell or "" for cell in cells)) for _, line, cells in rows]
        found = self.written([place for place, _, _ in rows])
        width = len(self.columns)
        return [
            (record.line, tuple(cell.strip(sql.BLANKS) for cell in [*record.cells, *[""] * width][:width]))
            for record in (found[place] for place, _, _ in rows)
        ]

    def _marked(self, column: str) -> str:
        cell = sql.name(column)
        return f"CASE WHEN {cell} IS NOT NULL THEN '0' END" if column in self.values else cell


def row_of(found: Sequence[object]) -> Row:
    """Return a row of `RawTable.rows`."""
    place, line, *cells = found
    return (
        int(str(place)),
        None if line is None else int(str(line)),
        tuple(None if c is None else str(c).strip(sql.BLANKS) or None for c in cells),
    )
