"""Whether an answer is doubted so much that it becomes a question."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from grammar import Contract, Scene, ToolError, slots, validate_answer

from .calibration import Calibration
from .confidence import Close, Decision, Rival, closest
from .readings import Reading, Written
from .settings import Settings


@dataclass(frozen=True)
class Doubt:
    """A question that may be asked instead of running a plan: about which decision, of which only the likeliest are
    options, at most `most` and `margin` apart. `fits` says of an answer whether it may be given."""

    close: Close
    margin: float
    most: int
    fits: Callable[[Mapping[str, Any]], bool]

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """Return the ways to the plans of the other options, the likeliest first."""
        return self.close.rivals[: self.most - 1]

    def own(self) -> tuple[str, ...]:
        """Return the option of the plan that is doubted."""
        return self.close.options[:1]

    def option(self, written: Written, contracts: Mapping[str, Contract]) -> tuple[str, ...]:
        """Return the option to which an answer led, whole; none where it is no way to one, or too unlikely a one."""
        start = self.close.decision.slot.start
        share = prod(each.probability for each in written.decisions if each.slot.start == start)
        if written.rival is None or self.close.decision.probability - share >= self.margin:
            return ()
        slot = next((each for each in slots(contracts, written.text) if each.start == start), None)
        option = None if slot is None else json.loads(written.text.encode()[slot.start : slot.end])
        return (option,) if isinstance(option, str) else ()

    def question(self, found: Sequence[Reading]) -> dict[str, Any] | None:
        """Return the question with the options known before and by their plans; None where asking is no use.

        It is none where there is one option only, or all of them lead to one table.
        """
        known = [json.loads(rival.part) for rival in self.rivals if rival.part is not None]
        named = [*self.own(), *known, *(option for each in found for option in each.options)]
        options = list(dict.fromkeys(named))[: self.most]
        asking = {"question": {"kind": self.close.kind, "options": options}}
        same = any(set(options) <= set(each.options) for each in found)
        return asking if len(options) > 1 and not same and self.fits(asking) else None


def doubt(
    contracts: Sequence[Contract],
    scene: Scene,
    settings: Settings,
    answer: Mapping[str, Any],
    made: Sequence[Decision],
    calibration: Calibration | None,
) -> Doubt | None:
    """Return what may be asked instead of running a plan; None where the model is sure enough, or asking is no use.

    A question is worth its while only for a calibrated model, and only if the plan, that decision settled by the user,
    is likely enough to be right.
    """
    margin = settings.readings.ask_margin
    found = None if calibration is None else closest(made, margin)
    if calibration is None or found is None or "steps" not in answer:
        return None
    if calibration.confidence([each for each in made if each is not found.decision]) < settings.readings.ask_worth:
        return None

    def fits(asking: Mapping[str, Any]) -> bool:
        try:
            validate_answer(contracts, scene, asking)
        except ToolError:
            return False
        return True

    return Doubt(found, margin, settings.grammar.question_options, fits)
