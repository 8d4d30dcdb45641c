"""How often the table that the user gets equals the table that he should have got.

The public names are loaded when they are first used, so that `tez --help` can ask for the commands without a database.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compare import CompareError, same_result
    from .data import BASE, open_data

_HOMES = {"BASE": ".data", "CompareError": ".compare", "open_data": ".data", "same_result": ".compare"}

__all__ = ["BASE", "CompareError", "open_data", "same_result"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
