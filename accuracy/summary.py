"""What a file of scores says, in numbers: shares by language, tool, steps and so on; time, tokens, calibration."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from engine.settings import AccuracySettings

from .outcomes import OUTCOMES, RIGHT
from .records import SCORES, Record, read_records
from .stats import Bin, Share, calibration, calibration_error, percentile, share

QUESTION: Final = "(question)"
STEPWISE: Final = ", step by step"


@dataclass(frozen=True)
class Run:
    """A scored run: its name in the report, its header and its lines."""

    name: str
    header: Record
    lines: tuple[Record, ...]

    @property
    def predictions(self) -> Record:
        """Return the header of the predictions."""
        made: Record = self.header["predictions"]
        return made

    @property
    def asked(self) -> int:
        """Return how many cases the run was to ask."""
        return len(self.predictions["cases"]["ids"])


@dataclass(frozen=True)
class Spread:
    """The middle and the slow end of a measure over cases; None where no case has it."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True)
class Together:
    """How many cases that were asked together with others were asked alone too, and how many gave the same plan."""

    checked: int
    same: int


@dataclass(frozen=True)
class Doubts:
    """In how many cases a user is asked which column, value or table is meant instead of getting the answer.

    `right` of these answers are right, so that asking is for nothing; of `helped` others one option is right.
    """

    asked: int
    right: int
    helped: int


@dataclass(frozen=True)
class Summary:
    """A run in numbers. `shares` has for each view (`language`, `tool`, ...) the share right of each group.

    `together` is None for a run that asked one case at a time.
    """

    name: str
    right: Share
    outcomes: Mapping[str, int]
    shares: Mapping[str, Mapping[str, Share]]
    failures: Mapping[str, int]
    seconds: Mapping[str, Spread]
    tokens: Mapping[str, Spread]
    calibration: tuple[Bin, ...]
    calibration_error: float | None
    together: Together | None
    doubts: Doubts


def _of_tools(line: Mapping[str, Any]) -> list[str]:
    return list(line["tools"]) or [QUESTION]


def _scopes(line: Mapping[str, Any]) -> list[str]:
    """Return what a follow-up is meant to work on, as its gold answer says; nothing for a first request."""
    return [f"follow-up on {line['wanted'].get('on', QUESTION)}"] if line["follow_up"] else []


VIEWS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterable[str]]]] = {
    "language": lambda line: [line["lang"]],
    "domain": lambda line: [line["domain"]],
    "tool": _of_tools,
    "steps": lambda line: [str(line["steps"]) if line["steps"] else QUESTION],
    "turn": lambda line: ["follow-up" if line["follow_up"] else "first request"],
    "scope": _scopes,
    "tag": lambda line: line["tags"],
}
SECONDS: Final = ("prepare", "read", "write", "run", "total")
TOKENS: Final = ("prompt", "reused", "answer")


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """Read files of scores. A run is named after its model and adapter, and after its file where two are alike."""
    records = [read_records(path, SCORES) for path in paths]
    names = [_name(each.header) for each in records]
    return [
        Run(name if names.count(name) == 1 else f"{name} ({path.stem})", each.header, each.lines)
        for name, path, each in zip(names, paths, records, strict=True)
    ]


def summarise(run: Run, settings: AccuracySettings) -> Summary:
    """Return a run in numbers."""
    lines = run.lines
    outcomes = Counter(line["outcome"] for line in lines)
    confident = [(line["confidence"], line["outcome"] == RIGHT) for line in lines if line["confidence"] is not None]
    bins = calibration(confident, settings.calibration_bins)
    return Summary(
        name=run.name,
        right=_share(lines, settings),
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES},
        shares={view: _by(lines, groups, settings) for view, groups in VIEWS.items()},
        failures=dict(Counter(line["failure"] for line in lines if line["failure"]).most_common()),
        seconds={key: _spread(lines, "seconds", key) for key in SECONDS},
        tokens={key: _spread(lines, "tokens", key) for key in TOKENS},
        calibration=bins,
        calibration_error=calibration_error(bins),
        together=_together(lines),
        doubts=_doubts(lines),
    )


def as_json(run: Run, summary: Summary) -> Record:
    """Return a summary as one JSON object, with what the run was made with."""
    made = run.predictions
    about = {key: made[key] for key in ("model", "adapter", "contracts", "code", "revision", "versions", "time")}
    about |= {"settings": made["settings"]["sha256"], "cases": made["cases"]["sha256"], "golds": run.header["golds"]}
    return {**asdict(summary), "run": about, "asked": run.asked}


def _together(lines: Iterable[Mapping[str, Any]]) -> Together | None:
    same = [bool(line["alone"]["same"]) for line in lines if "alone" in line]
    return Together(len(same), sum(same)) if same else None


def _doubts(lines: Iterable[Mapping[str, Any]]) -> Doubts:
    asked = [(line["outcome"] == RIGHT, line["doubt"]["holds_right"]) for line in lines if "doubt" in line]
    return Doubts(len(asked), sum(right for right, _ in asked), sum(helps and not right for right, helps in asked))


def _name(header: Mapping[str, Any]) -> str:
    made = header["predictions"]
    adapter = f" + {made['adapter']['file']}" if made["adapter"] else ""
    mode = STEPWISE if is_stepwise(made) else ""
    return f"{made['model']['name']}{adapter}{mode}"


def is_stepwise(made: Mapping[str, Any]) -> bool:
    """Return whether a run wrote its answers one step at a time."""
    return bool(made["settings"]["values"].get("stepwise", {}).get("on"))


def _share(lines: Iterable[Mapping[str, Any]], settings: AccuracySettings) -> Share:
    return share(((line["table"], line["outcome"] == RIGHT) for line in lines), settings)


def _by(
    lines: Sequence[Record], groups: Callable[[Mapping[str, Any]], Iterable[str]], settings: AccuracySettings
) -> dict[str, Share]:
    held: dict[str, list[Record]] = {}
    for line in lines:
        for group in groups(line):
            held.setdefault(group, []).append(line)
    return {group: _share(held[group], settings) for group in sorted(held)}


def _spread(lines: Iterable[Mapping[str, Any]], part: str, key: str) -> Spread:
    values = [line[part][key] for line in lines if key in line[part]]
    return Spread(percentile(values, 0.5), percentile(values, 0.95))
