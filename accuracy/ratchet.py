"""The ratchet: the outcome of every case with the default model may become better and may not become worse."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from .outcomes import OUTCOMES, RIGHT, rank
from .records import BenchError, Record, write_text
from .summary import Run

BASELINE: Final = Path(__file__).parent / "baseline" / "default.json"
_KEYS: Final = {"made_with", "outcomes"}


@dataclass(frozen=True)
class Verdict:
    """A run against the baseline, over the cases that both know.

    `shortfall` says for each outcome by how many cases fewer the run reaches it or a better one; 0 or less is no loss.
    `new` are the cases that the baseline does not know.
    """

    cases: int
    right: int
    right_before: int
    better: tuple[tuple[str, str, str], ...]
    worse: tuple[tuple[str, str, str], ...]
    new: tuple[str, ...]
    shortfall: Mapping[str, int]

    def holds(self, tolerance: int | None = None) -> bool:
        """Return whether nothing got worse.

        Without a tolerance no case may have a worse outcome. With one, cases may change places, and each outcome must
        be reached, or surpassed, by at most so many cases fewer: on another processor greedy decoding takes another
        way now and then.
        """
        if tolerance is None:
            return not self.worse
        return all(missing <= tolerance for missing in self.shortfall.values())


def read_baseline(path: Path) -> dict[str, str]:
    """Return the outcome of each case in a baseline. Raises BenchError `baseline_missing`, `baseline_broken`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BenchError("baseline_missing", file=str(path)) from None
    except (OSError, ValueError) as error:
        raise BenchError("baseline_broken", file=str(path), found=str(error)) from error
    outcomes = content.get("outcomes") if isinstance(content, dict) else None
    if not isinstance(outcomes, dict) or content.keys() != _KEYS:
        raise BenchError("baseline_broken", file=str(path), found=", ".join(sorted(_KEYS)))
    unknown = [outcome for outcome in outcomes.values() if outcome not in OUTCOMES]
    if unknown:
        raise BenchError("baseline_broken", file=str(path), found=str(unknown[0]))
    return dict(outcomes)


def judge(baseline: Mapping[str, str], lines: Sequence[Mapping[str, Any]]) -> Verdict:
    """Hold the scored cases against the baseline. Raises BenchError `nothing_in_common`."""
    found = {str(line["case"]): str(line["outcome"]) for line in lines}
    common = [case for case in found if case in baseline]
    if not common:
        raise BenchError("nothing_in_common", first="baseline", second="scores")
    changes = [(case, baseline[case], found[case]) for case in common if baseline[case] != found[case]]
    before, after = ([outcomes[case] for case in common] for outcomes in (baseline, found))
    reached = zip(OUTCOMES, _reached(before), _reached(after), strict=True)
    return Verdict(
        cases=len(common),
        right=after.count(RIGHT),
        right_before=before.count(RIGHT),
        better=tuple(change for change in changes if rank(change[2]) < rank(change[1])),
        worse=tuple(change for change in changes if rank(change[2]) > rank(change[1])),
        new=tuple(case for case in found if case not in baseline),
        shortfall={outcome: was - now for outcome, was, now in reached},
    )


def update_baseline(path: Path, run: Run) -> None:
    """Write the outcomes of a run into the baseline; cases that it has not asked keep theirs. BenchError."""
    outcomes = read_baseline(path) if path.exists() else {}
    outcomes |= {str(line["case"]): str(line["outcome"]) for line in run.lines}
    made = run.predictions
    about: Record = {key: made[key] for key in ("model", "adapter", "contracts", "code", "revision", "versions")}
    about |= {"settings": made["settings"]["sha256"], "cases": made["cases"]["sha256"], "golds": run.header["golds"]}
    content = {"made_with": about, "outcomes": dict(sorted(outcomes.items()))}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _reached(outcomes: Sequence[str]) -> list[int]:
    """Return for each outcome, from the best on, how many cases have it or a better one."""
    counts = Counter(outcomes)
    return list(accumulate(counts[outcome] for outcome in OUTCOMES))
