"""Tables as files: CSV, JSON and Parquet are written by DuckDB itself, workbooks in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grammar import unique_name
from prompt.words import Language

from . import database, sql
from .database import Connection
from .new_file import ExportError, new_file
from .settings import ExportSettings, FileForm

FORMATS = ("csv", "xlsx", "parquet", "json")
_BYTE_ORDER_MARK = "\ufeff"
_FORMULA_SIGNS = "=+-@\t\r"
_HARMLESS = r"-[0-9]+([.,][0-9]+)?"
_MOST_DECIMAL = "100000000000000000000000000000000000000"
_IN_PARQUET = ("[]", "STRUCT(", "MAP(", "BLOB", "TIME")

Note = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of the table to write: its name, DuckDB type, and the quoted cell."""

    name: str
    type: str
    cell: str

    @property
    def kind(self) -> str:
        """Return the kind of the column."""
        return database.kind_of(self.type)

    @property
    def text(self) -> str:
        """Return the cell as text."""
        return sql.text(self.cell, self.type)


def write_table(
    con: Connection, source: str, path: Path, form: str, language: Language, settings: ExportSettings, *, title: str
) -> list[Note]:
    """Write the rows of a source (a quoted name) to a new file and return what a person should know of it.

    `form` is one of FORMATS, `title` names the sheet of a workbook. Raises ExportError, DatabaseError.
    """
    columns = [Column(name, kind, sql.name(name)) for name, kind in database.describe(con, source)]
    with database.steady(con), new_file(path) as growing:
        match form:
            case "csv":
                return _write_csv(con, source, columns, growing, getattr(settings, language))
            case "xlsx":
                from .xlsx_file import write_workbook

                return write_workbook(con, source, columns, growing, getattr(settings, language), settings, title)
            case "parquet":
                return _write_parquet(con, source, columns, growing)
            case "json":
                cells = [f"{_json_cell(column)} AS {column.cell}" for column in columns]
                _copy(con, f"SELECT {', '.join(cells)} FROM {source}", growing, ["FORMAT json", "ARRAY true"])
                return []
    raise ExportError("unknown_format", path=str(path), allowed=list(FORMATS))


def guarded_names(names: Sequence[str]) -> list[str]:
    """Return the names of columns as a spreadsheet takes none for a formula, no two alike."""
    made: list[str] = []
    for name in names:
        others = [*made, *names[len(made) + 1 :]]
        made.append(unique_name(f"'{name}", others) if name[:1] in _FORMULA_SIGNS and name else name)
    return made


def _write_csv(con: Connection, source: str, columns: Sequence[Column], path: Path, form: FileForm) -> list[Note]:
    names = guarded_names([column.name for column in columns])
    notes: list[Note] = [
        {"note": "guarded_name", "column": column.name, "name": name}
        for column, name in zip(columns, names, strict=True)
        if column.name != name
    ]
    notes += _guarded_cells(con, source, columns)
    alone = len(columns) == 1
    header = _BYTE_ORDER_MARK + form.delimiter.join(_csv_quoted(name, form.delimiter, alone=alone) for name in names)
    if not database.query(con, f"SELECT 1 FROM {source} LIMIT 1"):
        path.write_text(f"{header}\n", encoding="utf-8")
        return notes
    cells = ", ".join(_csv_cell(column, form, alone=alone) for column in columns)
    options = [
        "FORMAT csv",
        "HEADER false",
        f"DELIMITER {sql.literal(form.delimiter)}",
        "QUOTE '\"'",
        "ESCAPE '\"'",
        f"PREFIX {sql.literal(header + chr(10))}",
        f"SUFFIX {sql.literal(chr(10))}",
        *(["FORCE_QUOTE *"] if alone else []),
    ]
    _copy(con, f"SELECT {cells} FROM {source}", path, options)
    return notes


def _csv_quoted(text: str, delimiter: str, *, alone: bool) -> str:
    """Return a name in quotes where it needs them; one that stands alone always, or a comma in it might split it."""
    special = alone or any(mark in text for mark in ('"', "\n", "\r", delimiter)) or text != text.strip() or not text
    return '"' + text.replace('"', '""') + '"' if special else text


def _csv_cell(column: Column, form: FileForm, *, alone: bool) -> str:
    """Return a cell as CSV text; in a table of one column an empty one is `""`, since a blank line is no row."""
    match column.kind:
        case "number":
            text = _plain_number(column, form.decimal)
        case "boolean":
            text = f"CAST({column.cell} AS VARCHAR)"
        case "date":
            text = f"CAST({sql.value_of(column.cell, column.type)} AS VARCHAR)"
        case _:
            text = f"(CASE WHEN {_is_formula(column)} THEN '''' || {column.text} ELSE {column.text} END)"
    return f"coalesce({text}, '')" if alone else text


def _is_formula(column: Column) -> str:
    """Return the condition that a spreadsheet may take the text of a cell for a formula; a plain number is none."""
    signs = sql.any_of(f"left({column.text}, 1)", list(_FORMULA_SIGNS))
    return f"({signs} AND NOT regexp_full_match({column.text}, {sql.literal(_HARMLESS)}))"


def _guarded_cells(con: Connection, source: str, columns: Sequence[Column]) -> list[Note]:
    texts = [column for column in columns if column.kind in ("text", "other")]
    if not texts:
        return []
    counts = database.query(
        con, f"SELECT {', '.join(f'count_if({_is_formula(each)})' for each in texts)} FROM {source}"
    )
    found = zip(texts, counts[0], strict=True)
    return [{"note": "guarded", "column": column.name, "cells": cells} for column, cells in found if cells]


def _plain_number(column: Column, decimal: str) -> str:
    """Return a number as text without an exponent, empty where it is not finite.

    Zeros at the end of decimals go, except that exactly three decimals get a fourth: `1,250` could be a thousand.
    """
    text = f"CAST({sql.value_of(column.cell, column.type)} AS VARCHAR)"
    if column.type in sql.FLOATS:
        text = f"(CASE WHEN contains({text}, 'e') THEN {_without_exponent(text)} ELSE {text} END)"
    elif sql.is_integer(column.type):
        return text
    text = f"regexp_replace({text}, '([.][0-9]*[1-9])0+$|[.]0*$', '\\1')"
    text = f"regexp_replace({text}, '^(-?[0-9]*[.][0-9]{{3}})$', '\\10')"
    return text if decimal == "." else f"replace({text}, '.', {sql.literal(decimal)})"


def _without_exponent(text: str) -> str:
    """Return `d.ddde-07` written out: its digits with zeros before or after them."""
    sign = f"(CASE WHEN starts_with({text}, '-') THEN '-' ELSE '' END)"
    digits = f"replace(ltrim(split_part({text}, 'e', 1), '-'), '.', '')"
    power = f"CAST(split_part({text}, 'e', 2) AS INTEGER)"
    small = f"'0.' || repeat('0', -({power}) - 1) || {digits}"
    large = f"{digits} || repeat('0', {power} + 1 - length({digits}))"
    return f"{sign} || (CASE WHEN {power} < 0 THEN {small} ELSE {large} END)"


def _json_cell(column: Column) -> str:
    """Return a cell as JSON has it: what is not finite is null, a list that may hold such a number is text."""
    if column.type in sql.FLOATS or column.kind == "date":
        return sql.value_of(column.cell, column.type)
    risky = column.kind == "other" and any(name in column.type for name in sql.FLOATS)
    return column.text if risky else column.cell


def _write_parquet(con: Connection, source: str, columns: Sequence[Column], path: Path) -> list[Note]:
    cells, notes = [], []
    for column in columns:
        cell = column.cell
        if column.type in ("HUGEINT", "UHUGEINT"):
            beyond = f"abs(CAST({cell} AS DOUBLE)) >= {_MOST_DECIMAL}"
            long = database.query(con, f"SELECT count_if({beyond}) FROM {source}")[0][0]
            cell = column.text if long else f"CAST({cell} AS DECIMAL(38,0))"
            notes += [{"note": "huge_numbers", "column": column.name}] if long else []
        elif column.kind == "other" and not any(mark in column.type for mark in _IN_PARQUET):
            cell = column.text
        cells.append(f"{cell} AS {column.cell}")
    _copy(con, f"SELECT {', '.join(cells)} FROM {source}", path, ["FORMAT parquet", "COMPRESSION zstd"])
    return notes


def _copy(con: Connection, select: str, path: Path, options: Sequence[str]) -> None:
    listed = ", ".join([*options, "USE_TMP_FILE false"])
    database.execute(con, f"COPY ({select}) TO {sql.literal(str(path.absolute()))} ({listed})")
