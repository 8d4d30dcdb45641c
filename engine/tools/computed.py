"""Tools that add a column calculated from others: a number wherever there is one, and an empty cell elsewhere."""

from dataclasses import dataclass
from decimal import Decimal

from engine import sql
from grammar import clean_name
from grammar.effects import NAMELESS

from .registry import ROW, Made, Note, Table, executes, unique_names
from .totals import adding, projected, repetition, value_of

_SHARE = "share"
_BIGINT_FIGURES = 18
_MOST_FIGURES = 38
_ALMOST_ALL = 0.99


@dataclass(frozen=True)
class _Operand:
    """A side of a calculation: a cell or a number as SQL, NULL where it is empty, and its DuckDB type."""

    sql: str
    duckdb_type: str

    @property
    def shape(self) -> tuple[int, int] | None:
        """Figures in all and behind the point; None for a binary number."""
        return sql.number_shape(self.duckdb_type)


@executes("add_column", lazy="in_order", named=True)
def add_column(table: Table, *, name: str, left: str, op: str, right: str | float) -> Made:
    """Add the result of + - * or / for each row; exact for whole numbers and decimals, except of a division."""
    first = _Operand(table.value(left), table.type(left))
    second = _Operand(table.value(right), table.type(right)) if isinstance(right, str) else _number(right)
    listed, made = added(table, _calculated(table, first, op, second), clean_name(name, NAMELESS))
    select = f"SELECT {listed} FROM {table.source} AS {ROW}"
    used = {left, right}
    repeated = any(column.repeated for column in table.state.columns if column.name in used)
    notes = _calculation_notes(table, first, op, second, made)
    return Made(select, notes, repeated=frozenset({made}) if repeated else frozenset())


@executes("add_share", named=True)
def add_share(table: Table, *, value_column: str, group_by: list[str] | None = None) -> Made:
    """Add each row's percent of the total of a column, or of its group's total; of a total of zero there is none."""
    groups = list(dict.fromkeys(group_by or []))
    rows = projected(table, groups, value_column)
    total = adding(table, rows, value_of(table, value_column))
    v, whole = (sql.name(name) for name in unique_names([*table.columns, "place", "v", "whole"])[-2:])
    source, place = table.numbered() if groups else (table.source, "")
    inner = f"SELECT {ROW}.*, {table.value(value_column)} AS {v} FROM {source} AS {ROW}"
    if groups:
        keys = ", ".join(table.value(column) for column in groups)
        of_group = f"{total(f'{ROW}.{v}')} OVER (PARTITION BY {keys})"
    else:
        of_group = f"(SELECT {total(f'{ROW}.v')} FROM {rows} AS {ROW})"
    share = _percent(f"{ROW}.{v}", f"{ROW}.{whole}")
    listed, name = added(table, share, _SHARE)
    select = f"SELECT {listed} FROM (SELECT {ROW}.*, {of_group} AS {whole} FROM ({inner}) AS {ROW}) AS {ROW}"
    if groups:
        select += f" ORDER BY {place} ASC"
    notes = repetition(table, value_column)
    return Made(select, notes + _share_notes(table, rows, len(groups), total(f"{ROW}.v"), value_column, name, select))


def added(table: Table, cell: str, wanted: str) -> tuple[str, str]:
    """Return the list for a SELECT of all columns and a new one, and the new one's name, clashes settled."""
    known = [column.name for column in table.state.columns]
    *names, name = unique_names([*known, wanted])
    kept = dict(zip(known, names, strict=True))
    parts = [f"{ROW}.{sql.name(column)} AS {sql.name(kept[column])}" for column in table.columns]
    carried = [table.carried] if table.carried else []
    return ", ".join([*parts, f"{cell} AS {sql.name(name)}", *carried]), name


def _number(number: float) -> _Operand:
    exact = Decimal(number) if isinstance(number, int) or number.is_integer() else Decimal(repr(number))
    return _Operand(sql.literal(exact), sql.decimal_type(exact) or "DOUBLE")


def _calculated(table: Table, left: _Operand, op: str, right: _Operand) -> str:
    """Return the result as SQL, NULL where a side is empty, the divisor zero or the result too large."""
    duckdb_type = _type_of_result(table, left, op, right)
    sides = [each.sql for each in (left, right)]
    if duckdb_type == "DOUBLE":
        number, other = (f"CAST({side} AS DOUBLE)" for side in sides)
        return sql.finite(f"{number} {op} {f'nullif({other}, 0)' if op == '/' else other}")
    if op == "*" and sql.decimal_shape(duckdb_type):
        types = [f"DECIMAL({min(shape[0], _MOST_FIGURES)},{shape[1]})" for shape in (left.shape, right.shape) if shape]
    else:
        types = [duckdb_type, duckdb_type]
    number, other = (f"CAST({side} AS {cast})" for side, cast in zip(sides, types, strict=True))
    return f"TRY(CAST({number} {op} {other} AS {duckdb_type}))"


def _type_of_result(table: Table, left: _Operand, op: str, right: _Operand) -> str:
    """Return the type that holds the results exactly; DOUBLE for a division and where no exact type is wide enough."""
    if op == "/" or left.shape is None or right.shape is None:
        return "DOUBLE"
    (width, scale), (other_width, other_scale) = left.shape, right.shape
    decimals = scale + other_scale if op == "*" else max(scale, other_scale)
    whole, other_whole = width - scale, other_width - other_scale
    figures = decimals + (whole + other_whole if op == "*" else max(whole, other_whole) + 1)
    if not decimals:
        return "BIGINT" if figures <= _BIGINT_FIGURES else "HUGEINT"
    if figures <= _MOST_FIGURES:
        return f"DECIMAL({figures},{decimals})"
    if decimals > _MOST_FIGURES:
        return "DOUBLE"
    reach, other = (f"max(abs(CAST({each.sql} AS DOUBLE)))" for each in (left, right))
    largest = table.query(f"SELECT {reach} {'*' if op == '*' else '+'} {other} FROM {table.source} AS {ROW}")[0][0]
    fits = largest is None or largest < 10.0 ** (_MOST_FIGURES - decimals) * _ALMOST_ALL
    return f"DECIMAL({_MOST_FIGURES},{decimals})" if fits else "DOUBLE"


def _calculation_notes(table: Table, left: _Operand, op: str, right: _Operand, name: str) -> list[Note]:
    """Say which rows have no result and why."""
    if not table.evidence:
        return []
    filled = f"({left.sql} IS NOT NULL AND {right.sql} IS NOT NULL)"
    divisor = f"coalesce({right.sql} = 0, FALSE)" if op == "/" else "FALSE"
    missing = f"{_calculated(table, left, op, right)} IS NULL"
    empty, by_zero, too_large = table.query(
        f"SELECT count(*) FILTER (NOT {filled}), count(*) FILTER ({filled} AND {divisor}), "
        f"count(*) FILTER ({filled} AND NOT {divisor} AND {missing}) FROM {table.source} AS {ROW}"
    )[0]
    notes: list[Note] = []
    if empty:
        notes.append({"note": "empty_operands", "column": name, "cells": int(empty)})
    if by_zero:
        notes.append({"note": "division_by_zero", "column": name, "cells": int(by_zero)})
    if too_large:
        notes.append({"note": "overflow", "column": name, "cells": int(too_large)})
    return notes


def _percent(value: str, whole: str) -> str:
    """Return the percent as DOUBLE, NULL where there is none; divided first only where the other way overflows."""
    number, divisor = f"CAST({value} AS DOUBLE)", f"nullif({sql.finite(f'CAST({whole} AS DOUBLE)')}, 0)"
    return f"coalesce({sql.finite(f'100 * {number} / {divisor}')}, {sql.finite(f'{number} / {divisor} * 100')})"


def _share_notes(
    table: Table, rows: str, keys: int, total: str, value_column: str, name: str, select: str
) -> list[Note]:
    """Say which rows got no share and why, and that there are negative values."""
    if not table.evidence:
        return []
    if not table.rows:
        return [{"note": "no_rows"}]
    listed = ", ".join(f"{ROW}.k{number}" for number in range(keys))
    grouped = (
        f"SELECT CAST({total} AS DOUBLE) AS whole, count({ROW}.v) AS filled, count(*) AS n, "
        f"count(*) FILTER ({ROW}.v < 0) AS negative, max(abs(CAST({ROW}.v AS DOUBLE))) AS largest "
        f"FROM {rows} AS {ROW}" + (f" GROUP BY {listed}" if listed else "")
    )
    empty, of_zero, negative, far = table.query(
        "SELECT sum(n - filled), coalesce(sum(filled) FILTER (whole = 0), 0), sum(negative), "
        f"bool_or(filled > 0 AND whole <> 0 AND NOT isfinite(largest / abs(whole) * 100 + whole)) FROM ({grouped})"
    )[0]
    notes: list[Note] = []
    if empty:
        notes.append({"note": "empty_left_out", "column": value_column, "cells": int(empty)})
    if of_zero:
        notes.append({"note": "share_of_zero", "column": name, "cells": int(of_zero)})
    if far:
        shared = f"SELECT count({ROW}.{sql.name(name)}) FROM ({select}) AS {ROW}"
        without = table.rows - table.query(shared)[0][0]
        notes.append({"note": "overflow", "column": name, "cells": int(without - empty - of_zero)})
    if negative:
        notes.append({"note": "negative_values", "column": value_column, "cells": int(negative)})
    return notes
