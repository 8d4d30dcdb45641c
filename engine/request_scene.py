"""What a request can be about: the opened tables and the current result, with the values that it may mean."""

from collections.abc import Sequence
from dataclasses import replace

from grammar import Scene, TableState
from prompt.build import cut_to, relevant_columns
from prompt.resolve import Link

from . import sql
from .database import Connection
from .profile import matching_values, opened_scene
from .settings import Settings
from .value_counts import listed_values


def read_anew(con: Connection, settings: Settings, request: str, result: TableState, source: str) -> TableState:
    """Return the state of a result with the values that only its table tells, found in `source`.

    They are those of a text column that a step has changed, or that had too many before. A plan that makes a column of
    each value needs all of them before anything runs, so these do not count as complete.
    """
    listed = listed_values(con, source, settings.profile)
    columns = []
    for column in result.columns:
        if column.kind == "text" and column.values is None:
            if column.name in listed:
                values = tuple(value for value, _ in listed[column.name])
            else:
                values = matching_values(con, source, column.name, request, settings)
            column = replace(column, values=values or None, complete=False)
        columns.append(column)
    return replace(result, columns=tuple(columns))


def with_matching_values(
    con: Connection, settings: Settings, states: Sequence[TableState], request: str, result: TableState | None
) -> Scene:
    """Return the scene in which a column of too many values to list has those that the request holds."""

    def filled(state: TableState) -> TableState:
        columns = []
        for column in state.columns:
            if column.kind == "text" and column.values is None:
                values = matching_values(con, sql.name(state.name), column.name, request, settings)
                column = replace(column, values=values or None, complete=False)
            columns.append(column)
        return replace(state, columns=tuple(columns))

    return opened_scene([filled(state) for state in states], result)


def with_steps(scene: Scene, most: int) -> Scene:
    """Return the scene in which an answer has at most so many steps."""

    def bounded(state: TableState) -> TableState:
        others = tuple(bounded(other) for other in state.others)
        return replace(state, limits=replace(state.limits, max_steps=most), others=others)

    return Scene(tuple(map(bounded, scene.tables)), scene.result and bounded(scene.result))


def cut(scene: Scene, found: Sequence[Link], most: int) -> Scene:
    """Return the scene without the columns that the request cannot mean, where a table has more than `most`."""

    def shorter(state: TableState) -> TableState:
        return cut_to(state, relevant_columns(state, found, most))

    return opened_scene([shorter(state) for state in scene.tables], scene.result and shorter(scene.result))
