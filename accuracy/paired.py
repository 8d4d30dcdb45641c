"""Two runs held against each other, case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .outcomes import RIGHT, rank
from .records import BenchError, Record
from .stats import mcnemar
from .summary import Run


@dataclass(frozen=True)
class Change:
    """A case whose outcome differs: its request, and the outcomes in the first and the second run."""

    case: str
    request: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """Two runs over the cases that both have asked; `p` is that of the exact McNemar test on right or not."""

    first: str
    second: str
    cases: int
    only_in_one: int
    both_right: int
    only_first: int
    only_second: int
    p: float
    better: tuple[Change, ...]
    worse: tuple[Change, ...]


def compare_runs(first: Run, second: Run) -> Comparison:
    """Compare two runs. Raises BenchError `nothing_in_common`, `other_golds` where their cases count otherwise."""
    left, right = _by_case(first.lines), _by_case(second.lines)
    common = [case for case in left if case in right]
    if not common:
        raise BenchError("nothing_in_common", first=first.name, second=second.name)
    differing = [case for case in common if _of_case(left[case]) != _of_case(right[case])]
    if differing:
        raise BenchError("other_golds", case=differing[0], found=len(differing))
    changes = [
        Change(case, left[case]["request"], left[case]["outcome"], right[case]["outcome"])
        for case in common
        if left[case]["outcome"] != right[case]["outcome"]
    ]
    only_first = sum(change.before == RIGHT for change in changes)
    only_second = sum(change.after == RIGHT for change in changes)
    return Comparison(
        first=first.name,
        second=second.name,
        cases=len(common),
        only_in_one=len(left) + len(right) - 2 * len(common),
        both_right=sum(left[case]["outcome"] == right[case]["outcome"] == RIGHT for case in common),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar(only_first, only_second),
        better=tuple(change for change in changes if rank(change.after) < rank(change.before)),
        worse=tuple(change for change in changes if rank(change.after) > rank(change.before)),
    )


def _by_case(lines: Sequence[Record]) -> dict[str, Record]:
    return {str(line["case"]): line for line in lines}


def _of_case(line: Mapping[str, object]) -> tuple[object, object]:
    """Return what must be the same for two outcomes of a case to be comparable: its request and its gold answer."""
    return line["request"], line["wanted"]
