"""JSON and JSON Lines: records become rows, their keys columns; nested values stay JSON, which is the kind `other`.

A document may wrap its records, or hold several lists of them: `json_shape.py` says where they stand.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grammar import unique_name

from . import sql
from .database import Connection, DatabaseError, execute, query
from .header import is_data
from .json_shape import Part, beside, parts_of
from .load_options import LoadOptions
from .loading import Loaded, column_names, differing
from .paths import FileError, one_file, table_name
from .settings import FileSettings

JSON_FILES = (".json", ".jsonl", ".ndjson")

_LINES = (".jsonl", ".ndjson")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_EDGE = 4096
_CELL = "c{}"
_KEY = "key"
_NUMBERS = frozenset({"BIGINT", "UBIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"})
_NESTED = frozenset({"OBJECT", "ARRAY"})
_WHOLE_TEXT = r"-?\d+"
_LONG_WHOLE_TEXT = r"-?\d{16,}"
_TOO_LONG = "maximum_object_size"


@dataclass(frozen=True)
class _Cells:
    """A temporary table of JSON values, one column for each of the labels, `nr` beside them, and what to note."""

    table: str
    labels: list[str]
    notes: list[dict[str, Any]]


def load_json(
    con: Connection, path: Path, wanted: str, taken: Sequence[str], settings: FileSettings, options: LoadOptions
) -> list[Loaded]:
    """Make a table of a file of records: an array of objects, or one object after another.

    One object may also be the table (an object of lists, or of objects alike), or hold lists of records: each of them
    becomes a table, and notes say where it stood. Raises FileError `json_cut`, `json_not_records`, `json_no_records`,
    `json_no_columns`, `json_record_too_large`, `json_too_many_tables`, DatabaseError for a file that is no JSON.
    """
    loaded: list[Loaded] = []
    with _documents(con, path, taken, settings) as source:
        parts, around = _parts(con, path, source, settings)
        for part in parts:
            names = [*taken, *(table.name for table in loaded)]
            name = table_name(wanted if len(parts) == 1 else _part_name(part, parts), names)
            found = Loaded(name)
            with _cells(con, path, source, part, name, settings, options) as cells:
                columns = column_names(cells.labels)
                typed = ", ".join(
                    f"{_typed(con, cells.table, _CELL.format(place))} AS {sql.name(column)}"
                    for place, column in enumerate(columns, 1)
                )
                execute(con, f"CREATE TABLE {sql.name(name)} AS SELECT {typed} FROM {cells.table} ORDER BY nr")
                found = Loaded(name, differing(columns), cells.notes)
            if part.path:
                found.notes.insert(0, {"note": "json_path", "path": ".".join(part.path), "others": around})
            loaded.append(found)
    return loaded


def _part_name(part: Part, parts: Sequence[Part]) -> str:
    """Return the name of one of several tables: its key, with the keys that lead there if others have it too."""
    alone = sum(other.path[-1:] == part.path[-1:] for other in parts) == 1
    return part.path[-1] if alone else ".".join(part.path)


@contextmanager
def _documents(con: Connection, path: Path, taken: Sequence[str], settings: FileSettings) -> Iterator[str]:
    """Give a temporary table of the values of a file, in their order: `json` and its number `nr`."""
    raw = unique_name("raw", taken)
    form = _form(path)
    try:
        execute(
            con,
            f"CREATE TEMP TABLE {sql.name(raw)} AS SELECT json, row_number() OVER () AS nr FROM read_json_objects("
            f"{one_file(path)}, format = {sql.literal(form)}, maximum_object_size = {settings.json_record_bytes})",
        )
    except DatabaseError as error:
        if _TOO_LONG in str(error.facts.get("detail")):
            raise FileError("json_record_too_large", path=str(path), allowed=settings.json_record_bytes) from error
        raise
    try:
        yield f"temp.{sql.name(raw)}"
    finally:
        execute(con, f"DROP TABLE temp.{sql.name(raw)}")


def _form(path: Path) -> str:
    """Return DuckDB's word for the form of the file; FileError if an array has no end."""
    with path.open("rb") as file:
        beginning = file.read(_EDGE).removeprefix(_BYTE_ORDER_MARK).lstrip(_BLANK)
        file.seek(max(0, path.stat().st_size - _EDGE))
        end = file.read().rstrip(_BLANK)
    if not beginning.startswith(b"["):
        return "auto"
    if not end.endswith(b"]"):
        raise FileError("json_cut", path=str(path))
    return "array"


def _parts(con: Connection, path: Path, source: str, settings: FileSettings) -> tuple[list[Part], list[str]]:
    """Return the tables of a file, and the keys of what stands around them; a path is empty where values are rows."""
    sorts = query(con, f"SELECT json_type(json), count(*), min(nr) FROM {source} GROUP BY 1 ORDER BY 3")
    if not sorts:
        raise FileError("json_no_records", path=str(path))
    if sorts == [("OBJECT", 1, 1)] and path.suffix.lower() not in _LINES:
        structure = json.loads(query(con, f"SELECT json_structure(json) FROM {source}")[0][0])
        parts = [part for part in parts_of(structure, settings.json_depth) if _is_even(con, source, part)]
        if len(parts) > settings.json_tables:
            raise FileError("json_too_many_tables", path=str(path), found=len(parts), allowed=settings.json_tables)
        if parts:
            return parts, beside(structure, parts)
    kind = sorts[0][0]
    wrong = sorts[1] if kind in _NESTED and len(sorts) > 1 else sorts[0]
    if wrong[0] not in _NESTED or len(sorts) > 1:
        raise FileError("json_not_records", path=str(path), row=wrong[2], found=wrong[0].lower())
    return [Part((), "records" if kind == "OBJECT" else "rows")], []


def _is_even(con: Connection, source: str, part: Part) -> bool:
    """Return whether the lists of an object are equally long, which they are if they are columns."""
    if part.form != "columns":
        return True
    pointers = ", ".join(_pointer(*part.path, key) for key in part.keys)
    lengths = query(con, f"SELECT json_array_length(json, [{pointers}]) FROM {source}")[0][0]
    return len(set(lengths)) == 1


@contextmanager
def _cells(
    con: Connection, path: Path, source: str, part: Part, name: str, settings: FileSettings, options: LoadOptions
) -> Iterator[_Cells]:
    """Give the values of one table, so that each record is parsed only once."""
    rows, cells = (unique_name(each, [name]) for each in ("rows", "cells"))
    made = f"temp.{sql.name(rows)}"
    try:
        if part.form in ("columns", "numbered"):
            execute(con, f"CREATE TEMP TABLE {sql.name(cells)} AS {_columns_sql(source, part)}")
            yield _Cells(f"temp.{sql.name(cells)}", list(part.keys), [])
            return
        execute(con, f"CREATE TEMP TABLE {sql.name(rows)} AS {_rows_sql(source, part)}")
        if part.form == "rows":
            labels, pointers, first = _list_columns(con, path, source, made, part, settings, options)
            notes: list[dict[str, Any]] = [] if first or part.named else [{"note": "json_no_names"}]
        else:
            keys = _keys(con, made, path)
            labels, pointers, first, notes = keys, [_pointer(key) for key in keys], 0, _repeated(con, made)
        values = [f"found[{place}]" for place in range(1, len(pointers) + 1)]
        if part.form == "keyed":
            labels, values = [_KEY, *labels], ["to_json(key)", *values]
        selected = ", ".join(f"{value} AS {_CELL.format(place)}" for place, value in enumerate(values, 1))
        execute(
            con,
            f"CREATE TEMP TABLE {sql.name(cells)} AS SELECT nr, {selected} FROM (SELECT *, "
            f"json_extract(json, [{', '.join(pointers)}]) AS found FROM {made} WHERE nr > {first})",
        )
        yield _Cells(f"temp.{sql.name(cells)}", labels, notes)
    finally:
        for table in (rows, cells):
            execute(con, f"DROP TABLE IF EXISTS temp.{sql.name(table)}")


def _rows_sql(source: str, part: Part) -> str:
    """Return the statement that gives the rows of a table as `json`, their number and, of keyed ones, their key."""
    if not part.path and part.form != "keyed":
        return f"FROM {source}"
    inner = f"json_extract(json, {_pointer(*part.path)})" if part.path else "json"
    if part.form == "keyed":
        entries = f"SELECT map_entries(CAST({inner} AS MAP(VARCHAR, JSON))) AS list FROM {source}"
        each = f"SELECT unnest(list) AS entry, generate_subscripts(list, 1) AS nr FROM ({entries})"
        return f"SELECT entry.key AS key, entry.value AS json, nr FROM ({each})"
    lists = f"SELECT CAST({inner} AS JSON[]) AS list FROM {source}"
    return f"SELECT unnest(list) AS json, generate_subscripts(list, 1) AS nr FROM ({lists})"


def _columns_sql(source: str, part: Part) -> str:
    """Return the statement that gives the cells of a table whose columns stand one by one."""
    inner = [f"json_extract(json, {_pointer(*part.path, key)})" for key in part.keys]
    if part.form == "columns":
        lists = [f"CAST({each} AS JSON[])" for each in inner]
    else:
        lists = [f"map_values(CAST({each} AS MAP(VARCHAR, JSON)))" for each in inner]
    listed = ", ".join(f"{each} AS l{place}" for place, each in enumerate(lists, 1))
    cells = ", ".join(f"unnest(l{place}) AS {_CELL.format(place)}" for place in range(1, len(lists) + 1))
    return f"SELECT generate_subscripts(l1, 1) AS nr, {cells} FROM (SELECT {listed} FROM {source})"


def _list_columns(
    con: Connection, path: Path, source: str, rows: str, part: Part, settings: FileSettings, options: LoadOptions
) -> tuple[list[str], list[str], int]:
    """Return the names of the columns of a list of lists, the pointers to their cells, and how many rows are names."""
    wrong = query(con, f"SELECT nr, json_type(json) FROM {rows} WHERE json_type(json) <> 'ARRAY' ORDER BY nr LIMIT 1")
    if wrong:
        raise FileError("json_not_records", path=str(path), row=wrong[0][0], found=wrong[0][1].lower())
    width = query(con, f"SELECT max(json_array_length(json)) FROM {rows}")[0][0]
    if not width:
        raise FileError("json_no_columns", path=str(path))
    pointers = [_pointer(str(place)) for place in range(width)]
    first, labels = 0, [""] * width
    if part.named is not None:
        named = query(con, f"SELECT json_extract(json, {_pointer(*part.path[:-1], part.named)}) FROM {source}")[0][0]
        labels = [str(label) for label in json.loads(named)]
    elif options.header != 0:
        found = query(con, f"SELECT json FROM {rows} ORDER BY nr LIMIT {settings.header_rows}")
        head = [[cell if cell != "" else None for cell in json.loads(row)] for (row,) in found]
        if options.header or not is_data(head[0], head[1:], settings.alike_share):
            first, labels = 1, ["" if label is None else _text(label) for label in head[0]]
    return (labels + [""] * width)[:width], pointers, first


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _keys(con: Connection, source: str, path: Path) -> list[str]:
    """Return the keys of all records in the order in which they first appear."""
    wrong = query(
        con, f"SELECT nr, json_type(json) FROM {source} WHERE json_type(json) <> 'OBJECT' ORDER BY nr LIMIT 1"
    )
    if wrong:
        raise FileError("json_not_records", path=str(path), row=wrong[0][0], found=wrong[0][1].lower())
    found = query(
        con,
        f"SELECT key FROM (SELECT nr, unnest(json_keys(json)) AS key, generate_subscripts(json_keys(json), 1) AS place "
        f"FROM {source}) GROUP BY key ORDER BY min(ROW(nr, place))",
    )
    if not found:
        raise FileError("json_no_columns", path=str(path))
    return [key for (key,) in found]


def _typed(con: Connection, cells: str, cell: str) -> str:
    """Return a key's values as an expression of the type that all of them have; text where they differ.

    Numbers become DOUBLE only if none of them has more digits than that holds.
    """
    text, source = f"json_extract_string({cell}, '$')", cells
    kinds = query(con, f"SELECT DISTINCT json_type({cell}) FROM {source} WHERE json_type({cell}) <> 'NULL'")
    sorts = {kind for (kind,) in kinds}
    if sorts & _NESTED:
        return f"CASE WHEN json_type({cell}) <> 'NULL' THEN {cell} END"
    if sorts == {"BOOLEAN"}:
        return f"TRY_CAST({text} AS BOOLEAN)"
    if sorts and sorts <= _NUMBERS:
        big, huge, long, finite = query(
            con,
            f"SELECT bool_and(whole AND TRY_CAST(said AS BIGINT) IS NOT NULL), "
            f"bool_and(whole AND TRY_CAST(said AS HUGEINT) IS NOT NULL), "
            f"bool_or(regexp_full_match(said, {sql.literal(_LONG_WHOLE_TEXT)})), "
            f"bool_and(coalesce(isfinite(TRY_CAST(said AS DOUBLE)), FALSE)) FROM (SELECT {text} AS said, "
            f"regexp_full_match({text}, {sql.literal(_WHOLE_TEXT)}) AS whole FROM {source}) WHERE said IS NOT NULL",
        )[0]
        if big or huge:
            return f"TRY_CAST({text} AS {'BIGINT' if big else 'HUGEINT'})"
        if finite and not long:
            return f"TRY_CAST({text} AS DOUBLE)"
    return text


def _repeated(con: Connection, source: str) -> list[dict[str, Any]]:
    """Return the note on records that hold a key more than once, of which only the first value is read."""
    keys = "json_keys(json)"
    rows = query(con, f"SELECT count(*) FROM {source} WHERE len({keys}) > len(list_distinct({keys}))")[0][0]
    return [{"note": "repeated_keys", "rows": rows}] if rows else []


def _pointer(*keys: str) -> str:
    """Return the JSON pointer (RFC 6901) along these keys as an SQL literal."""
    return sql.literal("".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys))
