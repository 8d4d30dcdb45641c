"""Says whether two results are the same table to the person who reads them."""

import math
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

from engine.settings import Settings, as_settings
from grammar.errors import TezError

Result = Mapping[str, Any] | Sequence[Sequence[Any]]
Number = int | float | Decimal
Numbers = tuple[Number, ...]
Near = Callable[[Number, Number], bool]


class CompareError(TezError):
    """Two results cannot be compared: one is cut off, or is no result at all."""


@dataclass(frozen=True)
class _Row:
    """A row split in two: what must agree exactly, and the numbers, which must be near.

    `exact` has a mark in the place of each number, so that rows with the same `exact` have their numbers in
    the same columns.
    """

    exact: tuple[Hashable, ...]
    numbers: Numbers


def same_result(a: Result, b: Result, settings: Settings | Mapping[str, Any], ordered: bool = False) -> bool:
    """Say whether two results hold the same rows, in the same order where `ordered`.

    A result is what `run_plan` returns (`columns`, `rows`, `row_count`) or a list of rows. Rows count as often
    as they occur; the order of columns counts, their names do not. Numbers agree within
    `compare.relative_tolerance` of the larger or within `compare.absolute_tolerance`, whatever their type; a
    boolean is no number; a date and the midnight that begins it are equal; an empty cell (None, NaN) equals
    only an empty cell; text must be equal character by character.

    "Within a tolerance" does not carry over from pair to pair (1 may be near 2, and 2 near 3, but not 1 near
    3), so comparing sorted rows is not enough. Without `ordered`:

    1. rows are grouped by their cells that are not numbers; the groups must have the same sizes;
    2. in each group both sides are sorted by their numbers and paired in that order. If every pair is near,
       these pairs are the proof;
    3. otherwise a perfect matching between the two sides is looked for with augmenting paths (Kuhn, "The
       Hungarian method", 1955; here breadth first), in which a row may go with any row whose numbers are all
       near. The results are the same if and only if one exists.

    Raises CompareError where a result is cut off (`row_count` above the number of its rows) or is malformed.
    """
    tolerance = as_settings(settings).compare
    near = _nearness(tolerance.relative_tolerance, tolerance.absolute_tolerance)
    width_a, rows_a = _rows(a)
    width_b, rows_b = _rows(b)
    if len(rows_a) != len(rows_b) or (width_a is not None and width_b is not None and width_a != width_b):
        return False
    if ordered:
        return all(
            x.exact == y.exact and _all_near(x.numbers, y.numbers, near) for x, y in zip(rows_a, rows_b, strict=True)
        )
    groups_a, groups_b = _grouped(rows_a), _grouped(rows_b)
    return groups_a.keys() == groups_b.keys() and all(
        _matched(numbers, groups_b[exact], near) for exact, numbers in groups_a.items()
    )


def _rows(result: Result) -> tuple[int | None, list[_Row]]:
    """Return the number of columns (None where no row tells it) and the rows, split."""
    if not isinstance(result, Mapping):
        rows = [_split(row) for row in result]
        return (len(rows[0].exact) if rows else None), rows
    missing = [key for key in ("columns", "rows", "row_count") if key not in result]
    if missing:
        raise CompareError("not_a_result", missing=missing)
    if result["row_count"] > len(result["rows"]):
        raise CompareError("cut_off", rows=len(result["rows"]), row_count=result["row_count"])
    return len(result["columns"]), [_split(row) for row in result["rows"]]


def _split(row: Sequence[Any]) -> _Row:
    numbers: list[Number] = []
    exact: list[Hashable] = []
    for cell in row:
        if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and not _is_nan(cell):
            numbers.append(cell)
            exact.append(("number",))
        else:
            exact.append(_exact(cell))
    return _Row(tuple(exact), tuple(numbers))


def _is_nan(number: Number) -> bool:
    return number.is_nan() if isinstance(number, Decimal) else isinstance(number, float) and math.isnan(number)


def _is_infinite(number: Number) -> bool:
    return number.is_infinite() if isinstance(number, Decimal) else isinstance(number, float) and math.isinf(number)


def _exact(cell: Any) -> Hashable:
    """Return what stands for a cell that is no number: equal exactly where two cells are the same."""
    if cell is None or isinstance(cell, (float, Decimal)):  # a number that reaches this point is NaN
        return ("empty",)
    if isinstance(cell, bool):
        return ("boolean", cell)
    if isinstance(cell, str):
        return ("text", cell)
    if isinstance(cell, datetime):
        return ("moment", cell.astimezone(UTC)) if cell.tzinfo else ("date", cell)
    if isinstance(cell, date):
        return ("date", datetime.combine(cell, time()))
    return (type(cell).__name__, repr(cell))


def _nearness(relative: float, absolute: float) -> Near:
    def near(x: Number, y: Number) -> bool:
        if x == y:
            return True
        if _is_infinite(x) or _is_infinite(y):
            return False
        left, right = Fraction(x), Fraction(y)
        allowed = max(Fraction(absolute), Fraction(relative) * max(abs(left), abs(right)))
        return abs(left - right) <= allowed

    return near


def _all_near(x: Numbers, y: Numbers, near: Near) -> bool:
    return all(near(left, right) for left, right in zip(x, y, strict=True))


def _grouped(rows: list[_Row]) -> dict[tuple[Hashable, ...], list[Numbers]]:
    groups: dict[tuple[Hashable, ...], list[Numbers]] = defaultdict(list)
    for row in rows:
        groups[row.exact].append(row.numbers)
    return groups


def _matched(left: list[Numbers], right: list[Numbers], near: Near) -> bool:
    """Say whether the rows of two groups can be paired off so that each pair is near.

    What is near to a number is an interval that rises with it, so numbers of one column can be paired off exactly if
    they can be in their order. Rows cannot where one of their columns cannot.
    """
    if len(left) != len(right):
        return False
    left, right = sorted(left), sorted(right)
    if all(_all_near(x, y, near) for x, y in zip(left, right, strict=True)):
        return True
    for column in range(len(left[0])):
        if not _all_near(_sorted_column(left, column), _sorted_column(right, column), near):
            return False
    return len(left[0]) > 1 and _perfect(_candidates(left, right, near), len(right))


def _sorted_column(rows: list[Numbers], column: int) -> Numbers:
    return tuple(sorted(row[column] for row in rows))


def _candidates(left: list[Numbers], right: list[Numbers], near: Near) -> list[list[int]]:
    """Return for each row of `left` the places of the rows of `right` that it may go with.

    The search runs along the number column that tells most rows apart: there the candidates of a row stand
    side by side around its own place.
    """
    axis = max(range(len(left[0])), key=lambda column: len({row[column] for row in right}))
    order = sorted(range(len(right)), key=lambda place: right[place][axis])
    along = [right[place][axis] for place in order]
    found: list[list[int]] = []
    for row in left:
        start = bisect_left(along, row[axis])
        places: list[int] = []
        for positions in (range(start, len(order)), range(start - 1, -1, -1)):
            for position in positions:
                if not near(row[axis], along[position]):
                    break
                if _all_near(row, right[order[position]], near):
                    places.append(order[position])
        found.append(places)
    return found


def _perfect(candidates: list[list[int]], size: int) -> bool:
    """Say whether every row gets a candidate of its own, by augmenting paths."""
    owner: list[int | None] = [None] * size
    held: list[int | None] = [None] * len(candidates)
    for row in range(len(candidates)):
        free, came_from = _free_place(row, candidates, owner)
        if free is None:
            return False
        place: int | None = free
        while place is not None:
            holder = came_from[place]
            owner[place] = holder
            held[holder], place = place, held[holder]
    return True


def _free_place(row: int, candidates: list[list[int]], owner: list[int | None]) -> tuple[int | None, dict[int, int]]:
    """Search breadth first for a free place; return it, and from which row each place was reached."""
    came_from: dict[int, int] = {}
    waiting = deque([row])
    while waiting:
        current = waiting.popleft()
        for place in candidates[current]:
            if place in came_from:
                continue
            came_from[place] = current
            holder = owner[place]
            if holder is None:
                return place, came_from
            waiting.append(holder)
    return None, came_from
