"""Whether an answer is doubted so much that it becomes a question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grammar import Contract, Scene, ToolError, validate_answer

from .calibration import Calibration
from .confidence import Decision, Rival, closest
from .readings import Reading
from .settings import Settings


@dataclass(frozen=True)
class Doubt:
    """A question that is asked instead of running a plan.

    `options` are what it offers, first that of the plan, each of the others with the rival that leads to its own plan.
    """

    answer: dict[str, Any]
    options: Mapping[str, Rival | None]

    def matters(self, found: Iterable[Reading]) -> bool:
        """Return whether the options lead to different tables, as far as these readings tell."""
        return not any(self.options.keys() <= set(each.options) for each in found)


def doubt(
    contracts: Sequence[Contract],
    scene: Scene,
    settings: Settings,
    answer: Mapping[str, Any],
    made: Sequence[Decision],
    calibration: Calibration | None,
) -> Doubt | None:
    """Return the question to ask instead of running a plan; None where the model is sure enough, or asking is no use.

    A question is worth its while only for a calibrated model, and only if the plan, that decision settled by the user,
    is likely enough to be right.
    """
    found = None if calibration is None else closest(made, settings.readings.ask_margin)
    if calibration is None or found is None or "steps" not in answer:
        return None
    if calibration.confidence([each for each in made if each is not found.decision]) < settings.readings.ask_worth:
        return None
    options = dict(islice(found.options.items(), settings.grammar.question_options))
    asking = {"question": {"kind": found.kind, "options": list(options)}}
    try:
        validate_answer(contracts, scene, asking)
    except ToolError:
        return None
    return Doubt(asking, options)
