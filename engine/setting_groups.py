"""The groups of settings and what each holds; `settings.schema.json` says what every one means."""

from dataclasses import dataclass
from typing import Literal


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
    join_values: int
    join_share: float
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
    parts: tuple[str, ...]


@dataclass(frozen=True)
class ResolverSettings:
    """What the words of a request are linked with, besides the names of the data and the domain's glossary."""

    lexicon: bool


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
    plan_seconds: float | None
    most_in_prompt: int
    own_rows: int
    own_seconds: float
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
    optional_bonus: float
    optional_nulls: bool


@dataclass(frozen=True)
class ServerSettings:
    """How a model is asked that a server holds."""

    format: str
    name: str | None
    key_variable: str | None
    connect_seconds: float
    answer_bytes: int


@dataclass(frozen=True)
class McpSettings:
    """How much other programs get at once."""

    rows: int
    result_bytes: int
    text_length: int


@dataclass(frozen=True)
class ReadingSettings:
    """When and how far other readings of a request are looked for, and when one is asked about."""

    most: int
    tried: int
    share: float
    seconds: float
    ask_margin: float
    ask_worth: float
    calibration: str | None


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
    decimals: int
    text_width: int
    piped_width: int
    html_columns: int


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
class ChatSettings:
    """Conversations."""

    turns: int
    kept_tables: int
    conversations: int
    completions: int
    saved_bytes: int


@dataclass(frozen=True)
class MemorySettings:
    """Accepted answers: how many are kept, how long one may be, and how many the model reads."""

    kept: int
    longest: int
    wait_seconds: float
    examples: int


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
    speed_requests: int
    speed_batch: int
    batch_checked: int
    speed_seconds: float


@dataclass(frozen=True)
class StepwiseSettings:
    """Answers that are written one step at a time: whether, how long, and what the model reads of each table."""

    on: bool
    steps: int
    rows: int
    columns: int
    cell_length: int


@dataclass(frozen=True)
class Settings:
    """All settings; the parts are passed to who needs them."""

    max_steps: int
    language: Literal["uz", "ru", "en"]
    grammar: GrammarSettings
    files: FileSettings
    profile: ProfileSettings
    prompt: PromptSettings
    resolver: ResolverSettings
    tools: ToolSettings
    database: DatabaseSettings
    model: ModelSettings
    server: ServerSettings
    mcp: McpSettings
    readings: ReadingSettings
    stepwise: StepwiseSettings
    weights: WeightsSettings
    output: OutputSettings
    chart: ChartSettings
    export: ExportSettings
    chat: ChatSettings
    memory: MemorySettings
    compare: CompareSettings
    accuracy: AccuracySettings
