"""How much of a public set plans can say: gold becomes plans, which run and are held against the answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.session import Workspace, open_workspace, prepare, run
from engine.settings import Settings
from grammar import TezError, validate_answer

from .answers import answers
from .building import CannotSayError
from .questions import SPIDER, WIKISQL, Question
from .sketches import plan_of_sketch
from .statements import plan_of_statement

PLANS: Final[Mapping[str, Callable[[Workspace, Any], Mapping[str, Any]]]] = {
    WIKISQL: plan_of_sketch,
    SPIDER: plan_of_statement,
}
SAID: Final = "said"
OTHER_ANSWER: Final = "other_answer"
FAILED: Final = "failed"

Each = Callable[[str], None]


@dataclass(frozen=True)
class Expressed:
    """What became of one question: `outcome` is SAID, or why not; `offered` says that the grammar for just this
    question lets the plan be written."""

    question: Question
    outcome: str
    detail: str = ""
    offered: bool = False
    plan: Mapping[str, Any] | None = None

    @property
    def steps(self) -> int:
        """Return the number of steps of the plan, 0 without one."""
        return len(self.plan["steps"]) if self.plan else 0


class OpenedTables:
    """Opens the tables of questions, those of one set of files once. Use `close` at the end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[tuple[Path, ...], Workspace] = {}

    def of(self, question: Question) -> Workspace:
        """Return the opened tables of a question; raises what `open_workspace` raises."""
        if question.tables not in self._open:
            self._open[question.tables] = open_workspace(question.tables, self._settings)
        return self._open[question.tables]

    def close(self) -> None:
        """Close all of them."""
        for workspace in self._open.values():
            workspace.con.close()
        self._open.clear()


def express(questions: Sequence[Question], settings: Settings, each: Each) -> list[Expressed]:
    """Say each question that has a gold as a plan, run it and compare its table with the answer.

    `each` hears the id of a question before it is tried. Questions of sets without gold are left out.
    """
    tables = OpenedTables(settings)
    try:
        found = []
        for question in questions:
            if question.form in PLANS:
                each(question.id)
                found.append(_expressed(question, tables))
        return found
    finally:
        tables.close()


def _expressed(question: Question, tables: OpenedTables) -> Expressed:
    plan = None
    try:
        workspace = tables.of(question)
        plan = PLANS[question.form](workspace, question.gold)
        result = run(workspace, [], dict(plan))
    except CannotSayError as error:
        return Expressed(question, error.reason, error.detail)
    except TezError as error:
        return Expressed(question, FAILED, f"{error.reason}: {error}", plan=plan)
    outcome = SAID if answers(question, result) else OTHER_ANSWER
    return Expressed(question, outcome, str(result["rows"][:3]), _offered(workspace, question, plan), plan)


def _offered(workspace: Workspace, question: Question, plan: Mapping[str, Any]) -> bool:
    """Return whether the grammar that is made for this question has the plan."""
    try:
        validate_answer(workspace.contracts, prepare(workspace, question.text).scene, plan)
    except TezError:
        return False
    return True


def reasons(expressed: Sequence[Expressed]) -> list[tuple[str, int]]:
    """Return why questions cannot be said, each with how many it costs, the dearest first."""
    return Counter(each.outcome for each in expressed if each.outcome != SAID).most_common()
