"""Problems of a table that are worth fixing, each with the tool that fixes it.

The tools fix_numbers, fix_dates and unify_spelling read by the same rules, so what is proposed here is what they do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal

from grammar import Column

from . import conversion, dates, sql
from .column_facts import ColumnFacts
from .column_sample import LIKE_VALUE, is_code_name
from .database import Connection, query
from .settings import ProfileSettings, Settings, SpellingSettings
from .tools.spelling import Spelling, merged
from .value_counts import Sample

Sort = Literal[
    "numbers_as_text",
    "dates_as_text",
    "numbers_unclear",
    "dates_unclear",
    "mixed_units",
    "spellings",
    "outer_blanks",
    "empty_cells",
    "blank_column",
    "constant_column",
    "duplicate_rows",
    "outliers",
]
TOOLS: Mapping[Sort, str] = {
    "numbers_as_text": "fix_numbers",
    "dates_as_text": "fix_dates",
    "mixed_units": "filter",
    "spellings": "unify_spelling",
    "empty_cells": "fill_empty",
    "blank_column": "select_columns",
    "constant_column": "select_columns",
    "duplicate_rows": "remove_duplicates",
    "outliers": "filter",
}
OPTIONS: Mapping[Sort, str] = {"numbers_unclear": "--decimal", "dates_unclear": "--dates"}

_CODE_DIGITS = 15
_KEYS = 2
_REPEATED = 2


@dataclass(frozen=True)
class Problem:
    """Something worth fixing in a column, or in the rows as a whole.

    `tool` fixes it, or `option` settles it when the file is opened. `cells` are concerned (rows for duplicate rows),
    `share` is the part of the filled cells that can be converted. `approximate` says that the numbers are estimates.
    """

    problem: Sort
    column: str | None
    cells: int
    share: float | None = None
    examples: tuple[Any, ...] = ()
    approximate: bool = False

    @property
    def tool(self) -> str | None:
        """Return the name of the tool that fixes it."""
        return TOOLS.get(self.problem)

    @property
    def option(self) -> str | None:
        """Return the option that settles it when the file is opened."""
        return OPTIONS.get(self.problem)

    def as_json(self) -> dict[str, Any]:
        """Return the problem as JSON has it."""
        return {**asdict(self), "tool": self.tool, "option": self.option}


@dataclass(frozen=True)
class Texts:
    """The different texts of a column.

    `counts` is the query for `v` and `n`, `weight` how many rows of the table one row stands for; `known` holds what
    is known of the dates and decimals of the column.
    """

    counts: str
    known: Column
    weight: float = 1.0

    @property
    def approximate(self) -> bool:
        """Return whether they come from a sample."""
        return self.weight != 1.0

    def cells(self, rows: int) -> int:
        """Return how many cells of the table so many rows stand for."""
        return round(rows * self.weight)


def cell_problems(facts: ColumnFacts, rows: int) -> Iterator[Problem]:
    """Yield what the facts of a column show: a blank or constant column, empty cells."""
    if rows and not facts.filled:
        yield Problem("blank_column", facts.column, facts.empty)
        return
    if facts.empty:
        yield Problem("empty_cells", facts.column, facts.empty)
    if rows > 1 and facts.distinct == 1 and not facts.empty:
        value = facts.frequent[0][0] if facts.frequent else None
        yield Problem("constant_column", facts.column, facts.filled, examples=() if value is None else (value,))


def text_problems(con: Connection, facts: ColumnFacts, texts: Texts, settings: Settings) -> Iterator[Problem]:
    """Yield what the texts of a column show. In a sample, only values that repeat are held against each other."""
    filled, padded, like_values = query(
        con,
        f"SELECT coalesce(sum(n), 0), coalesce(sum(n) FILTER (v <> {sql.trimmed('v')}), 0), "
        f"coalesce(sum(n) FILTER (regexp_matches(v, {sql.literal(LIKE_VALUE)})), 0) FROM ({texts.counts})",
    )[0]
    if padded:
        yield Problem("outer_blanks", facts.column, texts.cells(padded), approximate=texts.approximate)
    converted = None
    if like_values and like_values >= filled * settings.profile.convertible_share:
        converted = _conversion_problem(con, facts.column, texts, int(filled), settings.profile)
    if converted is not None:
        yield converted
    elif not texts.approximate or facts.distinct * _REPEATED <= facts.filled:
        yield from _spelling_problem(con, facts.column, texts, settings.profile, settings.tools.spelling)


def _spelling_problem(
    con: Connection, column: str, texts: Texts, settings: ProfileSettings, spelling: SpellingSettings
) -> Iterator[Problem]:
    """Yield what unify_spelling would merge; of very many values only the most frequent ones are looked at."""
    most = settings.spelling_values
    found = query(con, f"SELECT v, n FROM ({texts.counts}) ORDER BY n DESC, v ASC LIMIT {int(most) + 1}")
    spellings = [Spelling(text, rows, place) for place, (text, rows) in enumerate(found[:most])]
    kept = merged(spellings, spelling)
    if not kept:
        return
    groups: dict[str, list[Spelling]] = {name: [] for name in kept.values()}
    for each in spellings:
        name = kept.get(each.text, each.text)
        if name in groups:
            groups[name].append(each)
    moved = {name: sum(each.rows for each in group if each.text != name) for name, group in groups.items()}
    names = sorted(groups, key=lambda name: -moved[name])[: settings.examples]
    examples = tuple(
        tuple((each.text, texts.cells(each.rows)) for each in sorted(groups[name], key=lambda each: each.text != name))
        for name in names
    )
    cells = texts.cells(sum(moved.values()))
    yield Problem("spellings", column, cells, None, examples, texts.approximate or len(found) > most)


def _conversion_problem(
    con: Connection, column: str, texts: Texts, filled: int, settings: ProfileSettings
) -> Problem | None:
    """Return what keeps a column of numbers or dates from being one; None for a column of other text or of codes."""
    written = dates.facts_of(query(con, dates.date_facts_sql("v", f"({texts.counts})"))[0])
    if written.dates:
        order = texts.known.day_order
        named = None if order == "unclear" else order
        form = written.form(column, date.today(), named, None if written.slashed else named)
        unclear = form.slashed is None and written.slashed > 0
        if unclear:
            return Problem("dates_unclear", column, texts.cells(filled), None, (), texts.approximate)
        value = dates.moment_sql("v", form) if written.times else dates.date_sql("v", form)
        problem = _worth(con, column, texts, value, filled, settings, "dates_as_text")
        if problem is not None:
            return problem
    return _number_problem(con, column, texts, filled, settings)


def _number_problem(
    con: Connection, column: str, texts: Texts, filled: int, settings: ProfileSettings
) -> Problem | None:
    if is_code_name(column):
        return None
    source = f"({texts.counts})"
    written = conversion.facts_of(query(con, conversion.form_facts_sql("v", source))[0])
    form = written.form(texts.known.decimal)
    number = conversion.number_text("v", form)
    long = f"length(ltrim(split_part(number, '.', 1), '-0')) > {_CODE_DIGITS}"
    codes = query(
        con,
        f"SELECT count(*) FROM (SELECT {number} AS number FROM {source}) "
        f"WHERE {conversion.leading_zero_sql('number')} OR {long}",
    )[0][0]
    if codes:
        return None
    units = {unit: count for unit, count in written.units.items() if unit}
    if len(units) > 1:
        examples = tuple(sorted(units, key=lambda unit: (-units[unit], unit)))
        return Problem("mixed_units", column, texts.cells(filled), None, examples, texts.approximate)
    if (form.comma == "unclear" and written.comma_unclear) or (form.point == "unclear" and written.point_unclear):
        return Problem("numbers_unclear", column, texts.cells(filled), None, (), texts.approximate)
    return _worth(con, column, texts, number, filled, settings, "numbers_as_text")


def _worth(
    con: Connection, column: str, texts: Texts, value: str, filled: int, settings: ProfileSettings, problem: Sort
) -> Problem | None:
    """Return the problem if a conversion reads enough of the cells, with the most frequent texts that it does not."""
    read, unread = query(
        con,
        "SELECT coalesce(sum(n) FILTER (value IS NOT NULL), 0), list(v ORDER BY n DESC, v ASC) FILTER (value IS NULL) "
        f"FROM (SELECT v, n, {value} AS value FROM ({texts.counts}))",
    )[0]
    share = int(read) / filled
    if share < settings.convertible_share:
        return None
    examples = tuple((unread or ())[: settings.examples])
    return Problem(problem, column, texts.cells(int(read)), share, examples, texts.approximate)


def outliers(
    con: Connection, source: str, facts: Sequence[ColumnFacts], sample: Sample, settings: ProfileSettings
) -> Iterator[Problem]:
    """Yield the number columns in which a few cells lie far from the middle half of the others."""
    ranged = [each for each in facts if each.kind == "number" and each.filled]
    if not ranged:
        return
    cells = {each.column: sql.value_of(sql.name(each.column), each.type) for each in ranged}
    quarters = ", ".join(f"quantile_cont(CAST({cell} AS DOUBLE), [0.25, 0.75])" for cell in cells.values())
    halves = query(con, f"SELECT {quarters} FROM {sample.source}")[0]
    for each, half in zip(ranged, halves, strict=True):
        if half is None or half[0] == half[1]:
            continue
        reach = (half[1] - half[0]) * settings.outlier_spread
        low, high = half[0] - reach, half[1] + reach
        examples = tuple(value for value in (each.low, each.high) if not low <= value <= high)
        if not examples:
            continue
        inside = f"CAST({cells[each.column]} AS DOUBLE) BETWEEN {sql.literal(low)} AND {sql.literal(high)}"
        far = each.filled - int(query(con, f"SELECT count(*) FROM {source} WHERE {inside}")[0][0])
        if 0 < far <= max(1, each.filled * settings.outlier_share):
            yield Problem("outliers", each.column, far, None, examples)


def duplicates(
    con: Connection,
    source: str,
    columns: Sequence[ColumnFacts],
    sample: Sample,
    settings: ProfileSettings,
) -> Iterator[Problem]:
    """Yield whether rows stand in the table several times: all of them compared, or of a large table a part.

    The part is what a hash of the column with the most different values picks, so that equal rows stay together.
    """
    if not columns:
        return
    part = 1
    if not sample.whole:
        part = max(1, (columns[0].filled + columns[0].empty) // settings.sample_rows)
        keys = sorted(columns, key=lambda facts: -facts.distinct)[:_KEYS]
        picked = f"hash({sql.name(keys[0].column)}) % {part} = 0"
        if not _repeated(con, source, keys, picked):
            return
        source = f"(SELECT * FROM {source} WHERE {picked})"
    more = _repeated(con, source, columns, "TRUE")
    if more:
        yield Problem("duplicate_rows", None, more * part, approximate=part > 1)


def _repeated(con: Connection, source: str, columns: Sequence[ColumnFacts], condition: str) -> int:
    """Return how many rows are the same in these columns as an earlier one; empty cells are the same."""
    values = ", ".join(sql.value_of(sql.name(each.column), each.type) for each in columns)
    grouped = f"SELECT count(*) AS n FROM {source} WHERE {condition} GROUP BY {values} HAVING count(*) > 1"
    return int(query(con, f"SELECT coalesce(sum(n - 1), 0) FROM ({grouped})")[0][0])
