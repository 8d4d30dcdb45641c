"""The forms of an answer: a plan (and what it works on) or a question."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from .calls import offered, step_shape
from .contracts import Contract
from .effects import made_names
from .names import same_name
from .shapes import AnyOf, Field, Items, Object, OneOf, Shape
from .state import Column, Scene, TableState


def as_scene(state: TableState | Scene) -> Scene:
    """Return the scene of one opened table without an earlier plan, or the scene itself."""
    return state if isinstance(state, Scene) else Scene((state,))


def answer_shape(contracts: Sequence[Contract], scene: Scene) -> AnyOf:
    """Return the shape of a whole answer, known before any step is written.

    Its later steps may name the opened table's columns and those that tools make under a fixed name: it cannot
    know which of them an earlier step leaves. `AnswerMatcher` does.
    """
    plans = [
        Object((*head, Field("steps", _steps(contracts, state))))
        for head, state in openings(scene)
        if offered(contracts, state)
    ]
    question = question_shape(scene)
    return AnyOf((*plans, question))


def openings(scene: Scene) -> list[tuple[tuple[Field, ...], TableState]]:
    """Return the ways in which a plan may begin: the fields before `steps`, and the state that step 1 reads."""
    several = len(scene.tables) > 1
    ways: list[tuple[tuple[Field, ...], TableState]] = []
    if scene.result is not None:
        ways.append(((Field("on", OneOf(("result",))),), scene.result))
    for table in scene.tables:
        on = (Field("on", OneOf(("table",))),) if scene.result is not None else ()
        name = (Field("table", OneOf((table.name,))),) if several else ()
        ways.append(((*on, *name), table))
    return ways


def question_shape(scene: Scene) -> Object:
    """Return the shape of `{"question": {"kind": ..., "options": [...]}}` with the real options of this scene."""
    states = (*scene.tables, *((scene.result,) if scene.result is not None else ()))
    columns = _distinct(column.name for state in states for column in state.offered())
    values = _distinct(value for state in states for column in state.offered() for value in column.values or ())
    most = scene.tables[0].limits.question_options
    kinds: list[tuple[str, Iterable[str], int]] = [("which_column", columns, 1), ("which_value", values, 1)]
    if len(scene.tables) > 1:
        kinds.append(("which_table", [table.name for table in scene.tables], 1))
    kinds.append(("not_in_table", _distinct(chain(columns, values)), 0))
    shapes: list[Shape] = []
    for kind, options, fewest in kinds:
        choices = tuple(options)
        if choices:
            listed = Items(OneOf(choices), fewest, most)
        elif fewest == 0:
            listed = Items(AnyOf(()), 0, 0)
        else:
            continue
        shapes.append(Object((Field("kind", OneOf((kind,))), Field("options", listed))))
    return Object((Field("question", AnyOf(tuple(shapes))),))


def widened(contracts: Iterable[Contract], state: TableState) -> TableState:
    """Return the state with the fixed-name columns that a first step may add: what a later step might see."""
    known = {same_name(column.name) for column in state.columns}
    added: dict[str, Column] = {}
    for contract in offered(contracts, state):
        for column in made_names(contract):
            form = same_name(column.name)
            if form not in known:
                added.setdefault(form, column)
    return replace(state, columns=(*state.columns, *added.values()))


def _steps(contracts: Sequence[Contract], state: TableState) -> Items:
    later = step_shape(contracts, widened(contracts, state))
    return Items(later, 1, state.limits.max_steps, first=step_shape(contracts, state))


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
