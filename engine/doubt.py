"""Whether an answer is doubted so much that it becomes a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from grammar import Contract, Scene, ToolError, validate_answer

from .calibration import Calibration
from .confidence import Decision, real_question
from .settings import Settings


def doubt(
    contracts: Sequence[Contract],
    scene: Scene,
    settings: Settings,
    answer: Mapping[str, Any],
    made: Sequence[Decision],
    calibration: Calibration | None,
) -> dict[str, Any] | None:
    """Return the question to ask instead of running a plan; None where the model is sure enough, or asking is no use.

    A question is worth its while only for a calibrated model, and only if the plan, that decision settled by the user,
    is likely enough to be right.
    """
    found = None if calibration is None else real_question(made, settings.readings.ask_margin)
    if calibration is None or found is None or "steps" not in answer:
        return None
    decision, question = found
    if calibration.confidence([each for each in made if each is not decision]) < settings.readings.ask_worth:
        return None
    asking = {"question": {**question, "options": question["options"][: settings.grammar.question_options]}}
    try:
        validate_answer(contracts, scene, asking)
    except ToolError:
        return None
    return asking
