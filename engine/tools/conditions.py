"""Which rows match a condition: the one meaning of filter's operators, shared by filter and remove_rows."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine import database, sql
from grammar import ToolError

from .registry import Note, Table

_NEGATED = {"!=": "=", "not_in": "in", "not_empty": "is_empty"}
_AROUND_A_MOMENT = {"<": "<=", "<=": "<=", ">": ">", ">=": ">"}


@dataclass(frozen=True)
class Condition:
    """An SQL condition over the row `t`, and the notes that belong to it.

    `where` is for the place after WHERE: there it may be NULL instead of false. `sql` never is NULL.
    """

    where: str
    notes: list[Note] = field(default_factory=list)
    never_null: bool = False

    @property
    def sql(self) -> str:
        """Return the condition in a form that may stand after NOT."""
        return self.where if self.never_null else f"coalesce({self.where}, FALSE)"


def matching(table: Table, column: str, op: str, value: Any, values: list[Any] | None) -> Condition:
    """Return the condition that a row matches; an empty cell only ever matches `is_empty`, `!=` and `not_in`."""
    if op in _NEGATED:
        positive = matching(table, column, _NEGATED[op], value, values)
        return Condition(f"(NOT {positive.sql})", positive.notes, never_null=True)
    if op == "is_empty":
        return Condition(f"(NOT {table.filled(column)})", never_null=True)
    if op == "contains":
        return Condition(_contains(table, column, str(value)))
    if table.kind(column) == "text" and op in ("=", "in"):
        return _spelled(table, column, [value] if op == "=" else values or [])
    if op == "in":
        alternatives = [_compared(table, column, "=", each) for each in values or []]
        return _among_filled(table, column, f"({' OR '.join(alternatives) or 'FALSE'})")
    return _among_filled(table, column, _compared(table, column, op, value))


def _among_filled(table: Table, column: str, condition: str) -> Condition:
    """Return the condition for filled cells alone; where only NULL is empty, it is NULL for these by itself."""
    by_itself = sql.only_null_is_empty(table.type(column)) or table.is_finite(column)
    if condition.strip("()") in ("TRUE", "FALSE") or not by_itself:
        return Condition(f"({table.filled(column)} AND {condition})")
    return Condition(condition)


def _contains(table: Table, column: str, text: str) -> str:
    form = sql.caseless if table.settings.tools.exact_text else sql.folded
    wanted = table.query(f"SELECT {form(sql.literal(text))}")[0][0]
    condition = f"contains({form(table.cell(column))}, {sql.literal(wanted)})"
    return condition if text.strip(sql.BLANKS) else f"({table.filled(column)} AND {condition})"


def _spelled(table: Table, column: str, values: list[Any]) -> Condition:
    """Match text by the stored spellings of the values, which are looked up among the column's distinct values."""
    asked = list(dict.fromkeys(text for text in map(str, values) if text.strip(sql.BLANKS)))
    cell = table.cell(column)
    if table.settings.tools.exact_text or not asked:
        return Condition(sql.any_of(cell, asked))
    rows = _stored_spellings(table, column, asked)
    notes: list[Note] = []
    for number, text in enumerate(asked):
        spellings = [spelling for at, spelling in rows if at == number]
        if len(spellings) > 1 and spellings not in [note["spellings"] for note in notes]:
            notes.append({"note": "spellings", "column": column, "value": text, "spellings": spellings})
    found = dict.fromkeys(spelling for _, spelling in rows)
    return Condition(sql.any_of(cell, found), notes)


def _stored_spellings(table: Table, column: str, asked: list[str]) -> list[database.Row]:
    """Return the stored spellings of each value, with its number in the list.

    Where all values of the column are known, no row is read for them; but several spellings of one value are looked
    up, because some of them may have been left out by then.
    """
    wanted = ", ".join(f"({number}, {sql.same_value(sql.literal(text))})" for number, text in enumerate(asked))

    def spelled(stored: str) -> list[database.Row]:
        return table.query(
            f"WITH stored AS (SELECT DISTINCT spelling FROM {stored}), wanted(number, form) AS (VALUES {wanted}) "
            "SELECT wanted.number, stored.spelling FROM wanted "
            f"JOIN stored ON {sql.same_value('stored.spelling')} = wanted.form ORDER BY ALL"
        )

    known = table.known_values(column)
    if known:
        rows = spelled(f"(VALUES {', '.join(f'({sql.literal(value)})' for value in known)}) AS known(spelling)")
        if len({number for number, _ in rows}) == len(rows):
            return rows
    return spelled(f"(SELECT {table.cell(column)} AS spelling FROM {table.source} AS t)")


def _compared(table: Table, column: str, op: str, value: Any) -> str:
    cell, kind = table.cell(column), table.kind(column)
    if kind == "number" and isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return sql.compared(cell, table.type(column), op, value)
    if kind == "date":
        return _compared_date(cell, table.type(column), op, moment(column, value))
    if kind == "boolean" and isinstance(value, bool):
        return f"({cell} {op} {sql.literal(value)})"
    if kind == "text":
        return f"({cell} {op} {sql.literal(str(value))})"
    raise ToolError("wrong_kind", argument="value", found=value, allowed=[kind])


def _compared_date(cell: str, duckdb_type: str, op: str, value: datetime) -> str:
    """Compare a day with the cell's day; a value with a time of day with the very moment.

    A cell without a time of day is its midnight, which lies before any such moment of the same day.
    """
    if value.time() == datetime.min.time():
        day = cell if duckdb_type == "DATE" else f"TRY_CAST({cell} AS DATE)"
        return f"({day} {op} {sql.literal(value.date())})"
    if duckdb_type == "DATE":
        return "FALSE" if op == "=" else f"({cell} {_AROUND_A_MOMENT[op]} {sql.literal(value.date())})"
    return f"(TRY_CAST({cell} AS TIMESTAMP) {op} {sql.literal(value)})"


def moment(column: str, value: Any) -> datetime:
    """Read a day `YYYY-MM-DD`, perhaps with a time; ToolError `wrong_kind` for anything else."""
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except (TypeError, ValueError) as error:
        allowed = ["date YYYY-MM-DD"]
        raise ToolError("wrong_kind", argument="value", found=value, allowed=allowed, column=column) from error
