"""Text columns of sources that have types of their own: what nobody writes as a code is read, the rest on demand.

What a source calls text may be codes, so bare figures stay text until an option or a tool reads them. Dates are read,
and numbers with a currency, a percent sign, a decimal comma or marks between thousands. A table is changed in
place; a view, which is a file left where it is, becomes a table only if an option names a column of it.
"""

from collections.abc import Collection
from datetime import date

from grammar import unique_name

from . import sql
from .column_types import Typed, typed
from .database import Connection, describe, execute, is_view, kind_of, query, tables
from .load_options import LoadOptions
from .load_report import ColumnReport
from .named_columns import named_kinds

_NUMBERS = ("BIGINT", "DOUBLE")
_BARE = r"-?[0-9]*(?:\.[0-9]+)?"


def read_texts(con: Connection, name: str, options: LoadOptions, *, is_left: bool) -> tuple[ColumnReport, ...]:
    """Read dates, written numbers and what the options name in the text columns of a table; return what became of them.

    Of a file that `is_left` where it is only the columns named in an option are read. Raises FileError
    `ambiguous_column`, DatabaseError.
    """
    columns = describe(con, sql.name(name))
    named = named_kinds(options.types, [column for column, _ in columns])
    reports = {column: ColumnReport(column, kind_of(kind), kind) for column, kind in columns}
    others = [column for column, kind in columns if column in named and kind != "VARCHAR"]
    others = [column for column in others if named[column] != reports[column].kind]
    texts = [column for column, kind in columns if kind == "VARCHAR" or column in others]
    if is_left:
        texts = [column for column in texts if column in named]
    if not texts:
        return tuple(reports.values())
    if others:
        _as_table(con, name)
    for column in others:
        execute(con, f"ALTER TABLE {sql.name(name)} ALTER {sql.name(column)} TYPE VARCHAR")
    found = dict(zip(texts, typed(con, sql.name(name), texts, options, date.today()), strict=True))
    changing = [
        column
        for column in texts
        if _is_wanted(found[column], column, named.keys(), options)
        or (found[column].report.type in _NUMBERS and _is_written(con, name, column))
    ]
    if changing:
        _as_table(con, name)
    for column in changing:
        cell = sql.name(column)
        execute(
            con,
            f"ALTER TABLE {sql.name(name)} ALTER {cell} TYPE {found[column].report.type} USING {found[column].value}",
        )
    for column in texts:
        if column in changing or column in named or found[column].report.share is not None:
            reports[column] = found[column].report
    return tuple(reports.values())


def _is_wanted(found: Typed, column: str, named: Collection[str], options: LoadOptions) -> bool:
    """Return whether a text column becomes what was found in it."""
    kind = found.report.kind
    if found.report.type == "VARCHAR":
        return False
    return column in named or kind == "date" or (kind == "number" and options.decimal is not None)


def _is_written(con: Connection, name: str, column: str) -> bool:
    """Return whether a column of numbers in text holds one that is more than bare figures, and none with a plus."""
    cell, source = sql.trimmed(sql.name(column)), sql.name(name)
    bare = f"regexp_full_match({cell}, {sql.literal(_BARE)})"
    return bool(query(con, f"SELECT bool_or(NOT {bare}) AND NOT bool_or(starts_with({cell}, '+')) FROM {source}")[0][0])


def _as_table(con: Connection, name: str) -> None:
    """Make a table of `name` if it is a view."""
    if not is_view(con, name):
        return
    copy = unique_name(name, tables(con))
    execute(con, f"CREATE TABLE {sql.name(copy)} AS FROM {sql.name(name)}")
    execute(con, f"DROP VIEW {sql.name(name)}")
    execute(con, f"ALTER TABLE {sql.name(copy)} RENAME TO {sql.name(name)}")
