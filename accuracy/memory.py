"""Whether accepted answers help as examples: cases asked with and without them, in turns.

What stands for the accepted answers are the gold plans of all other cases about the same tables; those with the plan of
the case itself are left out, so that nothing is measured but help from other questions.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.decoder import TokenModel
from engine.session import Workspace
from engine.terminal import Tick
from prompt.samples import most_alike

from .cases import Case
from .outcomes import OUTCOMES, RIGHT
from .records import Record
from .run import predict
from .score import score_one
from .stats import mcnemar
from .tables import Tables

WITHOUT: Final = "without"
WITH: Final = "with"


@dataclass
class Recalling(Tables):
    """The tables of cases, with so many accepted answers of `known` cases in their context as `examples` says."""

    known: Sequence[Case] = ()
    examples: int = 0

    def workspace(self, case: Case) -> Workspace:
        """Return the opened tables of a case with the accepted answers most like its request, the last the most."""
        workspace = super().workspace(case)
        accepted = most_alike(list(_others(case, self.known)), case.request, self.examples)
        context = {**workspace.domain.context, "accepted": accepted}
        return replace(workspace, domain=replace(workspace.domain, context=context))


def _others(case: Case, known: Sequence[Case]) -> Iterator[dict[str, Any]]:
    own = {json.dumps(gold, sort_keys=True) for gold in case.gold}
    for other in known:
        same_tables = (other.domain, other.tables) == (case.domain, case.tables)
        plan = other.gold[0]
        if same_tables and not other.asks and not other.history and json.dumps(plan, sort_keys=True) not in own:
            yield {"request": other.request, "answer": plan}


def compare_memory(
    cases: Sequence[Case], tables: Tables, recalling: Recalling, model: TokenModel, tick: Tick
) -> list[Record]:
    """Ask every case without and with accepted answers, one after the other; return a line for each case."""
    lines = []
    for case in cases:
        tick(case.id)
        outcomes = {
            way: score_one(predict(case, opened, model), case, tables)["outcome"]
            for way, opened in ((WITHOUT, tables), (WITH, recalling))
        }
        lines.append({"case": case.id, **outcomes})
    tick("")
    return lines


def as_json(lines: Sequence[Mapping[str, Any]], examples: int) -> dict[str, Any]:
    """Return the counts of outcomes each way, the cases that only one way got right, and McNemar's p."""
    gained = [line["case"] for line in lines if line[WITH] == RIGHT != line[WITHOUT]]
    lost = [line["case"] for line in lines if line[WITHOUT] == RIGHT != line[WITH]]
    return {
        "cases": len(lines),
        "examples": examples,
        "ways": {
            way: {outcome: sum(line[way] == outcome for line in lines) for outcome in OUTCOMES}
            for way in (WITHOUT, WITH)
        },
        "gained": gained,
        "lost": lost,
        "p": mcnemar(len(gained), len(lost)),
    }


def summary(found: Mapping[str, Any]) -> str:
    """Return the comparison as Markdown; `found` is what `as_json` gives."""
    head = ["accepted answers", *(outcome.replace("_", " ") for outcome in OUTCOMES)]
    rows = [[way, *counts.values()] for way, counts in found["ways"].items()]
    lines = [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)]
    told = (
        f"{found['cases']} cases, with {found['examples']} accepted answers of other cases about the same tables: "
        f"{len(found['gained'])} became right, {len(found['lost'])} are no longer right (McNemar p = {found['p']:.3g})."
    )
    return "\n".join([told, "", *lines])
