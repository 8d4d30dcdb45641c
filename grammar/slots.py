"""The parts of an answer's text in which something is decided: each value, and what stands between two values.

Between two values stands punctuation and perhaps a key: another item, another argument, another step, or the end. What
stands before the first value says whether the answer is a plan or a question. So the parts follow each other without
a gap, and a text that differs from another begins to differ in exactly one of them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .contracts import OTHER_COLUMN_REF, SINGLE_COLUMN_REFS, TABLE_REF, Contract, refs

Role = Literal["opening", "table", "tool", "column", "value", "word", "option", "between"]
Path = tuple[str | int, ...]

_COLUMNS = SINGLE_COLUMN_REFS | {"columns", OTHER_COLUMN_REF}
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]+")
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*":', re.DOTALL)
_GLUE = b"{}[],"


@dataclass(frozen=True)
class Slot:
    """One part of a text: its first byte, the byte after its last, and what is decided there.

    `path` leads to the value (`("steps", 0, "args", "by")`); what stands between values has none.
    """

    start: int
    end: int
    role: Role
    path: Path = ()


def slots(contracts: Mapping[str, Contract], text: str) -> tuple[Slot, ...]:
    """Return the parts of the canonical text of an answer, in their order."""
    data = text.encode("utf-8", "surrogatepass")
    answer = json.loads(text)
    found: list[Slot] = []
    at = 0
    for start, end, path in _leaves(data):
        if start > at:
            found.append(Slot(at, start, "between" if at else "opening"))
        found.append(Slot(start, end, _role(contracts, answer, path), path))
        at = end
    if at < len(data):
        found.append(Slot(at, len(data), "between" if at else "opening"))
    return tuple(found)


def first_part(data: bytes, role: Role) -> bytes | None:
    """Return the part of this role that a text begins with, None if the text does not tell where it ends."""
    if role not in ("opening", "between"):
        found = _STRING.match(data)
        if found is None:
            found = None if data.startswith(b'"') else _SCALAR.match(data)
            if found is not None and found.end() == len(data):
                return None
        return found and found.group()
    at = 0
    while at < len(data):
        if data[at] in _GLUE:
            at += 1
        elif key := _KEY.match(data, at):
            at = key.end()
        else:
            return data[:at]
    return data if data.endswith((b"]}", b":", b"[")) else None


def _leaves(data: bytes) -> Iterator[tuple[int, int, Path]]:
    """Yield where each value that is no list and no object begins and ends, and the path to it."""
    path: list[str | int] = []
    at = 0
    while at < len(data):
        byte = data[at : at + 1]
        if byte in (b"{", b"["):
            path.append("" if byte == b"{" else 0)
            at += 1
        elif byte in (b"}", b"]"):
            path.pop()
            at += 1
        elif byte == b",":
            if isinstance(path[-1], int):
                path[-1] += 1
            at += 1
        elif path and isinstance(path[-1], str) and (key := _KEY.match(data, at)):
            path[-1] = json.loads(key.group()[:-1])
            at = key.end()
        else:
            value = _STRING.match(data, at) or _SCALAR.match(data, at)
            if value is None:
                raise ValueError(f"no canonical JSON at byte {at}")
            yield at, value.end(), tuple(path)
            at = value.end()


def _role(contracts: Mapping[str, Contract], answer: Any, path: Path) -> Role:
    match path:
        case ("steps", int(), "tool"):
            return "tool"
        case ("steps", int(number), "args", *rest):
            contract = contracts.get(answer["steps"][number]["tool"], {"args": {}})
            return _role_of_argument({"properties": contract["args"]}, rest)
        case ("table",):
            return "table"
        case ("question", "options", int()):
            return "option"
    return "value"


def _role_of_argument(node: Mapping[str, Any], path: list[str | int]) -> Role:
    for part in path:
        inner = node.get("properties", {}).get(part) if isinstance(part, str) else node.get("items", node)
        node = inner or {}
    named = set(refs(node))
    if TABLE_REF in named:
        return "table"
    if named & _COLUMNS:
        return "column"
    return "word" if "enum" in node else "value"
