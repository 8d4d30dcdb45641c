"""Tools that read text as dates or numbers, by the rules of loading: each says what it read and what it could not."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from engine import conversion, dates, sql
from engine.conversion import FormFacts, NumberForm
from engine.dates import DateFacts, DateForm
from engine.day_order import date_facts

from .registry import Made, Note, Table, cleaning_report, executes, plain

_READ, _MISSING, _UNREADABLE, _UNCLEAR, _OTHER_UNIT = "read", "missing_words", "unreadable", "unclear", "other_units"


@executes("fix_numbers", named=True)
def fix_numbers(table: Table, *, column: str) -> Made:
    """Turn text into numbers of the narrowest type that holds them all; unreadable cells become empty.

    Of several currencies the most frequent one is read, the others become empty and are counted.
    """
    cell, source = table.cell(column), f"{table.source} AS t"
    written = conversion.facts_of(table.query(conversion.form_facts_sql(cell, source))[0])
    form = written.form(table.state.column(column).decimal)
    facts = table.query(conversion.number_facts_sql(cell, source, form))[0]
    duckdb_type = conversion.NumberFacts(*facts).duckdb_type()
    number = conversion.number_sql(cell, duckdb_type, form)
    any_unit = replace(form, units=None)
    unclear = f"{conversion.unclear_sql(cell)} AND {conversion.number_text(cell, any_unit)} IS NULL"
    other_unit = (
        f"{conversion.number_text(cell, any_unit)} IS NOT NULL AND {conversion.number_text(cell, form)} IS NULL"
    )
    notes = _notes(table, column, number, {_OTHER_UNIT: other_unit, _UNCLEAR: unclear}, "--decimal")
    notes += _unit_notes(table, column, written, form, other_unit)
    leading = f"{conversion.leading_zero_sql(conversion.number_text(cell, form))} AND {number} IS NOT NULL"
    codes = table.count(leading)
    if codes:
        examples = [row[0] for row in _spellings(table, column, "NULL", leading)]
        notes.append({"note": "leading_zeros", "column": column, "cells": codes, "examples": examples})
    return _made(table, column, number, notes)


@executes("fix_dates")
def fix_dates(table: Table, *, column: str) -> Made:
    """Turn text into dates, with their times of day where there are any; unreadable cells become empty."""
    cell, source = table.cell(column), f"{table.source} AS t"
    written = dates.facts_of(table.query(dates.date_facts_sql(cell, source))[0])
    form = _date_form(table, column, written)
    value = dates.moment_sql(cell, form) if written.times else dates.date_sql(cell, form)
    unclear = "FALSE" if form.slashed else dates.slashed_sql(cell)
    notes = _notes(table, column, value, {_UNCLEAR: unclear}, "--dates")
    if form.serials:
        read = next((note["cells"] for note in notes if note["note"] == "changed"), 0)
        texts = read - written.serials
        notes.append({"note": "serials", "column": column, "serials": written.serials, "texts": texts})
    zones = sorted(zone for zone in written.zones if zone)
    if zones and written.times:
        zone = zones[0] if form.clock == "written" else "UTC"
        notes.append({"note": "time_zone", "column": column, "zone": zone})
    return _made(table, column, value, notes)


def _date_form(table: Table, column: str, written: DateFacts) -> DateForm:
    """Return how the dates of a column are written, by what is known of it, its cells and its sister columns."""
    known = table.state.column(column).day_order
    named = None if known == "unclear" else known
    sisters = None
    if written.slashed and named is None and written.order() is None:
        sisters = dates.sisters_order(written, date_facts(table.con, table.source, table.columns).values())
    return written.form(column, date.today(), named, None if written.slashed else named, sisters)


def _notes(table: Table, column: str, value: str, reasons: Mapping[str, str], option: str) -> list[Note]:
    """Say how many cells were read, which hold a word for nothing, and which were not read for what reason."""
    cell, filled = table.cell(column), table.filled(column)
    reasons = {_MISSING: conversion.missing_sql(cell), **reasons}
    cases = " ".join(f"WHEN {condition} THEN {sql.literal(name)}" for name, condition in reasons.items())
    outcome = (
        f"(CASE WHEN {value} IS NOT NULL THEN {sql.literal(_READ)} WHEN {filled} THEN "
        f"(CASE {cases} ELSE {sql.literal(_UNREADABLE)} END) END)"
    )
    counted = f"SELECT {outcome} AS outcome, count(*) FROM {table.source} AS t GROUP BY ALL"
    counts: dict[str | None, int] = dict(table.query(counted))
    notes: list[Note] = []
    if _READ in counts:
        rows = _spellings(table, column, value, f"{value} IS NOT NULL")
        examples: list[Any] = [[before, plain(after)] for before, after in rows]
        notes.append({"note": "changed", "column": column, "cells": counts[_READ], "examples": examples})
    unread: list[Note] = [{"note": "unreadable"}, {"note": "unclear", "option": option}, {"note": "missing_words"}]
    for note in unread:
        reason = note["note"]
        if reason in counts:
            found = _spellings(table, column, "NULL", f"{outcome} = {sql.literal(reason)}")
            told = {"column": column, "cells": counts[reason], "examples": [row[0] for row in found]}
            notes.append(note | told)
    return notes


def _unit_notes(table: Table, column: str, written: FormFacts, form: NumberForm, other_unit: str) -> list[Note]:
    """Say which units the numbers had that were read, and which others there are, each with its cells."""
    unit = conversion.unit_sql(table.cell(column))
    read = conversion.number_text(table.cell(column), form)

    def listed(condition: str) -> list[tuple[str, int]]:
        rows = table.query(
            f"SELECT {unit} AS unit, count(*) AS cells FROM {table.source} AS t WHERE {condition} "
            "GROUP BY ALL ORDER BY cells DESC, unit"
        )
        return [(str(name), int(cells)) for name, cells in rows if name]

    notes: list[Note] = []
    if not any(written.units.keys() - {""}):
        return notes
    kept, others = listed(f"{read} IS NOT NULL"), listed(other_unit)
    if kept:
        notes.append({"note": "units", "column": column, "units": [f"{name}: {cells}" for name, cells in kept]})
    if others:
        cells = sum(count for _, count in others)
        units = [f"{name}: {count}" for name, count in others]
        notes.append({"note": "other_units", "column": column, "cells": cells, "units": units})
    return notes


def _made(table: Table, column: str, value: str, notes: list[Note]) -> Made:
    """Return the table with the column read, its notes, and the report of how many cells were read and were not.

    The report lists the texts that were not read, the most frequent first, as many as the settings allow; `unlisted`
    counts the others.
    """
    cells = {note["note"]: note["cells"] for note in notes if "cells" in note}
    left = sum(cells.get(reason, 0) for reason in (_UNREADABLE, _UNCLEAR, _MISSING, _OTHER_UNIT))
    rows = (
        []
        if not left
        else table.query(
            f"SELECT {table.cell(column)} AS written, count(*) AS n, count(*) OVER () AS texts "
            f"FROM {table.source} AS t WHERE {table.filled(column)} AND {value} IS NULL "
            "GROUP BY 1 ORDER BY n DESC, written ASC "
            f"LIMIT {table.settings.tools.report_values}"
        )
    )
    examples: list[Any] = next((note["examples"] for note in notes if note["note"] == "changed"), [])
    report = cleaning_report(
        column,
        cells.get("changed", 0),
        left,
        examples=examples,
        unread=[{"value": written, "cells": count} for written, count, _ in rows],
        unlisted=rows[0][2] - len(rows) if rows else 0,
    )
    select = f"SELECT {table.select_list({column: value})} FROM {table.source} AS t"
    return Made(select, notes, [report])


def _spellings(table: Table, column: str, value: str, condition: str) -> list[tuple[Any, ...]]:
    """Return a few different texts of a column and the values read from them; those that read differently first."""
    source, place = table.numbered()
    cells = f"{table.cell(column)} AS before, {value} AS after, {place} AS seen"
    found = f"SELECT {cells} FROM {source} AS t WHERE {condition}"
    return table.query(
        f"SELECT before, any_value(after) FROM ({found}) GROUP BY before "
        "ORDER BY before = coalesce(CAST(any_value(after) AS VARCHAR), '') ASC, min(seen) ASC "
        f"LIMIT {table.settings.tools.evidence_examples}"
    )
