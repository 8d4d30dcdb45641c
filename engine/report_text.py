"""The load report in words: what a person should know of how a file was read, one sentence a fact."""

from prompt.words import Language, screen_text

from .column_types import MIXED_UNITS
from .encoding import UTF8
from .load_options import DATE_ORDERS
from .load_report import ColumnReport, LoadReport

_SHOWN = 3
_MARKS = ("decimal_comma", "thousands_comma", "thousands_point")
_ROWS = ("title", "total", "note", "header_again", "other_table", "blank", "too_many_cells")


def report_lines(report: LoadReport, language: Language) -> list[str]:
    """Return what is out of the ordinary in a load report; nothing for a file that is plain."""
    lines = []
    if report.encoding not in (None, UTF8):
        lines.append(screen_text("report_encoding", language, encoding=report.encoding))
    if report.bytes_outside:
        facts = {"encoding": report.encoding, "bytes": report.bytes_outside, "line": report.first_outside}
        lines.append(screen_text("report_outside", language, **facts))
    if report.header is not None and report.header != 1:
        rows = report.header_rows if report.header_rows > 1 else None
        lines.append(screen_text("report_header", language, rows=rows, line=report.header or None))
    if report.quote is not None:
        lines.append(screen_text("report_quote", language, quote=report.quote))
    for why in _ROWS:
        rows = report.counts.get(why)
        if rows:
            lines.append(screen_text(f"report_{why}", language, rows=rows, examples=_examples(report, why)))
    for key, rows in (("report_padded", report.padded), ("report_mended", report.mended)):
        if rows:
            lines.append(screen_text(key, language, rows=rows))
    if report.blank_columns:
        lines.append(screen_text("report_blank_columns", language, columns=report.blank_columns))
    lines += _forms(report, language)
    for column in report.columns:
        lines += _column_lines(column, language)
    return lines


def _forms(report: LoadReport, language: Language) -> list[str]:
    """Return one line for each way of writing that was read in some columns, which it names."""
    found: dict[str, list[str]] = {way: [] for way in (*_MARKS, "units", "serials", "zones")}
    for column in report.columns:
        if not column.converted:
            continue
        for way, _, value in (each.rpartition(" ") for each in column.form):
            if value in _MARKS:
                found[value].append(f"{column.column} ({column.converted}/{column.filled})")
            elif way == "serial":
                found["serials"].append(f"{column.column} ({value}/{column.converted})")
            elif way == "zone":
                found["zones"].append(f"{column.column} ({value})")
            elif column.kind == "number":
                found["units"].append(f"{column.column} ({way})")
    return [
        screen_text(f"report_{way}", language, columns=", ".join(columns)) for way, columns in found.items() if columns
    ]


def _column_lines(column: ColumnReport, language: Language) -> list[str]:
    lines = []
    name, examples = column.column, list(column.examples[:_SHOWN])
    if column.settled_by is not None:
        about = "--dates" if column.answer in DATE_ORDERS else "--decimal"
        lines.append(
            screen_text(f"report_{column.settled_by}", language, column=name, option=about, answer=column.answer)
        )
    if column.settle is not None:
        lines.append(screen_text("report_settle", language, column=name, examples=examples, option=column.settle))
    elif column.form[:1] == (MIXED_UNITS,):
        lines.append(
            screen_text(
                "report_mixed_units", language, column=name, examples=[unit for unit in column.form[1:] if " " in unit]
            )
        )
    elif column.share is not None:
        share = int(column.share * 100)
        tool = column.tool
        lines.append(screen_text("report_mixed", language, column=name, share=share, tool=tool, examples=examples))
    if column.converted and column.missing:
        lines.append(screen_text("report_missing", language, column=name, cells=column.missing))
    if column.unreadable:
        lines.append(screen_text("report_unreadable", language, column=name, cells=column.unreadable))
    return lines


def _examples(report: LoadReport, why: str) -> list[str]:
    """Return the beginnings of the first rows of a sort, each with its line where that is known."""
    if why == "too_many_cells":
        return [f"{row.line}: {row.text}" for row in report.rejects[:_SHOWN]]
    rows = [row for row in report.set_aside if row.why == why][:_SHOWN]
    return [" ".join(cell for cell in row.cells if cell) for row in rows]
