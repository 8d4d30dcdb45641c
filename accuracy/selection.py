"""Which cases are asked, and in what order."""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .cases import Case, load_cases
from .records import BenchError

OWN_CASES: Final = Path(__file__).parent / "cases"


def read_cases(paths: Sequence[Path] = ()) -> tuple[Case, ...]:
    """Read the cases of these files and folders (their *.jsonl); without any, those of the benchmark.

    Raises CaseError; BenchError `no_case_files` for a folder without any, `id_twice` for an id in two files.
    """
    files: list[Path] = []
    for path in paths or (OWN_CASES,):
        found = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not found:
            raise BenchError("no_case_files", file=str(path))
        files += found
    homes: dict[str, Path] = {}
    cases: list[Case] = []
    for file in files:
        for case in load_cases(file):
            if case.id in homes:
                raise BenchError("id_twice", case=case.id, file=str(file), first=str(homes[case.id]))
            homes[case.id] = file
            cases.append(case)
    return tuple(cases)


def choose(
    cases: Sequence[Case], *, domain: str | None = None, sample: int | None = None, seed: int = 0
) -> tuple[Case, ...]:
    """Return the cases of a domain, or a sample of them that is spread evenly over domains and languages.

    The cases of each domain and language are shuffled, and one after the other gives its next case until there are
    `sample`. With one seed a smaller sample is a part of a larger one. Raises BenchError `no_such_domain`,
    `sample_size`.
    """
    chosen = [case for case in cases if domain in (None, case.domain)]
    if not chosen:
        raise BenchError("no_such_domain", found=domain, allowed=sorted({case.domain for case in cases}))
    if sample is None:
        return tuple(chosen)
    if not 1 <= sample <= len(chosen):
        raise BenchError("sample_size", found=sample, allowed=len(chosen))
    places = {case.id: place for place, case in enumerate(cases)}
    drawn = [case for turn in _turns(chosen, random.Random(seed)) for case in turn][:sample]
    return tuple(sorted(drawn, key=lambda case: places[case.id]))


def in_order(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases so that neighbours share as much of the beginning of their prompts as possible.

    A prompt goes from tools over domain and tables to the conversation and the request.
    """
    return tuple(sorted(cases, key=lambda case: (case.domain, case.tables, len(case.history), _talk(case))))


def _turns(cases: Sequence[Case], random_numbers: random.Random) -> list[list[Case]]:
    """Return the cases in turns, each with at most one case of every domain and language."""
    groups: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: case.id):
        groups[case.domain, case.lang].append(case)
    shuffled = [groups[key] for key in sorted(groups)]
    for group in shuffled:
        random_numbers.shuffle(group)
    random_numbers.shuffle(shuffled)
    longest = max(map(len, shuffled))
    return [[group[place] for group in shuffled if place < len(group)] for place in range(longest)]


def _talk(case: Case) -> str:
    return json.dumps([[turn.request, turn.answer] for turn in case.history], ensure_ascii=False)
