"""The statistics, against figures worked out by hand or published, and against brute force."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy.stats import (
    Bin,
    calibration,
    calibration_error,
    cluster_bootstrap,
    mcnemar,
    percentile,
    share,
    wilson,
)
from engine.settings import load_settings

SETTINGS = load_settings().accuracy


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Stat. Med. 17, 1998, table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0000),
    ],
)
def test_wilsons_interval_as_published(hits: int, count: int, low: float, high: float) -> None:
    assert wilson(hits, count, 0.95) == pytest.approx((low, high), abs=5e-5)


def test_nothing_is_known_of_no_cases() -> None:
    assert wilson(0, 0, 0.95) == (0.0, 1.0)
    nothing = share([], SETTINGS)
    assert (nothing.hits, nothing.count, nothing.share, nothing.low, nothing.high) == (0, 0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (0, 6, 2 / 64), (1, 9, 22 / 1024), (4, 4, 1.0), (30, 30, 1.0)],
)
def test_mcnemar_as_the_sign_test(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p)


@given(st.integers(0, 9), st.integers(0, 9))
def test_mcnemar_counts_the_outcomes_that_are_as_uneven(first: int, second: int) -> None:
    pairs = first + second
    uneven = (
        sum(abs(2 * sum(way) - pairs) >= abs(first - second) for way in product((0, 1), repeat=pairs))
        if pairs < 11
        else None
    )
    if uneven is not None:
        assert mcnemar(first, second) == pytest.approx(uneven / 2**pairs)
    assert mcnemar(first, second) == mcnemar(second, first)


def exact_bootstrap(clusters: list[tuple[int, int]], level: float) -> tuple[float, float]:
    """The percentile interval over all k**k draws, each as likely as the other."""
    draws: Counter[float] = Counter()
    for places in product(range(len(clusters)), repeat=len(clusters)):
        drawn = [clusters[place] for place in places]
        draws[sum(hits for hits, _ in drawn) / sum(count for _, count in drawn)] += 1
    total, tail = len(clusters) ** len(clusters), (1 - level) / 2
    ends = []
    for at in (tail, 1 - tail):
        below = 0
        for value in sorted(draws):
            below += draws[value]
            if below >= at * total:
                ends.append(value)
                break
    return ends[0], ends[1]


@pytest.mark.parametrize(
    "clusters",
    [
        [(12, 60), (20, 60), (31, 60), (9, 60), (25, 60)],
        [(0, 10), (10, 10), (5, 10)],
        [(1, 3), (40, 50), (2, 20), (0, 7)],
    ],
)
def test_the_bootstrap_over_tables_is_near_that_over_all_draws(clusters: list[tuple[int, int]]) -> None:
    found = cluster_bootstrap(clusters, SETTINGS)
    assert found == pytest.approx(exact_bootstrap(clusters, SETTINGS.interval), abs=0.02)
    assert cluster_bootstrap(clusters, SETTINGS) == found


def test_a_higher_level_gives_a_wider_interval() -> None:
    clusters = [(12, 60), (20, 60), (31, 60), (9, 60), (25, 60)]
    low, high = cluster_bootstrap(clusters, replace(SETTINGS, interval=0.5))
    lower, higher = cluster_bootstrap(clusters, SETTINGS)
    assert lower < low < high < higher


def test_tables_that_differ_widen_the_interval_and_those_that_agree_leave_wilsons() -> None:
    alike = share([(table, case < 30) for table in range(5) for case in range(60)], SETTINGS)
    unlike = share(
        [(table, table < 2 or (table == 2 and case < 30)) for table in range(5) for case in range(60)], SETTINGS
    )
    assert alike.share == unlike.share == 0.5
    assert (alike.low, alike.high) == wilson(150, 300, SETTINGS.interval)
    assert unlike.low < alike.low < alike.high < unlike.high
    assert alike.clusters == 5


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), min_size=1, max_size=40))
def test_an_interval_holds_its_share_and_no_order_counts(hits: list[tuple[str, bool]]) -> None:
    found = share(hits, replace(SETTINGS, resamples=200))
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert (found.hits, found.count) == (sum(hit for _, hit in hits), len(hits))
    assert found.clusters == len({cluster for cluster, _ in hits})
    if found.hits not in (0, found.count):
        assert found.low < found.share < found.high


@pytest.mark.parametrize(
    ("values", "at", "expected"),
    [([], 0.5, None), ([3.0], 0.95, 3.0), ([4, 1, 3, 2], 0.5, 2.5), (list(range(101)), 0.95, 95), ([0, 10], 0.25, 2.5)],
)
def test_percentiles(values: list[float], at: float, expected: float | None) -> None:
    assert percentile(values, at) == expected


def test_calibration_puts_answers_where_their_confidence_is() -> None:
    answers = [(0.05, False), (0.95, True), (1.0, False), (0.2, True), (0.39, False)]
    assert calibration(answers, 5) == (
        Bin(0.0, 0.2, 1, 0.05, 0.0),
        Bin(0.2, 0.4, 2, pytest.approx(0.295), 0.5),
        Bin(0.8, 1.0, 2, pytest.approx(0.975), 0.5),
    )
    assert calibration_error(calibration(answers, 5)) == pytest.approx((0.05 + 2 * 0.205 + 2 * 0.475) / 5)
    assert calibration([], 5) == ()
    assert calibration_error(()) is None


def test_a_model_that_knows_how_sure_to_be_is_calibrated() -> None:
    numbers = random.Random(7)
    answers = [(sure, numbers.random() < sure) for sure in (numbers.random() for _ in range(20_000))]
    error = calibration_error(calibration(answers, 10))
    assert error is not None
    assert error < 0.02
    overconfident = calibration_error(calibration([(1 - (1 - sure) / 4, right) for sure, right in answers], 10))
    assert overconfident is not None
    assert overconfident > 0.2
