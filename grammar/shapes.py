"""Shapes: what a JSON value may look like, as small immutable values.

One tree of shapes gives both the JSON Schema (`schema.py`) and the rules of the grammar (`compile.py`), so that
the two cannot drift apart. An `Object` writes its fields in their order.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class OneOf:
    """One of these strings or booleans, or `null` where a key that may be left out is written all the same."""

    values: tuple[str | bool | None, ...]


@dataclass(frozen=True)
class Text:
    """A free string of 1 to `max_length` code points without control characters."""

    max_length: int


@dataclass(frozen=True)
class Number:
    """A number of at most `digits` figures, at most `decimals` of them after the point."""

    digits: int
    decimals: int


@dataclass(frozen=True)
class Integer:
    """A whole number from `minimum` (0 or 1) to the largest of `digits` figures."""

    minimum: int
    digits: int


@dataclass(frozen=True)
class Date:
    """A day of the calendar from 1900 to 2099, written YYYY-MM-DD."""


@dataclass(frozen=True)
class Items:
    """An array of `minimum` to `maximum` items; the first may have a shape of its own."""

    item: "Shape"
    minimum: int
    maximum: int
    first: "Shape | None" = None


@dataclass(frozen=True)
class Field:
    """One key of an object and the shape of its value."""

    key: str
    shape: "Shape"
    required: bool = True


@dataclass(frozen=True)
class Object:
    """An object with these keys and no others."""

    fields: tuple[Field, ...]


@dataclass(frozen=True)
class AnyOf:
    """A value of at least one of these shapes; none at all if there are no shapes."""

    shapes: tuple["Shape", ...]


Shape = OneOf | Text | Number | Integer | Date | Items | Object | AnyOf
