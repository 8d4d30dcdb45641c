"""Ways to keep a model from skipping arguments that may be left out, held against each other on the same cases.

Every case is asked in every way before the next case is, so that what disturbs the machine disturbs all ways alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, Final

from engine.decoder import TokenModel
from engine.session import Workspace
from engine.settings import Settings
from engine.terminal import Tick
from grammar import by_name

from .cases import Case
from .outcomes import RIGHT, RIGHT_ROWS
from .records import Record
from .run import predict
from .score import score_one
from .stats import mcnemar
from .tables import Tables

PLAIN: Final = "as the model says"


@dataclass(frozen=True)
class Way:
    """A way to write what may be left out: its name, the bonus of such an argument, and whether `null` is written."""

    name: str
    bonus: float = 0.0
    nulls: bool = False


@dataclass(frozen=True)
class Tally:
    """What became of the cases in one way.

    `wanted` counts the arguments that gold plans write though they may be left out, in steps whose tool the answer
    has too; `given` those that the answers write in the same steps, `both` those that both write. `gained` and `lost`
    are the cases that are right in this way alone or in the plain way alone, `p` is that of the exact McNemar test.
    """

    way: str
    cases: int
    right: int
    right_rows: int
    wanted: int
    given: int
    both: int
    gained: int
    lost: int
    p: float
    seconds: float


@dataclass
class _Varied(Tables):
    """The tables of cases under settings of their own."""

    def workspace(self, case: Case) -> Workspace:
        """Return the opened tables of a case."""
        return replace(super().workspace(case), settings=self.settings)


def ways(bonuses: Sequence[float]) -> list[Way]:
    """Return the ways: the plain one, one for each bonus, and `null` for what is left out."""
    return [Way(PLAIN), *(Way(f"bonus {bonus:g}", bonus) for bonus in bonuses), Way("null", nulls=True)]


def compare_ways(
    cases: Sequence[Case], tables: Tables, model: TokenModel, tried: Sequence[Way], tick: Tick
) -> list[Tally]:
    """Ask all cases in all ways, the first being the plain one, and count."""
    lines: dict[str, list[Record]] = {way.name: [] for way in tried}
    varied = {way.name: _varied(tables, way) for way in tried}
    for case in cases:
        tick(case.id)
        for way in tried:
            prediction = predict(case, varied[way.name], model)
            lines[way.name].append(score_one(prediction, case, tables))
    tick("")
    plain = [line["outcome"] == RIGHT for line in lines[tried[0].name]]
    return [_tally(way, lines[way.name], plain, tables.settings) for way in tried]


def as_json(tallies: Sequence[Tally]) -> list[Record]:
    """Return the counts as JSON has them."""
    return [asdict(each) for each in tallies]


def shared_arguments(
    wanted: Mapping[str, Any], answer: Mapping[str, Any] | None, optional: Mapping[str, frozenset[str]]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the arguments that may be left out as gold plan and answer write them, for each step of the same tool.

    The steps of a tool are paired in their order.
    """
    left = list((answer or {}).get("steps", ()))
    for step in wanted.get("steps", ()):
        other = next((each for each in left if each["tool"] == step["tool"]), None)
        if other is None:
            continue
        left.remove(other)
        free = optional[step["tool"]]
        yield free & step["args"].keys(), free & other["args"].keys()


def _varied(tables: Tables, way: Way) -> Tables:
    model = replace(tables.settings.model, optional_bonus=way.bonus, optional_nulls=way.nulls)
    settings: Settings = replace(tables.settings, model=model)
    return _Varied(settings, tables.folder, tables._open, tables._for_sql)


def _tally(way: Way, lines: Sequence[Record], plain: Sequence[bool], settings: Settings) -> Tally:
    from engine.plan import shipped_contracts

    optional = {
        name: frozenset(key for key, argument in contract["args"].items() if argument.get("optional"))
        for name, contract in by_name(shipped_contracts()).items()
    }
    pairs = [pair for line in lines for pair in shared_arguments(line["wanted"], line["answer"], optional)]
    right = [line["outcome"] == RIGHT for line in lines]
    gained = sum(here and not there for here, there in zip(right, plain, strict=True))
    lost = sum(there and not here for here, there in zip(right, plain, strict=True))
    return Tally(
        way.name,
        len(lines),
        sum(right),
        sum(line["outcome"] == RIGHT_ROWS for line in lines),
        sum(len(wanted) for wanted, _ in pairs),
        sum(len(given) for _, given in pairs),
        sum(len(wanted & given) for wanted, given in pairs),
        gained,
        lost,
        mcnemar(gained, lost),
        median(line["seconds"]["total"] for line in lines),
    )
