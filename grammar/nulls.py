"""Arguments that may be left out, written as `null` instead: the model decides on each and skips none for brevity."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .contracts import Contract
from .shapes import AnyOf, Field, Object, OneOf, Shape

_NULL = OneOf((None,))


def call_with_nulls(contract: Contract, call: Object) -> Shape:
    """Return the shape of a call's arguments in which every one that may be left out is written."""
    fields = {name: Field(name, _NULL) for name, argument in contract["args"].items() if argument.get("optional")}
    fields |= {field.key: field for field in call.fields}
    return with_nulls(Object(tuple(fields[name] for name in contract["args"] if name in fields)))


def with_nulls(shape: Shape) -> Shape:
    """Return the shape in which every key of an object is written, `null` where it could be left out."""
    match shape:
        case Object(fields):
            return Object(
                tuple(
                    replace(field, shape=inner if field.required else AnyOf((inner, _NULL)), required=True)
                    for field in fields
                    for inner in [with_nulls(field.shape)]
                )
            )
        case AnyOf(shapes):
            return AnyOf(tuple(map(with_nulls, shapes)))
    return shape


def without_nulls(value: Any) -> Any:
    """Return a JSON value without the keys of objects that are `null`."""
    if isinstance(value, Mapping):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value
