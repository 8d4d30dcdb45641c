"""join_table: the columns of another table beside those of this one, where a key of each is equal.

Keys are compared the way a person would: letter case, outer blanks and the kind of apostrophe of text do not count (a
setting makes them count), a number and text are compared as numbers, a day and a moment by their day. What matched
only for that reason is counted and shown. An empty key matches nothing.
"""

from dataclasses import dataclass

from engine import conversion, sql
from grammar import ToolError

from .registry import ROW, Made, Note, Table, executes, unique_names


@dataclass(frozen=True)
class _Key:
    """A side of a join: its table and column, what is compared, and the cell as text in its own way of writing."""

    table: Table
    column: str
    compared: str
    written: str


@dataclass(frozen=True)
class _Matches:
    """What a join finds, counted over the keys: rows of each side, pairs of rows, keys that one side has repeatedly."""

    here: int
    there: int
    pairs: int
    repeated_there: int
    repeated_here: int


@executes("join_table")
def join_table(this: Table, *, table: str, column: str, other_column: str, how: str) -> Made:
    """Put each row beside the rows of the other table that match it, in the order of both; `left` keeps all rows."""
    other = this.other(table)
    here, there = _keys(this, column, other, other_column)
    matches = _matches(here, there)
    rows = matches.pairs + (this.rows - matches.here if how == "left" else 0)
    limit = this.settings.tools.joined_rows
    if rows > limit:
        raise ToolError("join_too_large", argument="column", found=rows, limit=limit, column=column, table=table)
    added = [name for name in other.columns if name != other_column]
    own = list(this.columns)
    names = unique_names([*own, *added])
    cells = [f"h.c{number}" for number in range(len(own))] + [f"o.c{number}" for number in range(len(added))]
    selected = ", ".join(f"{cell} AS {sql.name(name)}" for cell, name in zip(cells, names, strict=True))
    select = (
        f"SELECT {selected} FROM {_numbered(here, own)} AS h "
        f"{'LEFT ' if how == 'left' else ''}JOIN {_numbered(there, added)} AS o ON h.k = o.k "
        "ORDER BY h.place ASC, o.place ASC"
    )
    repeated = names[: len(own)] if matches.repeated_there else []
    repeated += names[len(own) :] if matches.repeated_here else []
    return Made(select, _notes(here, there, matches, table), rows=rows, repeated=frozenset(repeated))


def _numbered(key: _Key, columns: list[str]) -> str:
    """Return the rows of a side under short names, with the key and each row's place in the table's own order."""
    cells = "".join(f"{ROW}.{sql.name(name)} AS c{number}, " for number, name in enumerate(columns))
    place = key.table.place or "row_number() OVER ()"
    return f"(SELECT {cells}{key.compared} AS k, {place} AS place FROM {key.table.source} AS {ROW})"


def _keys(table: Table, column: str, other: Table, other_column: str) -> tuple[_Key, _Key]:
    """Return what is compared on each side, NULL where a cell is empty or cannot be compared."""
    sides = ((table, column), (other, other_column))
    kinds = {side.kind(name) for side, name in sides}
    written = [sql.canonical(side.value(name), side.type(name)) for side, name in sides]
    if kinds == {"text"}:
        compared = written if table.settings.tools.exact_text else [sql.same_value(text) for text in written]
    elif kinds == {"text", "number"}:
        compared = [_as_number(side, name) for side, name in sides]
    elif kinds == {"date"} and "DATE" in [side.type(name) for side, name in sides]:
        compared = [f"TRY_CAST({side.value(name)} AS DATE)" for side, name in sides]
    else:
        same = len({side.type(name) for side, name in sides}) == 1
        compared = [side.value(name) for side, name in sides] if same else written
    here, there = (_Key(*side, *texts) for side, texts in zip(sides, zip(compared, written, strict=True), strict=True))
    return here, there


def _as_number(table: Table, column: str) -> str:
    """Return a cell as a number in one way of writing; text is read as fix_numbers reads it."""
    cell = table.cell(column)
    if table.kind(column) == "number":
        return sql.canonical(table.value(column), table.type(column))
    source = f"{table.source} AS {ROW}"
    form = conversion.facts_of(table.query(conversion.form_facts_sql(cell, source))[0]).form()
    facts = conversion.NumberFacts(*table.query(conversion.number_facts_sql(cell, source, form))[0])
    return sql.canonical(conversion.number_sql(cell, facts.duckdb_type(), form), facts.duckdb_type())


def _counted(key: _Key) -> str:
    """Return the query for how many rows each spelling of each key has."""
    cells = f"{key.compared} AS k, {key.written} AS written"
    rows = f"SELECT {cells} FROM {key.table.source} AS {ROW} WHERE {key.compared} IS NOT NULL"
    return f"SELECT k, written, count(*) AS n FROM ({rows}) GROUP BY ALL"


def _both(here: _Key, there: _Key) -> str:
    """Return the WITH clause of the spellings here and there, and of the keys that both sides have."""
    summed_here, summed_there = (f"SELECT k, sum(n) AS n FROM {side} GROUP BY k" for side in ("here", "there"))
    return (
        f"WITH here AS ({_counted(here)}), there AS ({_counted(there)}), both_sides AS "
        f"(SELECT k, a.n AS h, b.n AS o FROM ({summed_here}) AS a JOIN ({summed_there}) AS b USING (k)) "
    )


def _matches(here: _Key, there: _Key) -> _Matches:
    row = here.table.query(
        f"{_both(here, there)}SELECT coalesce(sum(h), 0), coalesce(sum(o), 0), coalesce(sum(h * o), 0), "
        "count(*) FILTER (o > 1), count(*) FILTER (h > 1) FROM both_sides"
    )[0]
    return _Matches(*(int(cell) for cell in row))


def _notes(here: _Key, there: _Key, matches: _Matches, other: str) -> list[Note]:
    table = here.table
    if not table.evidence:
        return []
    notes: list[Note] = [
        {
            "note": "joined",
            "table": other,
            "matched": matches.here,
            "unmatched": table.rows - matches.here,
            "other_unmatched": there.table.rows - matches.there,
        }
    ]
    for key in (here, there):
        cells = key.table.count(f"NOT {key.table.filled(key.column)}")
        if cells:
            where = {"table": other} if key is there else {}
            notes.append({"note": "empty_keys", "column": key.column, **where, "cells": cells})
    most = table.settings.tools.evidence_examples
    if matches.repeated_there:
        rows = table.query(
            f"{_both(here, there)}SELECT min(written) FROM both_sides JOIN here USING (k) WHERE o > 1 "
            f"GROUP BY k ORDER BY max(h * o) DESC, min(written) ASC LIMIT {most}"
        )
        notes.append(
            {
                "note": "rows_multiplied",
                "table": other,
                "keys": matches.repeated_there,
                "rows_before": matches.here,
                "rows_after": matches.pairs,
                "examples": [row[0] for row in rows],
            }
        )
    return notes + _reconciled(here, there, most)


def _reconciled(here: _Key, there: _Key, most: int) -> list[Note]:
    """Count the rows whose key stands in the other table only in another way of writing."""
    if here.compared == here.written and there.compared == there.written:
        return []
    rows = here.table.query(
        f"{_both(here, there)}, apart AS (SELECT here.written AS a, any_value(here.n) AS n, min(there.written) AS b "
        "FROM here JOIN there USING (k) GROUP BY here.k, here.written "
        "HAVING bool_and(here.written <> there.written)) "
        f"SELECT a, b, n, sum(n) OVER () FROM apart ORDER BY n DESC, a ASC LIMIT {most}"
    )
    if not rows:
        return []
    examples = [[row[0], row[1]] for row in rows]
    columns = {"column": here.column, "other_column": there.column}
    return [{"note": "reconciled", **columns, "rows": int(rows[0][3]), "examples": examples}]
