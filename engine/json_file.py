"""JSON and JSON Lines: records become rows, their keys columns; nested values stay JSON, which is the kind `other`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grammar import unique_name

from . import sql
from .database import Connection, execute, query
from .loading import Loaded, column_names, differing, read_dates
from .paths import FileError, one_file
from .settings import FileSettings

JSON_FILES = (".json", ".jsonl", ".ndjson")

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_EDGE = 4096
_CELL = "c{}"
_NUMBERS = frozenset({"BIGINT", "UBIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"})
_NESTED = frozenset({"OBJECT", "ARRAY"})
_WHOLE_TEXT = r"-?\d+"
_LONG_WHOLE_TEXT = r"-?\d{16,}"


def load_json(con: Connection, path: Path, name: str, settings: FileSettings) -> Loaded:
    """Make a table of a file of records: an array of objects, or one object after another.

    Raises FileError `json_cut`, `json_not_records`, `json_no_records`, `json_no_columns`, DatabaseError for a file
    that is no JSON.
    """
    form = _form(path)
    raw = unique_name("raw", [name])
    source = f"temp.{sql.name(raw)}"
    execute(
        con,
        f"CREATE TEMP TABLE {sql.name(raw)} AS SELECT json, row_number() OVER () AS nr FROM read_json_objects("
        f"{one_file(path)}, format = {sql.literal(form)}, maximum_object_size = {settings.json_record_bytes})",
    )
    cells = unique_name("cells", [name, raw])
    try:
        keys = _keys(con, source, path)
        columns = dict(zip(column_names(keys), keys, strict=True))
        notes = _repeated(con, source)
        _split(con, source, cells, keys)
        typed = ", ".join(
            f"{_typed(con, cells, _CELL.format(place))} AS {sql.name(column)}"
            for place, column in enumerate(columns, 1)
        )
        execute(con, f"CREATE TABLE {sql.name(name)} AS SELECT {typed} FROM temp.{sql.name(cells)} ORDER BY nr")
    finally:
        execute(con, f"DROP TABLE {source}")
        execute(con, f"DROP TABLE IF EXISTS temp.{sql.name(cells)}")
    read_dates(con, name, _texts(con, name, columns))
    return Loaded(name, differing(columns), notes)


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
        rows = query(con, f"SELECT count(*) FROM {source}")[0][0]
        raise FileError("json_no_columns" if rows else "json_no_records", path=str(path))
    return [key for (key,) in found]


def _split(con: Connection, source: str, cells: str, keys: Sequence[str]) -> None:
    """Make a temporary table with a column for each key, so that a record is parsed only once."""
    pointers = ", ".join(_pointer(key) for key in keys)
    values = ", ".join(f"found[{place}] AS {_CELL.format(place)}" for place in range(1, len(keys) + 1))
    execute(
        con,
        f"CREATE TEMP TABLE {sql.name(cells)} AS SELECT nr, {values} "
        f"FROM (SELECT nr, json_extract(json, [{pointers}]) AS found FROM {source})",
    )


def _typed(con: Connection, cells: str, cell: str) -> str:
    """Return a key's values as an expression of the type that all of them have; text where they differ.

    Numbers become DOUBLE only if none of them has more digits than that holds.
    """
    text, source = f"json_extract_string({cell}, '$')", f"temp.{sql.name(cells)}"
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


def _pointer(key: str) -> str:
    """Return the JSON pointer (RFC 6901) to a key as an SQL literal."""
    return sql.literal("/" + key.replace("~", "~0").replace("/", "~1"))


def _texts(con: Connection, name: str, columns: Mapping[str, str]) -> list[str]:
    kinds = query(con, f"SELECT column_name FROM (DESCRIBE {sql.name(name)}) WHERE column_type = 'VARCHAR'")
    return [column for (column,) in kinds if column in columns]
