"""The profile in words: a table with a row a column, and a sentence for each problem."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from grammar.state import Kind
from prompt.glossary import Entry
from prompt.words import Language, number_text, screen_text

from .column_facts import ColumnFacts
from .files import OpenedTable
from .problems import Problem
from .profile import Profile

_COLUMNS: Mapping[str, Kind] = {
    "column": "text",
    "kind": "text",
    "empty": "number",
    "distinct": "number",
    "min": "number",
    "max": "number",
    "mean": "number",
    "frequent": "text",
}
_MEANING = "meaning"
_TOGETHER = ("empty_cells", "blank_column", "constant_column")
_DECIMALS = 2


def profile_rows(
    profile: Profile, meanings: Mapping[str, Entry], language: Language
) -> tuple[list[str], list[Kind], list[tuple[Any, ...]]]:
    """Return headings, kinds and cells of the table that says what each column holds."""
    keys = [*_COLUMNS, _MEANING] if meanings else list(_COLUMNS)
    kinds: list[Kind] = [_COLUMNS.get(key, "text") for key in keys]
    rows = []
    for facts in profile.columns:
        cells = _cells(facts, language)
        if meanings:
            entry = meanings.get(facts.column)
            cells = (*cells, " / ".join(entry.phrases) if entry else None)
        rows.append(cells)
    return [screen_text(key, language) for key in keys], kinds, rows


def table_json(table: OpenedTable, found: Profile, meanings: Mapping[str, Entry]) -> dict[str, Any]:
    """Return all that is known of an opened table, as JSON has it."""
    columns = []
    for facts in found.columns:
        entry = meanings.get(facts.column)
        meaning = None if entry is None else {"phrases": list(entry.phrases), "meaning": entry.meaning}
        columns.append({**facts.as_json(), "meaning": meaning})
    return {
        "name": table.name,
        "path": str(table.path),
        "rows": table.rows,
        "labels": table.labels,
        "notes": table.notes,
        "columns": columns,
        "problems": [problem.as_json() for problem in found.problems],
        "report": table.report.as_json(),
    }


def is_estimated(profile: Profile) -> bool:
    """Return whether anything of a profile is an estimate."""
    return any(facts.approximate for facts in profile.columns) or any(each.approximate for each in profile.problems)


def problem_lines(problems: Sequence[Problem], language: Language) -> list[str]:
    """Return a sentence for each problem; those that only name columns are said together."""
    lines = []
    for sort, group in groupby(sorted(problems, key=_order), key=lambda each: each.problem):
        alike = list(group)
        if sort in _TOGETHER:
            columns = ", ".join(_column_text(each, language) for each in alike)
            lines.append(screen_text(f"problem_{sort}", language, columns=columns, tool=alike[0].tool))
        else:
            lines += [_line(each, language) for each in alike]
    return lines


def _order(problem: Problem) -> tuple[int, str]:
    return (problem.problem in _TOGETHER, problem.problem)


def _cells(facts: ColumnFacts, language: Language) -> tuple[Any, ...]:
    low, high = facts.low, facts.high
    if facts.kind == "text" and facts.shortest is not None:
        low, high = (screen_text("letters", language, count=count) for count in (facts.shortest, facts.longest))
    frequent = ", ".join(
        f"{_value_text(value, language)} ({_count_text(rows, 'frequent' in facts.approximate, language)})"
        for value, rows in facts.frequent
    )
    distinct: Any = facts.distinct
    if "distinct" in facts.approximate:
        distinct = _count_text(facts.distinct, True, language)
    kind = screen_text(facts.kind, language)
    return (facts.column, kind, facts.empty, distinct, low, high, _rounded(facts.mean), frequent)


def _rounded(mean: float | None) -> float | None:
    """Return a mean as a person reads it; a small one keeps its first figures."""
    if mean is None or abs(mean) >= 1:
        return None if mean is None else round(mean, _DECIMALS)
    return float(f"{mean:.{_DECIMALS}g}")


def _value_text(value: Any, language: Language) -> str:
    if isinstance(value, bool):
        return screen_text("yes" if value else "no", language)
    return _number_text(value, language) if isinstance(value, int | float | Decimal) else str(value)


def _count_text(count: int, approximate: bool, language: Language) -> str:
    text = _number_text(count, language)
    return screen_text("about", language, text=text) if approximate else text


def _number_text(number: float | Decimal, language: Language) -> str:
    """Return a number as it stands amid text, with plain blanks."""
    return " ".join(number_text(number, language).split())


def _column_text(problem: Problem, language: Language) -> str:
    value = problem.examples[0] if problem.examples else None
    if problem.problem == "empty_cells":
        value = problem.cells
    return f"{problem.column}" if value is None else f"{problem.column} ({_value_text(value, language)})"


def _line(problem: Problem, language: Language) -> str:
    examples: Any = list(problem.examples)
    if problem.problem == "spellings":
        examples = "; ".join(_spellings_text(each, problem.approximate, language) for each in examples)
    return screen_text(
        f"problem_{problem.problem}",
        language,
        column=problem.column,
        cells=problem.cells,
        share=None if problem.share is None else int(problem.share * 100),
        examples=examples,
        tool=problem.tool,
        option=problem.option,
        about="≈" if problem.approximate else None,
    )


def _spellings_text(spellings: Sequence[tuple[str, int]], approximate: bool, language: Language) -> str:
    return " / ".join(f"{text} ({_count_text(rows, approximate, language)})" for text, rows in spellings)
