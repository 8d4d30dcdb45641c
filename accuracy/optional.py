"""Ways to keep a model from skipping arguments that may be left out, held against each other on the same cases.

Every case is asked in every way before the next case is, so that what disturbs the machine disturbs all ways alike.
A model that often takes another tool than the gold plan shows little of how it treats that tool's arguments; `led`, it
is given the beginning of the gold plan up to the arguments of its first step and goes on from there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from engine.decoder import Decoded, TokenModel, decode
from engine.model_error import ModelError
from engine.plan import shipped_contracts
from engine.session import Workspace, prepare, standing_result
from engine.settings import Settings, limits
from engine.terminal import Tick
from grammar import by_name
from prompt.answers import answer_text

from .cases import Case
from .outcomes import RIGHT, RIGHT_ROWS
from .records import WAYS, Record, read_records
from .run import append, begin, predict
from .score import score_one
from .stats import mcnemar
from .tables import Tables

PLAIN: Final = "as the model says"
ARGUMENTS: Final = '"args":{'


@dataclass(frozen=True)
class Way:
    """A way to write what may be left out: its name, the bonus of such an argument, and whether `null` is written."""

    name: str
    bonus: float = 0.0
    nulls: bool = False


@dataclass(frozen=True)
class Tally:
    """What became of the cases in one way.

    `gold` counts the arguments that gold plans write though they may be left out; `wanted` those of them in steps whose
    tool the answer has too; `given` those that the answers write in these steps, `both` those that both write, `same`
    those that both write with the same value. `gained` and `lost` are the cases that are right in this way alone or in
    the plain way alone, `p` is that of the exact McNemar test.
    """

    way: str
    cases: int
    right: int
    right_rows: int
    gold: int
    wanted: int
    given: int
    both: int
    same: int
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
    cases: Sequence[Case], tables: Tables, model: TokenModel, tried: Sequence[Way], tick: Tick, *, led: bool = False
) -> Iterator[Record]:
    """Ask all cases in all ways, and yield a line for each case. `led`, only cases whose gold is a plan are asked."""
    varied = [_varied(tables, way) for way in tried]
    for case in cases:
        if led and case.asks:
            continue
        tick(case.id)
        answers = []
        for way, its_tables in zip(tried, varied, strict=True):
            written = _led(case, its_tables, model) if led else None
            line = score_one(predict(case, its_tables, model, written), case, tables)
            seconds = dict(line["seconds"])
            if isinstance(written, Decoded):
                seconds["total"] = round(seconds["total"] + written.read_seconds + written.write_seconds, 4)
            answers.append({"way": way.name, **{key: line[key] for key in ("answer", "outcome")}, "seconds": seconds})
        yield {"case": case.id, "wanted": case.gold[0], "ways": answers}
    tick("")


def kept_lines(
    out: Path, header: Mapping[str, Any], cases: Sequence[Case], tables: Tables, model: TokenModel, tick: Tick
) -> Sequence[Record]:
    """Compare the ways that the header names, and write each case to `out` as soon as it is there.

    What the file holds already is not asked again, as in `run_cases`. Returns the lines of all cases.
    """
    tried = [Way(**way) for way in header["ways"]]
    for line in compare_ways(begin(out, header, cases), tables, model, tried, tick, led=header["led"]):
        append(out, line)
    return read_records(out, WAYS).lines


def tally(lines: Sequence[Record]) -> list[Tally]:
    """Return what became of the cases in each way, the first being the plain one."""
    names = [each["way"] for each in lines[0]["ways"]] if lines else []
    plain = [line["ways"][0]["outcome"] == RIGHT for line in lines]
    return [_tally(name, place, lines, plain) for place, name in enumerate(names)]


def as_json(tallies: Sequence[Tally]) -> list[Record]:
    """Return the counts as JSON has them."""
    return [asdict(each) for each in tallies]


def shared_arguments(
    wanted: Mapping[str, Any], answer: Mapping[str, Any] | None, optional: Mapping[str, frozenset[str]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the arguments that may be left out as gold plan and answer write them, for each step of the same tool.

    The steps of a tool are paired in their order.
    """
    left = list((answer or {}).get("steps", ()))
    for step in wanted.get("steps", ()):
        other = next((each for each in left if each["tool"] == step["tool"]), None)
        if other is None:
            continue
        left.remove(other)
        yield _chosen(step, optional), _chosen(other, optional)


def _chosen(step: Mapping[str, Any], optional: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    return {key: value for key, value in step["args"].items() if key in optional[step["tool"]]}


def _led(case: Case, tables: Tables, model: TokenModel) -> Decoded | ModelError:
    """Let the model go on with the gold plan of a case where the arguments of its first step begin."""
    workspace = tables.workspace(case)
    history = [{"request": turn.request, "answer": turn.answer} for turn in case.history]
    standing = standing_result(workspace, [turn.answer for turn in case.history])
    asked = prepare(workspace, case.request, history, standing=standing)
    gold = answer_text(case.gold[0], by_name(workspace.contracts), limits(tables.settings))
    begun = model.tokenise(gold[: gold.index(ARGUMENTS) + len(ARGUMENTS)])
    settings, shared = tables.settings.model, asked.prompt.shared
    try:
        return decode(model, asked.matcher(workspace), asked.prompt.text, settings, begun=begun, shared=shared)
    except ModelError as error:
        return error


def _varied(tables: Tables, way: Way) -> Tables:
    model = replace(tables.settings.model, optional_bonus=way.bonus, optional_nulls=way.nulls)
    settings: Settings = replace(tables.settings, model=model)
    return _Varied(settings, tables.folder, tables._open, tables._for_sql)


def _tally(name: str, place: int, lines: Sequence[Record], plain: Sequence[bool]) -> Tally:
    optional = {
        name: frozenset(key for key, argument in contract["args"].items() if argument.get("optional"))
        for name, contract in by_name(shipped_contracts()).items()
    }
    answers = [line["ways"][place] for line in lines]
    pairs = [
        pair
        for line, made in zip(lines, answers, strict=True)
        for pair in shared_arguments(line["wanted"], made["answer"], optional)
    ]
    right = [made["outcome"] == RIGHT for made in answers]
    gained = sum(here and not there for here, there in zip(right, plain, strict=True))
    lost = sum(there and not here for here, there in zip(right, plain, strict=True))
    return Tally(
        name,
        len(lines),
        sum(right),
        sum(made["outcome"] == RIGHT_ROWS for made in answers),
        sum(len(_chosen(step, optional)) for line in lines for step in line["wanted"].get("steps", ())),
        sum(len(wanted) for wanted, _ in pairs),
        sum(len(given) for _, given in pairs),
        sum(len(wanted.keys() & given.keys()) for wanted, given in pairs),
        sum(wanted[key] == given[key] for wanted, given in pairs for key in wanted.keys() & given.keys()),
        gained,
        lost,
        mcnemar(gained, lost),
        median(made["seconds"]["total"] for made in answers),
    )
