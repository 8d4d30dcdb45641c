"""Which rows match a condition: the one meaning of filter's operators, shared by filter and remove_rows."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine import sql
from grammar import ToolError

from .registry import Note, Table

_NEGATED = {"!=": "=", "not_in": "in", "not_empty": "is_empty"}
_AROUND_A_MOMENT = {"<": "<=", "<=": "<=", ">": ">", ">=": ">"}


@dataclass(frozen=True)
class Condition:
    """An SQL condition over the row `t` that is never NULL, and the notes that belong to it."""

    sql: str
    notes: list[Note] = field(default_factory=list)


def matching(table: Table, column: str, op: str, value: Any, values: list[Any] | None) -> Condition:
    """Return the condition that a row matches; an empty cell only ever matches `is_empty`, `!=` and `not_in`."""
    if op in _NEGATED:
        positive = matching(table, column, _NEGATED[op], value, values)
        return Condition(f"(NOT {positive.sql})", positive.notes)
    if op == "is_empty":
        return Condition(f"(NOT {table.filled(column)})")
    if op == "contains":
        return Condition(_never_null(table, column, _contains(table, column, str(value))))
    if table.kind(column) == "text" and op in ("=", "in"):
        return _spelled(table, column, [value] if op == "=" else values or [])
    if op == "in":
        alternatives = [_compared(table, column, "=", each) for each in values or []]
        return Condition(_never_null(table, column, f"({' OR '.join(alternatives) or 'FALSE'})"))
    return Condition(_never_null(table, column, _compared(table, column, op, value)))


def _never_null(table: Table, column: str, condition: str) -> str:
    return f"coalesce({table.filled(column)} AND {condition}, FALSE)"


def _contains(table: Table, column: str, text: str) -> str:
    form = sql.caseless if table.settings.tools.exact_text else sql.folded
    return f"contains({form(table.cell(column))}, {form(sql.literal(text))})"


def _spelled(table: Table, column: str, values: list[Any]) -> Condition:
    """Match text by the stored spellings of the values, which are looked up among the column's distinct values."""
    asked = list(dict.fromkeys(str(value) for value in values))
    cell = table.cell(column)
    if table.settings.tools.exact_text:
        return Condition(_never_null(table, column, sql.any_of(cell, asked)))
    wanted = ", ".join(f"({number}, {sql.same_value(sql.literal(text))})" for number, text in enumerate(asked))
    rows = table.query(
        f"WITH stored AS (SELECT DISTINCT {cell} AS spelling FROM {table.source} AS t WHERE {table.filled(column)}), "
        f"wanted(number, form) AS (VALUES {wanted}) SELECT wanted.number, stored.spelling "
        f"FROM wanted JOIN stored ON {sql.same_value('stored.spelling')} = wanted.form ORDER BY ALL"
    )
    notes: list[Note] = []
    for number, text in enumerate(asked):
        spellings = [spelling for at, spelling in rows if at == number]
        if len(spellings) > 1 and spellings not in [note["spellings"] for note in notes]:
            notes.append({"note": "spellings", "column": column, "value": text, "spellings": spellings})
    found = dict.fromkeys(spelling for _, spelling in rows)
    return Condition(_never_null(table, column, sql.any_of(cell, found)), notes)


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
