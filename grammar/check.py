"""Checking a plan against contracts and table states, with errors that say how to mend it.

Plans written by hand are met half-way: names match without regard to case and the kind of apostrophe, nulls count as
left out, bounds on length do not apply. The strict form is the JSON Schema's (`validate_answer`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .calls import call_shapes, columns_for
from .contracts import SINGLE_COLUMN_REFS, Contract, refs
from .errors import ToolError
from .names import find_column
from .schema import DATE_PATTERN
from .shapes import AnyOf, Date, Field, Integer, Items, Number, Object, OneOf, Shape, Text
from .state import TableState

_DATE = re.compile(DATE_PATTERN)
_TIME = re.compile(r"^[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$")
_DATE_LENGTH = len("YYYY-MM-DD")
_COLUMN_LISTS = frozenset({"columns"})


class _Misfit(NamedTuple):
    """How far a call agrees with an alternative (in fields) and what is wrong with the next field."""

    depth: int
    argument: str
    reason: str
    found: Any
    allowed: tuple[str, ...]


def check_known_tools(contracts: Mapping[str, Contract], steps: Sequence[Any]) -> None:
    """Raise ToolError unless every step is a call of a known tool."""
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Mapping) or not isinstance(step.get("args", {}), Mapping):
            raise ToolError("not_a_step", step=number, found=step, allowed=['{"tool": ..., "args": {...}}'])
        if step.get("tool") not in contracts:
            raise ToolError("unknown_tool", step=number, found=step.get("tool"), allowed=list(contracts))


def checked_step(
    contracts: Mapping[str, Contract], state: TableState, step: Mapping[str, Any], number: int
) -> dict[str, Any]:
    """Return the step with exact column names and without nulls.

    ToolError names the step, the argument, what was found and what is allowed.
    """
    check_known_tools(contracts, [step])
    tool = step["tool"]
    contract = contracts[tool]
    try:
        args = _exact_names(contract["args"], _without_nulls(step.get("args", {})), state)
        _check_args(contract, args, state)
    except ToolError as error:
        raise ToolError(
            error.reason, step=number, tool=tool, argument=error.argument, found=error.found, allowed=error.allowed
        ) from None
    return {"tool": tool, "args": args}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return value


def _exact_names(arguments: Mapping[str, Any], args: Mapping[str, Any], state: TableState) -> dict[str, Any]:
    exact: dict[str, Any] = {}
    for name in arguments:
        if name in args:
            exact[name] = _exact_value(name, arguments[name], args[name], state)
    for name in args:
        if name not in arguments:
            raise ToolError("unknown_argument", argument=name, found=name, allowed=list(arguments))
    return exact


def _exact_value(name: str, argument: Mapping[str, Any], value: Any, state: TableState) -> Any:
    names = set(refs(argument))
    if names & SINGLE_COLUMN_REFS:
        return _exact_column(name, argument, value, state)
    if names & _COLUMN_LISTS:
        if not isinstance(value, list | tuple) or not value:
            raise ToolError("not_a_list", argument=name, found=value, allowed=_names(argument, state))
        return list(dict.fromkeys(_exact_column(name, argument, each, state) for each in value))
    if "properties" in argument and isinstance(value, Mapping):
        return _exact_names(argument["properties"], value, state)
    return value


def _exact_column(name: str, argument: Mapping[str, Any], value: Any, state: TableState) -> str:
    column = find_column(value, state.columns) if isinstance(value, str) else None
    if column is None:
        raise ToolError("unknown_column", argument=name, found=value, allowed=_names(argument, state))
    if column not in columns_for(argument, state):
        raise ToolError(
            "wrong_kind", argument=name, found=f"{column.name} ({column.kind})", allowed=_names(argument, state)
        )
    return column.name


def _names(argument: Mapping[str, Any], state: TableState) -> list[str]:
    return [column.name for column in columns_for(argument, state)]


def _check_args(contract: Contract, args: dict[str, Any], state: TableState) -> None:
    alternatives = call_shapes(contract, state)
    if not alternatives:
        raise ToolError("tool_not_offered", found=contract["name"])
    misfits = []
    for alternative in alternatives:
        misfit = _object_misfit(alternative, args)
        if misfit is None:
            return
        misfits.append(misfit)
    depth = max(misfit.depth for misfit in misfits)
    deepest = [misfit for misfit in misfits if misfit.depth == depth]
    worst = min(deepest, key=lambda misfit: misfit.reason == "unknown_argument")
    allowed = [text for misfit in deepest if misfit.argument == worst.argument for text in misfit.allowed]
    reason, found = worst.reason, worst.found
    if reason == "wrong_value" and isinstance(found, str):
        column = find_column(found, state.columns)
        if column is not None and found not in allowed and _takes_columns(contract, worst.argument):
            reason, found = "wrong_kind", f"{column.name} ({column.kind})"
    raise ToolError(reason, argument=worst.argument, found=found, allowed=list(dict.fromkeys(allowed)))


def _takes_columns(contract: Contract, path: str) -> bool:
    arguments: Any = contract["args"]
    argument: Any = {}
    for part in path.split("."):
        argument = arguments.get(part, {})
        arguments = argument.get("properties", {})
    return bool(set(refs(argument)) & (SINGLE_COLUMN_REFS | _COLUMN_LISTS))


def _object_misfit(shape: Object, args: Mapping[str, Any], prefix: str = "", depth: int = 0) -> _Misfit | None:
    for field in shape.fields:
        path = prefix + field.key
        if field.key not in args:
            if field.required:
                return _Misfit(depth, path, "missing_argument", None, _allowed(field.shape))
            continue
        misfit = _field_misfit(field, path, args[field.key], depth)
        if misfit is not None:
            return misfit
        depth += 1
    known = {field.key for field in shape.fields}
    for name in args:
        if name not in known:
            return _Misfit(depth, prefix + name, "unknown_argument", args[name], tuple(known))
    return None


def _field_misfit(field: Field, path: str, value: Any, depth: int) -> _Misfit | None:
    if isinstance(field.shape, Object) and isinstance(value, Mapping):
        return _object_misfit(field.shape, value, f"{path}.", depth)
    if _fits(field.shape, value):
        return None
    free = isinstance(field.shape, Text | Number | Date | Integer)
    return _Misfit(depth, path, "wrong_kind" if free else "wrong_value", value, _allowed(field.shape))


def _fits(shape: Shape, value: Any) -> bool:
    match shape:
        case OneOf(values):
            return any(value == allowed and type(value) is type(allowed) for allowed in values)
        case Text():
            return isinstance(value, str) and value != ""
        case Number():
            return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) != float("inf")
        case Integer(minimum):
            return isinstance(value, int) and not isinstance(value, bool) and value >= minimum
        case Date():
            return isinstance(value, str) and _is_date(value)
        case Items(item, minimum):
            return (
                isinstance(value, list | tuple) and len(value) >= minimum and all(_fits(item, each) for each in value)
            )
        case Object():
            return isinstance(value, Mapping) and _object_misfit(shape, value) is None
        case AnyOf(shapes):
            return any(_fits(each, value) for each in shapes)


def _is_date(value: str) -> bool:
    day, time = value[:_DATE_LENGTH], value[_DATE_LENGTH:]
    return bool(_DATE.match(day)) and (not time or bool(_TIME.match(time)))


def _allowed(shape: Shape) -> tuple[str, ...]:
    """Return what a shape allows as texts for an error message."""
    match shape:
        case OneOf(values):
            return tuple(str(value).lower() if isinstance(value, bool) else value for value in values)
        case Text():
            return ("text",)
        case Number():
            return ("number",)
        case Integer(minimum):
            return (f"integer >= {minimum}",)
        case Date():
            return ("date YYYY-MM-DD",)
        case Items(item):
            return _allowed(item)
        case Object(fields):
            return ("{" + ", ".join(field.key for field in fields) + "}",)
        case AnyOf(shapes):
            return tuple(text for each in shapes for text in _allowed(each))
