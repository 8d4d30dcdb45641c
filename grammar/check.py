"""Checking a plan against contracts and table states, with errors that say how to mend it.

Plans written by hand are met half-way: names match without regard to case and the kind of apostrophe, nulls count as
left out, bounds on length do not apply, a text may be looked for that is none of the column's known values, a whole
number may be written 2.0 and a boolean "True". The strict form is the JSON Schema's (`validate_answer`).
"""

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .calls import call_shapes, can_pivot, columns_for, columns_of_kind, is_excluded
from .contracts import (
    OTHER_COLUMN_REF,
    SINGLE_COLUMN_REFS,
    Contract,
    must_be_last,
    pivoted_argument,
    refs,
    table_argument,
)
from .errors import ToolError
from .schema import DATE_PATTERN
from .shapes import AnyOf, Date, Field, Integer, Items, Number, Object, OneOf, Shape, Text
from .state import Column, TableState
from .typed_names import meant_columns, meant_names

_DATE = re.compile(DATE_PATTERN)
_TIME = re.compile(r"^[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$")
_DATE_LENGTH = len("YYYY-MM-DD")
_COLUMN_LISTS = frozenset({"columns"})
_STEP_KEYS = ("tool", "args")
_MOST_FIGURES = sys.float_info.max_10_exp
_BEYOND_NUMBERS = 10**_MOST_FIGURES


class _Misfit(NamedTuple):
    """How far a call agrees with an alternative and what is wrong with the next field.

    `depth` counts the fields up to that one, `fitting` all of the call's fields that the alternative takes as they are.
    """

    depth: int
    fitting: int
    argument: str
    reason: str
    found: Any
    allowed: tuple[str, ...]


def check_known_tools(contracts: Mapping[str, Contract], steps: Sequence[Any]) -> None:
    """Raise ToolError unless every step is a call of a known tool, and none follows one that must be last."""
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Mapping) or not isinstance(step.get("args", {}), Mapping):
            raise ToolError(
                "not_a_step",
                step=number,
                found="null" if step is None else step,
                allowed=['{"tool": ..., "args": {...}}'],
            )
        for key in step:
            if key not in _STEP_KEYS:
                raise ToolError("unknown_key", step=number, found=key, allowed=list(_STEP_KEYS))
        tool = step.get("tool")
        if not isinstance(tool, str) or tool not in contracts:
            raise ToolError("unknown_tool", step=number, found=tool, allowed=list(contracts))
        before = steps[number - 2]["tool"] if number > 1 else tool
        if number > 1 and must_be_last(contracts[before]):
            raise ToolError("after_the_last", step=number, tool=tool, found=before)


def checked_step(
    contracts: Mapping[str, Contract], state: TableState, step: Mapping[str, Any], number: int
) -> dict[str, Any]:
    """Return the step with exact column names and types of values, and without nulls.

    ToolError names the step, the argument, what was found and what is allowed.
    """
    check_known_tools(contracts, [step])
    tool = step["tool"]
    contract = contracts[tool]
    try:
        written = _without_nulls(step.get("args", {}))
        _check_figures(written)
        exact = _exact_names(contract["args"], written, state)
        _check_other_table(contract, exact, state)
        _check_pivoted(contract, exact, state)
        args = _checked_args(contract, exact, state if pivoted_argument(contract) else _any_values(state))
    except ToolError as error:
        raise ToolError(error.reason, **{**error.facts, "step": number, "tool": tool}) from None
    return {"tool": tool, "args": args}


def _any_values(state: TableState) -> TableState:
    """Return the state in which a text column may have any value and any key: what a person means need not be there."""
    return replace(state, columns=tuple(replace(column, values=None, joins=None) for column in state.columns))


def _check_other_table(contract: Contract, args: dict[str, Any], state: TableState) -> None:
    """Put in the exact names of the other table and of its column; ToolError where there is none."""
    table = table_argument(contract)
    if table is None or table not in args:
        return
    given, names = args[table], [other.name for other in state.others]
    meant = meant_names(given, names) if isinstance(given, str) else []
    if len(meant) != 1:
        reason = "ambiguous_table" if meant else "unknown_table"
        raise ToolError(reason, argument=table, found=given, allowed=meant or names)
    other = state.other(meant[0])
    args[table] = other.name
    for name, argument in contract["args"].items():
        if OTHER_COLUMN_REF in refs(argument) and name in args:
            offered = list(other.offered())
            args[name] = _meant_column(name, args[name], offered, [each.name for each in offered]).name


def _meant_column(argument: str, value: Any, columns: Sequence[Column], allowed: list[str]) -> Column:
    """Return the column that a name means; ToolError if it means none or several."""
    meant = meant_columns(value, columns) if isinstance(value, str) else []
    if len(meant) > 1:
        raise ToolError("ambiguous_column", argument=argument, found=value, allowed=[each.name for each in meant])
    if not meant:
        raise ToolError("unknown_column", argument=argument, found=value, allowed=allowed)
    return meant[0]


def _check_pivoted(contract: Contract, args: Mapping[str, Any], state: TableState) -> None:
    """Raise ToolError where the values of a column are to become columns and are too many or not known."""
    pivoted = pivoted_argument(contract)
    if pivoted is None or pivoted not in args:
        return
    column = state.column(args[pivoted])
    if can_pivot(column, state):
        return
    allowed = [each.name for each in columns_for(contract["args"][pivoted], state) if can_pivot(each, state)]
    values = column.all_values()
    raise ToolError(
        "cannot_pivot",
        argument=pivoted,
        found=column.name,
        limit=state.limits.pivot_columns,
        values=None if values is None else len(values),
        allowed=allowed,
    )


def _check_figures(args: Mapping[str, Any]) -> None:
    """Raise ToolError for a whole number that is too long for any number type."""
    for name, value in args.items():
        if any(abs(number) >= _BEYOND_NUMBERS for number in _whole_numbers(value)):
            raise ToolError("number_too_long", argument=str(name), limit=_MOST_FIGURES)


def _whole_numbers(value: Any) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, list | tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _whole_numbers(each)


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
    if names & SINGLE_COLUMN_REFS and (isinstance(value, str) or "type" not in argument):
        return _exact_column(name, argument, value, state)
    if names & _COLUMN_LISTS:
        if not isinstance(value, list | tuple) or not value:
            raise ToolError("not_a_list", argument=name, found=value, allowed=_names(argument, state))
        return list(dict.fromkeys(_exact_column(name, argument, each, state) for each in value))
    if "properties" in argument and isinstance(value, Mapping):
        return _exact_names(argument["properties"], value, state)
    return value


def _exact_column(name: str, argument: Mapping[str, Any], value: Any, state: TableState) -> str:
    column = _meant_column(name, value, state.columns, _names(argument, state))
    if is_excluded(argument, column) and column in columns_of_kind(argument, state):
        raise ToolError("unclear_dates", argument=name, found=column.name, allowed=_names(argument, state))
    if column not in columns_for(argument, state):
        raise ToolError(
            "wrong_kind", argument=name, found=f"{column.name} ({column.kind})", allowed=_names(argument, state)
        )
    return column.name


def _names(argument: Mapping[str, Any], state: TableState) -> list[str]:
    return [column.name for column in columns_for(argument, state)]


def _checked_args(contract: Contract, args: dict[str, Any], state: TableState) -> dict[str, Any]:
    """Return the arguments as the first alternative that fits takes them."""
    alternatives = call_shapes(contract, state)
    if not alternatives:
        raise ToolError("tool_not_offered", found=contract["name"])
    misfits = []
    for alternative in alternatives:
        taken: dict[str, Any] = _taken(alternative, args)
        misfit = _object_misfit(alternative, taken)
        if misfit is None:
            return taken
        misfits.append(misfit)
    depth = max(misfit.depth for misfit in misfits)
    deepest = [misfit for misfit in misfits if misfit.depth == depth]
    worst = max(deepest, key=lambda misfit: (misfit.reason != "unknown_argument", misfit.fitting))
    alike = [misfit for misfit in deepest if misfit.argument == worst.argument]
    if worst.reason == "missing_argument":
        alike = [misfit for misfit in alike if misfit.fitting == worst.fitting]
    allowed = [text for misfit in alike for text in misfit.allowed]
    reason, found = worst.reason, worst.found
    if reason == "wrong_value" and isinstance(found, str):
        meant = meant_columns(found, state.columns)
        column = meant[0] if len(meant) == 1 else None
        if column is not None and found not in allowed and _takes_columns(contract, worst.argument):
            reason, found = "wrong_kind", f"{column.name} ({column.kind})"
    raise ToolError(reason, argument=worst.argument, found=found, allowed=list(dict.fromkeys(allowed)))


def _taken(shape: Shape, value: Any) -> Any:
    """Return a value that a person wrote as the shape takes it: 2.0 as a whole number, "True" as a boolean."""
    match shape:
        case Object(fields) if isinstance(value, Mapping):
            shapes = {field.key: field.shape for field in fields}
            return {key: _taken(shapes[key], each) if key in shapes else each for key, each in value.items()}
        case Items(item) if isinstance(value, list | tuple):
            return [_taken(item, each) for each in value]
        case Integer() if isinstance(value, float) and value.is_integer():
            return int(value)
        case OneOf((True, False)) if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
            return value.strip().casefold() == "true"
        case _:
            return value


def _takes_columns(contract: Contract, path: str) -> bool:
    arguments: Any = contract["args"]
    argument: Any = {}
    for part in path.split("."):
        argument = arguments.get(part, {})
        arguments = argument.get("properties", {})
    return bool(set(refs(argument)) & (SINGLE_COLUMN_REFS | _COLUMN_LISTS))


def _object_misfit(shape: Object, args: Mapping[str, Any], prefix: str = "", depth: int = 0) -> _Misfit | None:
    fitting = sum(field.key in args and _fits(field.shape, args[field.key]) for field in shape.fields)
    for field in shape.fields:
        path = prefix + field.key
        if field.key not in args:
            if field.required:
                return _Misfit(depth, fitting, path, "missing_argument", None, _allowed(field.shape))
            continue
        misfit = _field_misfit(field, path, args[field.key], depth)
        if misfit is not None:
            return misfit._replace(fitting=fitting)
        depth += 1
    known = {field.key for field in shape.fields}
    for name in args:
        if name not in known:
            return _Misfit(depth, fitting, prefix + name, "unknown_argument", args[name], tuple(known))
    return None


def _field_misfit(field: Field, path: str, value: Any, depth: int) -> _Misfit | None:
    if isinstance(field.shape, Object) and isinstance(value, Mapping):
        return _object_misfit(field.shape, value, f"{path}.", depth)
    if _fits(field.shape, value):
        return None
    return _Misfit(depth, 0, path, _reason(field.shape, value), value, _allowed(field.shape))


def _reason(shape: Shape, value: Any) -> str:
    match shape:
        case Items() if not isinstance(value, list | tuple):
            return "not_a_list"
        case Integer() if isinstance(value, int) and not isinstance(value, bool):
            return "wrong_value"
        case Text() | Number() | Date() | Integer():
            return "wrong_kind"
        case _:
            return "wrong_value"


def _fits(shape: Shape, value: Any) -> bool:
    match shape:
        case OneOf(values):
            return any(value == allowed and type(value) is type(allowed) for allowed in values)
        case Text():
            return isinstance(value, str) and value != ""
        case Number():
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
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
            return tuple(value if isinstance(value, str) else json.dumps(value) for value in values)
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
