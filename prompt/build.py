"""The prompt: what the model reads, from what never changes to what always does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any, Protocol

from grammar.contracts import Contract, by_name, table_argument
from grammar.state import Column, Limits, Scene, TableState

from .answers import answer_text, quoted, row_text
from .context import ContextError, load_context
from .glossary import entries
from .resolve import Link
from .samples import fitting, most_alike
from .signature import tool_lines
from .wordfiles import text_file

__all__ = [
    "ContextError",
    "Prompt",
    "PromptSettings",
    "build_prompt",
    "cut_to",
    "load_context",
    "relevant_columns",
    "tool_lines",
]


_SHARED_PARTS = ("instructions", "tables")


class PromptSettings(Protocol):
    """What the prompt needs of the settings."""

    @property
    def shown_values(self) -> int:
        """So many values of a column are shown."""

    @property
    def matched_values(self) -> int:
        """At most so many values are linked to one phrase."""

    @property
    def examples(self) -> int:
        """At most so many examples are shown."""

    @property
    def columns(self) -> int:
        """A table with more columns is cut to so many."""

    @property
    def request_length(self) -> int:
        """A longer request is cut to so many characters."""

    @property
    def history(self) -> int:
        """So many earlier requests are shown."""

    @property
    def parts(self) -> Sequence[str]:
        """The parts that the prompt has; a model that was tuned on shorter prompts needs fewer."""


@dataclass(frozen=True)
class Prompt:
    """A prompt: its parts by name, in their order, and what the caller should tell the user about it.

    The text ends where the model goes on with the JSON of its answer. `notes` have the form of evidence items.
    """

    parts: tuple[tuple[str, str], ...]
    notes: tuple[Mapping[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """The whole prompt."""
        return "".join(text for _, text in self.parts)

    @property
    def shared(self) -> tuple[int, ...]:
        """The lengths of the beginnings that other prompts have too: the tools; the tools with domain and tables."""
        lengths = list(accumulate(len(text) for _, text in self.parts))
        ends = dict(zip((name for name, _ in self.parts), lengths, strict=True))
        return tuple(ends[name] for name in _SHARED_PARTS if name in ends)


def build_prompt(
    contracts: Sequence[Contract],
    scene: Scene,
    context: Mapping[str, Any],
    request: str,
    links: Sequence[Link],
    history: Sequence[Mapping[str, Any]],
    settings: PromptSettings,
    *,
    failed: Mapping[str, Any] | None = None,
    made: Mapping[str, Any] | None = None,
) -> Prompt:
    """Write the prompt for a request.

    `context` is what `load_context` returns; `links` what the resolver found in the request; `history` the
    earlier requests of the conversation with their answers, `{"request", "answer"}` each, oldest first. `failed` is a
    plan for this request that could not run, `{"answer", "error"}`; the answer is a text where it was no plan. `made`
    is the table that the steps written so far have made, where an answer is written step by step: `{"columns", "rows",
    "row_count"}`, with its first rows.
    As long as all examples that hold for the tables may be shown, they stand in the part that is the same for
    every request over these tables; of more than that, those nearest to the request stand behind the tables. After
    those come the `accepted` examples of the context, chosen for this request by the caller.
    """
    tools = by_name(contracts)
    tables = tuple(cut_to(state, relevant_columns(state, links, settings.columns)) for state in scene.tables)
    samples = fitting(context.get("examples", ()), tools, tables)
    all_fit = len(samples) <= settings.examples
    chosen = [] if all_fit else most_alike(samples, request, settings.examples)
    limits = scene.tables[0].limits

    def turns(pairs: Iterable[Mapping[str, Any]]) -> str:
        return "".join(
            text_file("turn").substitute(
                request=quoted(pair["request"][: settings.request_length]),
                answer=answer_text(pair["answer"], tools, limits),
            )
            for pair in pairs
        )

    recent = history[len(history) - settings.history :] if len(history) > settings.history else history
    parts: tuple[tuple[str, str], ...] = (
        ("instructions", _instructions(contracts, scene)),
        ("domain", _glossary(context.get("glossary", {}), tables) + _samples(turns(samples) if all_fit else "")),
        ("tables", _tables(scene.tables, tables, context.get("tables", {}), settings)),
        ("examples", _samples(turns([*chosen, *fitting(context.get("accepted", ()), tools, tables)]))),
        ("conversation", _part("conversation", turns=turns(recent)) if recent else ""),
        ("result", _result(scene, links, settings)),
        ("found", _found(links, several=len(scene.tables) > 1)),
        ("failed", _failed(failed, tools, limits, settings)),
        ("made", _made(made)),
        ("request", text_file("request").substitute(request=quoted(request[: settings.request_length]))),
    )
    parts = tuple((name, text) for name, text in parts if name in settings.parts)
    notes: list[Mapping[str, Any]] = []
    if len(request) > settings.request_length:
        notes.append({"note": "request_cut", "characters": len(request), "kept": settings.request_length})
    return Prompt(parts, tuple(notes))


def relevant_columns(state: TableState, links: Sequence[Link], limit: int) -> tuple[str, ...]:
    """Return the names of the columns that a request can mean, in the table's order; all if at most `limit`.

    Of a wider table: the columns that the resolver found, the surest first, then what the rows are grouped by, then
    the table's first columns.
    """
    names = [column.name for column in state.offered()]
    seen = tuple(column.name for column in state.columns if not column.hidden)
    if len(seen) <= limit:
        return seen
    known = set(names)
    found = sorted((link for link in links if link.column in known), key=lambda link: -link.score)
    own = [link.column for link in found if link.column is not None and link.table == state.name]
    others = [link.column for link in found if link.column is not None]
    kept = set(list(dict.fromkeys([*own, *others, *state.groups, *names]))[:limit])
    return tuple(name for name in names if name in kept)


def cut_to(state: TableState, names: Iterable[str]) -> TableState:
    """Return the state that offers only these columns; the others stay in it, so that names made by tools hold."""
    kept = set(names)
    hidden = (column.hidden or column.name not in kept for column in state.columns)
    columns = (replace(column, hidden=each) for column, each in zip(state.columns, hidden, strict=True))
    return replace(state, columns=tuple(columns))


def _instructions(contracts: Sequence[Contract], scene: Scene) -> str:
    """Return the instructions with the lines of the tools: with one table open, without those that read another."""
    if len(scene.tables) == 1:
        contracts = [contract for contract in contracts if table_argument(contract) is None]
    limits = scene.tables[0].limits
    if not contracts:
        kinds = "which_column, which_value" + (", which_table" if len(scene.tables) > 1 else "") + ", not_in_table"
        return _part("question_only", options=str(limits.question_options), kinds=kinds)
    tools = {contract["name"] for contract in contracts}
    hints = [line.partition(": ") for line in text_file("hints").template.splitlines()]
    return _part(
        "instructions",
        max_steps=str(limits.max_steps),
        options=str(limits.question_options),
        hints="\n".join(f"- {hint}" for tool, _, hint in hints if tool in tools),
        tools=tool_lines(contracts),
    )


def _glossary(glossary: Mapping[str, str], tables: Sequence[TableState]) -> str:
    """Return the glossary without the entries for values: the resolver says which of those the request names."""
    lines = [
        f"- {quoted(entry.key)}: {quoted(entry.meaning)}"
        for entry in entries(glossary, tables)
        if not entry.targets or any(target.value is None for target in entry.targets)
    ]
    return _part("glossary", entries="\n".join(lines)) if lines else ""


def _samples(turns: str) -> str:
    return _part("samples", samples=turns.removesuffix("\n")) if turns else ""


def _tables(
    whole: Sequence[TableState], cut: Sequence[TableState], descriptions: Mapping[str, str], settings: PromptSettings
) -> str:
    texts = []
    for state, shown in zip(whole, cut, strict=True):
        about = f" ({quoted(descriptions[state.name])})" if state.name in descriptions else ""
        count = sum(column.kind != "other" for column in state.columns)
        kept = len(list(shown.offered()))
        columns = f"{count} column" if count == 1 else f"{count} columns"
        if kept < count:
            about += f", {kept} of them shown"
        lines = _column_lines(shown.offered(), settings)
        texts.append(_part("table", name=quoted(state.name), columns=columns, about=about, lines=lines))
    return "".join(texts) + (_part("tables") if len(whole) > 1 else "")


def _column_lines(columns: Iterable[Column], settings: PromptSettings) -> str:
    return "\n".join(_column_line(column, settings) for column in columns)


def _column_line(column: Column, settings: PromptSettings) -> str:
    line = f"- {quoted(column.name)} {column.kind}"
    if column.label and column.label != column.name:
        line += f", called {quoted(column.label)}"
    if column.day_order == "unclear":
        line += ", day and month unclear"
    if column.values:
        shown = column.values[: settings.shown_values]
        line += ": " + ", ".join(quoted(value) for value in shown)
        if len(shown) < len(column.values):
            line += f", ... ({len(column.values)} values)"
    return line


def _result(scene: Scene, links: Sequence[Link], settings: PromptSettings) -> str:
    if scene.result is None:
        return ""
    shown = cut_to(scene.result, relevant_columns(scene.result, links, settings.columns))
    groups = ", ".join(quoted(name) for name in scene.result.groups)
    return _part(
        "result",
        table='"table":NAME,' if len(scene.tables) > 1 else "",
        groups=f", already grouped by {groups}," if groups else "",
        lines=_column_lines(shown.offered(), settings),
    )


def _found(links: Sequence[Link], *, several: bool) -> str:
    lines = []
    for phrase, same in groupby(links, key=lambda link: link.phrase):
        senses = dict.fromkeys(_sense(link, several=several) for link in same)
        lines.append(f"- {quoted(phrase)}: {' or '.join(senses)}")
    return _part("found", lines="\n".join(lines)) if lines else ""


def _sense(link: Link, *, several: bool) -> str:
    if link.column is None:
        return quoted(link.value or "")
    table = f"table {quoted(link.table)}, " if several and link.table is not None else ""
    value = f" = {quoted(link.value)}" if link.kind == "value" and link.value is not None else ""
    return f"{table}column {quoted(link.column)}{value}"


def _failed(
    failed: Mapping[str, Any] | None, tools: Mapping[str, Contract], limits: Limits, settings: PromptSettings
) -> str:
    if failed is None:
        return ""
    error = quoted(failed["error"][: settings.request_length])
    answer = failed["answer"]
    plan = quoted(answer) if isinstance(answer, str) else answer_text(answer, tools, limits)
    return _part("failed", plan=plan, error=error)


def _made(made: Mapping[str, Any] | None) -> str:
    if made is None:
        return ""
    rows = f"{made['row_count']} row" if made["row_count"] == 1 else f"{made['row_count']} rows"
    return _part("made", rows=rows, lines="\n".join(row_text(row) for row in (made["columns"], *made["rows"])))


def _part(part: str, /, **facts: str) -> str:
    return text_file(part).substitute(**facts)
