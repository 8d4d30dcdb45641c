"""The types of the columns of a text file, each on the evidence of all its values.

Plain forms settle most columns with one look. A column that holds something like numbers, dates or yes and no in other
forms is looked at again; it gets a type only where every filled cell can be read or is a word for nothing. Otherwise
it stays text, and the report says what part could be converted or which option settles it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

from grammar import DecimalMark

from . import conversion, dates, sql
from .column_sample import YES_NO, Sample, is_code_name, sampled
from .conversion import FormFacts, NumberForm
from .database import Connection, kind_of, query
from .dates import DateFacts, DateForm
from .load_options import ColumnKind, LoadOptions
from .load_report import ColumnReport
from .named_columns import named_kinds
from .quick_forms import QuickForm

_WHOLE_NUMBER = r"-?(0|[1-9]\d{0,14})"
_NUMBER = rf"{_WHOLE_NUMBER}(\.\d{{1,20}})?"
_DATE = r"(19\d{2}|20\d{2})-\d{2}-\d{2}"
_TIMESTAMP = rf"{_DATE}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,6}})?)?"
_WHOLE_DIGITS = 15

# The types that a text column may get by its plain form, the most special first, and what of a sample may be of it.
_TYPES = (
    ("BOOLEAN", r"(?i)(true|false)", "words"),
    ("BIGINT", _WHOLE_NUMBER, "numbers"),
    ("DOUBLE", _NUMBER, "numbers"),
    ("DATE", _DATE, "dates"),
    ("TIMESTAMP", rf"{_DATE}|{_TIMESTAMP}", "dates"),
)
_LEADING_ZERO = r"0\d+"
MIXED_UNITS = "mixed_units"
_CODE_FORM = "code"
_COMMA_FORM = "decimal_comma"
_BY_HAND: Mapping[ColumnKind, str] = {"number": "DOUBLE", "date": "DATE", "text": "VARCHAR", "boolean": "BOOLEAN"}


@dataclass(frozen=True)
class _Look:
    """What a second look at a column found: how numbers and dates are written, and how many cells are what.

    Of the `missing` cells, `not_finite` hold what programs write for a number that is none.
    """

    filled: int
    numbers: FormFacts
    dates: DateFacts
    missing: int
    not_finite: int
    yes_no: tuple[str, str] | None


@dataclass(frozen=True)
class Typed:
    """A column: the SQL that makes it from what it is in the table, and what is reported of it."""

    expression: str
    report: ColumnReport

    @property
    def value(self) -> str:
        """The SQL of the value alone, without the name of the column."""
        return self.expression.removesuffix(f" AS {sql.name(self.report.column)}")


def typed(
    con: Connection,
    raw: str,
    columns: Sequence[str],
    options: LoadOptions,
    today: date,
    forms: Mapping[str, QuickForm] = MappingProxyType({}),
) -> list[Typed]:
    """Return each text column of the table `raw` as the type that its values show or that a person named.

    Columns with a quick form have their type already. Each other one is asked for alone: one statement about hundreds
    of them takes DuckDB many times as long to plan. FileError if a name in `options.types` fits several columns.
    """
    named = named_kinds(options.types, columns)
    settled: dict[str, Typed] = {}
    looks: dict[str, _Look] = {}
    samples = sampled(con, raw, [column for column in columns if column not in forms])
    filled = query(con, f"SELECT {', '.join(f'count({sql.name(column)})' for column in columns)} FROM {raw}")[0]
    for column, cells in zip(columns, filled, strict=True):
        if column in forms:
            settled[column] = Typed(sql.name(column), forms[column].report(column, cells))
            continue
        sample, kind = samples[column], named.get(column)
        if sample.text and not sample.mixed and kind is None:
            settled[column] = Typed(sql.name(column), ColumnReport(column, "text", "VARCHAR", (), cells))
            continue
        first = cells if sample.text and kind is None else _first_look(con, raw, column, kind, sample)
        if isinstance(first, Typed):
            settled[column] = first
        else:
            looks[column] = _second_look(con, raw, column, first, sample, forced=kind is not None)
    days = [look.dates for look in looks.values()]
    marks: list[DecimalMark | None] = [form.mark for form in forms.values()]
    marks += ["." for name, column in settled.items() if name not in forms and column.report.type == "DOUBLE"]
    mark = conversion.sisters_mark([look.numbers for look in looks.values()], marks)
    for column, look in looks.items():
        sisters = dates.sisters_order(look.dates, days)
        form = look.dates.form(column, today, options.dates, options.dates, sisters)
        settled[column] = _decided(con, raw, column, look, named.get(column), options, form, mark)
    return [settled[column] for column in columns]


def _first_look(con: Connection, raw: str, column: str, kind: ColumnKind | None, sample: Sample) -> Typed | int:
    """Return the column if plain forms settle it, else how many cells are filled."""
    cell = sql.name(column)
    if kind == "text" or (kind is None and (sample.codes or is_code_name(column))):
        used = (_CODE_FORM,) if kind is None and sample.numbers else ()
        filled = query(con, f"SELECT count(nullif({sql.trimmed(cell)}, '')) FROM {raw}")[0][0]
        return Typed(cell, ColumnReport(column, "text", "VARCHAR", used, filled))
    types = [each for each in _TYPES if getattr(sample, each[2]) or not (sample.numbers or sample.dates)]
    counts = [f"count({cell})", "count(*) FILTER (padded)"]
    counts.append(f"count(*) FILTER (regexp_full_match({cell}, {sql.literal(_LEADING_ZERO)}))")
    for duckdb_type, form, _ in types:
        fits = f"regexp_full_match({cell}, {sql.literal(form)})"
        if duckdb_type in sql.DAYS_AND_TIMES:
            fits += f" AND TRY_CAST({cell} AS {duckdb_type}) IS NOT NULL"
        counts.append(f"count(*) FILTER ({fits})")
    trimmed = sql.trimmed(cell)
    cells = f"SELECT nullif({trimmed}, '') AS {cell}, {cell} <> {trimmed} AS padded FROM {raw}"
    filled, padded, codes, *fitting = query(con, f"SELECT {', '.join(counts)} FROM ({cells})")[0]
    if kind is None and codes:
        used = (_CODE_FORM,) if sample.numbers else ()
        return Typed(cell, ColumnReport(column, "text", "VARCHAR", used, filled))
    if kind is not None:
        return int(filled)
    for (duckdb_type, _, _), count in zip(types, fitting, strict=True):
        if filled and count == filled:
            if (duckdb_type == "BIGINT" and dates.is_day(column)) or (
                duckdb_type == "DOUBLE" and not _has_sure_points(con, raw, trimmed)
            ):
                return int(filled)
            text = trimmed if padded else cell
            report = ColumnReport(column, kind_of(duckdb_type), duckdb_type, (), filled, filled)
            return Typed(f"TRY_CAST({text} AS {duckdb_type}) AS {cell}", report)
    return int(filled) if filled else Typed(cell, ColumnReport(column, "text", "VARCHAR", (), 0))


def _has_sure_points(con: Connection, raw: str, text: str) -> bool:
    """Return whether a column of plain numbers shows that its points stand before decimals, not between thousands."""
    return bool(query(con, f"SELECT 1 FROM {raw} WHERE {conversion.without_doubt_sql(text)} LIMIT 1"))


def _second_look(con: Connection, raw: str, column: str, filled: int, sample: Sample, *, forced: bool) -> _Look:
    """Return what a column holds; what its first cells rule out is not looked for."""
    cell = sql.name(column)
    numbers, days = conversion.NO_NUMBERS, dates.NO_DATES
    if sample.numbers or forced or not sample.dates:
        numbers = conversion.facts_of(query(con, conversion.form_facts_sql(cell, raw))[0])
    if sample.dates or forced or dates.is_day(column):
        days = dates.facts_of(query(con, dates.date_facts_sql(cell, raw))[0])
    if sample.text and not forced:
        return _Look(filled, numbers, days, 0, 0, None)
    words = [word for pair in YES_NO for word in pair]
    nothing = (conversion.MISSING, conversion.NO_FINITE_NUMBER)
    counts = [f"count(*) FILTER ({conversion.missing_sql('form', words)})" for words in nothing]
    counts += [f"count(*) FILTER (form = {sql.literal(word)})" for word in words]
    forms = f"SELECT {sql.folded(sql.trimmed(cell))} AS form FROM {raw}"
    missing, not_finite, *found = query(con, f"SELECT {', '.join(counts)} FROM ({forms})")[0]
    pairs = [(pair, found[2 * place], found[2 * place + 1]) for place, pair in enumerate(YES_NO)]
    yes_no = next((pair for pair, yes, no in pairs if yes and no and yes + no == filled), None)
    return _Look(filled, numbers, days, int(missing), int(not_finite), yes_no)


def _decided(
    con: Connection,
    raw: str,
    column: str,
    look: _Look,
    kind: ColumnKind | None,
    options: LoadOptions,
    day_form: DateForm,
    mark: DecimalMark | None,
) -> Typed:
    cell = sql.name(column)
    if (look.yes_no and kind is None) or kind == "boolean":
        return _boolean(con, raw, column, look)
    serials = look.dates.serials
    if kind == "date" or (kind is None and (look.dates.dates or (day_form.serials and serials > look.missing))):
        found = _as_dates(con, raw, column, look, day_form, forced=kind == "date")
        if found is not None and found.report.type != "VARCHAR":
            return found
        if found is not None and (kind == "date" or (look.dates.dates + day_form.serials * serials) * 2 >= look.filled):
            return _with_day_order(found, look, day_form)
    number_form = look.numbers.form(options.decimal, mark)
    found = _as_numbers(con, raw, column, look, number_form, forced=kind == "number")
    found = found or Typed(cell, ColumnReport(column, "text", "VARCHAR", (), look.filled))
    if found.report.type == "VARCHAR" and look.numbers.mark() is None:
        found = replace(found, report=replace(found.report, decimal=mark))
    return _with_day_order(found, look, day_form)


def _with_day_order(typed: Typed, look: _Look, form: DateForm) -> Typed:
    """Return the column, one that stays text with the order of the days and months in it."""
    if typed.report.type != "VARCHAR" or not look.dates.slashed:
        return typed
    return replace(typed, report=replace(typed.report, day_order=form.slashed or "unclear"))


def _boolean(con: Connection, raw: str, column: str, look: _Look) -> Typed:
    cell = sql.name(column)
    form = sql.folded(sql.trimmed(cell))
    yes = sql.any_of(form, ["true", "1", *(pair[0] for pair in YES_NO)])
    no = sql.any_of(form, ["false", "0", *(pair[1] for pair in YES_NO)])
    value = f"(CASE WHEN {yes} THEN TRUE WHEN {no} THEN FALSE END)"
    converted = query(con, f"SELECT count({value}) FROM {raw}")[0][0]
    report = ColumnReport(
        column, "boolean", "BOOLEAN", look.yes_no or (), look.filled, converted, 0, look.filled - converted
    )
    return Typed(f"{value} AS {cell}", report)


def _as_dates(con: Connection, raw: str, column: str, look: _Look, form: DateForm, *, forced: bool) -> Typed | None:
    """Return the column as dates or times if all its cells are, as text with a report if some are."""
    cell = sql.name(column)
    timed = look.dates.times > 0
    value = dates.moment_sql(cell, form) if timed else dates.date_sql(cell, form)
    values = dates.values_sql(cell, raw, form, timed=timed)
    converted = query(con, f"SELECT count(value) FROM ({values})")[0][0]
    ways = {
        "iso": look.dates.iso,
        form.slashed or "day_or_month": look.dates.slashed,
        f"{form.pointed}.": look.dates.pointed,
        "month_name": look.dates.named,
        "serial": look.dates.serials if form.serials else 0,
    }
    used = tuple(f"{way} {count}" for way, count in ways.items() if count)
    zones = tuple(zone for zone in look.dates.zones if zone)
    if zones and timed:
        used = (*used, f"zone {zones[0] if form.clock == 'written' else 'UTC'}")
    readable = converted > 0 and converted + look.missing == look.filled and look.missing <= converted
    unclear = form.slashed is None and look.dates.slashed > 0
    if readable or (forced and not unclear):
        duckdb_type = "TIMESTAMP" if timed else "DATE"
        unreadable = look.filled - look.missing - converted
        report = ColumnReport(column, "date", duckdb_type, used, look.filled, converted, look.missing, unreadable)
        return Typed(f"{value} AS {cell}", report)
    if not converted and not unclear:
        return None
    share = (converted + (look.dates.slashed if unclear else 0)) / look.filled
    return _kept(column, look, used, share, "--dates" if unclear else None, _unread(con, values), "fix_dates")


def _as_numbers(con: Connection, raw: str, column: str, look: _Look, form: NumberForm, *, forced: bool) -> Typed | None:
    """Return the column as numbers if all its cells are, as text with a report if some are."""
    cell = sql.name(column)
    text = conversion.number_text(cell, form)
    numbers = f"SELECT {cell} AS cell, {text} AS value FROM {raw}"
    long = f"length(ltrim(split_part(value, '.', 1), '-0')) > {_WHOLE_DIGITS}"
    converted, codes, whole, far = query(
        con,
        f"SELECT count(value), count(*) FILTER ({conversion.leading_zero_sql('value')}), "
        f"count(*) FILTER (NOT contains(value, '.')), count(*) FILTER ({long}) "
        f"FROM ({numbers})",
    )[0]
    units = {unit: count for unit, count in look.numbers.units.items() if unit}
    used = tuple(f"{unit} {count}" for unit, count in sorted(units.items()))
    mixed = len(units) > 1 or (conversion.PERCENT in units and look.numbers.units.get("", 0) > 0)
    unclear = look.numbers.comma_unclear if form.comma == "unclear" else 0
    unclear += look.numbers.point_unclear if form.point == "unclear" else 0
    if form.comma == "decimal" or look.numbers.comma_decimal + look.numbers.comma_three:
        used = (_COMMA_FORM, *used)
    if not look.numbers.shows_a_mark():
        used = (*(f"thousands_{mark}" for mark in look.numbers.groups(form)), *used)
    words = look.missing - look.not_finite
    readable = converted > 0 and converted + look.missing == look.filled and words <= converted
    if (forced and not unclear) or (readable and not (codes or far or mixed or unclear)):
        duckdb_type = "BIGINT" if whole == converted and not far else "DOUBLE"
        value = conversion.number_sql(cell, duckdb_type, form)
        unreadable = look.filled - look.missing - converted
        report = ColumnReport(column, "number", duckdb_type, used, look.filled, converted, look.missing, unreadable)
        return Typed(f"{value} AS {cell}", report)
    if not converted and not unclear:
        return None
    if (codes or far) and not forced:
        return Typed(cell, ColumnReport(column, "text", "VARCHAR", (_CODE_FORM,), look.filled))
    if mixed:
        used = (MIXED_UNITS, *used)
    share = (converted + unclear) / look.filled
    return _kept(column, look, used, share, "--decimal" if unclear else None, _unread(con, numbers), "fix_numbers")


def _unread(con: Connection, values: str) -> str | None:
    """Return of the cells that have no value the most frequent one, None if all have one."""
    cells = f"SELECT cell FROM ({values}) WHERE value IS NULL AND cell IS NOT NULL"
    rows = query(con, f"{cells} GROUP BY cell ORDER BY count(*) DESC, cell LIMIT 1")
    return str(rows[0][0]) if rows else None


def _kept(
    column: str, look: _Look, used: tuple[str, ...], share: float, settle: str | None, unread: str | None, tool: str
) -> Typed:
    """Return the column as the text that it is, with the share that could be converted and a cell that could not.

    What would settle how to read a few cells of other text is no question.
    """
    examples = () if unread is None else (unread,)
    report = ColumnReport(
        column,
        "text",
        "VARCHAR",
        used,
        look.filled,
        0,
        look.missing,
        share=min(share, 1.0),
        settle=settle if share * 2 >= 1 else None,
        examples=examples,
        tool=tool,
    )
    return Typed(sql.name(column), report)
