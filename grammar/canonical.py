"""The one way in which an answer is written: compact JSON, one text for each string and number."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .state import Limits


def canonical_text(value: Any, limits: Limits) -> str:
    """Return the text of a JSON value: keys in their given order, no white space, letters as they are.

    ValueError for a number with more figures than the limits let anyone write.
    """
    match value:
        case bool() | None | str():
            return json.dumps(value, ensure_ascii=False)
        case int() | float() | Decimal():
            return _number_text(value, limits)
        case Mapping():
            pairs = (f"{canonical_text(key, limits)}:{canonical_text(each, limits)}" for key, each in value.items())
            return "{" + ",".join(pairs) + "}"
        case list() | tuple():
            return "[" + ",".join(canonical_text(each, limits) for each in value) + "]"
        case _:
            raise ValueError(f"not a JSON value: {value!r}")


def _number_text(value: float | Decimal, limits: Limits) -> str:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise ValueError(f"not a JSON number: {value!r}")
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    whole, _, decimals = text.lstrip("-").partition(".")
    figures = len(whole.lstrip("0"))
    if figures > limits.number_digits or len(decimals) > min(limits.number_decimals, limits.number_digits - figures):
        raise ValueError(f"more figures than can be written: {value!r}")
    return "0" if text == "-0" else text
