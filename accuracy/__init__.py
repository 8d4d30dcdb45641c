"""How often the table that the user gets equals the table that he should have got."""

from .compare import CompareError, same_result
from .data import BASE, open_data

__all__ = ["BASE", "CompareError", "open_data", "same_result"]
