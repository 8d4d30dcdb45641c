"""The statistics of the report: shares with their intervals, paired comparison, percentiles, calibration."""

import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb, floor, sqrt
from statistics import NormalDist

from engine.settings import AccuracySettings


@dataclass(frozen=True)
class Share:
    """How many of how many, with the interval (0 to 1) that the true share is looked for in.

    `clusters` is the number of tables that the cases are about.
    """

    hits: int
    count: int
    low: float
    high: float
    clusters: int

    @property
    def share(self) -> float:
        """Return the share, 0 to 1; 0 of nothing is 0."""
        return self.hits / self.count if self.count else 0.0


@dataclass(frozen=True)
class Bin:
    """Answers about which the model was about equally sure: how many, how sure on average, and how often right."""

    low: float
    high: float
    count: int
    confidence: float
    right: float


def share(hits: Iterable[tuple[Hashable, bool]], settings: AccuracySettings) -> Share:
    """Return the share of hits; each comes with its cluster, the table that it is about.

    Cases about one table are alike, so the interval must not treat them as independent. It goes from the lower to the
    higher end of two intervals:

    1. the percentile bootstrap over clusters: tables are drawn with replacement, as many as there are, each with all
       its cases (C. A. Field and A. H. Welsh, "Bootstrapping clustered data", J. R. Stat. Soc. B 69, 2007);
    2. Wilson's score interval over cases (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).

    The weakness: with few clusters (five tables) the bootstrap is too narrow, because it can only mix the tables that
    there are (A. C. Cameron, J. B. Gelbach, D. L. Miller, "Bootstrap-based improvements for inference with clustered
    errors", Rev. Econ. Stat. 90, 2008). Wilson's interval is there for the cases in which it fails outright: one
    table, or the same share in every table. Neither speaks for tables of another sort.
    """
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
    for cluster, hit in hits:
        counts[cluster][0] += hit
        counts[cluster][1] += 1
    clusters = list(counts.values())
    right, count = (sum(column) for column in zip(*clusters, strict=True)) if clusters else (0, 0)
    low, high = wilson(right, count, settings.interval)
    if len(clusters) > 1:
        below, above = cluster_bootstrap(clusters, settings)
        low, high = min(low, below), max(high, above)
    return Share(right, count, low, high, len(clusters))


def wilson(hits: int, count: int, level: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share; all of 0 to 1 for no cases."""
    if not count:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (hits + z * z / 2) / (count + z * z)
    half = z / (count + z * z) * sqrt(hits * (count - hits) / count + z * z / 4)
    return (max(0.0, centre - half) if hits else 0.0), (min(1.0, centre + half) if hits < count else 1.0)


def cluster_bootstrap(clusters: Sequence[Sequence[int]], settings: AccuracySettings) -> tuple[float, float]:
    """Return the percentile interval of the share over resampled clusters, each `(hits, count)`."""
    drawn: Counter[float] = Counter()
    for places, times in _resamples(len(clusters), settings.resamples, settings.seed):
        hits, count = (sum(clusters[place][column] for place in places) for column in (0, 1))
        drawn[hits / count] += times
    values = sorted(drawn)
    below = list(accumulate(drawn[value] for value in values))
    tail = (1 - settings.interval) / 2 * settings.resamples
    return values[bisect_left(below, tail)], values[min(bisect_left(below, settings.resamples - tail), len(values) - 1)]


@cache
def _resamples(clusters: int, resamples: int, seed: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return which clusters are drawn together, and how often: few clusters give few different draws."""
    random_numbers = random.Random(seed)
    draws = (random_numbers.choices(range(clusters), k=clusters) for _ in range(resamples))
    return tuple(Counter(tuple(sorted(draw)) for draw in draws).items())


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p of McNemar's test for pairs in which just one of the two is right.

    Under the null hypothesis each of these pairs falls either way with probability one half (Q. McNemar, Psychometrika
    12, 1947; the exact form is the sign test).
    """
    pairs = only_first + only_second
    tail = sum(comb(pairs, number) for number in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**pairs))


def percentile(values: Sequence[float], at: float) -> float | None:
    """Return the value below which the share `at` (0 to 1) of the values lies, between two values in proportion."""
    if not values:
        return None
    ordered = sorted(values)
    place = at * (len(ordered) - 1)
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def calibration(answers: Iterable[tuple[float, bool]], bins: int) -> tuple[Bin, ...]:
    """Return the bins that hold answers, by confidence in equal steps from 0 to 1 (a reliability diagram)."""
    filled: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for confidence, right in answers:
        filled[min(int(confidence * bins), bins - 1)].append((confidence, right))
    return tuple(
        Bin(
            low=place / bins,
            high=(place + 1) / bins,
            count=len(held),
            confidence=sum(confidence for confidence, _ in held) / len(held),
            right=sum(right for _, right in held) / len(held),
        )
        for place, held in sorted(filled.items())
    )


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error: how far confidence and share right lie apart, weighted by answers.

    M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", 2015.
    """
    count = sum(each.count for each in bins)
    return sum(each.count * abs(each.confidence - each.right) for each in bins) / count if count else None
