"""Calibration: from how sure a model was to how likely its answer is right, fitted on half of the cases.

Four tables are tried: logistic (J. Platt, 1999) or monotone (isotonic regression by pooling adjacent violators,
B. Zadrozny and C. Elkan, 2002), each over the product of the decisions' probabilities or over the least of them. The
one of the least log loss in cross-validation within that half is kept, and the other half, which nothing was chosen
or fitted on, shows how far it can be trusted.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p, prod
from pathlib import Path
from typing import Any, Final

from engine.calibration import Calibration, Measure
from engine.model_key import model_key
from engine.settings import AccuracySettings
from engine.weights import sha256_of

from .identity import from_server
from .outcomes import RIGHT
from .records import BenchError, Record, Records
from .stats import Bin, calibration, calibration_error, wilson

FOLDS: Final = 5
FEWEST: Final = 20
STEPS: Final = 200
GRID: Final = 30
SMALLEST: Final = 1e-6
LEVELS: Final = (0.9, 0.8, 0.7, 0.5, 0.3)
METHODS: Final = ("logistic", "monotone")
MEASURES: Final[tuple[Measure, ...]] = ("product", "least")

Pair = tuple[float, bool]
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Answer:
    """One answer: its case, its domain, how sure the model was by each measure, and whether it is right."""

    case: str
    domain: str
    sure: Mapping[Measure, float]
    right: bool


@dataclass(frozen=True)
class Level:
    """The answers given with at least this confidence: how many, how many right, and the interval of their share."""

    confidence: float
    count: int
    right: int
    low: float
    high: float


@dataclass(frozen=True)
class Checked:
    """A table with what the other half of the cases shows of it.

    `before` is the calibration error of the bare product of probabilities on these cases, `error` that of the table.
    `learnt` of the answers that the table was fitted on are right, `most` is the highest confidence that was given.
    """

    table: Calibration
    method: str
    bins: tuple[Bin, ...]
    levels: tuple[Level, ...]
    error: float
    before: float
    learnt: int
    most: float


def answers_of(predictions: Records, scores: Records) -> list[Answer]:
    """Return the answers of a scored run; a case without an answer is none.

    Raises BenchError `other_cases`, `no_confidence` for a run of a server, which tells no probabilities.
    """
    if from_server(predictions.header):
        raise BenchError("no_confidence", name=predictions.header["model"]["name"])
    scored = {line["case"]: line for line in scores.lines}
    if scores.header["predictions"] != predictions.header or any(
        line["case"] not in scored for line in predictions.lines
    ):
        raise BenchError("other_cases")
    found = []
    for line in predictions.lines:
        if line["answer"] is None:
            continue
        shares = [share for _, share in line["choices"]]
        about = scored[line["case"]]
        sure: dict[Measure, float] = {"product": prod(shares), "least": min(shares, default=1.0)}
        found.append(Answer(line["case"], about["domain"], sure, about["outcome"] == RIGHT))
    return found


def calibrate(answers: Sequence[Answer], settings: AccuracySettings) -> Checked:
    """Return the best table that half of the answers give, checked on the other half. Raises BenchError `too_few`."""
    if len(answers) < 2 * FEWEST:
        raise BenchError("too_few", found=len(answers), allowed=2 * FEWEST)
    fitted, held = halves(answers, settings.seed)
    measure, method = min(
        ((measure, method) for measure in MEASURES for method in METHODS),
        key=lambda way: _cross_validated(_pairs(fitted, way[0]), way[1], settings.seed),
    )
    points = _fit(method)(_pairs(fitted, measure))
    sure, right = zip(*points, strict=True)
    table = Calibration(measure, sure, right, len(fitted), {})
    told = [(table.at(each.sure[measure]), each.right) for each in held]
    bins = calibration(told, settings.calibration_bins)
    bare = calibration(_pairs(held, "product"), settings.calibration_bins)
    levels = tuple(_level(told, level, settings.interval) for level in LEVELS)
    error, before = calibration_error(bins) or 0.0, calibration_error(bare) or 0.0
    facts = {
        "cases": len(held),
        "right": sum(each.right for each in held),
        "error": round(error, 4),
        "error_before": round(before, 4),
        "levels": [[each.confidence, each.count, each.right] for each in levels if each.count],
    }
    table = Calibration(measure, sure, right, len(fitted), facts)
    learnt, most = sum(each.right for each in fitted), max(sure for sure, _ in told)
    return Checked(table, method, bins, levels, error, before, learnt, most)


def key_of_run(header: Mapping[str, Any], model: Path, adapter: Path | None) -> str:
    """Return the key of the model of a run, of whose files these are. Raises BenchError `other_model`, ModelError."""
    for found, path in ((header["model"], model), (header["adapter"], adapter)):
        wanted = None if found is None else found["sha256"]
        if wanted != (None if path is None else sha256_of(path)):
            raise BenchError("other_model", found=path and str(path), allowed=found and found["file"])
    return model_key(model, adapter)


def halves(answers: Sequence[Answer], seed: int) -> tuple[list[Answer], list[Answer]]:
    """Return two halves by chance, every domain halved; the same for the same cases and seed."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for each in sorted(answers, key=lambda each: each.case):
        groups[each.domain].append(each)
    random_numbers = random.Random(seed)
    drawn = []
    for name in sorted(groups):
        random_numbers.shuffle(groups[name])
        drawn += groups[name]
    return drawn[::2], drawn[1::2]


def logistic(pairs: Sequence[Pair]) -> Points:
    """Return points of the logistic curve over the logit of how sure the model was, rising or flat.

    Targets are smoothed as Platt does, so that a few answers that are all right do not promise certainty.
    """
    right = sum(hit for _, hit in pairs)
    targets = {True: (right + 1) / (right + 2), False: 1 / (len(pairs) - right + 2)}
    data = [(_logit(sure), targets[hit]) for sure, hit in pairs]
    slope, start = 0.0, _logit(sum(target for _, target in data) / len(data))
    for _ in range(STEPS):
        told = [_expit(slope * x + start) for x, _ in data]
        gradient = [sum((p - y) * x for p, (x, y) in zip(told, data, strict=True)), 0.0]
        gradient[1] = sum(p - y for p, (_, y) in zip(told, data, strict=True))
        weights = [p * (1 - p) + 1e-9 for p in told]
        xx = sum(w * x * x for w, (x, _) in zip(weights, data, strict=True)) + 1e-6
        x1 = sum(w * x for w, (x, _) in zip(weights, data, strict=True))
        one = sum(weights)
        scale = xx * one - x1 * x1
        slope -= (one * gradient[0] - x1 * gradient[1]) / scale
        start -= (xx * gradient[1] - x1 * gradient[0]) / scale
        if max(map(abs, gradient)) < 1e-9:
            break
    if slope <= 0:
        return ((0.5, sum(target for _, target in data) / len(data)),)
    widest = _logit(0.0)
    places = [_expit(widest - 2 * widest * step / GRID) for step in range(GRID + 1)]
    return _ascending([(place, _expit(slope * _logit(place) + start)) for place in places])


def monotone(pairs: Sequence[Pair]) -> Points:
    """Return a rising staircase by pooling adjacent violators; each share is drawn to that of all by one answer."""
    base = sum(hit for _, hit in pairs) / len(pairs)
    blocks: list[list[float]] = []
    for sure, hit in sorted(pairs):
        blocks.append([sure, float(hit), 1.0])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            last = blocks.pop()
            blocks[-1] = [one + other for one, other in zip(blocks[-1], last, strict=True)]
    return _ascending([(sure / count, (hits + base) / (count + 1)) for sure, hits, count in blocks])


def _ascending(points: Sequence[tuple[float, float]]) -> Points:
    """Return the points with rising places and no falling share, rounded as they are kept."""
    kept: dict[float, float] = {}
    highest = 0.0
    for place, share in points:
        highest = max(highest, round(share, 4))
        kept[round(place, 6)] = highest
    return tuple(sorted(kept.items()))


def _fit(method: str) -> Callable[[Sequence[Pair]], Points]:
    return logistic if method == "logistic" else monotone


def _cross_validated(pairs: Sequence[Pair], method: str, seed: int) -> float:
    """Return the log loss of a method over folds that it was not fitted on."""
    order = list(pairs)
    random.Random(seed).shuffle(order)
    loss = 0.0
    for fold in range(FOLDS):
        rest = [pair for place, pair in enumerate(order) if place % FOLDS != fold]
        sure, right = zip(*_fit(method)(rest), strict=True)
        table = Calibration("product", sure, right, len(rest), {})
        for x, hit in order[fold::FOLDS]:
            told = min(max(table.at(x), SMALLEST), 1 - SMALLEST)
            loss -= log(told) if hit else log1p(-told)
    return loss


def _pairs(answers: Sequence[Answer], measure: Measure) -> list[Pair]:
    return [(each.sure[measure], each.right) for each in answers]


def _level(told: Sequence[Pair], confidence: float, interval: float) -> Level:
    hits = [right for sure, right in told if sure >= confidence]
    return Level(confidence, len(hits), sum(hits), *wilson(sum(hits), len(hits), interval))


def _logit(share: float) -> float:
    share = min(max(share, SMALLEST), 1 - SMALLEST)
    return log(share) - log1p(-share)


def _expit(value: float) -> float:
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value) / (1 + exp(value))


def as_record(checked: Checked) -> Record:
    """Return what was found as JSON has it."""
    table: dict[str, Any] = {"measure": checked.table.measure, "method": checked.method}
    table |= {"sure": list(checked.table.sure), "right": list(checked.table.right), "cases": checked.table.cases}
    table |= {"learnt": checked.learnt, "most": checked.most}
    return {**table, "checked": dict(checked.table.checked), "bins": [vars(each) for each in checked.bins]}
