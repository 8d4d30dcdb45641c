"""The settings: the only reader of `settings.json`.

Every number and default of Tez stands in that file and nowhere in code. Reading is strict: an unknown key, a missing
key, a wrong type or a value out of range is a SettingsError that says what is allowed. A settings file of the user's
own overrides single keys.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

import jsonschema

from grammar import Limits, TezError

FILE_NAME = "settings.json"
_Part = TypeVar("_Part")


class SettingsError(TezError):
    """A settings file cannot be read or holds a wrong key or value."""


@dataclass(frozen=True)
class GrammarSettings:
    """Bounds of what the model can write."""

    text_length: int
    list_length: int
    number_digits: int
    number_decimals: int
    integer_digits: int
    question_options: int


@dataclass(frozen=True)
class FileSettings:
    """How files are opened."""

    unpacked_bytes: int
    batch_rows: int
    header_rows: int
    workbook_memory: int
    workbook_seconds: float
    json_record_bytes: int
    folder_files: int


@dataclass(frozen=True)
class ProfileSettings:
    """What is looked up in an opened table."""

    listed_values: int
    listed_value_length: int


@dataclass(frozen=True)
class PromptSettings:
    """What the model reads."""

    shown_values: int
    matched_values: int
    matched_length: int
    examples: int
    columns: int
    request_length: int
    history: int
    domain_match: float


@dataclass(frozen=True)
class ToolSettings:
    """How the tools work."""

    exact_text: bool
    evidence_examples: int
    periods: int


@dataclass(frozen=True)
class DatabaseSettings:
    """DuckDB's limits."""

    memory_limit: str
    threads: int | None


@dataclass(frozen=True)
class ModelSettings:
    """The language model."""

    path: str | None
    adapter: str | None
    context: int
    batch: int
    threads: int | None
    answer_tokens: int
    seconds: float
    memory_share: float


@dataclass(frozen=True)
class WeightsSettings:
    """The default weights: the package that carries them, and the file that they make."""

    package: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class OutputSettings:
    """What is printed."""

    json_rows: int
    shown_rows: int
    shown_options: int
    piped_width: int


@dataclass(frozen=True)
class CompareSettings:
    """When two results are the same."""

    relative_tolerance: float
    absolute_tolerance: float


@dataclass(frozen=True)
class AccuracySettings:
    """How accuracy is measured and when it has become worse."""

    seed: int
    interval: float
    resamples: int
    calibration_bins: int
    ratchet_tolerance: int


@dataclass(frozen=True)
class Settings:
    """All settings; the parts are passed to who needs them."""

    max_steps: int
    language: Literal["uz", "ru", "en"]
    grammar: GrammarSettings
    files: FileSettings
    profile: ProfileSettings
    prompt: PromptSettings
    tools: ToolSettings
    database: DatabaseSettings
    model: ModelSettings
    weights: WeightsSettings
    output: OutputSettings
    compare: CompareSettings
    accuracy: AccuracySettings


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


def load_settings(overrides: Path | None = None) -> Settings:
    """Read the settings, and over them the keys of a file of the user's own.

    SettingsError names the file, the key, what was found and what is allowed.
    """
    path = home(FILE_NAME)
    values = _read(path)
    if overrides is not None:
        changed = _read(overrides)
        _check(changed, str(overrides), complete=False)
        values = _merged(values, changed)
    return _checked(values, str(overrides or path))


def as_settings(settings: Mapping[str, Any] | Settings) -> Settings:
    """Return the settings of a mapping such as `json.load` makes of the file; settings pass through."""
    return settings if isinstance(settings, Settings) else _checked(settings, FILE_NAME)


def limits(settings: Settings) -> Limits:
    """Return the bounds of an answer, as the grammar takes them."""
    bounds = settings.grammar
    return Limits(
        text_length=bounds.text_length,
        list_length=bounds.list_length,
        number_digits=bounds.number_digits,
        number_decimals=bounds.number_decimals,
        integer_digits=bounds.integer_digits,
        question_options=bounds.question_options,
        max_steps=settings.max_steps,
    )


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema of the settings: types, ranges, and what each key means."""
    text = files(__package__).joinpath("settings.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError("file_unreadable", path=str(path), found=error.strerror) from error
    except ValueError as error:
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
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(settings_schema()).iter_errors(values))
    if error is not None:
        key = ".".join(str(part) for part in error.absolute_path)
        raise SettingsError("wrong_value", path=where, key=key, found=error.instance, allowed=_allowed(error))


def _allowed(error: jsonschema.ValidationError) -> str:
    schema = error.schema
    rules = {key: schema[key] for key in schema if key != "description"} if isinstance(schema, dict) else {}
    return ", ".join(f"{key} {value}" for key, value in rules.items())


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
        else values[field.name]
        for field in fields(part)  # type: ignore[arg-type]
    }
    return part(**made)
