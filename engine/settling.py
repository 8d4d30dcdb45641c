"""What a file itself does not settle: whether day or month comes first, which mark stands before decimals.

That is no guess but a question. It is answered by a person, now or earlier for the same file, and then the column is
converted as if the file had told it; with nobody to ask, the column stays text and the report names the option.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from grammar import Column

from . import conversion, dates, sql
from .column_types import typed
from .database import Connection, describe, execute, query
from .day_order import day_orders
from .files import OpenedTable
from .load_options import AS_FOUND, LoadOptions
from .load_report import ColumnReport, SettledBy
from .remembered import Answers, Memory

About = Literal["dates", "decimal"]

Ways: TypeAlias = tuple[tuple[str, date | Decimal], ...]

ABOUT: tuple[About, ...] = ("dates", "decimal")


@dataclass(frozen=True)
class FileQuestion:
    """A question about a file: a cell, and what it would mean by each answer (`dmy` or `mdy`, `,` or `.`)."""

    about: About
    table: str
    column: str
    cell: str
    choices: Ways


Asker = Callable[[FileQuestion], str | None]
"""Puts a question to a person and returns the answer, None without one."""


@dataclass(frozen=True)
class Settling:
    """Where answers come from: what is remembered, and somebody to ask; `again` is what is asked anew."""

    memory: Memory | None = None
    ask: Asker | None = None
    again: frozenset[About] = frozenset()


UNATTENDED = Settling()
"""Nothing is remembered and nobody is there."""


def settled(
    con: Connection, table: OpenedTable, options: LoadOptions = AS_FOUND, settling: Settling = UNATTENDED
) -> OpenedTable:
    """Return the table with everything settled that an option, a remembered answer or a person settles.

    Columns of a table that was read as text are converted in place; others keep their text, and what was answered
    stands in the report for the tools that convert on demand.
    """
    table = _looked_at(con, table, options)
    names = [report.column for report in table.report.columns]
    answers = Answers()
    if settling.memory is not None:
        answers = settling.memory.recall(table.path, names)
        if settling.again:
            for about in settling.again:
                answers = answers.changed(about, None)
            settling.memory.keep(table.path, names, answers)
    for about in ABOUT:
        unclear = [report for report in table.report.columns if report.settle == f"--{about}"]
        if not unclear:
            continue
        answer = getattr(answers, about)
        told_by: SettledBy = "remembered"
        if answer is None and settling.ask is not None:
            question = next(_questions(con, table, unclear), None)
            answer = None if question is None else settling.ask(question)
            if answer is not None:
                answers = answers.changed(about, answer)
                kept = settling.memory is not None and settling.memory.keep(table.path, names, answers)
                told_by = "answer_kept" if kept else "answer"
        if answer is not None:
            table = _converted(con, table, unclear, _answering(about, answer, options), told_by)
    return table


def orders_of(reports: Sequence[ColumnReport]) -> list[Column]:
    """Return the text columns of a report with what it says of their dates and decimals."""
    return [
        Column(report.column, "text", day_order=report.day_order, decimal=report.decimal)
        for report in reports
        if _is_text(report)
    ]


def _looked_at(con: Connection, table: OpenedTable, options: LoadOptions) -> OpenedTable:
    """Return the table, its report completed by the order of dates in text columns that nobody looked at so far."""
    found = {}
    unseen = [report.column for report in table.report.columns if _is_text(report) and report.filled is None]
    if unseen:
        types = {name: kind for name, kind in describe(con, sql.name(table.name)) if name in unseen}
        found = day_orders(con, sql.name(table.name), types)
    reports = []
    for report in table.report.columns:
        if _is_text(report):
            order = found.get(report.column, report.day_order)
            if order in (None, "unclear") and options.dates is not None:
                order = options.dates
            settle = "--dates" if report.column in found and order == "unclear" else report.settle
            report = replace(report, day_order=order, decimal=options.decimal or report.decimal, settle=settle)
        reports.append(report)
    return _with_reports(table, reports)


def _is_text(report: ColumnReport) -> bool:
    return report.kind == "text"


def _converted(
    con: Connection,
    table: OpenedTable,
    unclear: Sequence[ColumnReport],
    answer: LoadOptions,
    told_by: SettledBy,
) -> OpenedTable:
    """Return the table with these columns read as the answer says."""
    known: dict[str, Any] = {"answer": answer.dates or answer.decimal}
    known |= {"day_order": answer.dates} if answer.dates is not None else {"decimal": answer.decimal}
    changed = {report.column: replace(report, settle=None, settled_by=told_by, **known) for report in unclear}
    readable = [report.column for report in unclear if report.filled is not None]
    name = sql.name(table.name)
    for column in typed(con, name, readable, answer, date.today()) if readable else ():
        report = column.report
        if report.type != "VARCHAR":
            cell = sql.name(report.column)
            execute(con, f"ALTER TABLE {name} ALTER {cell} SET DATA TYPE {report.type} USING {column.value}")
        changed[report.column] = replace(report, settled_by=told_by, **known)
    return _with_reports(table, [changed.get(report.column, report) for report in table.report.columns])


def _answering(about: About, answer: Any, options: LoadOptions) -> LoadOptions:
    """Return the options for reading what was unclear: the answer, and the kinds that a person named."""
    if about == "dates":
        return LoadOptions(dates=answer, types=options.types)
    return LoadOptions(decimal=answer, types=options.types)


def _with_reports(table: OpenedTable, reports: Sequence[ColumnReport]) -> OpenedTable:
    return replace(table, report=replace(table.report, columns=tuple(reports)))


def _questions(con: Connection, table: OpenedTable, unclear: Sequence[ColumnReport]) -> Iterator[FileQuestion]:
    """Yield what can be asked about these columns: their most frequent cell that can be read in two ways."""
    types = dict(describe(con, sql.name(table.name)))
    for report in unclear:
        cell = sql.text(sql.name(report.column), types[report.column])
        about: About = "dates" if report.settle == "--dates" else "decimal"
        doubtful = dates.unclear_sql(cell)
        if about == "decimal":
            facts = conversion.facts_of(query(con, conversion.form_facts_sql(cell, sql.name(table.name)))[0])
            unread = f"{conversion.number_text(cell, replace(facts.form(), units=None))} IS NULL"
            doubtful = f"{conversion.unclear_sql(cell)} AND {unread}"
        rows = query(
            con,
            f"SELECT {cell} AS cell, count(*) AS n FROM {sql.name(table.name)} WHERE {doubtful} "
            "GROUP BY ALL ORDER BY n DESC, cell LIMIT 1",
        )
        for text, _ in rows:
            ways: Ways = _dates_of(con, report.column, text) if about == "dates" else _numbers_of(con, text)
            if len({meaning for _, meaning in ways}) > 1:
                yield FileQuestion(about, table.name, report.column, text.strip(sql.BLANKS), ways)


def _dates_of(con: Connection, column: str, text: str) -> Ways:
    day = sql.literal(text)
    facts = dates.facts_of(query(con, dates.date_facts_sql("cell", f"(SELECT {day} AS cell)"))[0])
    ways = []
    for order in ("dmy", "mdy"):
        form = replace(facts.form(column, date.today()), slashed=order)
        ways.append((order, query(con, f"SELECT CAST({dates.moment_sql(day, form)} AS DATE)")[0][0]))
    return tuple((order, found) for order, found in ways if found is not None)


def _numbers_of(con: Connection, text: str) -> Ways:
    ways = []
    for mark in (",", "."):
        form = conversion.NO_NUMBERS.form(mark)
        number = conversion.number_text(sql.literal(text), replace(form, units=None))
        ways.append((mark, Decimal(query(con, f"SELECT {number}")[0][0])))
    return tuple(ways)
