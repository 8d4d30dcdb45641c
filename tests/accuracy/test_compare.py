import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy.compare import CompareError, same_result
from engine.settings import home, load_settings

SETTINGS = load_settings()
MAPPING = json.loads(home("settings.json").read_text(encoding="utf-8"))
RELATIVE = SETTINGS.compare.relative_tolerance
NEAR = 1 + RELATIVE / 2
FAR = 1 + RELATIVE * 2
NAN = float("nan")

Rows = list[tuple[Any, ...]]


def result(rows: Rows, columns: int = 1, row_count: int | None = None) -> dict[str, Any]:
    names = [f"column {number}" for number in range(columns)]
    return {"columns": names, "rows": rows, "row_count": len(rows) if row_count is None else row_count}


SAME: list[tuple[str, Rows, Rows]] = [
    ("row order", [(1,), (2,)], [(2,), (1,)]),
    ("an integer, a float and a decimal", [(3,), (3.0,)], [(Decimal("3.0"),), (3,)]),
    ("within the relative tolerance", [(1e12,)], [(1e12 * NEAR,)]),
    ("within the absolute tolerance", [(0.0,)], [(SETTINGS.compare.absolute_tolerance / 2,)]),
    ("zero and minus zero", [(0.0,)], [(-0.0,)]),
    ("empty cells", [(None, "a")], [(None, "a")]),
    ("NaN is empty", [(NAN,), (Decimal("NaN"),), (Decimal("sNaN"),)], [(None,), (None,), (NAN,)]),
    ("infinity", [(float("inf"),), (10**400,)], [(10**400,), (float("inf"),)]),
    ("a date and its midnight", [(date(2024, 2, 29),)], [(datetime(2024, 2, 29),)]),
    ("one moment in two zones", [(datetime(2024, 1, 1, 5, tzinfo=timezone(timedelta(hours=5))),)],
     [(datetime(2024, 1, 1, tzinfo=UTC),)]),
    ("other values", [(time(9, 30), b"x", [1, 2])], [(time(9, 30), b"x", [1, 2])]),
    ("nothing", [], []),
    ("sorting would pair the wrong rows", [(1.0, 9), (NEAR, 5)], [(1.0, 5), (NEAR, 9)]),
    ("a chain that can be paired off", [(1.0,), (NEAR,), (NEAR**2,)], [(NEAR,), (NEAR**2,), (NEAR**3,)]),
]  # fmt: skip

DIFFERENT: list[tuple[str, Rows, Rows]] = [
    ("a value", [(1,)], [(2,)]),
    ("beyond the tolerance", [(1.0,)], [(FAR,)]),
    ("large whole numbers", [(10**30,)], [(10**30 + 10**25,)]),
    ("how often a row occurs", [(1,), (1,), (2,)], [(1,), (2,), (2,)]),
    ("a row too many", [(1,)], [(1,), (1,)]),
    ("the order of columns", [(1, 2)], [(2, 1)]),
    ("a column too many", [(1,)], [(1, 1)]),
    ("a boolean is no number", [(True,)], [(1,)]),
    ("booleans", [(True,)], [(False,)]),
    ("text and number", [("1",)], [(1,)]),
    ("text and date", [("2024-01-01",)], [(date(2024, 1, 1),)]),
    ("case", [("Faol",)], [("faol",)]),
    ("a blank", [("Faol",)], [("Faol ",)]),
    ("empty is not blank text", [(None,)], [("",)]),
    ("empty is not zero", [(None,)], [(0,)]),
    ("empty is not false", [(None,)], [(False,)]),
    ("a time of day", [(date(2024, 1, 1),)], [(datetime(2024, 1, 1, 0, 0, 1),)]),
    ("a zone", [(datetime(2024, 1, 1),)], [(datetime(2024, 1, 1, tzinfo=UTC),)]),
    ("infinities", [(float("inf"),)], [(float("-inf"),)]),
    ("infinity is not large", [(float("inf"),)], [(1e308,)]),
    ("a tolerance does not chain", [(1.0,), (1.0,)], [(NEAR,), (FAR,)]),
    ("two rows near one and none near the other", [(1.0, 1), (NEAR, 1)], [(1.0, 1), (FAR**2, 1)]),
    ("cells of two rows swapped", [("a", 1), ("b", 2)], [("a", 2), ("b", 1)]),
    ("numbers in other columns", [(1, None)], [(None, 1)]),
]


@pytest.mark.parametrize(("a", "b"), [case[1:] for case in SAME], ids=[case[0] for case in SAME])
def test_same(a: Rows, b: Rows) -> None:
    assert same_result(a, b, SETTINGS)
    assert same_result(b, a, MAPPING)


@pytest.mark.parametrize(("a", "b"), [case[1:] for case in DIFFERENT], ids=[case[0] for case in DIFFERENT])
@pytest.mark.parametrize("ordered", [False, True])
def test_different(a: Rows, b: Rows, ordered: bool) -> None:
    assert not same_result(a, b, SETTINGS, ordered)
    assert not same_result(b, a, MAPPING, ordered)


def test_order_counts_where_asked() -> None:
    assert same_result([(1, "a"), (2, "b")], [(NEAR, "a"), (2, "b")], SETTINGS, ordered=True)
    assert not same_result([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], SETTINGS, ordered=True)


def test_column_names_do_not_count_and_their_number_does() -> None:
    one = {"columns": ["a"], "rows": [(1,)], "row_count": 1, "evidence": []}
    assert same_result(one, {"columns": ["b"], "rows": [(1,)], "row_count": 1}, SETTINGS)
    assert same_result(one, [(1,)], SETTINGS)
    assert same_result(result([], 2), result([], 2), SETTINGS)
    assert same_result(result([], 2), [], SETTINGS)
    assert not same_result(result([], 2), result([], 3), SETTINGS)
    assert not same_result(result([], 2), result([], 3), SETTINGS, ordered=True)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_result_that_is_cut_off_is_never_compared(ordered: bool) -> None:
    cut = result([(1,)], row_count=2)
    with pytest.raises(CompareError) as raised:
        same_result(cut, [(1,)], SETTINGS, ordered)
    assert raised.value.facts == {"rows": 1, "row_count": 2}
    with pytest.raises(CompareError):
        same_result([(1,)], cut, SETTINGS, ordered)


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(CompareError) as raised:
        same_result({"rows": []}, [], SETTINGS)
    assert raised.value.facts == {"missing": ["columns", "row_count"]}


def test_many_rows_that_differ_in_one_number() -> None:
    rows: Rows = [(7, number, number % 5) for number in range(3000)]
    changed = [*rows[:-1], (7, 2999.5, 4)]
    assert same_result(rows, rows[::-1], SETTINGS)
    assert not same_result(rows, changed, SETTINGS)


class Counted(float):
    """A number that counts how often it is held against another."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return float(self) == other

    __hash__ = float.__hash__


@pytest.mark.parametrize("width", [1, 2])
def test_columns_of_few_values_are_told_apart_at_once(width: int) -> None:
    Counted.times = 0
    rows: Rows = [(Counted(number % 3),) * width for number in range(600)]
    other: Rows = [(Counted(max(number % 4, 1) - 1),) * width for number in range(600)]
    assert not same_result(rows, other, SETTINGS)
    assert Counted.times < 60 * len(rows)


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(max_size=3),
    st.dates(),
    st.datetimes(),
)


def tables(cells: st.SearchStrategy[Any] = CELLS) -> st.SearchStrategy[Rows]:
    return st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), max_size=6))


@given(tables(), st.booleans())
def test_reflexive(rows: Rows, ordered: bool) -> None:
    assert same_result(rows, list(rows), SETTINGS, ordered)


@given(tables(), st.randoms(use_true_random=False))
def test_row_order_does_not_count(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert same_result(rows, shuffled, SETTINGS)


CLOSE = st.sampled_from([0, None, "a", True, *(NEAR**power for power in range(5))])


@given(tables(CLOSE), tables(CLOSE), st.booleans())
def test_symmetric(a: Rows, b: Rows, ordered: bool) -> None:
    assert same_result(a, b, SETTINGS, ordered) == same_result(b, a, SETTINGS, ordered)


FIRST = st.sampled_from([NEAR**power for power in range(6)])
NUMBERS = st.tuples(FIRST, st.sampled_from([1.0, NEAR, FAR]))


@given(
    st.tuples(st.sampled_from([NUMBERS, st.tuples(FIRST)]), st.integers(1, 4)).flatmap(
        lambda of: st.tuples(*[st.lists(of[0], min_size=of[1], max_size=of[1])] * 2)
    )
)
def test_same_exactly_where_some_pairing_is_near_throughout(pair: tuple[Rows, Rows]) -> None:
    a, b = pair

    def near(x: float, y: float) -> bool:
        return abs(x - y) <= max(RELATIVE * max(abs(x), abs(y)), SETTINGS.compare.absolute_tolerance)

    paired = any(
        all(near(x, y) for row, other in zip(a, order, strict=True) for x, y in zip(row, other, strict=True))
        for order in permutations(b)
    )
    assert same_result(a, b, SETTINGS) == paired


@given(
    st.lists(st.tuples(st.text(max_size=2), st.floats(1e-3, 1e12)), min_size=1, max_size=6), st.data(), st.booleans()
)
def test_a_small_change_passes_and_a_large_one_does_not(rows: Rows, data: st.DataObject, ordered: bool) -> None:
    place = data.draw(st.integers(0, len(rows) - 1))
    text, number = rows[place]
    small = [*rows[:place], (text, number * NEAR), *rows[place + 1 :]]
    assert same_result(rows, small, SETTINGS, ordered)
    highest = max(other for _, other in rows)
    large = [*rows[:place], (text, highest * 2), *rows[place + 1 :]]
    assert not same_result(rows, large, SETTINGS, ordered)
