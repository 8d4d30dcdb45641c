"""Running plans: DuckDB, the language model, files and the terminal, each behind one module.

The public names are loaded when they are first used, so that a command which needs no database or model loads none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grammar import ToolError

    from .history import effective_steps, starting_table
    from .own_tools import Rows, openai_tool, tool
    from .plan import run_plan
    from .settings import Settings, load_settings
    from .statement import plan_sql
    from .toolset import load_tools

_HOMES = {
    "Rows": ".own_tools",
    "Settings": ".settings",
    "ToolError": "grammar",
    "effective_steps": ".history",
    "load_settings": ".settings",
    "load_tools": ".toolset",
    "openai_tool": ".own_tools",
    "plan_sql": ".statement",
    "run_plan": ".plan",
    "starting_table": ".history",
    "tool": ".own_tools",
}

__all__ = [
    "Rows",
    "Settings",
    "ToolError",
    "effective_steps",
    "load_settings",
    "load_tools",
    "openai_tool",
    "plan_sql",
    "run_plan",
    "starting_table",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
