"""From text to numbers and dates: the one place that says which text is which number or date.

Loading a file and the tools fix_numbers and fix_dates read by the same rules. Expressions are SQL over text; text that
is no number or date gives NULL.
"""

from dataclasses import dataclass

from . import sql

_THOUSANDS = "[ \u00a0\u2009\u202f]"
_NUMBER = rf"[+-]?(\d+|\d{{1,3}}({_THOUSANDS}\d{{3}})+)([.,]\d+)?"
_CODE = r"[+-]?0\d[\s\S]*"
_ISO_DATE = r"\d{4}-\d{2}-\d{2}([ T]00:00(:00(\.0+)?)?)?"
_POINTED_DATE = r"\d{1,2}\.\d{1,2}\.\d{4}"
_ISO_LENGTH = len("YYYY-MM-DD")
_DECIMAL_WIDTH = 38
_SHORT_DECIMAL_WIDTH = 18


@dataclass(frozen=True)
class NumberFacts:
    """What the numbers of a column have in common, in the order of `number_facts_sql`.

    `digits` and `decimals` are the most figures before and after the point; `big` and `huge` say whether all numbers
    fit BIGINT and HUGEINT. Everything is None where there is no number.
    """

    digits: int | None
    decimals: int | None
    big: bool | None
    huge: bool | None

    def duckdb_type(self) -> str:
        """Return the type that holds all the numbers: an integer type, else DECIMAL if exact, else DOUBLE."""
        if self.digits is None or self.decimals is None:
            return "BIGINT"
        if not self.decimals and (self.big or self.huge):
            return "BIGINT" if self.big else "HUGEINT"
        width = self.digits + self.decimals
        if not self.decimals or width > _DECIMAL_WIDTH:
            return "DOUBLE"
        return f"DECIMAL({_SHORT_DECIMAL_WIDTH if width <= _SHORT_DECIMAL_WIDTH else _DECIMAL_WIDTH},{self.decimals})"


def number_text(cell: str) -> str:
    """Return the number in a text cell as text with a point and without blanks, NULL if it is none."""
    bare = f"regexp_replace({sql.trimmed(cell)}, {sql.literal(f'{_THOUSANDS}|^[+]')}, '', 'g')"
    return f"(CASE WHEN {_matches(sql.trimmed(cell), _NUMBER)} THEN replace({bare}, ',', '.') END)"


def number_facts_sql(cell: str) -> str:
    """Return the select list, over all rows, of the facts that settle the type of a column's numbers."""
    number = number_text(cell)
    whole = f"length(ltrim(split_part({number}, '.', 1), '-0'))"
    return (
        f"max({whole}), max(length(split_part({number}, '.', 2))), "
        f"bool_and(TRY_CAST({number} AS BIGINT) IS NOT NULL) FILTER ({number} IS NOT NULL), "
        f"bool_and(TRY_CAST({number} AS HUGEINT) IS NOT NULL) FILTER ({number} IS NOT NULL)"
    )


def number_sql(cell: str, duckdb_type: str) -> str:
    """Return the number in a text cell as this type, NULL where the cell is none or the type cannot hold it."""
    number = f"TRY_CAST({number_text(cell)} AS {duckdb_type})"
    return sql.finite(number) if duckdb_type in sql.FLOATS else number


def leading_zero_sql(cell: str) -> str:
    """Return the condition that a number in a text cell is written with leading zeros, as codes are."""
    return f"coalesce({_matches(number_text(cell), _CODE)}, FALSE)"


def date_sql(cell: str) -> str:
    """Return the date in a text cell as DATE: `YYYY-MM-DD`, also with midnight behind it, or `DD.MM.YYYY`."""
    text = sql.trimmed(cell)
    iso = f"TRY_CAST(left({text}, {_ISO_LENGTH}) AS DATE)"
    pointed = f"CAST(try_strptime({text}, '%d.%m.%Y') AS DATE)"
    day = f"(CASE WHEN {_matches(text, _ISO_DATE)} THEN {iso} WHEN {_matches(text, _POINTED_DATE)} THEN {pointed} END)"
    return f"(CASE WHEN year({day}) > 0 THEN {day} END)"


def _matches(text: str, pattern: str) -> str:
    return f"regexp_full_match({text}, {sql.literal(pattern)})"
