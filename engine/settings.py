"""The settings: the only reader of `settings.json`.

Every number and default of Tez stands in that file and nowhere in code. Reading is strict: an unknown key, a missing
key, a wrong type or a value out of range is a SettingsError that says what is allowed. A settings file of the user's
own overrides single keys.
"""

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_type_hints

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
    pivot_columns: int


@dataclass(frozen=True)
class FileSettings:
    """How files are opened."""

    unpacked_bytes: int
    batch_rows: int
    header_rows: int
    workbook_memory: int
    workbook_seconds: float
    json_record_bytes: int
    json_depth: int
    json_tables: int
    folder_files: int
    sample_lines: int
    sample_bytes: int
    sample_places: int
    place_bytes: int
    progress_bytes: int
    quoted_lines: int
    alike_share: float
    listed_rows: int
    tail_rows: int
    notes_below: int
    total_rows: int
    remembered_files: int


@dataclass(frozen=True)
class ProfileSettings:
    """What is looked up in an opened table."""

    listed_values: int
    listed_value_length: int
    exact_rows: int
    sample_rows: int
    diverse_share: float
    frequent_values: int
    frequent_share: float
    convertible_share: float
    spelling_values: int
    outlier_spread: float
    outlier_share: float
    examples: int


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
class SpellingSettings:
    """When a spelling is a slip of the hand: whether one is looked for at all, and how rare and how long it must be."""

    slips: bool
    word_letters: int
    rare_rows: int
    rare_share: float


@dataclass(frozen=True)
class ToolSettings:
    """How the tools work."""

    exact_text: bool
    evidence_examples: int
    report_values: int
    periods: int
    joined_rows: int
    alphabet_rows: int
    copied_rows: int
    spelling: SpellingSettings


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
    stored_bytes: int
    forced_runs: bool


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
    text_width: int
    piped_width: int


@dataclass(frozen=True)
class ChartSettings:
    """How charts are drawn."""

    points: int
    categories: int
    slices: int
    colors: int
    bins: int
    label_length: int
    width: int
    height: int
    scale: float
    text_width: int
    text_rows: int
    text_height: int


@dataclass(frozen=True)
class FileForm:
    """How files look to a spreadsheet program in one language."""

    delimiter: str
    decimal: str
    dates: str


@dataclass(frozen=True)
class ExportSettings:
    """How files are written."""

    batch_rows: int
    column_width: int
    uz: FileForm
    ru: FileForm
    en: FileForm


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
    large_rows: int
    large_columns: int
    large_runs: int


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
    chart: ChartSettings
    export: ExportSettings
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
    """Return the validator of the settings; a number that is not finite is none."""
    plain = jsonschema.Draft202012Validator

    def is_number(checker: object, value: object) -> bool:
        return plain.TYPE_CHECKER.is_type(value, "number") and not (
            isinstance(value, float) and not math.isfinite(value)
        )

    checker = plain.TYPE_CHECKER.redefine("number", is_number)
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
    """Return the value of a setting; 2.0 for a whole number, which JSON Schema allows, as 2."""
    whole = hint is int or int in get_args(hint)
    return int(value) if whole and isinstance(value, float) else value
