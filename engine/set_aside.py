"""Rows of a table that are no data: blank ones, total rows, notes below, the column names once more.

They are found in a table of text before its columns get types, and leave it with a report.
"""

import re
from collections.abc import Sequence

from grammar.names import APOSTROPHES

from . import sql
from .database import Connection, execute, query
from .load_report import SetAside, Tally, Why
from .raw_table import RawTable, Row, row_of
from .settings import FileSettings

_TOTAL_START = (
    "jami|hammasi|umumiy|oraliq|жами|ҳаммаси|умумий|оралиқ|итог|всего|общий|общая|промежуточн|total|grand|sub"
)
_TOTAL = re.compile(
    r"(?:(?:oraliq|umumiy|оралиқ|умумий|общий|общая|промежуточный|grand|sub)[\s-]*)?"
    r"(?:jami|hammasi|umumiy|жами|ҳаммаси|умумий|итого|итог|всего|totals?|umumiy summa|общая сумма)"
    r"(?:[\s:.=–—-]*|[\s:]+(?:по|за|на|bo'yicha|бўйича|for|of|summa|сумма)(?:\s.*)?|\s*\(.*\))"
)
_SIGNED = "___"
_NOTE = re.compile(r"(?:\*|izoh|eslatma|manba|изоҳ|манба|примечани|источник|note|source)", re.IGNORECASE)
_TOTAL_BEGINNING = f"^[{sql.BLANKS}]*({_TOTAL_START})"
_NUMBER = re.compile(r"[-−(]?\D{0,4}\d")
_NOTE_LENGTH = 12
_LONG_NOTE = 40


def put_blank_aside(con: Connection, raw: RawTable, tally: Tally) -> None:
    """Take the rows without a filled cell out of the table `raw` and count them."""
    maybe = sql.empty(raw.first(), "VARCHAR")
    if not query(con, f"SELECT count(*) FROM {raw.name} WHERE {maybe}")[0][0]:
        return
    tally.counts["blank"] += query(con, f"SELECT count(*) FROM {raw.name} WHERE {raw.blank()}")[0][0]
    execute(con, f"DELETE FROM {raw.name} WHERE {raw.blank()}")


def put_aside(
    con: Connection,
    raw: RawTable,
    labels: Sequence[str],
    tally: Tally,
    settings: FileSettings,
    *,
    keep_totals: bool = False,
) -> set[int]:
    """Take notes, total rows and repeated names out of the table `raw`, which has no blank rows, into the tally.

    If totals are kept, so are notes. Returns the lines of the rows that left, as far as they are known.
    """
    total, again, rows = raw.begins(_TOTAL_BEGINNING), raw.first_is(labels[0]), raw.rows()
    totals, names, last = query(
        con, f"SELECT count(*) FILTER ({total}), count(*) FILTER ({again}), max(rowid) FROM {raw.name}"
    )[0]
    if last is None:
        return set()
    tail = [row_of(row) for row in query(con, f"{rows} WHERE rowid > {last - settings.tail_rows} ORDER BY rowid DESC")]
    leaving: dict[int, tuple[Row, Why]] = {}
    if not keep_totals:
        found = query(con, f"{rows} WHERE {total} ORDER BY rowid LIMIT {settings.total_rows}") if totals else []
        leaving |= {row[0]: (row, "total") for row in map(row_of, found) if _is_subtotal(row[2])}
        leaving |= {place: (row, why) for place, row, why in _below(tail, settings.notes_below)}
    if names and labels[0].strip() and len(labels) > 1:
        for row in map(row_of, query(con, f"{rows} WHERE {again} ORDER BY rowid LIMIT {settings.total_rows}")):
            if [cell or "" for cell in row[2]] == [label.strip(sql.BLANKS) for label in labels]:
                leaving[row[0]] = (row, "header_again")
    if not leaving:
        return set()
    listed = [leaving[place] for place in sorted(leaving)]
    shown = raw.as_written([row for row, _ in listed[: tally.room()]])
    for (_, why), (line, cells) in zip(listed, [*shown, *[(None, ())] * (len(listed) - len(shown))], strict=True):
        tally.put_aside(SetAside(line, why, cells))
    execute(con, f"DELETE FROM {raw.name} WHERE rowid IN ({', '.join(map(str, sorted(leaving)))})")
    return {row[1] for row, _ in listed if row[1] is not None}


def may_be_total(cells: Sequence[str]) -> bool:
    """Return whether a row may be a total row by how it begins."""
    first = next((cell for cell in cells if cell), "")
    return bool(re.match(_TOTAL_BEGINNING, first.lower()))


def is_total(text: str) -> bool:
    """Return whether a text is the word for a total, alone or with what it totals."""
    plain = text.strip().lower().translate({ord(mark): "'" for mark in APOSTROPHES})
    return bool(_TOTAL.fullmatch(plain))


def _below(tail: Sequence[Row], most_notes: int) -> list[tuple[int, Row, Why]]:
    """Return the notes and total rows at the end of a table, from its last rows, the last one first."""
    found: list[tuple[int, Row, Why]] = []
    for row in tail:
        filled = [cell for cell in row[2] if cell]
        if is_total(filled[0]) and not (len(filled) == 1 and len(row[2]) == 1):
            found.append((row[0], row, "total"))
        elif _is_note(row[2]):
            found.append((row[0], row, "note"))
        else:
            break
    notes = sum(why == "note" for _, _, why in found)
    return found if (notes <= most_notes and len(found) < len(tail)) or notes == 0 else []


def _is_note(cells: Sequence[str | None]) -> bool:
    """Return whether a row is a remark about the table: a single cell that reads like one, or a line to sign on."""
    filled, width = [cell for cell in cells if cell], len(cells)
    if width > 1 and any(_SIGNED in cell for cell in filled):
        return True
    if len(filled) > 1 or width < 2 or _NUMBER.match(filled[0]):
        return False
    text = filled[0]
    if not cells[0]:
        return bool(_NOTE.match(text))
    if _NOTE.match(text) or len(text) >= _LONG_NOTE:
        return True
    return width > 2 and len(text) >= _NOTE_LENGTH and any(mark in text for mark in " :")


def _is_subtotal(cells: Sequence[str | None]) -> bool:
    """Return whether a row amid others is a total row: its word, numbers, and cells that a row of data would fill."""
    filled = [cell for cell in cells if cell]
    return len(filled) < len(cells) and len(filled) > 1 and is_total(filled[0]) and bool(_NUMBER.match(filled[-1]))
