"""Contracts as OpenAI's tools over one table, in the strict mode of function calling.

Strict mode wants every object closed and every property required, and knows no alternatives at the root of the
parameters: what a call may leave out is null, and the variants of a contract become one object that allows what any of
them allows. So a call that fits it may still not be one of the contract: it is checked like any plan.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .calls import call_shapes
from .contracts import Contract
from .shapes import AnyOf, Date, Field, Integer, Items, Number, Object, OneOf, Shape, Text
from .state import TableState

# The limits of strict mode: enum values of all properties together, and letters in one enum of many values.
_MOST_VALUES = 1000
_MANY_VALUES = 250
_MOST_LETTERS = 15000
_DATE = "A date as YYYY-MM-DD"


def openai_tools(contracts: Iterable[Contract], state: TableState) -> list[dict[str, Any]]:
    """Return the tools that can be called on a table in this state, names and values of its columns as enums.

    The values of columns are left open where there are more of them than strict mode takes.
    """
    made = []
    for contract in contracts:
        shapes = call_shapes(contract, state)
        if not shapes:
            continue
        parameters = _object(shapes, contract["args"])
        if _enum_values(parameters) > _MOST_VALUES:
            parameters = _object(shapes, contract["args"], columns={column.name for column in state.offered()})
        function = {
            "name": contract["name"],
            "description": contract["description"],
            "strict": True,
            "parameters": parameters,
        }
        made.append({"type": "function", "function": function})
    return made


def _object(objects: Iterable[Object], arguments: Mapping[str, Any], columns: set[str] | None = None) -> dict[str, Any]:
    """Return the closed object that allows what any of these allow; `columns`: only enums that are columns' names."""
    fields: dict[str, list[Field]] = {}
    several = list(objects)
    for each in several:
        for field in each.fields:
            fields.setdefault(field.key, []).append(field)
    properties = {}
    for name in [*(name for name in arguments if name in fields), *(name for name in fields if name not in arguments)]:
        found = fields[name]
        argument = arguments.get(name, {})
        schema = _one(list(_choices([field.shape for field in found], argument, columns)))
        if len(found) < len(several) or not all(field.required for field in found):
            schema = _or_null(schema)
        if "description" in argument:
            schema = {**schema, "description": argument["description"]}
        properties[name] = schema
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _choices(
    shapes: Iterable[Shape], argument: Mapping[str, Any], columns: set[str] | None
) -> Iterator[dict[str, Any]]:
    """Yield the schemas of the shapes that are possible, alike ones together."""
    flat = list(_flat(shapes))
    values = list(dict.fromkeys(value for shape in flat if isinstance(shape, OneOf) for value in shape.values))
    texts = [value for value in values if isinstance(value, str)]
    free = any(isinstance(shape, Text) for shape in flat)
    if texts and not free:
        own = columns is None or "enum" in argument or set(texts) <= columns
        letters = sum(map(len, texts))
        fits = len(texts) <= _MANY_VALUES or letters <= _MOST_LETTERS
        yield {"type": "string", "enum": texts} if own and fits else {"type": "string"}
    elif free:
        yield {"type": "string"}
    if any(isinstance(value, bool) for value in values):
        yield {"type": "boolean"}
    if any(isinstance(shape, Date) for shape in flat) and not free:
        yield {"type": "string", "description": _DATE}
    if any(isinstance(shape, Number) for shape in flat):
        yield {"type": "number"}
    elif any(isinstance(shape, Integer) for shape in flat):
        yield {"type": "integer"}
    lists = [shape for shape in flat if isinstance(shape, Items)]
    if lists:
        items = list(_choices([shape.item for shape in lists], argument.get("items", {}), columns))
        yield {"type": "array", "items": _one(items)}
    objects = [shape for shape in flat if isinstance(shape, Object)]
    if objects:
        yield _object(objects, argument.get("properties", {}), columns)


def _flat(shapes: Iterable[Shape]) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, AnyOf):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _one(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema for several, of which each stands once."""
    different = list({json.dumps(schema, sort_keys=True): schema for schema in schemas}.values())
    return different[0] if len(different) == 1 else {"anyOf": different}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    if schema["type"] == "object":
        return {"anyOf": [schema, {"type": "null"}]}
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable


def _enum_values(schema: Any) -> int:
    if isinstance(schema, Mapping):
        own = len(schema["enum"]) if isinstance(schema.get("enum"), list) else 0
        return own + sum(_enum_values(each) for each in schema.values() if isinstance(each, Mapping | list))
    return sum(_enum_values(each) for each in schema if isinstance(each, Mapping | list))
