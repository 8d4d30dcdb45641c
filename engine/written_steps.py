"""The steps of an answer that is still being written."""

import json
from typing import Any

_STEPS = '"steps":['


def written_steps(text: str) -> list[dict[str, Any]]:
    """Return the steps that are whole in the beginning of an answer, as the grammar has it written."""
    head, opened, rest = text.partition(_STEPS)
    if not opened or '"question"' in head:
        return []
    steps: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 0
    while at < len(rest) and rest[at] == "{":
        try:
            step, at = decoder.raw_decode(rest, at)
        except json.JSONDecodeError:
            break
        steps.append(step)
        at += rest.startswith(",", at)
    return steps
