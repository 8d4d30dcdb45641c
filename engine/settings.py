"""The settings: the only reader of `settings.json`.

Every number and default of Tez stands in that file and nowhere in code. Reading is strict: an unknown key, a missing
key, a wrong type or a value out of range is a SettingsError that says what is allowed. A settings file of the user's
own overrides single keys.
"""

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import jsonschema

from grammar import Limits, TezError

from .setting_groups import (
    AccuracySettings,
    ChartSettings,
    ChatSettings,
    CompareSettings,
    DatabaseSettings,
    ExportSettings,
    FileForm,
    FileSettings,
    GrammarSettings,
    McpSettings,
    MemorySettings,
    ModelSettings,
    OutputSettings,
    ProfileSettings,
    PromptSettings,
    ReadingSettings,
    ResolverSettings,
    ServerSettings,
    Settings,
    SpellingSettings,
    StepwiseSettings,
    ToolSettings,
    WeightsSettings,
)

__all__ = [
    "AccuracySettings",
    "ChartSettings",
    "ChatSettings",
    "CompareSettings",
    "DatabaseSettings",
    "ExportSettings",
    "FileForm",
    "FileSettings",
    "GrammarSettings",
    "McpSettings",
    "MemorySettings",
    "ModelSettings",
    "OutputSettings",
    "ProfileSettings",
    "PromptSettings",
    "ReadingSettings",
    "ResolverSettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "SpellingSettings",
    "StepwiseSettings",
    "ToolSettings",
    "WeightsSettings",
    "as_settings",
    "home",
    "limits",
    "load_settings",
    "settings_schema",
]

FILE_NAME = "settings.json"
_Part = TypeVar("_Part")


class SettingsError(TezError):
    """A settings file cannot be read or holds a wrong key or value."""


def home(name: str) -> Path:
    """Return the path of a file or folder that Tez brings along (`settings.json`, `domains`).

    In a checkout it stands beside this package, in an installed wheel inside it.
    """
    package = Path(str(files(__package__)))
    beside = package.parent / name
    if beside.exists() and (package.parent / "pyproject.toml").exists():
        return beside
    inside = package / "data" / name
    if not inside.exists():
        raise SettingsError("not_installed", name=name, path=str(inside))
    return inside


def load_settings(overrides: Path | Mapping[str, Any] | None = None) -> Settings:
    """Read the settings, and over them the keys of a file of the user's own, or of a mapping of its form.

    SettingsError names the file, the key, what was found and what is allowed.
    """
    path = home(FILE_NAME)
    values = _read(path)
    if overrides is not None:
        changed = _read(overrides) if isinstance(overrides, Path) else overrides
        where = str(overrides) if isinstance(overrides, Path) else FILE_NAME
        _check(changed, where, complete=False)
        values = _merged(values, changed)
        return _checked(values, where)
    return _checked(values, str(path))


def as_settings(settings: Mapping[str, Any] | Settings) -> Settings:
    """Return the settings of a mapping such as `json.load` makes of the file; settings pass through."""
    if isinstance(settings, Settings):
        return settings
    if not isinstance(settings, Mapping):
        raise SettingsError("not_settings", found=type(settings).__name__)
    return _checked(settings, FILE_NAME)


def limits(settings: Settings) -> Limits:
    """Return the bounds of an answer, as the grammar takes them."""
    return Limits(max_steps=settings.max_steps, **asdict(settings.grammar))


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema of the settings: types, ranges, and what each key means."""
    text = files(__package__).joinpath("settings.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _read(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            raise SettingsError("repeated_key", path=str(path), key=next(key for key in keys if keys.count(key) > 1))
        return values

    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=once)
    except OSError as error:
        raise SettingsError("file_unreadable", path=str(path), found=error.strerror) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError("file_not_json", path=str(path), found=str(error)) from error
    if not isinstance(values, dict):
        raise SettingsError("file_not_json", path=str(path), found=type(values).__name__)
    return values


def _merged(values: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in changed.items():
        merged[key] = _merged(values[key], value) if isinstance(value, dict) else value
    return merged


def _checked(values: Mapping[str, Any], where: str) -> Settings:
    _check(values, where, complete=True)
    return _built(Settings, values)


def _check(values: Mapping[str, Any], where: str, *, complete: bool) -> None:
    _check_keys(values, Settings, where, "", complete)
    error = jsonschema.exceptions.best_match(_validator().iter_errors(values))
    if error is not None:
        key = ".".join(str(part) for part in error.absolute_path)
        found = json.dumps(error.instance, ensure_ascii=False, default=str)
        raise SettingsError("wrong_value", path=where, key=key, found=found, allowed=_allowed(error.schema))


def _validator() -> Any:
    """Return the validator of the settings; a number that is not finite is none, a tuple is a list."""
    plain = jsonschema.Draft202012Validator

    def is_number(checker: object, value: object) -> bool:
        return plain.TYPE_CHECKER.is_type(value, "number") and not (
            isinstance(value, float) and not math.isfinite(value)
        )

    def is_list(_: object, value: object) -> bool:
        return isinstance(value, (list, tuple))

    checker = plain.TYPE_CHECKER.redefine_many({"number": is_number, "array": is_list})
    strict = jsonschema.validators.extend(plain, type_checker=checker)  # type: ignore[no-untyped-call]
    return strict(settings_schema())


def _allowed(schema: Any) -> str:
    """Return what a schema allows, in notation that needs no language."""
    if "enum" in schema:
        return ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " / ".join(_allowed_type(each, schema) for each in types)


def _allowed_type(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "object":
        return "{" + ", ".join(f'"{key}": ...' for key in schema["properties"]) + "}"
    if kind == "array":
        return f"[{_allowed(schema['items'])}]"
    if kind == "boolean":
        return "true, false"
    if kind == "string":
        shown = ", ".join(json.dumps(example) for example in schema.get("examples", ()))
        return f'"..." ({shown})' if shown else '"..."'
    if kind == "null":
        return "null"
    signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    return ", ".join([kind, *(f"{sign} {schema[key]}" for key, sign in signs.items() if key in schema)])


def _check_keys(values: Mapping[str, Any], part: type, where: str, prefix: str, complete: bool) -> None:
    known = get_type_hints(part)
    for key, value in values.items():
        if key not in known:
            raise SettingsError("unknown_key", path=where, key=prefix + str(key), nearest=_nearest(str(key), known))
        if is_dataclass(known[key]) and isinstance(value, Mapping):
            _check_keys(value, known[key], where, f"{prefix}{key}.", complete)
    missing = [key for key in known if key not in values] if complete else []
    if missing:
        raise SettingsError("missing_key", path=where, key=prefix + missing[0])


def _nearest(key: str, known: Iterable[str]) -> str:
    names = list(known)
    return ", ".join(difflib.get_close_matches(key, names, cutoff=0) or names)


def _built(part: type[_Part], values: Mapping[str, Any]) -> _Part:
    hints = get_type_hints(part)
    made = {
        field.name: _built(hints[field.name], values[field.name])
        if is_dataclass(hints[field.name])
        else _in_its_type(hints[field.name], values[field.name])
        for field in fields(part)  # type: ignore[arg-type]
    }
    return part(**made)


def _in_its_type(hint: Any, value: Any) -> Any:
    """Return the value of a setting: 2.0 for a whole number, which JSON Schema allows, as 2, a list as a tuple."""
    if isinstance(value, list):
        return tuple(value)
    whole = hint is int or int in get_args(hint)
    return int(value) if whole and isinstance(value, float) else value
