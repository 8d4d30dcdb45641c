"""The tool that charts: the table passes through, the artifact describes the drawing and holds what is drawn.

The artifact is plain data: `mark`, the columns `x`, `y`, `color`, their `kinds`, and the `points` in the table's
order, [x, y] or [x, y, color] each; of a histogram [from, to, rows]. Where a column has more categories than can be
told apart, the largest stay and the others are one: in its points the category is null, and `rest` counts the values
by column.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from itertools import count, pairwise
from typing import Any, Literal, TypeAlias

from engine import sql
from engine.settings import ChartSettings

from .registry import Made, Note, Table, executes, plain

Measure: TypeAlias = Literal["quantitative", "temporal", "nominal"]

_WEIGHED = frozenset({"bar", "pie"})
_NICE_STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5))


@dataclass
class _Drawing:
    """What is gathered for one chart."""

    mark: str
    roles: dict[str, str]
    notes: list[Note] = field(default_factory=list)
    rest: dict[str, int] = field(default_factory=dict)


@executes("chart", lazy="in_order", named=True)
def chart(table: Table, *, kind: str, x: str, y: str | None = None, color: str | None = None) -> Made:
    """Leave the table as it is and describe a chart of its rows; empty cells are left out of the drawing."""
    given = {"x": x, "y": y, "color": color}
    drawing = _Drawing(kind, {role: column for role, column in given.items() if column is not None})
    columns = list(dict.fromkeys(drawing.roles.values()))
    for column in columns:
        cells = table.count(f"NOT {table.filled(column)}")
        if cells:
            drawing.notes.append({"note": "empty_left_out", "column": column, "cells": cells})
    shown = " AND ".join(table.filled(column) for column in columns)
    rows = table.count(shown)
    select = f"SELECT {table.select_list()} FROM {table.source} AS t"
    if rows == 0:
        return Made(select, [*drawing.notes, {"note": "nothing_to_draw"}], rows=table.counted)
    if kind == "pie":
        _check_pie(table, drawing, shown)
    if kind == "histogram":
        points = _bins(table, x, shown, rows, table.settings.chart.bins)
    else:
        points = _points(table, drawing, shown, rows)
    if not points:
        return Made(select, [*drawing.notes, {"note": "nothing_to_draw"}], rows=table.counted)
    artifact = {
        "kind": "chart",
        "mark": drawing.mark,
        **given,
        "kinds": {column: table.kind(column) for column in columns},
        "title": " / ".join(columns),
        "points": points,
        "rest": drawing.rest,
    }
    return Made(select, drawing.notes, [artifact], table.counted)


def _check_pie(table: Table, drawing: _Drawing, shown: str) -> None:
    """Make a bar chart of a pie whose slices would not be parts of a whole: with a negative value, or all zero."""
    y = _double(table, drawing.roles["y"])
    counted = f"SELECT count_if({y} < 0), count_if({y} > 0) FROM {table.source} AS t WHERE {shown}"
    negative, positive = table.query(counted)[0]
    if negative or not positive:
        drawing.mark = "bar"
        cells = {"cells": negative} if negative else {}
        drawing.notes.append({"note": "pie_as_bars", "column": drawing.roles["y"], **cells})


def _points(table: Table, drawing: _Drawing, shown: str, rows: int) -> list[list[Any]]:
    """Return the points: the rows themselves, totalled where categories share one, evenly chosen where too many."""
    settings = table.settings.chart
    source, place = table.numbered()
    cells = {role: _drawn_cell(table, drawing, role) for role in drawing.roles}
    kept = {role: _kept(table, drawing, role, shown, settings) for role in cells if role != "y"}
    for role, values in kept.items():
        if values is not None:
            cells[role] = f"(CASE WHEN {sql.any_of(cells[role], values)} THEN {cells[role]} END)"
    listed = ", ".join(f"{cell} AS {role}" for role, cell in cells.items())
    drawn = f"SELECT {listed}, {place} AS place FROM {source} AS t WHERE {shown}"
    groups = [role for role in cells if role != "y"]
    if drawing.mark != "scatter" and not drawing.rest:
        _note_repeated(table, drawing, f"SELECT DISTINCT {', '.join(groups)} FROM ({drawn})", rows)
    lumped = drawing.mark != "scatter" and drawing.rest
    if lumped or (drawing.mark in _WEIGHED and rows > settings.points):
        total = ", ".join(f"{sql.finite('sum(y)')} AS y" if role == "y" else role for role in cells)
        drawn = f"SELECT {total}, min(place) AS place FROM ({drawn}) GROUP BY {', '.join(groups)}"
        rows = int(table.query(f"SELECT count(*) FROM ({drawn})")[0][0])
    chosen = ""
    if rows > settings.points:
        every = math.ceil(rows / settings.points)
        drawn = f"SELECT * FROM (SELECT *, row_number() OVER (ORDER BY place ASC) AS n FROM ({drawn}))"
        chosen = f" WHERE (n - 1) % {every} = 0"
        drawing.notes.append({"note": "points_chosen", "rows": rows, "shown": math.ceil(rows / every)})
    rest_last = "".join(f"({role} IS NULL) ASC, " for role, values in kept.items() if values is not None)
    found = table.query(f"SELECT {', '.join(cells)} FROM ({drawn}){chosen} ORDER BY {rest_last}place ASC")
    points = [[plain(cell) for cell in row] for row in found if row[1] is not None]
    if len(points) < len(found):
        overflow = len(found) - len(points)
        drawing.notes.append({"note": "overflow", "column": drawing.roles["y"], "cells": overflow})
    return points


def _note_repeated(table: Table, drawing: _Drawing, distinct: str, rows: int) -> None:
    """Note that rows share their place in the drawing with others."""
    places = int(table.query(f"SELECT count(*) FROM ({distinct})")[0][0])
    if places < rows:
        note = {"note": "repeated_added"} if drawing.mark in _WEIGHED else {"note": "repeated_points"}
        drawing.notes.append({**note, "column": drawing.roles["x"], "rows": rows, "places": places})


def _kept(table: Table, drawing: _Drawing, role: str, shown: str, settings: ChartSettings) -> list[Any] | None:
    """Return the categories of a column that are drawn one by one, None where all are."""
    column = drawing.roles[role]
    if not _by_category(drawing, role, table.kind(column)):
        return None
    most = settings.colors if role == "color" else settings.slices if drawing.mark == "pie" else settings.categories
    cell, y = _drawn_cell(table, drawing, role), _double(table, drawing.roles["y"])
    source, place = table.numbered()
    weighed = (
        f"SELECT {cell} AS v, abs(sum({y})) AS weight, min({place}) AS place FROM {source} AS t "
        f"WHERE {shown} GROUP BY {cell}"
    )
    values = int(table.query(f"SELECT count(*) FROM ({weighed})")[0][0])
    if values <= most:
        return None
    found = table.query(f"SELECT v FROM ({weighed}) ORDER BY weight DESC NULLS LAST, place ASC LIMIT {most}")
    drawing.rest[column] = values - most
    drawing.notes.append({"note": "largest_drawn", "column": column, "shown": most, "values": values})
    return [row[0] for row in found]


def _by_category(drawing: _Drawing, role: str, kind: str) -> bool:
    """Return whether a column's values are categories in this chart, and not points of an axis or a scale."""
    if role == "color":
        return drawing.mark != "scatter" or kind in ("text", "boolean")
    return drawing.mark == "pie" or kind in ("text", "boolean")


def _drawn_cell(table: Table, drawing: _Drawing, role: str) -> str:
    """Return a cell as it is drawn: a number as DOUBLE unless it is a category, a date as ISO text."""
    column = drawing.roles[role]
    kind = table.kind(column)
    if kind == "date":
        day = table.type(column) == "DATE"
        moment = table.value(column) if day else f"CAST({table.value(column)} AS TIMESTAMP)"
        return f"replace(CAST({moment} AS VARCHAR), ' ', 'T')"
    if kind == "number" and (role == "y" or not _by_category(drawing, role, kind)):
        return _double(table, column)
    return table.value(column)


def _double(table: Table, column: str) -> str:
    return f"CAST({table.value(column)} AS DOUBLE)"


def _bins(table: Table, x: str, shown: str, rows: int, most: int) -> list[list[Any]]:
    """Return the bins of a histogram: [from, to, rows] each, of one round width, no more than `most`.

    Their number follows Sturges' rule (H. A. Sturges, "The Choice of a Class Interval", 1926).
    """
    cell = _double(table, x)
    low, high = table.query(f"SELECT min({cell}), max({cell}) FROM {table.source} AS t WHERE {shown}")[0]
    edges = _edges(low, high, min(most, math.ceil(math.log2(rows)) + 1))
    reached = ", ".join(f"count_if({cell} >= {sql.literal(edge)})" for edge in edges[:-1])
    counts = [*table.query(f"SELECT {reached} FROM {table.source} AS t WHERE {shown}")[0], 0]
    return [
        [start, end, above - beyond]
        for (start, end), (above, beyond) in zip(pairwise(edges), pairwise(counts), strict=True)
    ]


def _edges(low: float, high: float, bins: int) -> list[float]:
    """Return the edges of at most `bins` bins of one round width, from `low` or below to above `high`.

    Multiples of the width are taken in decimal, so that a value that is written like an edge is not below it.
    """
    first, last = Decimal(repr(low)), Decimal(repr(high))
    wanted = (last - first) / bins or abs(first) / 100 or Decimal(1)
    start, step, number = next(each for each in _divisions(first, last, wanted) if each[2] <= max(bins, 1))
    edges = [float((start + at) * step) + 0.0 for at in range(number + 1)]
    return [max(-sys.float_info.max, min(edge, sys.float_info.max)) for edge in edges]


def _divisions(first: Decimal, last: Decimal, wanted: Decimal) -> Iterator[tuple[Decimal, Decimal, int]]:
    """Yield ever wider divisions of a range: which multiple of the width comes first, the width, the number of bins."""
    for power in count(wanted.adjusted()):
        for nice in _NICE_STEPS:
            step = nice.scaleb(power)
            if step >= wanted:
                start = (first / step).to_integral_value(ROUND_FLOOR)
                yield start, step, int((last / step).to_integral_value(ROUND_FLOOR) - start) + 1


def drawn_kinds(artifact: Mapping[str, Any]) -> dict[str, Measure]:
    """Return how each role of a chart is measured."""
    measured: dict[str, Measure] = {"number": "quantitative", "date": "temporal"}
    drawing = _Drawing(artifact["mark"], {role: artifact[role] for role in ("x", "y", "color") if artifact[role]})
    return {
        role: "nominal"
        if role != "y" and _by_category(drawing, role, artifact["kinds"][column])
        else measured[artifact["kinds"][column]]
        for role, column in drawing.roles.items()
    }
