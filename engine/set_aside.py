"""Rows of a table that are no data: blank ones, total rows, notes below, the column names once more.

They are found in a table of text before its columns get types, and leave it with a report.
"""

import re
from collections.abc import Sequence

from grammar.names import APOSTROPHES

from . import sql
from .database import Connection, execute, query
from .load_report import SetAside, Tally, Why
from .settings import FileSettings

_TOTAL_START = (
    "jami|hammasi|umumiy|oraliq|жами|ҳаммаси|умумий|оралиқ|итог|всего|общий|общая|промежуточн|total|grand|sub"
)
_TOTAL = re.compile(
    r"(?:(?:oraliq|umumiy|оралиқ|умумий|общий|общая|промежуточный|grand|sub)[\s-]*)?"
    r"(?:jami|hammasi|umumiy|жами|ҳаммаси|умумий|итого|итог|всего|totals?|umumiy summa|общая сумма)"
    r"(?:[\s:.=–—-]*|[\s:]+(?:по|за|на|bo'yicha|бўйича|for|of|summa|сумма)(?:\s.*)?|\s*\(.*\))"
)
_NOTE = re.compile(r"(?:\*|izoh|eslatma|manba|изоҳ|манба|примечани|источник|note|source)", re.IGNORECASE)
_NUMBER = re.compile(r"[-−(]?\D{0,4}\d")
_NOTE_LENGTH = 12
_LONG_NOTE = 40

Row = tuple[int, int | None, tuple[str | None, ...]]


def put_blank_aside(con: Connection, raw: str, columns: Sequence[str], tally: Tally) -> None:
    """Take the rows without a filled cell out of the table `raw` and count them."""
    first = _first(columns)
    maybe = sql.empty(first, "VARCHAR")
    if not query(con, f"SELECT count(*) FROM {raw} WHERE {maybe}")[0][0]:
        return
    blank = f"{first} IS NULL OR trim(concat({', '.join(map(sql.name, columns))}), {sql.literal(sql.BLANKS)}) = ''"
    tally.counts["blank"] += query(con, f"SELECT count(*) FROM {raw} WHERE {blank}")[0][0]
    execute(con, f"DELETE FROM {raw} WHERE {blank}")


def put_aside(
    con: Connection,
    raw: str,
    columns: Sequence[str],
    line: str,
    labels: Sequence[str],
    tally: Tally,
    settings: FileSettings,
    *,
    keep_totals: bool = False,
) -> set[int]:
    """Take notes, total rows and repeated names out of the table `raw`, which has no blank rows, into the tally.

    `line` is the SQL expression for the line of a row. If totals are kept, so are notes.
    Returns the lines of the rows that left, as far as they are known.
    """
    first = _first(columns)
    total = f"regexp_matches(lower({first}), {sql.literal(f'^[{sql.BLANKS}]*({_TOTAL_START})')})"
    again = f"{sql.name(columns[0])} = {sql.literal(labels[0])}"
    totals, names, last = query(
        con, f"SELECT count(*) FILTER ({total}), count(*) FILTER ({again}), max(rowid) FROM {raw}"
    )[0]
    if last is None:
        return set()
    rows = f"SELECT rowid, {line}, {', '.join(map(sql.name, columns))} FROM {raw}"
    tail = [_row(row) for row in query(con, f"{rows} WHERE rowid > {last - settings.tail_rows} ORDER BY rowid DESC")]
    leaving: dict[int, tuple[Row, Why]] = {}
    if not keep_totals:
        found = query(con, f"{rows} WHERE {total} ORDER BY rowid LIMIT {settings.total_rows}") if totals else []
        leaving |= {row[0]: (row, "total") for row in map(_row, found) if _is_subtotal(row[2])}
        leaving |= {place: (row, why) for place, row, why in _below(tail, settings.notes_below)}
    if names and labels[0].strip() and len(labels) > 1:
        for row in map(_row, query(con, f"{rows} WHERE {again} ORDER BY rowid LIMIT {settings.total_rows}")):
            if [cell or "" for cell in row[2]] == [label.strip(sql.BLANKS) for label in labels]:
                leaving[row[0]] = (row, "header_again")
    for _, (row, why) in sorted(leaving.items()):
        tally.put_aside(SetAside(row[1], why, tuple(cell or "" for cell in row[2])))
    if leaving:
        execute(con, f"DELETE FROM {raw} WHERE rowid IN ({', '.join(map(str, sorted(leaving)))})")
    return {row[1] for row, _ in leaving.values() if row[1] is not None}


def is_total(text: str) -> bool:
    """Return whether a text is the word for a total, alone or with what it totals."""
    plain = text.strip().lower().translate({ord(mark): "'" for mark in APOSTROPHES})
    return bool(_TOTAL.fullmatch(plain))


def _first(columns: Sequence[str]) -> str:
    """Return the first cell of a row that is not empty, as SQL; it may be blank."""
    return f"coalesce({', '.join(map(sql.name, columns))}, NULL)"


def _row(found: Sequence[object]) -> Row:
    place, line, *cells = found
    return (
        int(str(place)),
        None if line is None else int(str(line)),
        tuple(None if c is None else str(c).strip(sql.BLANKS) or None for c in cells),
    )


def _below(tail: Sequence[Row], most_notes: int) -> list[tuple[int, Row, Why]]:
    """Return the notes and total rows at the end of a table, from its last rows, the last one first."""
    found: list[tuple[int, Row, Why]] = []
    for row in tail:
        filled = [cell for cell in row[2] if cell]
        if is_total(filled[0]) and not (len(filled) == 1 and len(row[2]) == 1):
            found.append((row[0], row, "total"))
        elif len(filled) == 1 and row[2][0] and _is_note(row[2][0], len(row[2])):
            found.append((row[0], row, "note"))
        else:
            break
    notes = sum(why == "note" for _, _, why in found)
    return found if (notes <= most_notes and len(found) < len(tail)) or notes == 0 else []


def _is_note(text: str, width: int) -> bool:
    """Return whether the only cell of a row is a remark about the table."""
    if width < 2 or _NUMBER.match(text):
        return False
    if _NOTE.match(text) or len(text) >= _LONG_NOTE:
        return True
    return width > 2 and len(text) >= _NOTE_LENGTH and any(mark in text for mark in " :")


def _is_subtotal(cells: Sequence[str | None]) -> bool:
    """Return whether a row amid others is a total row: its word, numbers, and cells that a row of data would fill."""
    filled = [cell for cell in cells if cell]
    return len(filled) < len(cells) and len(filled) > 1 and is_total(filled[0]) and bool(_NUMBER.match(filled[-1]))
