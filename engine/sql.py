"""SQL text: the only place where a name or a value becomes a part of a statement.

Everything here is text in, text out, for DuckDB's dialect. A cell is an SQL expression for one cell of a row, its
DuckDB type is the text that DESCRIBE gives. An empty cell is NULL, blank text, or a number or date that is not finite.
"""

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import ROUND_FLOOR, Context, Decimal

from grammar.errors import ToolError
from grammar.names import APOSTROPHES
from grammar.names import BLANKS as BLANKS

FLOATS = frozenset({"FLOAT", "DOUBLE"})
DAYS_AND_TIMES = frozenset(
    {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"}
)
_INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_INTEGER_SHAPES = {
    f"{sign}{size}": (len(str(2 ** (bits if sign else bits - 1))), 0)
    for size, bits in _INTEGER_BITS.items()
    for sign in ("", "U")
    if bits <= 64
}
_NAME_PART = r'(?:"(?:[^"]|"")+"|\w+)'
_DECIMAL_WIDTH = 38
_LONGEST_LIST = 4
_LARGEST_FLOAT = Decimal("3.4028234663852886e38")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_WIDE = Context(prec=400)


def name(text: str) -> str:
    """Quote a name of a table or column; ToolError `broken_text` for text that no encoding can carry."""
    return f'"{_carried(text).replace(chr(34), chr(34) * 2)}"'


def name_parts(text: str) -> list[str] | None:
    """Return the parts of a name with points in it, quoted or not; None if it is no such name."""
    if not re.fullmatch(rf"{_NAME_PART}(\.{_NAME_PART})*", text):
        return None
    parts = re.findall(_NAME_PART, text)
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts]


def literal(value: object) -> str:
    """Write a value: None, bool, int, float, Decimal, str, date or datetime.

    A number beyond 128 bits becomes a DOUBLE. Raises ToolError `broken_text` for text that no encoding can carry,
    TypeError for anything else.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f"'{_carried(value).replace(chr(39), chr(39) * 2)}'"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, int):
        return f"CAST('{value}' AS {'HUGEINT' if integer_fits(value, 'HUGEINT') else 'DOUBLE'})"
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    if isinstance(value, Decimal):
        kept = decimal_type(value)
        return f"CAST('{value:f}' AS {kept})" if kept else f"CAST('{float(value)!r}' AS DOUBLE)"
    raise TypeError(f"no SQL literal for {type(value).__name__}")


def letter_by_letter(cell: str) -> str:
    """Return text that compares by its letters alone, whatever collation its column or the database has."""
    return f'{cell} COLLATE "binary"'


def text(cell: str, duckdb_type: str) -> str:
    """Return the cell as VARCHAR."""
    return cell if duckdb_type == "VARCHAR" else f"CAST({cell} AS VARCHAR)"


def filled(cell: str, duckdb_type: str) -> str:
    """Return the condition that the cell is not empty; never NULL."""
    if duckdb_type == "VARCHAR":
        return f"({cell} IS NOT NULL AND CASE WHEN {starts_unblank(cell)} THEN TRUE ELSE {trimmed(cell)} <> '' END)"
    if may_be_infinite(duckdb_type):
        return f"({cell} IS NOT NULL AND isfinite({cell}))"
    return f"({cell} IS NOT NULL)"


def only_null_is_empty(duckdb_type: str) -> bool:
    """Return whether every cell of this type that is not NULL is filled."""
    return duckdb_type != "VARCHAR" and not may_be_infinite(duckdb_type)


def may_be_infinite(duckdb_type: str) -> bool:
    """Return whether cells of this type may hold what is no number or no date of the calendar."""
    return duckdb_type in FLOATS or duckdb_type in DAYS_AND_TIMES


def empty(cell: str, duckdb_type: str) -> str:
    """Return the condition that the cell is empty; never NULL."""
    return f"(NOT {filled(cell, duckdb_type)})"


def value_of(cell: str, duckdb_type: str) -> str:
    """Return the cell, NULL where it is empty."""
    if not only_null_is_empty(duckdb_type):
        return f"(CASE WHEN {filled(cell, duckdb_type)} THEN {cell} END)"
    return cell


def canonical(cell: str, duckdb_type: str) -> str:
    """Return a filled cell as text in one way of writing: `1.50` as 1.5, a moment at midnight as its day.

    Two numbers, days or moments are equal where these texts are, whatever their types.
    """
    shape = decimal_shape(duckdb_type)
    if shape is not None and shape[1]:
        return f"regexp_replace(CAST({cell} AS VARCHAR), '[.]?0+$', '')"
    if duckdb_type in FLOATS:
        # As text first: a DECIMAL of the binary number would have figures that nobody wrote.
        written = f"CAST({cell} AS VARCHAR)"
        whole = f"{cell} = trunc({cell}) AND TRY_CAST({written} AS DECIMAL(38,0)) IS NOT NULL"
        return f"(CASE WHEN {whole} THEN CAST(TRY_CAST({written} AS DECIMAL(38,0)) AS VARCHAR) ELSE {written} END)"
    if duckdb_type in DAYS_AND_TIMES and duckdb_type != "DATE":
        day = f"TRY_CAST({cell} AS DATE)"
        midnight = f"{cell} = TRY_CAST({day} AS {duckdb_type})"
        return f"(CASE WHEN {midnight} THEN CAST({day} AS VARCHAR) ELSE CAST({cell} AS VARCHAR) END)"
    return text(cell, duckdb_type)


def starts_unblank(cell: str) -> str:
    """Return the quick test that settles for most text that it is not blank: its first letter, in UTF-8's order."""
    return f"({cell} BETWEEN '!' AND '~' OR {cell} BETWEEN '\u0400' AND '\u08ff')"


def finite(number: str) -> str:
    """Return a DOUBLE expression, NULL where it is infinite or not a number."""
    return f"(CASE WHEN isfinite({number}) THEN {number} END)"


def trimmed(cell: str) -> str:
    """Return text without outer blanks of any kind, zero-width ones too."""
    unblank = f"{starts_unblank(cell)} AND {starts_unblank(f'right({cell}, 1)')}"
    return f"(CASE WHEN {unblank} THEN {cell} ELSE trim({cell}, {literal(BLANKS)}) END)"


def folded(cell: str) -> str:
    """Return text whose letter case and kind of apostrophe no longer count; a short cut for text in ASCII."""
    apostrophe = literal("'")
    plain = f"lower({cell})"
    for other in (mark for mark in APOSTROPHES if mark.isascii() and mark != "'"):
        plain = f"replace({plain}, {literal(other)}, {apostrophe})"
    full = f"translate({caseless(cell)}, {literal(APOSTROPHES)}, {literal(chr(39) * len(APOSTROPHES))})"
    return f"(CASE WHEN strlen({cell}) = length({cell}) THEN {plain} ELSE {full} END)"


def caseless(cell: str) -> str:
    """Return text whose letter case no longer counts, in any script; the final sigma is a sigma."""
    return f"replace(lower(nfc_normalize({cell})), 'ς', 'σ')"


def same_value(cell: str) -> str:
    """Return the normal form of text: two texts with the same one are spellings of one value.

    Letter case, outer blanks and the kind of apostrophe do not count.
    """
    return trimmed(folded(cell))


def any_of(cell: str, values: Iterable[object]) -> str:
    """Return the condition that the cell is one of these exact values; FALSE without values.

    DuckDB makes a join of a longer list after IN, and a join does not keep the order of rows.
    """
    literals = [literal(value) for value in values]
    listed = [literals[at : at + _LONGEST_LIST] for at in range(0, len(literals), _LONGEST_LIST)]
    parts = [f"{cell} IN ({', '.join(some)})" for some in listed]
    return f"({' OR '.join(parts)})" if parts else "FALSE"


def compared(cell: str, duckdb_type: str, op: str, value: int | float | Decimal) -> str:
    """Compare a number cell with a number by =, >, >=, < or <=, exactly and without ever failing in a conversion.

    An integer or DECIMAL column can hold the multiples of one unit between two bounds: a number outside them settles
    the answer for every filled cell, and one between two multiples is replaced by the lower one.
    """
    if isinstance(value, float) and not math.isfinite(value):
        number = Decimal("-Infinity" if value < 0 else "Infinity")
        if math.isnan(value):
            return "FALSE"
    else:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    low, high, unit = _grid(duckdb_type)
    if number > high:
        return "TRUE" if op in ("<", "<=") else "FALSE"
    if number < low:
        return "TRUE" if op in (">", ">=") else "FALSE"
    if unit is None:
        return f"({cell} {op} CAST('{float(number)!r}' AS {duckdb_type}))"
    below = _WIDE.multiply(_WIDE.divide(number, unit).to_integral_value(ROUND_FLOOR, _WIDE), unit)
    if below != number:
        if op == "=":
            return "FALSE"
        op = ">" if op in (">", ">=") else "<="
    return f"({cell} {op} CAST('{below:f}' AS {duckdb_type}))"


def holds(duckdb_type: str, number: Decimal) -> bool:
    """Return whether a column of this number type can hold the number; FLOAT and DOUBLE hold the nearest one."""
    low, high, unit = _grid(duckdb_type)
    if not low <= number <= high:
        return False
    return unit is None or _WIDE.remainder(number, unit) == 0


def widened(duckdb_type: str, number: Decimal) -> str:
    """Return the number type for a column of this type that shall also hold the number: the same one if it can.

    Whole numbers go to HUGEINT, fractions to a DECIMAL that holds every number of the old type, else to DOUBLE.
    """
    if holds(duckdb_type, number):
        return duckdb_type
    if duckdb_type in FLOATS:
        return "DOUBLE"
    integer = is_integer(duckdb_type)
    if integer and duckdb_type != "UHUGEINT" and holds("HUGEINT", number):
        return "HUGEINT"
    shape, needed = decimal_shape(duckdb_type) or _INTEGER_SHAPES.get(duckdb_type), decimal_type(number)
    other = decimal_shape(needed) if needed else None
    if shape is None or other is None:
        return "DOUBLE"
    scale = max(shape[1], other[1])
    width = scale + max(shape[0] - shape[1], other[0] - other[1])
    return f"DECIMAL({width},{scale})" if width <= _DECIMAL_WIDTH else "DOUBLE"


def integer_fits(number: int, duckdb_type: str) -> bool:
    """Return whether an integer type can hold the number."""
    return holds(duckdb_type, Decimal(number))


def is_integer(duckdb_type: str) -> bool:
    """Return whether this is one of DuckDB's integer types."""
    return duckdb_type.removeprefix("U") in _INTEGER_BITS


def decimal_shape(duckdb_type: str) -> tuple[int, int] | None:
    """Return width and scale of a DECIMAL type, None for any other."""
    shape = _DECIMAL.fullmatch(duckdb_type)
    return (int(shape[1]), int(shape[2])) if shape else None


def number_shape(duckdb_type: str) -> tuple[int, int] | None:
    """Return how many figures numbers of a type have, in all and behind the point; None for FLOAT and DOUBLE."""
    if duckdb_type.removeprefix("U") == "HUGEINT":
        return _DECIMAL_WIDTH + 1, 0
    return decimal_shape(duckdb_type) or _INTEGER_SHAPES.get(duckdb_type)


def decimal_type(number: Decimal) -> str | None:
    """Return the DECIMAL type that holds the number exactly, None if there is none."""
    if not number.is_finite():
        return None
    digits, exponent = len(number.as_tuple().digits), int(number.as_tuple().exponent)
    scale = max(0, -exponent)
    width = max(digits + max(0, exponent), scale)
    return f"DECIMAL({width},{scale})" if width <= _DECIMAL_WIDTH else None


def _grid(duckdb_type: str) -> tuple[Decimal, Decimal, Decimal | None]:
    """Return a type's least and greatest number, and the unit whose multiples its numbers are (None: binary)."""
    if duckdb_type == "DOUBLE":
        return Decimal("-1.7976931348623157e308"), Decimal("1.7976931348623157e308"), None
    if duckdb_type == "FLOAT":
        return -_LARGEST_FLOAT, _LARGEST_FLOAT, None
    shape = decimal_shape(duckdb_type)
    if shape is not None:
        width, scale = shape
        unit = Decimal((0, (1,), -scale))
        high = _WIDE.multiply(Decimal(10**width - 1), unit)
        return high.copy_negate(), high, unit
    bits = _INTEGER_BITS[duckdb_type.removeprefix("U")]
    if duckdb_type.startswith("U"):
        return Decimal(0), Decimal(2**bits - 1), Decimal(1)
    return Decimal(-(2 ** (bits - 1))), Decimal(2 ** (bits - 1) - 1), Decimal(1)


def _carried(words: str) -> str:
    try:
        words.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError("broken_text", found=ascii(words)) from error
    return words
