"""The table state after a step, computed from the contract and the state before it, without running anything."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .contracts import Contract, at_path
from .names import same_name, unique_name
from .state import Column, TableState

_COUNTS = frozenset({"count", "count_distinct"})
_KEEPS_KIND = frozenset({"min", "max"})
COUNT_NAME = "count"


def state_after(contract: Contract, state: TableState, args: Mapping[str, Any]) -> TableState:
    """Return the state of the table that this call makes from a table in `state`.

    `args` are checked arguments: exact column names, nothing None.
    """
    effects = contract["effects"]
    changed = _changed_columns(effects, state.columns, args)
    if "columns" not in effects or ("when" in effects and at_path(args, effects["when"]) is None):
        return replace(state, columns=changed)
    columns, by_argument = _made_columns(effects["columns"], changed, args)
    if "groups" in effects:
        groups = tuple(name for path in effects["groups"] for name in by_argument.get(path, ()))
    else:
        names = {column.name for column in columns}
        groups = tuple(name for name in state.groups if name in names)
    return replace(state, columns=tuple(columns), groups=groups)


def names_of(value: Any) -> list[str]:
    """Return the column names that an argument gives, each once, in their order."""
    if value is None:
        return []
    return list(dict.fromkeys([value] if isinstance(value, str) else value))


def _changed_columns(
    effects: Mapping[str, Any], columns: tuple[Column, ...], args: Mapping[str, Any]
) -> tuple[Column, ...]:
    def touched(effect: str) -> set[str]:
        return {name for path in effects.get(effect, ()) for name in names_of(at_path(args, path))}

    numbers, dates, revalued = touched("makes_numbers"), touched("makes_dates"), touched("changes_values")
    changed = []
    for column in columns:
        if column.name in numbers:
            column = replace(column, kind="number", day_order=None, decimal=None)
        if column.name in dates:
            column = replace(column, kind="date", day_order=None, decimal=None)
        if column.name in revalued:
            column = replace(column, values=None)
        changed.append(column)
    return tuple(changed)


def _made_columns(
    parts: list[Mapping[str, Any]], columns: tuple[Column, ...], args: Mapping[str, Any]
) -> tuple[list[Column], dict[str, list[str]]]:
    """Return the made columns, and for each argument path the names of the columns that came from it."""
    before = {column.name: column for column in columns}
    made: list[Column] = []
    by_argument: dict[str, list[str]] = {}

    def add(column: Column, path: str | None = None) -> None:
        column = replace(column, name=unique_name(column.name, [other.name for other in made]))
        made.append(column)
        if path is not None:
            by_argument.setdefault(path, []).append(column.name)

    for part in parts:
        if "all" in part:
            for column in columns:
                add(column)
        elif "of" in part:
            for name in names_of(at_path(args, part["of"])):
                add(before[name], part["of"])
        elif "total_of" in part:
            agg, name = at_path(args, part["agg"]), at_path(args, part["total_of"])
            add(_total(agg, before.get(name) if name is not None else None))
        elif "named_by" in part:
            add(Column(at_path(args, part["named_by"]), part["kind"]))
        else:
            add(Column(part["name"], part["kind"]), part.get("argument"))
    return made, by_argument


def _total(agg: str, column: Column | None) -> Column:
    if agg in _COUNTS or column is None:
        return Column(COUNT_NAME, "number")
    if agg in _KEEPS_KIND:
        return replace(column, label="")
    return Column(column.name, "number")


def made_names(contract: Contract) -> list[Column]:
    """Return the columns with names of their own that calls of this tool may make, whatever the table."""
    made: dict[str, Column] = {}
    for part in contract["effects"].get("columns", ()):
        if "name" in part:
            made[same_name(part["name"])] = Column(part["name"], part["kind"])
        elif "total_of" in part:
            made[COUNT_NAME] = Column(COUNT_NAME, "number")
    return list(made.values())
