"""Quick forms: plain ways of writing that settle a column while it is read, without a text of it in between.

A form is a pattern so narrow that a column whose filled cells all fit it has, by the rules of `column_types`, this type
and this report and no other. Rows from many places of a file say which form a column may have; the statement that reads
the file holds every cell against it. One cell that does not fit is a doubt, and the column is read as text instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grammar import DecimalMark
from grammar.names import APOSTROPHES

from . import dates, sql
from .column_sample import YES_NO, is_code_name
from .database import kind_of
from .load_options import LoadOptions
from .load_report import ColumnReport

_WHOLE = r"-?(?:0|[1-9][0-9]{0,14})"
_SPACED = r"-?(?:0|[1-9][0-9]{0,2}(?:%s[0-9]{3}){0,4}|[1-9][0-9]{0,14})"
_COMMAED = r"-?(?:(?:0|[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(?:,[0-9]{3}){2,4})(?:\.%s)?|[1-9][0-9]{0,2},[0-9]{3}\.%s)"
_DECIMALS = r"(?:[0-9]{1,2}|[0-9]{4,20})"
# A point before three figures may as well stand between thousands.
_SURE_POINT = rf"\.{_DECIMALS}$"
_DATE = r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}"
_TIME = r"[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_SPACES = (" ", "\u00a0", "\u202f")
_DOUBT = re.compile(r"a cell of column (\d+) is in doubt")
_TO_PLAIN_APOSTROPHE = {ord(mark): "'" for mark in APOSTROPHES}


@dataclass(frozen=True)
class QuickForm:
    """A way of writing: the type it makes, the pattern of its cells, and the SQL that converts such a cell.

    `value` has `{}` for the cell, and is NULL for cells that only look right, as 31 February does. At least one cell
    has to match `shown`. `way` is what the report says of it; with `counted`, how many cells there are beside it.
    """

    type: str
    pattern: str
    value: str
    shown: str = ""
    way: tuple[str, ...] = ()
    counted: bool = False
    fallible: bool = False
    words: tuple[str, ...] = ()
    mark: DecimalMark | None = None

    def fits(self, cell: str) -> str:
        """Return the condition that a filled cell is written in this form."""
        if self.words:
            return sql.any_of(cell, self.words)
        return f"regexp_full_match({cell}, {sql.literal(self.pattern)})"

    def expression(self, cell: str, number: int) -> str:
        """Return the SQL of the value, which ends the statement at a cell in doubt, naming the column by number."""
        doubt = f"error('a cell of column {number} is in doubt')"
        value = self.value.format(cell)
        value = f"coalesce({value}, {doubt})" if self.fallible else value
        return f"CASE WHEN {cell} IS NULL THEN NULL WHEN {self.fits(cell)} THEN {value} ELSE {doubt} END AS {cell}"

    def doubtful(self, cell: str) -> str:
        """Return the condition that a filled cell is in doubt."""
        fails = f"{self.value.format(cell)} IS NULL" if self.fallible else "FALSE"
        return f"CASE WHEN {cell} IS NULL THEN FALSE WHEN {self.fits(cell)} THEN {fails} ELSE TRUE END"

    def report(self, column: str, filled: int) -> ColumnReport:
        """Return what is said of a column of which so many cells are filled, and all were converted."""
        way = tuple(f"{each} {filled}" for each in self.way) if self.counted else self.way
        return ColumnReport(column, kind_of(self.type), self.type, way, filled, filled)


def _number(
    duckdb_type: str, pattern: str, removed: str = "", mark: DecimalMark | None = None, shown: str = ""
) -> QuickForm:
    text = f"replace({{}}, {sql.literal(removed)}, '')" if removed else "{}"
    text = f"replace({text}, ',', '.')" if mark == "," else text
    way = ("decimal_comma",) if mark == "," else ()
    return QuickForm(duckdb_type, pattern, f"TRY_CAST({text} AS {duckdb_type})", shown, way, mark=mark)


# The first form that all cells fit is the one; where a later one is needed, `shown` says what tells it from the others.
_FORMS = (
    QuickForm("BOOLEAN", "(?i)(?:true|false)", "TRY_CAST({} AS BOOLEAN)"),
    _number("BIGINT", _WHOLE),
    _number("DOUBLE", rf"{_WHOLE}(?:\.[0-9]{{1,20}})?", mark=".", shown=_SURE_POINT),
    QuickForm("DATE", _DATE, "TRY_CAST({} AS DATE)", fallible=True),
    QuickForm("TIMESTAMP", f"{_DATE}(?:{_TIME})?", "TRY_CAST({} AS TIMESTAMP)", ":", fallible=True),
    QuickForm(
        "DATE",
        r"[0-9]{2}\.(?:0[1-9]|1[0-2])\.(?:19|20)[0-9]{2}",
        "CAST(try_strptime({}, '%d.%m.%Y') AS DATE)",
        way=("dmy.",),
        counted=True,
        fallible=True,
    ),
    _number("DOUBLE", f"{_WHOLE}(?:,{_DECIMALS})?", mark=",", shown=","),
    *(
        form
        for space in _SPACES
        for form in (
            _number("BIGINT", _SPACED % space, space, shown=space),
            _number("DOUBLE", f"{_SPACED % space}(?:,{_DECIMALS})?", space, ",", ","),
            _number("DOUBLE", rf"{_SPACED % space}(?:\.[0-9]{{1,20}})?", space, ".", _SURE_POINT),
        )
    ),
    _number("DOUBLE", _COMMAED % (_DECIMALS, _DECIMALS), ",", ".", _SURE_POINT),
)


def quick_form(
    column: str, label: str, cells: Sequence[str], lasting: Sequence[str], options: LoadOptions
) -> QuickForm | None:
    """Return the form that all these filled cells of a column have, None if a closer look has to settle the column.

    `lasting` are those of them that stand in rows of data for certain.
    """
    if not lasting or is_code_name(column) or any(re.fullmatch(form.pattern, label.strip()) for form in _FORMS):
        return None
    found = next((form for form in _FORMS if _shows(form, cells, lasting)), None) or _yes_or_no(cells, lasting)
    if found is None or label.strip() in found.words:
        return None
    kind = kind_of(found.type)
    if kind == "number" and (dates.is_day(column) or options.decimal is not None):
        return None
    if kind == "date" and (dates.is_birth(column) or options.dates is not None):
        return None
    return found


def doubted(detail: str) -> bool:
    """Return whether these words of the database tell of a cell in doubt."""
    return bool(_DOUBT.search(detail))


def expressions(columns: Sequence[str], forms: Mapping[str, QuickForm]) -> list[str]:
    """Return the SQL for each column: its value in its form, else its text."""
    return [
        forms[column].expression(sql.name(column), number) if column in forms else sql.name(column)
        for number, column in enumerate(columns, 1)
    ]


def _shows(form: QuickForm, cells: Sequence[str], lasting: Sequence[str]) -> bool:
    pattern = re.compile(form.pattern)
    return all(map(pattern.fullmatch, cells)) and any(re.search(form.shown, cell) for cell in lasting)


def _yes_or_no(cells: Sequence[str], lasting: Sequence[str]) -> QuickForm | None:
    """Return the form of a column that says yes and no in one pair of words, in the spellings found."""
    spellings = sorted(set(cells))
    plain = {cell: cell.lower().translate(_TO_PLAIN_APOSTROPHE) for cell in spellings}
    if len({plain[cell] for cell in lasting}) != len(YES_NO[0]):
        return None
    pair = next((pair for pair in YES_NO if set(plain.values()) == set(pair)), None)
    if pair is None:
        return None
    yes = sql.any_of("{}", [cell for cell in spellings if plain[cell] == pair[0]])
    return QuickForm("BOOLEAN", "|".join(map(re.escape, spellings)), yes, way=pair, words=tuple(spellings))
