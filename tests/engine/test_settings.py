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
        (changed("max_steps", "four"), "wrong_value", "integer, >= 1, <= 20"),
        (changed("max_steps", 0), "wrong_value", "found: 0, allowed: integer, >= 1, <= 20"),
        (changed("grammar.number_digits", 16), "wrong_value", "grammar.number_digits"),
        (changed("prompt.parts", ["request", "weather"]), "wrong_value", '"instructions", "domain"'),
        (changed("prompt.parts", "request"), "wrong_value", '["instructions", "domain"'),
        (changed("prompt.parts", ["tables"]), "wrong_value", "prompt.parts"),
        (changed("database.memory_limit", "lots"), "wrong_value", '"4GB"'),
        (changed("database.threads", 0.5), "wrong_value", "integer, >= 1, <= 1024 / null"),
        (changed("language", "de"), "wrong_value", 'allowed: "uz", "ru", "en"'),
        (changed("language", None), "wrong_value", "found: null"),
        (changed("model.path", 5), "wrong_value", 'allowed: "..." / null'),
        (changed("model.seconds", 0), "wrong_value", "allowed: number, > 0, <= 86400"),
        (changed("model.seconds", float("nan")), "wrong_value", "found: NaN"),
        (changed("compare.relative_tolerance", float("nan")), "wrong_value", "found: NaN"),
        (changed("tools.exact_text", 1), "wrong_value", "allowed: true, false"),
        (changed("max_steps", True), "wrong_value", "found: true"),
        (
            changed("tools", None),
            "wrong_value",
            'allowed: {"exact_text": ..., "evidence_examples": ..., "report_values": ..., "periods": ',
        ),
        (changed("weights.file", "../model.gguf"), "wrong_value", "weights.file"),
        (changed("weights.file", ".."), "wrong_value", "weights.file"),
        (changed("weights.file", "a/b.gguf"), "wrong_value", "weights.file"),
        (changed("weights.file", "C:\\b.gguf"), "wrong_value", "weights.file"),
        (changed("weights.file", "b.gguf\n"), "wrong_value", "weights.file"),
        (changed("weights.package", ".model"), "wrong_value", "weights.package"),
        (changed("tools", 5), "wrong_value", "tools"),
        ({key: value for key, value in SHIPPED.items() if key != "model"}, "missing_key", "model"),
    ],
)
def test_a_wrong_file_is_explained(values: dict[str, Any], reason: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        as_settings(values)
    assert caught.value.reason == reason
    assert said in str(caught.value)


@pytest.mark.parametrize("settings", [None, 5, "settings.json", [("max_steps", 4)]])
def test_what_are_no_settings_is_refused(settings: Any) -> None:
    with pytest.raises(SettingsError) as caught:
        as_settings(settings)
    assert caught.value.reason == "not_settings"


def test_whole_numbers_may_be_written_with_a_point() -> None:
    settings = as_settings(changed("max_steps", 2.0))
    assert type(settings.max_steps) is int
    assert type(as_settings(changed("database.threads", 3.0)).database.threads) is int
    assert as_settings(changed("model.seconds", 2.0)).model.seconds == 2.0
    assert limits(settings).max_steps == 2


def test_every_number_of_the_settings_has_a_maximum() -> None:
    def check(schema: dict[str, Any]) -> None:
        if {"integer", "number"} & {*([schema["type"]] if isinstance(schema.get("type"), str) else schema["type"])}:
            assert {"maximum", "exclusiveMaximum"} & schema.keys(), schema
        for part in schema.get("properties", {}).values():
            if "enum" not in part:
                check(part)

    check(settings_schema())


def test_a_mark_of_the_byte_order_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(b'\xef\xbb\xbf{"max_steps": 2}')
    assert load_settings(path).max_steps == 2


@pytest.mark.parametrize(
    ("text", "key"), [('{"max_steps": 2, "max_steps": 3}', "max_steps"), ('{"tools": {"a": 1, "b": 1, "b": 1}}', "b")]
)
def test_a_key_stands_in_a_file_once(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert caught.value.reason == "repeated_key"
    assert caught.value.facts == {"path": str(path), "key": key}


def test_a_file_overrides_single_keys(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"tools": {"exact_text": true}, "max_steps": 2}')
    mine = load_settings(path)
    assert (mine.tools.exact_text, mine.max_steps) == (True, 2)
    assert mine.tools.evidence_examples == load_settings().tools.evidence_examples


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"max_steps": 1e99}', '{"tools": {"colour": 1}}', '{"tools": null}', "[" * 100_000]
)
def test_a_broken_override_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match="mine"):
        load_settings(path)
    with pytest.raises(SettingsError, match="missing"):
        load_settings(tmp_path / "missing.json")
