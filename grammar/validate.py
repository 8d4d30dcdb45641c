"""The last word on an answer: JSON Schema, step by step, whatever wrote the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema

from .answers import answer_shape, as_scene, openings, question_shape
from .calls import step_shape
from .check import check_known_tools
from .compile import compile_shape
from .contracts import Contract, by_name
from .effects import state_after
from .errors import ToolError
from .gbnf import gbnf_text
from .schema import shape_schema
from .shapes import OneOf, Shape
from .state import Scene, TableState


def json_schema(contracts: Sequence[Contract], state: TableState | Scene) -> dict[str, Any]:
    """Return the JSON Schema of an answer about this table state or scene, known before any step is written."""
    schema = shape_schema(answer_shape(contracts, as_scene(state)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def gbnf(contracts: Sequence[Contract], state: TableState | Scene) -> str:
    """Return the GBNF grammar of the canonical texts of the answers that `json_schema` describes."""
    return gbnf_text(compile_shape(answer_shape(contracts, as_scene(state))))


def validate_answer(contracts: Sequence[Contract], scene: Scene, answer: Mapping[str, Any]) -> None:
    """Check an answer step by step, each step against the schema of the state that the steps before it leave.

    ToolError names the step (None where the fault is not one step's) and what the schema says.
    """
    if "question" in answer:
        _validate(question_shape(scene), answer, None)
        return
    steps = answer.get("steps")
    if not isinstance(steps, list) or not 1 <= len(steps) <= scene.tables[0].limits.max_steps:
        raise ToolError("not_a_plan", found=steps, allowed=[f"1 to {scene.tables[0].limits.max_steps} steps"])
    state = _opening_state(scene, answer)
    known = by_name(contracts)
    for number, step in enumerate(steps, 1):
        _validate(step_shape(contracts, state), step, number)
        state = state_after(known[step["tool"]], state, step["args"])
    check_known_tools(known, steps)


def _opening_state(scene: Scene, answer: Mapping[str, Any]) -> TableState:
    head = {key: value for key, value in answer.items() if key != "steps"}
    allowed = []
    for fields, state in openings(scene):
        opening = {field.key: field.shape.values[0] for field in fields if isinstance(field.shape, OneOf)}
        if head == opening:
            return state
        allowed.append(str(opening))
    raise ToolError("not_a_plan", found=str(head), allowed=allowed)


def _validate(shape: Shape, value: Any, number: int | None) -> None:
    errors = jsonschema.Draft202012Validator(shape_schema(shape)).iter_errors(value)
    error = jsonschema.exceptions.best_match(errors)
    if error is not None:
        where = "/".join(str(part) for part in error.absolute_path)
        raise ToolError("not_a_plan", step=number, argument=where or None, found=error.message)
