"""append_table: the rows of another table below those of this one, column by column name.

A column that both have gets a type that holds the cells of both without loss where there is one. Numbers and dates
that meet text are written as `sql.canonical` writes them.
"""

from engine import sql
from grammar import Column
from grammar.effects import paired_columns

from .registry import ROW, Made, Note, Table, executes, unique_names

_ZONED = "TIMESTAMP WITH TIME ZONE"
_MOST_FIGURES = 38


@executes("append_table")
def append_table(this: Table, *, table: str) -> Made:
    """Put the rows of the other table below; a column that only one of them has is empty in the other's rows."""
    other = this.other(table)
    pairs = paired_columns(_present(this), _present(other))
    names = unique_names(column.name for above, below in pairs for column in (above or below,) if column)
    cells: list[tuple[str, str]] = []
    notes: list[Note] = []
    for above, below in pairs:
        if above is None or below is None:
            cells.append((_own(this, above), _own(other, below)))
        elif above.kind == below.kind and above.kind not in ("text", "other"):
            duckdb_type = _common_type(this, above.name, other, below.name)
            sides = ((this, above.name), (other, below.name))
            cells.append((_cast(*sides[0], duckdb_type), _cast(*sides[1], duckdb_type)))
            notes += _rounded(sides, duckdb_type)
        else:
            cells.append((_as_text(this, above.name), _as_text(other, below.name)))
            notes += _made_text(this, above, other, below)
    halves = []
    for side, place in ((this, 0), (other, 1)):
        listed = ", ".join(f"{cell[place]} AS {sql.name(name)}" for cell, name in zip(cells, names, strict=True))
        halves.append(f"SELECT {listed} FROM {side.source} AS {ROW}")
    return Made(" UNION ALL ".join(halves), _counts(this, other, table, pairs) + notes)


def _present(table: Table) -> list[Column]:
    """Return the columns that are really there, in their order."""
    return [column for column in table.state.columns if column.name in table.columns]


def _own(table: Table, column: Column | None) -> str:
    return "NULL" if column is None else f"{ROW}.{sql.name(column.name)}"


def _as_text(table: Table, column: str) -> str:
    """Return a cell as text; text stays as it is, also where it is blank."""
    if table.kind(column) == "text":
        return table.cell(column)
    return f"CAST({sql.canonical(table.value(column), table.type(column))} AS VARCHAR)"


def _cast(table: Table, column: str, duckdb_type: str) -> str:
    if table.type(column) == duckdb_type:
        return table.cell(column)
    return f"TRY_CAST({table.value(column)} AS {duckdb_type})"


def _common_type(this: Table, above: str, other: Table, below: str) -> str:
    """Return the type for the cells of two columns of one kind: numbers, dates or booleans."""
    types = (this.type(above), other.type(below))
    if types[0] == types[1]:
        return types[0]
    if this.kind(above) == "date":
        moments = [duckdb_type for duckdb_type in types if duckdb_type != "DATE"]
        return moments[0] if len(moments) == 1 else _ZONED if _ZONED in moments else "TIMESTAMP"
    shapes = [sql.number_shape(duckdb_type) for duckdb_type in types]
    if shapes[0] is None or shapes[1] is None:
        return "DOUBLE"
    scale = max(shape[1] for shape in shapes if shape)
    width = scale + max(shape[0] - shape[1] for shape in shapes if shape)
    if not scale:
        signed = [duckdb_type for duckdb_type in types if not duckdb_type.startswith("U")]
        widest = max(types, key=lambda duckdb_type: sql.number_shape(duckdb_type) or (0, 0))
        return widest if len(signed) in (0, len(types)) else "HUGEINT"
    if width <= _MOST_FIGURES:
        return f"DECIMAL({width},{scale})"
    wide = f"DECIMAL({_MOST_FIGURES},{scale})"
    fits = not any(side.count(_lost(side, column, wide)) for side, column in ((this, above), (other, below)))
    return wide if fits else "DOUBLE"


def _lost(table: Table, column: str, duckdb_type: str) -> str:
    """Return the condition that a cell is not the same any more after it went to a type and back."""
    value = table.value(column)
    back = f"TRY_CAST(TRY_CAST({value} AS {duckdb_type}) AS {table.type(column)})"
    return f"({value} IS NOT NULL AND {back} IS DISTINCT FROM {value})"


def _rounded(sides: tuple[tuple[Table, str], tuple[Table, str]], duckdb_type: str) -> list[Note]:
    changing = [(table, column) for table, column in sides if table.type(column) != duckdb_type and table.evidence]
    cells = sum(table.count(_lost(table, column, duckdb_type)) for table, column in changing)
    return [{"note": "rounded", "column": sides[0][1], "cells": cells}] if cells else []


def _made_text(this: Table, above: Column, other: Table, below: Column) -> list[Note]:
    """Count the cells that become text because the kinds differ."""
    if above.kind == below.kind == "text" or not this.evidence:
        return []
    sides = ((this, above), (other, below))
    cells = sum(table.count(table.filled(column.name)) for table, column in sides if column.kind != "text")
    return [{"note": "made_text", "column": above.name, "cells": cells}] if cells else []


def _counts(this: Table, other: Table, name: str, pairs: list[tuple[Column | None, Column | None]]) -> list[Note]:
    """Say how many rows came and which columns only one table has."""
    if not this.evidence:
        return []
    notes: list[Note] = [{"note": "appended", "table": name, "rows": other.rows}]
    here = [above.name for above, below in pairs if above is not None and below is None]
    there = [below.name for above, below in pairs if above is None and below is not None]
    if here:
        notes.append({"note": "only_here", "table": name, "columns": here})
    if there:
        notes.append({"note": "only_there", "table": name, "columns": there})
    return notes
