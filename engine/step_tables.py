"""The tables of a plan's steps: real ones, and above a number of rows views and tables without what nobody reads.

On a large table a step that only keeps or orders rows is a view, so that the step after it reads the opened table, and
no cell is copied. Every other step is a table of the columns that a later step or the result needs. Either way
`_step_N` can be read by name until it is dropped. Behind the views of steps that keep the order of the rows stands
their place in the opened table, so that nobody has to number ten million rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grammar import Contract, TableState, unique_name
from grammar.contracts import at_path

from . import database, sql
from .database import Connection
from .paths import STEP_PREFIX
from .settings import Settings
from .tools.registry import Executor, Made, RowCount, Table, habits_of

STEP_MARK = "a step of a plan, made by Tez"
_ROW_ID = "rowid"
_MANY_TIMES_FEWER = 10
Step = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """What a step reads: the text after FROM, the number of rows, and the cell that orders them, where there is one.

    `most` is a number of rows that are not exceeded, `columns` their types, where these are known.
    """

    text: str
    counted: RowCount
    place: str = ""
    large: bool = False
    most: int | None = None
    columns: Mapping[str, str] | None = None
    cells: "FiniteCells | None" = None


class FiniteCells:
    """Looks once at columns of binary numbers and dates of a large table: whether all of them are finite.

    What holds for a table holds for the rows that are kept of it.
    """

    def __init__(self, con: Connection, table: str, columns: Collection[str]) -> None:
        self._con = con
        self._table = table
        self._columns = columns
        self._found: dict[str, bool] = {}

    def within(self, columns: Collection[str]) -> "FiniteCells":
        """Return the same for a table that has but these columns of it, and perhaps new ones."""
        fewer = FiniteCells(self._con, self._table, [name for name in self._columns if name in columns])
        fewer._found = self._found
        return fewer

    def all_finite(self, column: str) -> bool:
        """Return whether every cell of the column is finite or NULL; false for a column that the table lacks."""
        if column not in self._columns:
            return False
        if column not in self._found:
            cell = sql.name(column)
            bounds = f"SELECT min({cell}) AS low, max({cell}) AS high FROM {self._table}"
            seen = f"SELECT coalesce(isfinite(low) AND isfinite(high), TRUE) FROM ({bounds})"
            self._found[column] = bool(database.query(self._con, seen)[0][0])
        return self._found[column]


class StepTables:
    """Makes the tables of the steps, one after the other; `source` is the one that the next step reads.

    `needed` says for each step which columns of its table somebody reads later (None: all), `hidden` is the name of the
    column that holds the rows' places. `bounded`: the caller reads only some rows of the result and keeps no table.
    """

    def __init__(
        self,
        con: Connection,
        names: Sequence[str],
        source: Source,
        needed: Sequence[Collection[str] | None],
        hidden: str,
        copied_rows: int,
        *,
        bounded: bool = False,
    ) -> None:
        self._con = con
        self._names = names
        self._needed = needed
        self._copied_rows = copied_rows
        self._bounded = bounded
        self._hidden = hidden
        self._prepared = self._kept = 0
        self.source = source

    def read_by(
        self, executor: Executor, state: TableState, others: Mapping[str, str], settings: Settings, *, evidence: bool
    ) -> Table:
        """Return the table that the executor of the next step reads."""
        source = self.source
        columns = dict(source.columns or database.describe(self._con, source.text))
        columns.pop(self._hidden, None)
        carried = ""
        if source.large and source.place and habits_of(executor).lazy == "in_order":
            carried = f"{source.place} AS {sql.name(self._hidden)}"
        table = Table(self._con, source.text, columns, source.counted, settings, state, others, evidence)
        if source.cells is not None:
            table = replace(table, finite=source.cells.all_finite)
        table = replace(table, prepare=self._prepare, fill=self._fill)
        return replace(table, place=source.place, carried=carried, most=source.most)

    def make(self, number: int, executor: Executor, table: Table, made: Made) -> RowCount:
        """Make the table of a step and return how many rows it has."""
        name, known = self._names[number - 1], _known(made)
        habits, last = habits_of(executor), number == len(self._names)
        by_itself = not self._prepared
        if self.source.large and habits.lazy and by_itself:
            uncounted = last and self._bounded and (known is None or not known.known)
            few = self._few_rows(name, table, made) if uncounted else None
            self.source = few or self._view(name, table, made, known)
        elif self.source.large and last and self._bounded and known is not None:
            database.make_temporary_view(self._con, name, made.select, STEP_MARK)
            self.source = Source(database.temporary(name), known, large=True, most=self.source.most)
        else:
            self.source = self._table(name, made.select, self._needed[number - 1])
        self._prepared = 0
        return self.source.counted

    def _few_rows(self, name: str, table: Table, made: Made) -> Source | None:
        """Return the result as a table if it has but few rows, which spares counting them; None if it has more."""
        most = self._copied_rows // _MANY_TIMES_FEWER
        select, _, _ = self._visible(table, made)
        rows = database.make_temporary(self._con, name, f"SELECT * FROM ({select}) LIMIT {most + 1}", STEP_MARK)
        if rows <= most:
            return Source(database.temporary(name), RowCount(rows), large=True)
        database.execute(self._con, f"DROP TABLE {database.temporary(name)}")
        return None

    def _visible(self, table: Table, made: Made) -> tuple[str, str, dict[str, str] | None]:
        """Return the SELECT of a step without the rows' places, the one with them as a source, and what it shows.

        The latter are empty where the SELECT has no places.
        """
        if not table.carried:
            return made.select, "", None
        inner = f"({made.select})"
        described = dict(database.describe(self._con, inner))
        described.pop(self._hidden)
        return f"SELECT {', '.join(map(sql.name, described))} FROM {inner}", inner, described

    def _view(self, name: str, table: Table, made: Made, known: RowCount | None) -> Source:
        view = database.temporary(name)
        counted = known or RowCount(count=lambda: count(self._con, view))
        select, inner, columns = self._visible(table, made)
        cells = None if self.source.cells is None else self.source.cells.within(table.columns)
        database.make_temporary_view(self._con, name, select, STEP_MARK)
        if not inner:
            return replace(self.source, text=view, counted=counted, place="", columns=None, cells=cells)
        place = f"t.{sql.name(self._hidden)}"
        return replace(self.source, text=inner, counted=counted, place=place, columns=columns, cells=cells)

    def _table(self, name: str, select: str, needed: Collection[str] | None) -> Source:
        if self.source.large and needed is not None:
            described = [column for column, _ in database.describe(self._con, f"({select})")]
            read = [column for column in described if column in needed] or described[:1]
            if len(read) < len(described):
                select = f"SELECT {', '.join(map(sql.name, read))} FROM ({select})"
        rows = database.make_temporary(self._con, name, select, STEP_MARK)
        table = database.temporary(name)
        columns = dict(database.describe(self._con, table))
        return Source(table, RowCount(rows), row_place(columns), rows > self._copied_rows, rows, columns)

    def _prepare(self, select: str) -> str:
        """Keep the rows of a SELECT for the time of the run."""
        self._prepared += 1
        return self._made(select)

    def _fill(self, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
        """Keep rows that Python made for the time of the run."""
        empty = ", ".join(f"NULL::{kind} AS {sql.name(column)}" for column, kind in types.items())
        table = self._made(f"SELECT {empty} WHERE FALSE")
        for columns in _typed_rows(rows, self._copied_rows):
            database.insert(self._con, table, list(types.values()), columns)
        return table

    def _made(self, select: str) -> str:
        self._kept += 1
        name = kept_name(self._kept)
        database.make_temporary(self._con, name, select, STEP_MARK)
        return database.temporary(name)


def _typed_rows(rows: Sequence[Sequence[Any]], size: int) -> Iterable[list[list[Any]]]:
    """Yield the rows column by column, `size` of them at a time."""
    for start in range(0, len(rows), size):
        yield [list(column) for column in zip(*rows[start : start + size], strict=True)]


def kept_name(number: int) -> str:
    """Return the name of a table that an executor had kept for the time of the run."""
    return f"{STEP_PREFIX}rows_{number}"


def hidden_name(states: Iterable[TableState]) -> str:
    """Return a name for the column of places that no column of these states has."""
    return unique_name("place", {column.name for state in states for column in state.columns})


def row_place(columns: Iterable[str]) -> str:
    """Return the cell that holds a row's place in a real table; nothing where a column of the table has that name."""
    return "" if any(name.lower() == _ROW_ID for name in columns) else f"t.{_ROW_ID}"


def opened_source(con: Connection, source: str, copied_rows: int, hidden: str) -> Source:
    """Return the opened table as a source; its text compares by letters alone, also where a column has a collation."""
    described = database.describe(con, source)
    table = database.table_behind(con, source)
    source, place = table or source, row_place(name for name, _ in described) if table else ""
    rows = count(con, source)
    text = compared_by_letters(described, source)
    if text != source and place:
        text = f"(SELECT {letters(described)}, {_ROW_ID} AS {sql.name(hidden)} FROM {source})"
        place = f"t.{sql.name(hidden)}"
    large, columns = rows > copied_rows, dict(described)
    return Source(
        text, RowCount(rows), place, large, rows, columns, FiniteCells(con, source, columns) if large else None
    )


def compared_by_letters(described: Sequence[tuple[str, str]], source: str) -> str:
    """Return the source with text that compares by its letters alone."""
    if not any(kind == "VARCHAR" for _, kind in described):
        return source
    return f"(SELECT {letters(described)} FROM {source})"


def letters(described: Sequence[tuple[str, str]]) -> str:
    """Return the columns for a SELECT, text so that it compares by its letters alone."""
    return ", ".join(
        f"{sql.letter_by_letter(sql.name(name))} AS {sql.name(name)}" if kind == "VARCHAR" else sql.name(name)
        for name, kind in described
    )


def read_later(
    contracts: Mapping[str, Contract], planned: Sequence[tuple[Step, TableState]], executors: Mapping[str, Executor]
) -> list[set[str] | None]:
    """Return for each step which columns of its table a later step or the result reads; None: all of them."""
    needed: list[set[str] | None] = [None]
    for step, state in reversed(planned[1:]):
        contract, args = contracts[step["tool"]], step["args"]
        named = _texts(args) & {column.name for column in state.columns}
        later = needed[-1]
        if not habits_of(executors[step["tool"]]).named or (not named and not _makes_all(contract, args)):
            needed.append(None)
        elif _makes_all(contract, args):
            needed.append(named)
        else:
            needed.append(None if later is None else named | later)
    return needed[::-1]


def count(con: Connection, source: str) -> int:
    """Return the number of rows of a source."""
    return int(database.query(con, f"SELECT count(*) FROM {source}")[0][0])


def _makes_all(contract: Contract, args: Mapping[str, Any]) -> bool:
    """Return whether a call makes every column of its table from those that its arguments name."""
    effects = contract["effects"]
    if "columns" not in effects or ("when" in effects and at_path(args, effects["when"]) is None):
        return False
    return all(part.keys() & {"of", "total_of", "name", "named_by"} for part in effects["columns"])


def _texts(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return {text for each in inner for text in _texts(each)}


def _known(made: Made) -> RowCount | None:
    return RowCount(made.rows) if isinstance(made.rows, int) else made.rows
