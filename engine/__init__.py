"""Running plans: DuckDB, the language model, files and the terminal, each behind one module.

    with engine.open("loans.csv") as tables:
        answer = tables.ask("total balance by region")
        answer.df()

The public names are loaded when they are first used, so that a command which needs no database or model loads none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grammar import TezError, ToolError

    from .answer import Answer
    from .history import effective_steps, starting_table
    from .library import Tables, ask, open, run
    from .library_error import LibraryError
    from .own_tools import Rows, openai_tool, tool
    from .plan import run_plan
    from .result_chart import Chart
    from .result_table import Table
    from .settings import Settings, load_settings
    from .shared_model import unload_models
    from .statement import plan_sql
    from .toolset import load_tools

_HOMES = {
    "Answer": ".answer",
    "Chart": ".result_chart",
    "LibraryError": ".library_error",
    "Rows": ".own_tools",
    "Settings": ".settings",
    "Table": ".result_table",
    "Tables": ".library",
    "TezError": "grammar",
    "ToolError": "grammar",
    "ask": ".library",
    "effective_steps": ".history",
    "load_settings": ".settings",
    "load_tools": ".toolset",
    "open": ".library",
    "openai_tool": ".own_tools",
    "plan_sql": ".statement",
    "run": ".library",
    "run_plan": ".plan",
    "starting_table": ".history",
    "tool": ".own_tools",
    "unload_models": ".shared_model",
}

__all__ = [
    "Answer",
    "Chart",
    "LibraryError",
    "Rows",
    "Settings",
    "Table",
    "Tables",
    "TezError",
    "ToolError",
    "ask",
    "effective_steps",
    "load_settings",
    "load_tools",
    "open",
    "openai_tool",
    "plan_sql",
    "run",
    "run_plan",
    "starting_table",
    "tool",
    "unload_models",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
