"""Prompts that do not fit are written with less, and only those."""

from dataclasses import replace

import pytest

from engine.model_error import ModelError
from engine.narrowing import less_shown, narrowed
from engine.settings import Settings, load_settings

SETTINGS = load_settings()


def test_what_fits_is_tried_once_under_the_settings_as_they_are() -> None:
    assert narrowed(SETTINGS, lambda settings: settings) is SETTINGS


def test_less_is_shown_until_it_fits() -> None:
    tried: list[Settings] = []

    def attempt(settings: Settings) -> int:
        tried.append(settings)
        if settings.prompt.columns > 10:
            raise ModelError("prompt_too_long", found=9, allowed=5, context=7)
        return settings.prompt.columns

    assert narrowed(SETTINGS, attempt) == 7
    assert less_shown(SETTINGS, tried[0]) == ()
    assert less_shown(SETTINGS, tried[-1]) == ({"note": "less_shown", "columns": 7, "values": 0},)
    assert [each.prompt.columns for each in tried] == [60, 30, 15, 7]
    assert [each.prompt.shown_values for each in tried] == [5, 2, 1, 0]
    assert all(replace(each, prompt=SETTINGS.prompt) == SETTINGS for each in tried)


@pytest.mark.parametrize("reason", ["prompt_too_long", "too_slow"])
def test_what_never_fits_and_what_fails_otherwise_is_an_error(reason: str) -> None:
    tried: list[int] = []

    def attempt(settings: Settings) -> None:
        tried.append(settings.prompt.columns)
        raise ModelError(reason)

    with pytest.raises(ModelError) as caught:
        narrowed(SETTINGS, attempt)
    assert caught.value.reason == reason
    assert tried == ([60, 30, 15, 7, 3, 1] if reason == "prompt_too_long" else [60])
