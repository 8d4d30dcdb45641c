"""What came of a request: the answer, what it gave, and how sure the model was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grammar import ToolError

from .confidence import Decision, probability
from .readings import Reading


@dataclass(frozen=True)
class Answered:
    """An answer to a request: the plan or question, the result of a plan that ran, and the seconds and tokens taken.

    `decisions` are where the model could have written something else, `confidence` how likely its answer is to be right
    (None where the model is not calibrated). `readings` are what the request may mean, the model's own answer first.
    `written` is that own answer, in whose place `answer` may be a question or another reading. A model that is not
    `weighed`, as one of a server, tells nothing of how sure it was; `before` is its plan that was refused first (None
    where it was no plan) and why, where this answer is the second.
    """

    request: str
    answer: dict[str, Any]
    notes: Sequence[Mapping[str, Any]]
    result: dict[str, Any] | None = None
    timing: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    confidence: float | None = None
    readings: tuple[Reading, ...] = ()
    written: dict[str, Any] = field(default_factory=dict)
    weighed: bool = True
    before: tuple[Mapping[str, Any] | None, ToolError] | None = None

    @property
    def probability(self) -> float | None:
        """Return the probability of the model's answer under the grammar; None where it is not weighed."""
        return probability(self.decisions) if self.weighed else None
