"""The types of the columns of a text file, each on the evidence of all its values."""

from . import sql
from .database import Connection, query

_WHOLE_NUMBER = r"-?(0|[1-9]\d{0,14})"
_NUMBER = rf"{_WHOLE_NUMBER}(\.\d{{1,15}})?"
_DATE = r"(19|20)\d{2}-\d{2}-\d{2}"
_TIMESTAMP = rf"{_DATE}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,6}})?)?"
_BOOLEAN = r"(?i)(true|false)"

# The types that a text column may get, the most special first: DuckDB type and the form that every filled cell has.
_TYPES = (
    ("BOOLEAN", _BOOLEAN),
    ("BIGINT", _WHOLE_NUMBER),
    ("DOUBLE", _NUMBER),
    ("DATE", _DATE),
    ("TIMESTAMP", rf"{_DATE}|{_TIMESTAMP}"),
)


def typed(con: Connection, raw: str, column: str) -> str:
    """Return a column as an expression of the type whose form every filled cell has; as it is where there is none.

    Each column is asked for alone: one statement about hundreds of them takes DuckDB many times as long to plan.
    """
    cell = sql.name(column)
    counts = [f"count({cell})", "count(*) FILTER (padded)"]
    for duckdb_type, form in _TYPES:
        fits = f"regexp_full_match({cell}, {sql.literal(form)}) AND TRY_CAST({cell} AS {duckdb_type}) IS NOT NULL"
        counts.append(f"count(*) FILTER ({fits})")
    trimmed = sql.trimmed(cell)
    cells = f"SELECT nullif({trimmed}, '') AS {cell}, {cell} <> {trimmed} AS padded FROM {raw}"
    filled, padded, *fitting = query(con, f"SELECT {', '.join(counts)} FROM ({cells})")[0]
    for (duckdb_type, _), count in zip(_TYPES, fitting, strict=True):
        if filled and count == filled:
            return f"TRY_CAST({trimmed if padded else cell} AS {duckdb_type}) AS {cell}"
    return cell
