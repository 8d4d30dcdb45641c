"""Tez as a library: open tables, ask, run plans. Nothing is printed, and errors are raised, said in words."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeAlias, TypedDict, Unpack

from prompt.language import LANGUAGES
from prompt.words import Language, screen_text

from .answer import Answer, Lend, Opened, Plan
from .conversation import Conversation
from .library_error import LibraryError
from .load_options import COLUMN_KINDS, DATE_ORDERS, MARKS, ColumnKind, DateOrder, LoadOptions, Mark
from .notebook import line_html, list_html, page
from .report_text import report_lines
from .served import LocalOrServed
from .session import open_workspace
from .settings import Settings, as_settings, load_settings
from .shared_model import shared_models
from .told import told_in
from .toolset import Toolset, load_tools

Files: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]]
"""A file or a folder, or several."""


class Options(TypedDict, total=False):
    """What `open` takes by name; see there."""

    domain: str | PathLike[str] | None
    language: Language | None
    settings: str | PathLike[str] | Mapping[str, Any] | Settings | None
    model: str | PathLike[str] | LocalOrServed | None
    adapter: str | PathLike[str] | None
    tools: Files | Toolset | None
    sheet: str | None
    encoding: str | None
    delimiter: str | None
    header: int | tuple[int, int] | None
    decimal: Mark | None
    dates: DateOrder | None
    types: Mapping[str, ColumnKind] | None
    keep_totals: bool


def open(files: Files, **options: Unpack[Options]) -> "Tables":
    """Open files as tables: CSV, TSV, JSON, Excel, ODS, Parquet, SQLite, DuckDB, or a folder of such files.

    `domain` names the words of a business (a name or a folder); by default it is found by the columns. `language` is
    that of all texts (uz, ru, en); by default each answer has that of its request. `settings` overrides single keys:
    a JSON file or a mapping of its form. `model` is the path of a GGUF file, or an object that is asked in its place;
    by default the default weights; `adapter` is a LoRA adapter for it. `tools` are files with tools of your own, or
    what `load_tools` made of them. The others settle how files are read, as on the
    command line: `sheet`, `encoding`, `delimiter`, `header` (a line, the first and the last one, or 0 for none),
    `decimal`, `dates`, `types`, `keep_totals`.

    Raises LibraryError for an option that is wrong, SettingsError, FileError, DatabaseError, DomainError, ContextError,
    OwnToolError.
    """
    language = options.get("language")
    with told_in(language if language in LANGUAGES else "en", None):
        _check("language", language, LANGUAGES)
        settings = _settings(options)
        known = _load_options(options)
    with told_in(language or settings.language, settings.output.shown_options):
        paths = _paths(files)
        if not paths:
            raise LibraryError("no_files")
        domain = options.get("domain")
        named = None if domain is None else fspath(domain)
        tools = _tools(options.get("tools"), settings)
        workspace = open_workspace(paths, settings, named, known, options.get("sheet"), tools=tools)
    return Tables(Opened(workspace, _lender(settings, options.get("model")), language))


def ask(files: Files, request: str, **options: Unpack[Options]) -> Answer:
    """Open files and answer a request about them; options as in `open`, errors as there and in `Tables.ask`."""
    return open(files, **options).ask(request)


def run(files: Files, plan: Plan, **options: Unpack[Options]) -> Answer:
    """Open files and run a plan on them, without a model; options as in `open`, errors as there and in `Tables.run`."""
    return open(files, **options).run(plan)


class Tables:
    """Opened tables, made by `open`. A context manager; what was answered stays readable after its end.

    May be used from several threads: plans run side by side, requests wait for the one model.
    """

    def __init__(self, opened: Opened) -> None:
        self._still: Opened | None = opened
        self._language: Language = opened.language or opened.workspace.settings.language

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the tables go; their memory is free when the last answer is closed or forgotten, too."""
        self._still = None

    def ask(self, request: str) -> Answer:
        """Answer a request: with a plan that was run, or with a question.

        The model is loaded at the first request, once for all tables of the program with the same settings. A plan that
        cannot run goes back to the model once. Raises RequestError, ModelError, ToolError, RepairError, DatabaseError.
        """
        return self._opened.ask(Conversation(), request)

    def run(self, plan: Plan, request: str | None = None) -> Answer:
        """Run a plan, without a model; `request` is what a follow-up is told it answered. Raises ToolError."""
        return self._opened.run(Conversation(), plan, request)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the tables."""
        return tuple(table.name for table in self._opened.workspace.tables)

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """Return for each table the kinds of its columns by their names."""
        states = self._opened.workspace.scene.tables
        return {state.name: {column.name: column.kind for column in state.columns} for state in states}

    @property
    def row_counts(self) -> dict[str, int]:
        """Return for each table the number of its rows."""
        return {table.name: table.rows for table in self._opened.workspace.tables}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is worth knowing of how the files were read."""
        tables = self._opened.workspace.tables
        return tuple(f"{table.name}: {line}" for table in tables for line in report_lines(table.report, self._language))

    @property
    def domain(self) -> str | None:
        """Return the name of the domain whose words are used; None without one."""
        return self._opened.workspace.domain.name

    def __repr__(self) -> str:
        return "\n".join(["(closed)"] if self._still is None else self._lines())

    def _repr_html_(self) -> str:
        if self._still is None:
            return page(line_html("(closed)", "count"))
        return page(*(line_html(line, "table") for line in self._lines()), list_html(self.notes))

    def _lines(self) -> list[str]:
        columns = self.columns
        return [
            screen_text("opened", self._language, table=name, rows=rows, columns=len(columns[name]))
            for name, rows in self.row_counts.items()
        ]

    @property
    def _opened(self) -> Opened:
        """Return what is open; LibraryError `closed` after the end."""
        with told_in(self._language, None):
            if self._still is None:
                raise LibraryError("closed")
            return self._still


def _lender(settings: Settings, model: str | PathLike[str] | LocalOrServed | None) -> Lend:
    """Return what lends the model: the one that the program shares, or the object that was given, to one at a time."""
    if model is None or isinstance(model, str | PathLike):
        return lambda: shared_models().use(settings)
    given, lock = model, Lock()

    @contextmanager
    def lend() -> Iterator[LocalOrServed]:
        with lock:
            yield given

    return lend


def _paths(files: Files) -> list[Path]:
    return [Path(path) for path in ([files] if isinstance(files, str | PathLike) else files)]


def _tools(tools: Files | Toolset | None, settings: Settings) -> Toolset:
    return tools if isinstance(tools, Toolset) else load_tools(_paths(tools or ()), settings.tools)


def _settings(options: Options) -> Settings:
    given = options.get("settings")
    if isinstance(given, Settings):
        settings = given
    elif given is None or isinstance(given, Mapping):
        settings = load_settings(given)
    elif isinstance(given, str | PathLike):
        settings = load_settings(Path(given))
    else:
        settings = as_settings(given)
    path, adapter, model = options.get("model"), options.get("adapter"), settings.model
    if isinstance(path, str | PathLike):
        model = replace(model, path=fspath(path))
    if adapter is not None:
        model = replace(model, adapter=fspath(adapter))
    return replace(settings, model=model)


def _load_options(options: Options) -> LoadOptions:
    """Return the options of loading; LibraryError `wrong_option` for a value that cannot be."""
    header, types, delimiter = options.get("header"), options.get("types") or {}, options.get("delimiter")
    lines = header if isinstance(header, tuple) else (header, None if header is None else header)
    _check("decimal", options.get("decimal"), MARKS)
    _check("dates", options.get("dates"), DATE_ORDERS)
    for column, kind in types.items():
        _check(f"types: {column}", kind, COLUMN_KINDS)
    _hold(
        "delimiter", delimiter, ["';'"], lambda text: isinstance(text, str) and len(text) == 1 and text not in '"\r\n'
    )
    _hold("header", header, ["3", "(3, 4)", "0"], lambda _: _are_lines(lines))
    return LoadOptions(
        encoding=options.get("encoding"),
        delimiter=delimiter,
        header=lines[0],
        header_to=lines[1],
        decimal=options.get("decimal"),
        dates=options.get("dates"),
        types=types,
        keep_totals=options.get("keep_totals", False),
    )


def _are_lines(lines: tuple[Any, ...]) -> bool:
    whole = len(lines) == 2 and all(isinstance(line, int) and not isinstance(line, bool) for line in lines)
    return whole and lines[0] >= 0 and lines[1] - lines[0] in (0, 1) and (lines[0] > 0 or not lines[1])


def _check(option: str, found: Any, allowed: Collection[str]) -> None:
    _hold(option, found, list(allowed), lambda value: value in allowed)


def _hold(option: str, found: Any, allowed: list[str], holds: Callable[[Any], bool]) -> None:
    if found is not None and not holds(found):
        raise LibraryError("wrong_option", option=option, found=str(found), allowed=allowed)
