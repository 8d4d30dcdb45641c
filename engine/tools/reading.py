"""Tools that read text as dates or numbers, by the rules of loading: each says what it read and what it could not.

What is said is worked out over the different texts of a column, of which there are often few.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from engine import conversion, dates, sql
from engine.conversion import FormFacts, NumberForm
from engine.dates import DateFacts, DateForm
from engine.day_order import date_facts

from .registry import Made, Note, Table, cleaning_report, executes, plain

_READ, _UNREADABLE = "read", "unreadable"
_LAST = 1 << 62
_FEW = 10


@executes("fix_numbers", named=True)
def fix_numbers(table: Table, *, column: str) -> Made:
    """Turn text into numbers of the narrowest type that holds them all; unreadable cells become empty.

    Of several currencies the most frequent one is read, the others become empty and are counted.
    """
    texts = _texts(table, column)
    written = _weighted(table, texts, conversion.facts_of(table.query(conversion.form_facts_sql("cell", texts))[0]))
    form = written.form(table.state.column(column).decimal)
    facts = table.query(conversion.number_facts_sql("cell", texts, form))[0]
    duckdb_type = conversion.NumberFacts(*facts).duckdb_type()
    any_unit = conversion.number_text("cell", replace(form, units=None))
    reasons = {
        "unclear": f"{any_unit} IS NULL AND {conversion.unclear_sql('cell')}",
        "other_units": f"{any_unit} IS NOT NULL AND {conversion.number_text('cell', form)} IS NULL",
    }
    number = conversion.number_sql("cell", duckdb_type, form)
    notes = _notes(table, column, texts, number, reasons, "--decimal")
    if written.units.keys() - {""}:
        notes += _unit_notes(table, column, texts, number, reasons["other_units"])
    notes += _code_notes(table, column, texts, number, form)
    in_table = conversion.number_sql(table.cell(column), duckdb_type, form)
    return _made(table, column, texts, (in_table, number), notes)


@executes("fix_dates")
def fix_dates(table: Table, *, column: str) -> Made:
    """Turn text into dates, with their times of day where there are any; unreadable cells become empty."""
    texts = _texts(table, column)
    written = dates.facts_of(table.query(dates.date_facts_sql("cell", texts))[0])
    form = _date_form(table, column, written)
    value = dates.moment_sql if written.times else dates.date_sql
    unclear = "FALSE" if form.slashed else dates.slashed_sql("cell")
    notes = _notes(table, column, texts, value("cell", form), {"unclear": unclear}, "--dates")
    if form.serials:
        condition = f"{dates.serial_sql('cell')} AND {value('cell', form)} IS NOT NULL"
        serials = int(table.query(f"SELECT coalesce(sum(n), 0) FROM {texts} WHERE {condition}")[0][0])
        read = sum(note["cells"] for note in notes if note["note"] == "changed")
        notes.append({"note": "serials", "column": column, "serials": serials, "texts": read - serials})
    zones = sorted(zone for zone in written.zones if zone)
    if zones and written.times:
        zone = zones[0] if form.clock == "written" else "UTC"
        notes.append({"note": "time_zone", "column": column, "zone": zone})
    return _made(table, column, texts, (value(table.cell(column), form), value("cell", form)), notes)


def _texts(table: Table, column: str) -> str:
    """Return the query for the different texts of a column: `cell`, in how many rows (`n`), where first (`seen`)."""
    source, place = table.numbered()
    return (
        f"(SELECT {table.cell(column)} AS cell, count(*) AS n, min({place}) AS seen FROM {source} AS t "
        f"WHERE {table.filled(column)} GROUP BY 1)"
    )


def _weighted(table: Table, texts: str, written: FormFacts) -> FormFacts:
    """Return the facts about the texts of a column with its units counted in cells."""
    if len(written.units.keys() - {"", conversion.PERCENT}) < 2:
        return written
    unit = conversion.unit_sql("cell")
    found = table.query(f"SELECT {unit} AS unit, CAST(sum(n) AS BIGINT) FROM {texts} GROUP BY ALL")
    return replace(written, units={name: cells for name, cells in found if name in written.units})


def _date_form(table: Table, column: str, written: DateFacts) -> DateForm:
    """Return how the dates of a column are written, by what is known of it, its cells and its sister columns."""
    known = table.state.column(column).day_order
    named = None if known == "unclear" else known
    sisters = None
    if written.slashed and named is None and written.order() is None:
        sisters = dates.sisters_order(written, date_facts(table.con, table.source, table.columns).values())
    return written.form(column, date.today(), named, None if written.slashed else named, sisters)


def _notes(table: Table, column: str, texts: str, value: str, reasons: Mapping[str, str], option: str) -> list[Note]:
    """Say how many cells were read, which hold a word for nothing, and which were not read for what reason.

    Of the examples those come first that read differently from how they are written.
    """
    reasons = {"missing_words": conversion.missing_sql("cell"), **reasons}
    cases = " ".join(f"WHEN {condition} THEN {sql.literal(name)}" for name, condition in reasons.items())
    outcome = f"CASE WHEN value IS NOT NULL THEN {sql.literal(_READ)} {cases} ELSE {sql.literal(_UNREADABLE)} END"
    first = f"seen + CASE WHEN cell = CAST(value AS VARCHAR) THEN {_LAST} ELSE 0 END"
    examples = f"arg_min({{'before': cell, 'after': value}}, {first}, {table.settings.tools.evidence_examples})"
    rows = table.query(
        f"WITH read AS MATERIALIZED (SELECT cell, n, seen, {value} AS value FROM {texts}) "
        f"SELECT {outcome} AS outcome, CAST(sum(n) AS BIGINT), {examples} FROM read GROUP BY ALL"
    )
    found = {name: (cells, shown) for name, cells, shown in rows}
    notes: list[Note] = []
    if _READ in found:
        cells, shown = found[_READ]
        pairs: list[Any] = [[each["before"], plain(each["after"])] for each in shown]
        notes.append({"note": "changed", "column": column, "cells": cells, "examples": pairs})
    unread: list[Note] = [{"note": "unreadable"}, {"note": "unclear", "option": option}, {"note": "missing_words"}]
    for note in unread:
        if note["note"] in found:
            cells, shown = found[note["note"]]
            notes.append(note | {"column": column, "cells": cells, "examples": [each["before"] for each in shown]})
    return notes


def _unit_notes(table: Table, column: str, texts: str, number: str, other_unit: str) -> list[Note]:
    """Say which units the numbers had that were read, and which others there are, each with its cells."""
    rows = table.query(
        f"WITH read AS MATERIALIZED (SELECT cell, n, {number} IS NOT NULL AS kept FROM {texts}), "
        f"told AS (SELECT {conversion.unit_sql('cell')} AS unit, n, kept, "
        f"CASE WHEN NOT kept THEN {other_unit} END AS other FROM read) "
        "SELECT unit, kept, CAST(sum(n) AS BIGINT) AS cells FROM told WHERE unit <> '' AND (kept OR other) "
        "GROUP BY ALL ORDER BY cells DESC, unit"
    )
    kept = [f"{unit}: {cells}" for unit, read, cells in rows if read]
    others = {unit: cells for unit, read, cells in rows if not read}
    notes: list[Note] = []
    if kept:
        notes.append({"note": "units", "column": column, "units": kept})
    if others:
        listed = [f"{unit}: {cells}" for unit, cells in others.items()]
        notes.append({"note": "other_units", "column": column, "cells": sum(others.values()), "units": listed})
    return notes


def _code_notes(table: Table, column: str, texts: str, number: str, form: NumberForm) -> list[Note]:
    """Say how many numbers were written with zeros in front, as codes are."""
    possible = f"(SELECT * FROM {texts} WHERE regexp_matches(cell, '0[0-9]'))"
    leading = f"{conversion.leading_zero_sql(conversion.number_text('cell', form))} AND {number} IS NOT NULL"
    cells, shown = table.query(
        f"SELECT CAST(sum(n) AS BIGINT), arg_min(cell, seen, {table.settings.tools.evidence_examples}) "
        f"FROM {possible} WHERE {leading}"
    )[0]
    return [{"note": "leading_zeros", "column": column, "cells": cells, "examples": shown}] if cells else []


def _made(table: Table, column: str, texts: str, values: tuple[str, str], notes: list[Note]) -> Made:
    """Return the table with the column read, its notes, and the report of how many cells were read and were not.

    `values` are the SQL of the value of a cell in the table and of one in `texts`. The report lists the texts that
    were not read, the most frequent first, as many as the settings allow; `unlisted` counts the others.
    """
    reasons = ("unreadable", "unclear", "missing_words", "other_units")
    changed: list[Note] = [note for note in notes if note["note"] == "changed"]
    left = sum(note["cells"] for note in notes if note["note"] in reasons)
    rows = _unread(table, texts, values[1]) if left else []
    report = cleaning_report(
        column,
        sum(note["cells"] for note in changed),
        left,
        examples=[example for note in changed for example in note["examples"]],
        unread=[{"value": written, "cells": count} for written, count, _ in rows],
        unlisted=rows[0][2] - len(rows) if rows else 0,
    )
    return Made(_select(table, column, texts, values), notes, [report])


def _select(table: Table, column: str, texts: str, values: tuple[str, str]) -> str:
    """Return the table with the column read; where it has few different texts, each of them is read once."""
    in_table, in_texts = values
    different = int(table.query(f"SELECT count(*) FROM {texts}")[0][0])
    if different * _FEW > table.rows:
        return f"SELECT {table.select_list({column: in_table})} FROM {table.source} AS t"
    source, place = table.numbered()
    return (
        f"SELECT {table.select_list({column: 'read.value'})} FROM {source} AS t "
        f"LEFT JOIN (SELECT cell, {in_texts} AS value FROM {texts}) AS read ON read.cell = {table.cell(column)} "
        f"ORDER BY {place} ASC"
    )


def _unread(table: Table, texts: str, value: str) -> list[tuple[Any, ...]]:
    """Return the most frequent texts that were not read, the cells of each, and how many such texts there are."""
    return table.query(
        f"SELECT cell AS written, n, count(*) OVER () AS texts FROM {texts} "
        f"WHERE {value} IS NULL ORDER BY n DESC, written ASC LIMIT {table.settings.tools.report_values}"
    )
