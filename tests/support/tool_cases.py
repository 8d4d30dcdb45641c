"""The case files of the tools: `tests/cases/tools/<tool>.json`, a list of cases each.

A case has a `description`, the table (`columns`: [name, DuckDB type] pairs, `rows`), the `args` of one step, and
either `expected` (`columns`, `rows`, perhaps DuckDB `types`) or `error` (`reason`, perhaps `argument`). `notes` are
the expected notes after the row counts, `artifacts` the expected artifacts, `settings` changes of the part `tools`,
`others` the other opened tables by name (`columns` and `rows` each).
Dates are written as ISO text, fractions exactly. The loader refuses what it does not know.
"""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "cases" / "tools"
_REQUIRED = {"description", "columns", "rows", "args"}
_OUTCOMES = {"expected", "error"}
_OPTIONAL = {"notes", "artifacts", "settings", "others"}
_OTHER = ({"columns", "rows"}, set[str]())
_EXPECTED = ({"columns", "rows"}, {"types"})
_ERROR = ({"reason"}, {"argument"})


@dataclass(frozen=True)
class ToolCase:
    """One case of one tool."""

    tool: str
    description: str
    columns: list[tuple[str, str]]
    rows: list[list[Any]]
    args: dict[str, Any]
    expected: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    notes: list[dict[str, Any]] | None = None
    artifacts: list[dict[str, Any]] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    others: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.tool}: {self.description}"


def load_cases(tools: list[str], folder: Path = FOLDER) -> list[ToolCase]:
    """Read the case files of exactly these tools; ValueError for anything that would go unread or unnoticed."""
    files = {path.stem: path for path in folder.iterdir()}
    if files.keys() != set(tools) or any(path.suffix != ".json" for path in files.values()):
        raise ValueError(f"case files {sorted(files)} are not those of the tools {sorted(tools)}")
    return [case for tool in tools for case in _read(tool, files[tool])]


def _read(tool: str, path: Path) -> list[ToolCase]:
    entries = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path.name} has no cases")
    cases = [_case(tool, entry) for entry in entries]
    descriptions = [case.description for case in cases]
    for description in descriptions:
        if descriptions.count(description) > 1:
            raise ValueError(f"{path.name}: {description!r} stands there twice")
    return cases


def _case(tool: str, entry: dict[str, Any]) -> ToolCase:
    where = f"{tool}: {entry.get('description')!r}"
    _check_keys(where, entry, _REQUIRED, _OUTCOMES | _OPTIONAL)
    if len(_OUTCOMES & entry.keys()) != 1:
        raise ValueError(f"{where} needs either expected or error")
    if "expected" in entry:
        _check_keys(where, entry["expected"], *_EXPECTED)
        widths = {len(row) for row in entry["expected"]["rows"]}
        if widths - {len(entry["expected"]["columns"])}:
            raise ValueError(f"{where}: expected rows of {widths} cells")
    else:
        _check_keys(where, entry["error"], *_ERROR)
    for name, other in entry.get("others", {}).items():
        _check_keys(f"{where}: {name}", other, *_OTHER)
    if {len(row) for row in entry["rows"]} - {len(entry["columns"])}:
        raise ValueError(f"{where}: rows and columns differ in number")
    columns = [(name, kind) for name, kind in entry["columns"]]
    return ToolCase(tool=tool, **{**entry, "columns": columns})


def _check_keys(where: str, entry: dict[str, Any], required: set[str], optional: set[str]) -> None:
    missing, unknown = required - entry.keys(), entry.keys() - required - optional
    if missing or unknown:
        raise ValueError(f"{where}: missing {sorted(missing)}, unknown {sorted(unknown)}")
