"""Prompts that do not fit the model's context: less is shown of tables so wide, or of values so long, until they do."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from .model_error import ModelError
from .settings import Settings

Made = TypeVar("Made")


def narrowed(settings: Settings, attempt: Callable[[Settings], Made]) -> Made:
    """Return what the attempt makes under the settings, or where its prompt is too long, under some that show less.

    What shows less: half of the columns, of the values shown, of the examples and of the earlier requests, again and
    again until the prompt fits. Raises ModelError `prompt_too_long` where it does not fit with one column.
    """
    while True:
        try:
            return attempt(settings)
        except ModelError as error:
            shown = settings.prompt
            if error.reason != "prompt_too_long" or shown.columns == 1:
                raise
        parts = ("columns", "shown_values", "matched_values", "examples", "history")
        less = {part: getattr(shown, part) // 2 for part in parts}
        settings = replace(settings, prompt=replace(shown, **{**less, "columns": max(less["columns"], 1)}))


def less_shown(settings: Settings, used: Settings) -> tuple[Mapping[str, Any], ...]:
    """Return the note that a prompt was written under settings that show less, nothing where it was not."""
    if settings.prompt == used.prompt:
        return ()
    return ({"note": "less_shown", "columns": used.prompt.columns, "values": used.prompt.shown_values},)
