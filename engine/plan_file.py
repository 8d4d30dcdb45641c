"""Plans as files."""

import json
import sys
from pathlib import Path
from typing import Any

from grammar import ToolError

from .sources import STANDARD_INPUT


def read_plan(path: Path) -> dict[str, Any]:
    """Return the plan of a file; ToolError if it is none.

    It is an answer, only its list of steps, or what `--with-plan` wrote beside a file.
    """
    try:
        if str(path) != STANDARD_INPUT:
            text = path.read_text(encoding="utf-8-sig")
        elif sys.stdin is not None:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        else:
            raise ToolError("plan_unreadable", found=str(path))
    except OSError as error:
        raise ToolError("plan_unreadable", found=str(path), detail=error.strerror) from error
    except ValueError as error:
        raise ToolError("plan_not_json", found=str(path), detail=str(error)) from error
    return plan_of(text, str(path))


def plan_of(text: str, place: str = "JSON") -> dict[str, Any]:
    """Return the plan of a text that stands at a place; ToolError if it is none."""
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError("plan_not_json", found=place, detail=str(error)) from error
    if isinstance(plan, list):
        plan = {"steps": plan}
    elif isinstance(plan, dict) and isinstance(plan.get("plan"), dict):
        plan = plan["plan"]
    if not isinstance(plan, dict) or not isinstance(plan.get("steps"), list):
        raise ToolError("not_a_plan", found=place, allowed=['{"steps": [{"tool": ..., "args": {...}}]}'])
    return plan
