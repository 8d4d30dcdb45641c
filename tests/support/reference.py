"""What plans mean, once more: the tools over plain Python rows, written from their description and not from their SQL.

Exact numbers are fractions, binary ones floats. Only the order of text is asked of DuckDB's `icu_sort_key`. A call that
is not covered raises NotCovered.
"""

import math
import re
import statistics
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from engine import database, sql
from grammar import TableState, clean_name, unique_name
from grammar.effects import NAMELESS
from grammar.names import APOSTROPHES, BLANKS, same_name

Row = list[Any]
PERIODS = ("day", "week", "month", "quarter", "year")
_UZBEK, _FOR_ORDER = "ўқғҳЎҚҒҲ", "ѧѫѩѭѦѪѨѬ"
LONGEST = {name: timedelta(days=days) for name, days in zip(PERIODS, (1, 7, 31, 92, 366), strict=True)}
_ALIKE = str.maketrans(APOSTROPHES, "'" * len(APOSTROPHES))


class NotCovered(Exception):  # noqa: N818
    """The reference does not know this call."""


@dataclass(frozen=True)
class Rows:
    """A table: names and kinds of the columns, and the rows."""

    columns: list[tuple[str, str]]
    rows: list[Row]

    def at(self, name: str) -> int:
        return [column for column, _ in self.columns].index(name)

    def kind(self, name: str) -> str:
        return dict(self.columns)[name]


class Reference:
    """The tools; `con` orders text, `others` are the other tables by name."""

    def __init__(self, con: database.Connection, others: dict[str, Rows]) -> None:
        self._con = con
        self._others = others
        self._state: TableState | None = None

    def run(self, table: Rows, steps: Sequence[dict[str, Any]], states: Sequence[TableState] = ()) -> Rows:
        """Return the table that the steps make; `states` are those of the tables that they read."""
        for place, step in enumerate(steps):
            self._state = states[place] if states else None
            tool: Callable[..., Rows] | None = getattr(self, step["tool"], None)
            if tool is None:
                raise NotCovered(step["tool"])
            table = tool(table, **step["args"])
        return table

    def filter(self, table: Rows, *, column: str, op: str, value: Any = None, values: Any = None) -> Rows:
        place, kind = table.at(column), table.kind(column)
        return Rows(table.columns, [row for row in table.rows if matches(row[place], kind, op, value, values)])

    def remove_rows(self, table: Rows, *, column: str, op: str, value: Any = None, values: Any = None) -> Rows:
        place, kind = table.at(column), table.kind(column)
        return Rows(table.columns, [row for row in table.rows if not matches(row[place], kind, op, value, values)])

    def sort(self, table: Rows, *, by: str, descending: bool) -> Rows:
        return Rows(table.columns, self._ordered(table, by, descending))

    def top_n(self, table: Rows, *, by: str, n: int, descending: bool, group: Any = None) -> Rows:
        if group is not None:
            table = self.group_and_total(table, group_by=group["columns"], value_column=by, agg=group["agg"])
            by = table.columns[-1][0]
        return Rows(table.columns, self._ordered(table, by, descending)[:n])

    def group_and_total(self, table: Rows, *, agg: str, group_by: Any = None, value_column: Any = None) -> Rows:
        groups = list(dict.fromkeys(group_by or []))
        places = [table.at(name) for name in groups]
        found: dict[tuple[Any, ...], list[Any]] = {}
        for row in table.rows:
            cell = 1 if value_column is None else row[table.at(value_column)]
            found.setdefault(tuple(filled(row[place]) for place in places), []).append(cell)
        counts = value_column is None or agg in ("count", "count_distinct")
        kind = table.kind(value_column) if agg in ("min", "max") else "number"
        name = "count" if counts else value_column
        rank = self._rank(table, value_column) if agg in ("min", "max") and kind == "text" else lambda cell: cell
        rows = [[*key, total(cells, agg, rank)] for key, cells in found.items()]
        rows = self._by_groups(table, groups, rows, 0)
        columns = [(group, table.kind(group)) for group in groups]
        return Rows([*columns, (unique_name(name, groups), kind)], rows)

    def select_columns(self, table: Rows, *, columns: list[str]) -> Rows:
        chosen = list(dict.fromkeys(columns))
        rows = [[row[table.at(name)] for name in chosen] for row in table.rows]
        return Rows([(name, table.kind(name)) for name in chosen], rows)

    def add_column(self, table: Rows, *, name: str, left: str, op: str, right: Any) -> Rows:
        def side(row: Row, operand: Any) -> Any:
            return row[table.at(operand)] if isinstance(operand, str) else number(operand)

        return self._with(table, name, [calculated(side(row, left), op, side(row, right)) for row in table.rows])

    def add_share(self, table: Rows, *, value_column: str, group_by: Any = None) -> Rows:
        def key(row: Row) -> tuple[Any, ...]:
            return tuple(filled(row[table.at(name)]) for name in group_by or [])

        place = table.at(value_column)
        wholes: dict[tuple[Any, ...], list[Any]] = {}
        for row in table.rows:
            wholes.setdefault(key(row), []).append(row[place])
        sums = {each: total(cells, "sum", lambda cell: cell) for each, cells in wholes.items()}
        shares = [share(row[place], sums[key(row)]) for row in table.rows]
        return self._with(table, "share", shares)

    def fill_empty(self, table: Rows, *, column: str, method: str, value: Any = None) -> Rows:
        place, kind = table.at(column), table.kind(column)
        cells = [filled(row[place]) for row in table.rows]
        there = [cell for cell in cells if cell is not None]
        filling: Any = None
        if method == "value":
            filling = filled(date.fromisoformat(value) if kind == "date" else typed(value, kind))
        elif method == "most_common":
            filling = max(there, key=there.count, default=None)
        elif method in ("mean", "median"):
            filling = total(cells, "avg" if method == "mean" else method, lambda cell: cell)
        made = []
        for cell in cells:
            if method == "previous":
                filling = filling if cell is None else cell
            made.append(filling if cell is None else cell)
        rows = [[*row[:place], cell, *row[place + 1 :]] for row, cell in zip(table.rows, made, strict=True)]
        return Rows(table.columns, rows)

    def remove_duplicates(self, table: Rows, *, columns: Any = None) -> Rows:
        places = [table.at(name) for name in columns or dict(table.columns)]
        firsts: dict[tuple[Any, ...], Row] = {}
        for row in table.rows:
            firsts.setdefault(tuple(filled(row[place]) for place in places), row)
        return Rows(table.columns, list(firsts.values()))

    def pivot(self, table: Rows, *, rows: list[str], column: str, agg: str, value_column: Any = None) -> Rows:
        if self._state is None:
            raise NotCovered("values that are not known")
        values = self._state.column(column).all_values() or ()
        groups = list(dict.fromkeys(rows))
        spread = table.at(column)
        there = [row for row in table.rows if filled(row[spread]) is not None]
        kind = table.kind(value_column) if agg in ("min", "max") else "number"
        rank = self._rank(table, value_column) if agg in ("min", "max") and kind == "text" else lambda cell: cell
        found: dict[tuple[Any, ...], dict[str, list[Any]]] = {}
        for row in there:
            key = tuple(filled(row[table.at(name)]) for name in groups)
            cell = 1 if value_column is None else row[table.at(value_column)]
            value = row[spread] if isinstance(row[spread], str) else str(row[spread]).lower()
            found.setdefault(key, {}).setdefault(value, []).append(cell)
        made = [[*key, *(total(cells.get(value, []), agg, rank) for value in values)] for key, cells in found.items()]
        columns = [(group, table.kind(group)) for group in groups]
        for value in values:
            columns.append((unique_name(value, [name for name, _ in columns]), kind))
        return Rows(columns, self._by_groups(table, groups, made, 0))

    def period_compare(
        self, table: Rows, *, date_column: str, period: str, agg: str, value_column: Any = None, group_by: Any = None
    ) -> Rows:
        groups = list(dict.fromkeys(group_by or []))
        found: dict[tuple[Any, ...], dict[date, list[Any]]] = {}
        for row in table.rows:
            day = row[table.at(date_column)]
            if day is None:
                continue
            key = tuple(filled(row[table.at(name)]) for name in groups)
            cell = 1 if value_column is None else row[table.at(value_column)]
            found.setdefault(key, {}).setdefault(start_of(day, period), []).append(cell)
        counts = value_column is None or agg in ("count", "count_distinct")
        made = []
        for key, cells in found.items():
            previous, at = None, min(cells)
            while at <= max(cells):
                value = total(cells.get(at, []), "count" if value_column is None else agg, lambda cell: cell)
                change = None if value is None or previous is None else value - previous
                percent = None if change is None or previous == 0 else 100 * float(change) / float(previous)
                made.append([at, *key, value, previous, change, percent])
                previous, at = value, start_of(at + LONGEST[period], period)
        made = sorted(self._by_groups(table, groups, made, 1), key=lambda row: row[0])
        columns = [("period", "date")]
        names = [*groups, "count" if counts else value_column, "previous", "change", "change_percent"]
        for place, name in enumerate(names):
            kind = table.kind(name) if place < len(groups) else "number"
            columns.append((unique_name(name, [column for column, _ in columns]), kind))
        return Rows(columns, made)

    def describe(self, table: Rows, *, columns: Any = None) -> Rows:
        made = []
        for name in list(dict.fromkeys(columns)) if columns else [column for column, _ in table.columns]:
            kind, cells = table.kind(name), [row[table.at(name)] for row in table.rows]
            there = [cell for cell in map(filled, cells) if cell is not None]
            rank = self._rank(table, name)
            low, high = (min(there, key=rank), max(there, key=rank)) if there else (None, None)
            mean = total(cells, "avg", rank) if kind == "number" else None
            counts = [len(there), len(cells) - len(there), len(set(there))]
            made.append([name, kind, *map(Fraction, counts), in_words(low), in_words(high), mean])
        kinds = {"filled": "number", "empty": "number", "distinct": "number", "mean": "number"}
        names = ["column", "kind", "filled", "empty", "distinct", "min", "max", "mean"]
        return Rows([(name, kinds.get(name, "text")) for name in names], made)

    def join_table(self, left: Rows, *, table: str, column: str, other_column: str, how: str) -> Rows:
        right = self._others[table]
        if left.kind(column) != right.kind(other_column):
            raise NotCovered("keys of two kinds")

        def key(cell: Any) -> Any:
            cell = filled(cell)
            return folded(cell).strip(BLANKS) if isinstance(cell, str) else cell

        mine, other = left.at(column), right.at(other_column)
        rest = [place for place in range(len(right.columns)) if place != other]
        made = []
        for row in left.rows:
            alike = [each for each in right.rows if key(each[other]) is not None and key(each[other]) == key(row[mine])]
            made += [[*row, *(each[place] for place in rest)] for each in alike]
            if not alike and how == "left":
                made.append([*row, *(None for _ in rest)])
        columns = list(left.columns)
        for place in rest:
            name, kind = right.columns[place]
            columns.append((unique_name(name, [each for each, _ in columns]), kind))
        return Rows(columns, made)

    def append_table(self, above: Rows, *, table: str) -> Rows:
        below = self._others[table]
        mine = {same_name(name) for name, _ in above.columns}
        if mine & {same_name(name) for name, _ in below.columns}:
            raise NotCovered("columns that both have")
        rows = [[*row, *(None for _ in below.columns)] for row in above.rows]
        rows += [[*(None for _ in above.columns), *row] for row in below.rows]
        return Rows([*above.columns, *below.columns], rows)

    def _by_groups(self, table: Rows, groups: list[str], rows: list[Row], first: int) -> list[Row]:
        """Return rows in the order of their groups, which stand from the place `first` on; empty ones last."""
        for place, group in reversed(list(enumerate(groups, first))):
            ranked = self._rank(table, group)
            rows = sorted(
                rows, key=lambda row, at=place, of=ranked: (row[at] is None, row[at] is not None and of(row[at]))
            )
        return rows

    def _with(self, table: Rows, name: str, cells: list[Any]) -> Rows:
        added = unique_name(clean_name(name, NAMELESS), [column for column, _ in table.columns])
        rows = [[*row, cell] for row, cell in zip(table.rows, cells, strict=True)]
        return Rows([*table.columns, (added, "number")], rows)

    def _ordered(self, table: Rows, by: str, descending: bool) -> list[Row]:
        place, rank = table.at(by), self._rank(table, by)
        there = [row for row in table.rows if filled(row[place]) is not None]
        ordered = sorted(there, key=lambda row: rank(row[place]), reverse=descending)
        return ordered + [row for row in table.rows if filled(row[place]) is None]

    def _rank(self, table: Rows, column: str) -> Callable[[Any], Any]:
        """Return what orders the cells of a column: themselves, text by its alphabet and then by its characters."""
        if table.kind(column) != "text":
            return lambda cell: cell
        texts = [row[table.at(column)] for row in table.rows if row[table.at(column)] is not None]
        latin = any(re.search("[oOgG]['ʻʼ‘’`´]", text) for text in texts)
        digits = any(re.search("[0-9]", text) for text in texts)
        cyrillic = any(sign in text for text in texts for sign in _UZBEK)

        def rank(text: str) -> tuple[str, str]:
            written = text
            if latin:
                written = re.sub("['ʻʼ‘’`´]", "ʻ", written)
            if cyrillic:
                written = written.translate(str.maketrans(_UZBEK, _FOR_ORDER))
            if digits:
                written = re.sub("[0-9]+", lambda run: run[0] if len(run[0]) >= 20 else run[0].zfill(20), written)
            rules = "uz" if latin else "root"
            asked = f"SELECT icu_sort_key({sql.literal(written)}, {sql.literal(rules)})"
            return database.query(self._con, asked)[0][0], text

        return rank


def start_of(day: date, period: str) -> date:
    """Return the first day of the period of a day; weeks begin on Monday."""
    if period == "day":
        return day
    if period == "week":
        return day - timedelta(days=day.weekday())
    months = {"month": day.month, "quarter": 3 * ((day.month - 1) // 3) + 1, "year": 1}
    return date(day.year, months[period], 1)


def in_words(cell: Any) -> str | None:
    """Return a cell as text: numbers without zeros at their end, days as ISO dates."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, Fraction | float):
        written = (
            f"{Decimal(cell.numerator) / cell.denominator if isinstance(cell, Fraction) else Decimal(repr(cell)):f}"
        )
        return written.rstrip("0").rstrip(".") if "." in written else written
    return cell.isoformat() if isinstance(cell, date) else cell


def filled(cell: Any) -> Any:
    """Return a cell, None where it is empty."""
    return None if isinstance(cell, str) and not cell.strip(BLANKS) else cell


def number(value: Any) -> Fraction:
    """Return a number as it is written."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def typed(value: Any, kind: str) -> Any:
    """Return a value of a plan as a cell of this kind."""
    return number(value) if kind == "number" else str(value) if kind == "text" else value


def folded(text: str) -> str:
    """Return text without letter case and sorts of apostrophes."""
    return unicodedata.normalize("NFC", text).lower().replace("ς", "σ").translate(_ALIKE)


def matches(cell: Any, kind: str, op: str, value: Any, values: Any) -> bool:
    """Return whether a cell matches as filter has it."""
    if op in ("!=", "not_in", "not_empty"):
        return not matches(cell, kind, {"!=": "=", "not_in": "in", "not_empty": "is_empty"}[op], value, values)
    cell = filled(cell)
    if op == "is_empty" or cell is None:
        return op == "is_empty" and cell is None
    if op == "contains":
        return folded(str(value)) in folded(cell)
    if op == "in":
        return any(matches(cell, kind, "=", each, None) for each in values)
    if kind == "text":
        return bool(str(value).strip(BLANKS)) and folded(str(value)).strip(BLANKS) == folded(cell).strip(BLANKS)
    asked = date.fromisoformat(value) if kind == "date" else typed(value, kind)
    if isinstance(cell, float):
        asked = float(asked)
    return {"=": cell == asked, "<": cell < asked, ">": cell > asked, "<=": cell <= asked, ">=": cell >= asked}[op]


def total(cells: list[Any], agg: str, rank: Callable[[Any], Any]) -> Any:
    """Return the total of the filled cells, None where there is none."""
    there = [cell for cell in map(filled, cells) if cell is not None]
    if agg in ("count", "count_distinct"):
        return Fraction(len(there if agg == "count" else set(there)))
    if not there:
        return None
    if agg in ("min", "max"):
        return (min if agg == "min" else max)(there, key=rank)
    if agg == "median":
        return float(statistics.median(map(float, there)))
    binary = any(isinstance(cell, float) for cell in there)
    added = math.fsum(map(float, there)) if binary else sum(there, Fraction())
    return float(added) / len(there) if agg == "avg" else added


def calculated(left: Any, op: str, right: Any) -> Any:
    """Return the result of a calculation, None where a side is empty or the divisor zero."""
    if left is None or right is None or (op == "/" and right == 0):
        return None
    if op == "/" or isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    return {"+": left + right, "-": left - right, "*": left * right}[op] if op != "/" else left / right


def share(cell: Any, whole: Any) -> float | None:
    """Return the percent, None of nothing or of zero."""
    return None if cell is None or whole is None or float(whole) == 0 else 100 * float(cell) / float(whole)


def shown(table: Rows) -> list[tuple[Any, ...]]:
    """Return the rows with numbers as floats."""
    return [tuple(float(cell) if isinstance(cell, Fraction) else cell for cell in row) for row in table.rows]


def stored(cell: Any) -> Any:
    """Return a cell of DuckDB as the reference has it."""
    exact = isinstance(cell, int | Decimal) and not isinstance(cell, bool)
    return Fraction(cell) if exact else cell
