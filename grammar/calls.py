"""From a contract and a table state to the shapes of the calls that may be written."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .contracts import (
    OTHER_COLUMN_REF,
    SINGLE_COLUMN_REFS,
    Contract,
    own_column,
    pivoted_argument,
    refs,
    table_argument,
)
from .shapes import AnyOf, Date, Field, Integer, Items, Number, Object, OneOf, Shape, Text
from .state import Column, Kind, TableState

_KINDS: dict[str, tuple[Kind, ...]] = {
    "column": ("number", "date", "text", "boolean"),
    "columns": ("number", "date", "text", "boolean"),
    "number_column": ("number",),
    "date_column": ("date",),
    "text_column": ("text",),
}
JOINABLE: dict[Kind, tuple[Kind, ...]] = {
    "number": ("number", "text"),
    "text": ("text", "number"),
    "date": ("date",),
    "boolean": ("boolean",),
}
_COLUMN_VALUE = "column_value"
_UNCLEAR_DATES = "unclear_dates"
_FREE_VALUE = ["string", "number"]

_Grouping = Callable[[list[Column], Mapping[str, Any], TableState], Iterable[list[Column]]]


def step_shape(contracts: Iterable[Contract], state: TableState) -> AnyOf:
    """Return the shape of one step, `{"tool": ..., "args": {...}}`, over a table in this state."""
    steps = []
    for contract in contracts:
        calls = call_shapes(contract, state)
        if calls:
            args = calls[0] if len(calls) == 1 else AnyOf(calls)
            steps.append(Object((Field("tool", OneOf((contract["name"],))), Field("args", args))))
    return AnyOf(tuple(steps))


def offered(contracts: Iterable[Contract], state: TableState) -> list[Contract]:
    """Return the contracts of the tools that can be called on a table in this state."""
    return [contract for contract in contracts if is_offered(contract, state)]


def is_offered(contract: Contract, state: TableState) -> bool:
    """Say whether a tool can be called on a table in this state; cheaper than `call_shapes`."""
    variants = contract.get("variants", [{}])
    return any(True for variant in variants for _ in _variant_shapes(contract, variant, state, _singly))


def call_shapes(contract: Contract, state: TableState) -> tuple[Object, ...]:
    """Return the alternative shapes of a call's `args`, none if this state does not allow the tool."""
    shapes: dict[Object, None] = {}
    for variant in contract.get("variants", [{}]):
        for shape in _variant_shapes(contract, variant, state, _alike):
            shapes[shape] = None
    return tuple(shapes)


def columns_for(argument: Mapping[str, Any], state: TableState) -> list[Column]:
    """Return the columns that an argument with a column reference may name."""
    columns = columns_of_kind(argument, state)
    if not argument.get("excludes"):
        return columns
    return [column for column in columns if not is_excluded(argument, column)]


def columns_of_kind(argument: Mapping[str, Any], state: TableState) -> list[Column]:
    """Return the columns of the kinds that an argument with a column reference takes, also those it excludes."""
    kinds = {kind for ref in refs(argument) for kind in _KINDS[ref]}
    return [column for column in state.offered() if column.kind in kinds]


def is_excluded(argument: Mapping[str, Any], column: Column) -> bool:
    """Return whether an argument excludes a column of a kind that it takes."""
    return column.day_order == "unclear" and _UNCLEAR_DATES in argument.get("excludes", ())


def _variant_shapes(
    contract: Contract, variant: Mapping[str, Any], state: TableState, grouping: _Grouping
) -> Iterator[Object]:
    arguments = {}
    for name, argument in contract["args"].items():
        if name not in variant:
            arguments[name] = argument
        elif variant[name] is not None:
            arguments[name] = _narrowed(argument, variant[name])
    pivoted = pivoted_argument(contract)
    if pivoted is not None:
        fitting = [column.name for column in columns_for(arguments[pivoted], state) if can_pivot(column, state)]
        arguments[pivoted] = {"enum": fitting}
    table = table_argument(contract)
    if table is not None:
        for tied in _tied_to_tables(arguments, table, own_column(contract), state):
            yield from _object(tied, state, None)
        return
    own = own_column(contract)
    if own is None or own not in arguments or not any(_depends_on_column(argument) for argument in arguments.values()):
        yield from _object(arguments, state, None)
        return
    for columns in grouping(columns_for(arguments[own], state), arguments, state):
        names = {"enum": [column.name for column in columns]}
        yield from _object({**arguments, own: names}, state, columns[0])


def can_pivot(column: Column, state: TableState) -> bool:
    """Return whether all values of a column are known and few enough to become columns."""
    values = column.all_values()
    return values is not None and len(values) <= state.limits.pivot_columns


def _tied_to_tables(
    arguments: Mapping[str, Any], table: str, own: str | None, state: TableState
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a call for each other opened table: its name, and columns that can meet in a join.

    The columns that can meet the same ones of the other table stand together.
    """
    other_column = next((name for name, argument in arguments.items() if OTHER_COLUMN_REF in refs(argument)), None)
    for other in state.others:
        tied = {**arguments, table: {"enum": [other.name]}}
        if other_column is None or own is None:
            yield tied
            continue
        groups: dict[tuple[str, ...], list[str]] = {}
        for column in columns_for(arguments[own], state):
            groups.setdefault(_partners(column, other), []).append(column.name)
        for partners, names in groups.items():
            yield {**tied, own: {"enum": names}, other_column: {"enum": partners}}


def _partners(column: Column, other: TableState) -> tuple[str, ...]:
    """Return the columns of another table that can meet a column in a join: of a fitting kind, and with its values."""
    kinds = JOINABLE[column.kind]
    return tuple(
        partner.name
        for partner in other.offered()
        if partner.kind in kinds and (column.joins is None or (other.name, partner.name) in column.joins)
    )


def _narrowed(argument: Mapping[str, Any], narrowing: Mapping[str, Any]) -> dict[str, Any]:
    """Return the argument as a variant narrows it; what a variant mentions is required unless it says otherwise."""
    optional = narrowing.get("optional", False)
    if {"ref", "enum", "type"} & narrowing.keys():
        return {"excludes": argument.get("excludes", ()), **narrowing, "optional": optional}
    properties = {**argument["properties"], **narrowing["properties"]}
    return {**argument, "properties": properties, "optional": optional}


def _depends_on_column(argument: Mapping[str, Any]) -> bool:
    if "items" in argument:
        return _depends_on_column(argument["items"])
    return _COLUMN_VALUE in refs(argument) or argument.get("type") == _FREE_VALUE


def _singly(columns: list[Column], arguments: Mapping[str, Any], state: TableState) -> Iterable[list[Column]]:
    """Put each column into a group of its own."""
    return ([column] for column in columns)


def _alike(columns: list[Column], arguments: Mapping[str, Any], state: TableState) -> Iterable[list[Column]]:
    """Group the columns whose calls take values of the same shapes."""
    groups: dict[tuple[Shape | None, ...], list[Column]] = {}
    dependent = [argument for argument in arguments.values() if _depends_on_column(argument)]
    found: dict[tuple[Kind, tuple[str, ...] | None], tuple[Shape | None, ...]] = {}
    for column in columns:
        same = (column.kind, column.choices)
        if same not in found:
            found[same] = tuple(_shape(argument, state, column) for argument in dependent)
        groups.setdefault(found[same], []).append(column)
    return groups.values()


def _object(arguments: Mapping[str, Any], state: TableState, column: Column | None) -> Iterator[Object]:
    fields = []
    for name, argument in arguments.items():
        shape = _shape(argument, state, column)
        optional = argument.get("optional", False)
        if shape is None and not optional:
            return
        if shape is not None:
            fields.append(Field(name, shape, not optional))
    yield Object(tuple(fields))


def _shape(argument: Mapping[str, Any], state: TableState, column: Column | None) -> Shape | None:
    """Return the shape of an argument's value, None if no value is possible."""
    limits = state.limits
    if "ref" in argument:
        return _reference_shape(argument, state, column)
    if "enum" in argument:
        return _one_of(argument["enum"])
    match argument["type"]:
        case "array":
            item = _shape(argument["items"], state, column)
            most = min(argument.get("maxItems", limits.list_length), limits.list_length)
            fewest = argument.get("minItems", 0)
            return None if item is None or fewest > most else Items(item, fewest, most)
        case "object":
            return next(_object(argument["properties"], state, column), None)
        case "boolean":
            return OneOf((True, False))
        case "integer":
            return Integer(argument.get("minimum", 0), limits.integer_digits)
        case "number":
            return Number(limits.number_digits, limits.number_decimals)
        case "string":
            return Text(limits.text_length)
        case _:
            return _free_value(column.kind if column else "text", state)


def _reference_shape(argument: Mapping[str, Any], state: TableState, column: Column | None) -> Shape | None:
    if _COLUMN_VALUE in refs(argument):
        if column is not None and column.choices is not None:
            return OneOf(column.choices) if column.choices else None
        return _free_value(column.kind if column else "text", state)
    names = _one_of([candidate.name for candidate in columns_for(argument, state)])
    if names is None or set(refs(argument)) <= SINGLE_COLUMN_REFS:
        return names
    return Items(names, 1, state.limits.list_length)


def _one_of(values: Iterable[str]) -> OneOf | None:
    distinct = tuple(dict.fromkeys(values))
    return OneOf(distinct) if distinct else None


def _free_value(kind: Kind, state: TableState) -> Shape:
    match kind:
        case "number":
            return Number(state.limits.number_digits, state.limits.number_decimals)
        case "date":
            return Date()
        case "boolean":
            return OneOf((True, False))
        case _:
            return Text(state.limits.text_length)
