"""Answers as the model reads them: in the very form in which the grammar lets it write them."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from grammar.canonical import canonical_text
from grammar.contracts import Contract
from grammar.state import Limits

_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_BEFORE_STEPS = ("on", "table")


def quoted(text: str) -> str:
    """Return a text as a JSON string on one line: nothing in it can look like the end of a line."""
    return _on_one_line(json.dumps(text, ensure_ascii=False))


def row_text(cells: Iterable[Any]) -> str:
    """Return the cells of a row as a JSON list on one line."""
    plain = [cell if cell is None or isinstance(cell, bool | int | float) else str(cell) for cell in cells]
    return _on_one_line(json.dumps(plain, ensure_ascii=False))


def answer_text(answer: Mapping[str, Any], contracts: Mapping[str, Contract], limits: Limits) -> str:
    """Return the canonical text of an answer: `on`, `table`, `steps`; arguments in the order of the contract."""
    if "question" in answer:
        question = answer["question"]
        ordered: dict[str, Any] = {"question": {"kind": question["kind"], "options": question["options"]}}
    else:
        ordered = {key: answer[key] for key in _BEFORE_STEPS if key in answer}
        ordered["steps"] = [
            {"tool": step["tool"], "args": _ordered(step["args"], _arguments(contracts.get(step["tool"])))}
            for step in answer["steps"]
        ]
    try:
        text = canonical_text(ordered, limits)
    except ValueError:
        text = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))
    return _on_one_line(text)


def _on_one_line(text: str) -> str:
    return _BREAKS.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _arguments(contract: Contract | None) -> Mapping[str, Any]:
    return {} if contract is None else contract["args"]


def _ordered(args: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments in the contract's order, those unknown to it last, nulls left out."""
    names = [*(name for name in arguments if name in args), *(name for name in args if name not in arguments)]
    ordered = {}
    for name in names:
        value = args[name]
        if isinstance(value, Mapping):
            value = _ordered(value, arguments.get(name, {}).get("properties", {}))
        if value is not None:
            ordered[name] = value
    return ordered
