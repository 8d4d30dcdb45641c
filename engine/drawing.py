"""What a chart shows, in the words of a language: labels of categories, what is left of them, kinds of the axes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from prompt.words import Language, number_text, screen_text

from .settings import ChartSettings
from .tools.charts import Measure, drawn_kinds

ELLIPSIS = "…"
_MIDNIGHT = "T00:00:00"


@dataclass(frozen=True)
class Drawn:
    """The data of a drawing: rows by role (`n` counts them), how each role is measured, labels in their order."""

    rows: list[dict[str, Any]]
    kinds: dict[str, Measure]
    categories: dict[str, list[str]]


def drawn(artifact: Mapping[str, Any], language: Language, settings: ChartSettings) -> Drawn:
    """Return what a chart shows; a category is named by its label, no two by the same one."""
    if artifact["mark"] == "histogram":
        rows = [{"n": n, "x": start, "x2": end, "y": rows} for n, (start, end, rows) in enumerate(artifact["points"])]
        return Drawn(rows, {"x": "quantitative", "y": "quantitative"}, {})
    kinds = drawn_kinds(artifact)
    roles = [role for role in ("x", "y", "color") if role in kinds]
    labels: dict[str, dict[Any, str]] = {role: {} for role in roles if kinds[role] == "nominal"}
    rows = []
    for number, point in enumerate(artifact["points"]):
        row: dict[str, Any] = {"n": number}
        for role, value in zip(roles, point, strict=True):
            if role in labels:
                named = labels[role]
                if value not in named:
                    named[value] = _label(value, named.values(), language, settings.label_length)
                value = named[value]
            elif kinds[role] == "temporal":
                value = _moment(value)
            row[role] = value
        rows.append(row)
    return Drawn(rows, kinds, {role: list(named.values()) for role, named in labels.items()})


def _label(value: Any, taken: Collection[str], language: Language, longest: int) -> str:
    if value is None:
        text = screen_text("rest", language)
    elif isinstance(value, bool):
        text = screen_text("yes" if value else "no", language)
    elif isinstance(value, int | float):
        text = number_text(value, language)
    else:
        text = " ".join(str(value).removesuffix(_MIDNIGHT).split())
    short = [text] if len(text) <= longest else [_cut(text, longest, 0), _cut(text, longest, longest // 2)]
    alike = (f"{short[-1]} ({number})" for number in count(2))
    return next(label for label in chain(short, alike) if label not in taken)


def _cut(text: str, longest: int, end: int) -> str:
    """Return the text with an ellipsis in the place of what is too long, the last `end` characters kept."""
    return text[: longest - 1 - end].rstrip() + ELLIPSIS + text[len(text) - end :].lstrip()


def _moment(iso: str) -> str:
    """Return a moment as JavaScript reads it alike in every time zone: a day as it is, a time of day in UTC."""
    return f"{iso}Z" if "T" in iso else iso
