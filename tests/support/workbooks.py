"""Workbooks for tests: .xlsx through XlsxWriter, .ods written out by hand."""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

FORMATS = {date: "dd.mm.yyyy", datetime: "dd.mm.yyyy hh:mm", time: "hh:mm"}
Rows = Sequence[Sequence[Any]]


def xlsx(path: Path, sheets: Mapping[str, Rows], change: Callable[[Workbook, Worksheet], None] | None = None) -> Path:
    """Write a workbook; `change` may do more to the last sheet."""
    book = xlsxwriter.Workbook(str(path), {"strings_to_urls": False})
    formats = {kind: book.add_format({"num_format": form}) for kind, form in FORMATS.items()}
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(number, place, cell)
                elif isinstance(cell, date | time):
                    sheet.write_datetime(number, place, cell, formats[type(cell)])
                elif cell is not None:
                    sheet.write(number, place, cell)
    if change is not None:
        change(book, sheet)
    book.close()
    return path


def ods(path: Path, sheets: Mapping[str, Rows]) -> Path:
    """Write an OpenDocument spreadsheet."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.2">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
    return path


def _ods_cell(cell: Any) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, bool):
        value = f'office:value-type="boolean" office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, int | float):
        value = f'office:value-type="float" office:value="{cell}"'
    elif isinstance(cell, date):
        value = f'office:value-type="date" office:date-value="{cell.isoformat()}"'
    else:
        value = 'office:value-type="string"'
    return f"<table:table-cell {value}><text:p>{escape(str(cell))}</text:p></table:table-cell>"
