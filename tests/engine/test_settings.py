"""Settings: one file, read strictly."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from engine.settings import Settings, SettingsError, as_settings, home, limits, load_settings, settings_schema

SHIPPED: dict[str, Any] = json.loads(home("settings.json").read_text(encoding="utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(json.dumps(SHIPPED))
    part, *keys = path.split(".")
    where = values
    for key in keys:
        where, part = where[part], key
    where[part] = value
    return values


def test_the_mapping_of_the_file_gives_the_settings() -> None:
    assert as_settings(SHIPPED) == load_settings()
    assert load_settings().max_steps == 4
    assert limits(load_settings()).max_steps == 4


def test_every_key_of_the_settings_is_in_the_schema_with_its_meaning() -> None:
    def check(part: type, schema: dict[str, Any]) -> None:
        assert {field.name for field in fields(part)} == set(schema["properties"])  # type: ignore[arg-type]
        assert schema["additionalProperties"] is False
        for key, kind in get_type_hints(part).items():
            assert schema["properties"][key]["description"]
            if is_dataclass(kind):
                check(kind, schema["properties"][key])

    check(Settings, settings_schema())


@pytest.mark.parametrize(
    ("values", "reason", "said"),
    [
        (changed("max_step", 3), "unknown_key", "max_steps"),
        (changed("tools.exact_texts", True), "unknown_key", "exact_text"),
        (changed("max_steps", "four"), "wrong_value", "type integer"),
        (changed("max_steps", 0), "wrong_value", "minimum 1"),
        (changed("grammar.number_digits", 16), "wrong_value", "grammar.number_digits"),
        (changed("database.memory_limit", "lots"), "wrong_value", "database.memory_limit"),
        (changed("tools", 5), "wrong_value", "tools"),
        ({key: value for key, value in SHIPPED.items() if key != "model"}, "missing_key", "model"),
    ],
)
def test_a_wrong_file_is_explained(values: dict[str, Any], reason: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        as_settings(values)
    assert caught.value.reason == reason
    assert said in str(caught.value)


def test_a_file_overrides_single_keys(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"tools": {"exact_text": true}, "max_steps": 2}')
    mine = load_settings(path)
    assert (mine.tools.exact_text, mine.max_steps) == (True, 2)
    assert mine.tools.evidence_examples == load_settings().tools.evidence_examples


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"max_steps": 1e99}', '{"tools": {"colour": 1}}', '{"tools": null}'])
def test_a_broken_override_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match="mine"):
        load_settings(path)
    with pytest.raises(SettingsError, match="missing"):
        load_settings(tmp_path / "missing.json")
