"""Shapes as JSON Schema: the oracle that checks every answer again, whatever produced it."""

from typing import Any

from .shapes import AnyOf, Date, Integer, Items, Number, Object, OneOf, Shape, Text

DATE_PATTERN = (
    "^((19|20)[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|(19(0[48]|[2468][048]|[13579][26])|20([02468][048]|[13579][26]))-02-29)$"
)
_DATE_LENGTH = len("YYYY-MM-DD")
_NOT_IN_TEXT = "[\\u0000-\\u001f\\ud800-\\udfff]"


def shape_schema(shape: Shape) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the values of this shape."""
    match shape:
        case OneOf(values):
            return {"const": values[0]} if len(values) == 1 else {"enum": list(values)}
        case Text(max_length):
            return {"type": "string", "minLength": 1, "maxLength": max_length, "not": {"pattern": _NOT_IN_TEXT}}
        case Number(digits):
            largest = 10**digits - 1
            return {"type": "number", "minimum": -largest, "maximum": largest}
        case Integer(minimum, digits):
            return {"type": "integer", "minimum": minimum, "maximum": 10**digits - 1}
        case Date():
            return {"type": "string", "maxLength": _DATE_LENGTH, "pattern": DATE_PATTERN}
        case Items():
            return _items_schema(shape)
        case Object(fields):
            return {
                "type": "object",
                "properties": {field.key: shape_schema(field.shape) for field in fields},
                "required": [field.key for field in fields if field.required],
                "additionalProperties": False,
            }
        case AnyOf(shapes):
            if not shapes:
                return {"not": {}}
            return shape_schema(shapes[0]) if len(shapes) == 1 else {"anyOf": [shape_schema(each) for each in shapes]}


def _items_schema(shape: Items) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    if shape.first is not None:
        schema["prefixItems"] = [shape_schema(shape.first)]
    schema["items"] = shape_schema(shape.item)
    schema["minItems"] = shape.minimum
    schema["maxItems"] = shape.maximum
    return schema
