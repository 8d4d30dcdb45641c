"""From text to numbers: the one place that says which text is which number, and which words say that there is none.

Loading a file and the tool fix_numbers read by the same rules; `dates.py` does the same for dates. Expressions are SQL
over text; text that is no number gives NULL.

A comma or point with exactly three figures behind it may be a decimal or a thousands mark. `NumberForm` says what it
is in a column, on the evidence of the cells that leave no doubt, then of other columns; where they do not tell, such
cells are not read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from grammar import DecimalMark
from grammar.names import APOSTROPHES

from . import sql

MarkUse = Literal["decimal", "group", "unclear"]

# The words and signs of a currency, in small letters without points and apostrophes.
CURRENCIES: Mapping[str, tuple[str, ...]] = {
    "UZS": ("som", "sum", "сўм", "сум", "сом", "uzs"),
    "RUB": ("руб", "рублей", "рубля", "рубль", "р", "rub", "rubl", "₽"),
    "USD": ("$", "usd", "доллар", "долларов", "долл", "dollar", "us$"),
    "EUR": ("€", "eur", "евро", "euro", "yevro"),
    "KZT": ("₸", "kzt", "тенге", "tenge"),
    "GBP": ("£", "gbp"),
    "CNY": ("¥", "cny", "юань", "юаней"),
}
PERCENT = "%"
# What programs write for a number that is none.
NO_FINITE_NUMBER = ("nan", "-nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity")
MISSING = (
    *("n/a", "#n/a", "na", "n.a.", "null", "none", "nil", "no data", "missing", "unknown"),
    *("-", "--", "–", "—", "...", "…", "?"),
    *NO_FINITE_NUMBER,
    *("yo'q", "йўқ", "ma'lumot yo'q", "маълумот йўқ", "noma'lum", "номаълум", "mavjud emas"),
    *("нет", "нет данных", "н/д", "нд", "неизвестно", "не указано", "отсутствует"),
)

_MINUSES = "\u2212\u2013\u2010\u2011\ufe63\uff0d"
_SPACES = "\u00a0\u2009\u202f\u2007"
_GROUPED = r"\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?"
_UNCLEAR = r"[1-9]\d{0,2}%s\d{3}"
_SURE_DECIMAL = r"\d+%s(?:\d{1,2}|\d{4,})|(?:0\d*|\d{4,})%s\d{3}"
_SURE_GROUP = r"[1-9]\d{0,2}(?:%s\d{3}){2,}(?:%s\d+)?|[1-9]\d{0,2}%s\d{3}%s\d+"
_UNGROUPED = r"\d{4,}"
_THREE_DECIMALS = r"(?:0|\d{4,})%s\d{3}"
# The longest word of a currency, and the signs, brackets and blanks that may stand with it.
_MOST_BESIDE = max(len(word) for words in CURRENCIES.values() for word in words) + 8
_CODE = r"[+-]?0\d[\s\S]*"
_DECIMAL_WIDTH = 38
_SHORT_DECIMAL_WIDTH = 18


def _of_mark(pattern: str, mark: str) -> str:
    """Return a pattern for one mark; where it has an even number of places, the other mark takes every second."""
    this, other = (r"\.", ",") if mark == "." else (",", r"\.")
    places = pattern.count("%s")
    return pattern % ((this, other, this, other)[:places] if pattern == _SURE_GROUP else (this,) * places)


@dataclass(frozen=True)
class NumberForm:
    """How the numbers of a column are written.

    `comma` and `point` say what each is before exactly three figures; `units` are the currencies and the percent sign
    that a number may have (None: any), an empty text stands for none.
    """

    comma: MarkUse = "unclear"
    point: MarkUse = "decimal"
    units: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FormFacts:
    """How many cells of a column show how its numbers are written, in the order of `form_facts_sql`.

    `ungrouped` counts whole numbers of four figures or more without any mark.
    """

    comma_unclear: int
    comma_decimal: int
    comma_three: int
    comma_group: int
    point_unclear: int
    point_decimal: int
    point_three: int
    point_group: int
    ungrouped: int
    units: Mapping[str, int]

    def mark(self) -> DecimalMark | None:
        """Return the decimal mark that the cells show for sure; None if they show none, or both."""
        comma = self.comma_decimal + self.comma_three + self.point_group
        point = self.point_decimal + self.point_three + self.comma_group
        return None if bool(comma) == bool(point) else "," if comma else "."

    def form(self, decimal: str | None = None, sisters: str | None = None) -> NumberForm:
        """Return the form that the facts show.

        `decimal` is the decimal mark that a person named, `sisters` the one that other columns of the file show.
        """
        currencies = sorted(
            (unit for unit in self.units if unit not in ("", PERCENT)),
            key=lambda unit: (-self.units[unit], list(CURRENCIES).index(unit)),
        )
        units = ("", PERCENT, *currencies[:1])
        if decimal is not None:
            return NumberForm(*(("decimal", "group") if decimal == "," else ("group", "decimal")), units)
        if not self.shows_a_mark():
            return NumberForm(*self._marks_by_others(sisters), units)
        comma = _use(
            group=self.comma_group + self.point_decimal + self.point_three,
            decimal=self.comma_decimal + self.comma_three,
            sure_decimal=self.comma_three,
        )
        point: MarkUse = "decimal"
        if self.point_group + self.comma_decimal + self.comma_three:
            point = "unclear" if self.point_decimal + self.point_three + self.comma_group else "group"
        return NumberForm(comma, point, units)

    def groups(self, form: NumberForm) -> list[str]:
        """Return the marks (`comma`, `point`) that stand between thousands in this form and before three figures."""
        marks = (("comma", form.comma, self.comma_unclear), ("point", form.point, self.point_unclear))
        return [mark for mark, use, cells in marks if use == "group" and cells]

    def shows_a_mark(self) -> bool:
        """Return whether some cells show for sure what a comma or point is."""
        comma = self.comma_decimal + self.comma_three + self.comma_group
        return comma + self.point_decimal + self.point_three + self.point_group > 0

    def _marks_by_others(self, sisters: str | None) -> tuple[MarkUse, MarkUse]:
        """Return what comma and point are where each stands before exactly three figures only.

        A point then is a decimal one if thousands are written without it or other columns have decimal points.
        """
        if sisters == ".":
            return "group", "decimal"
        if sisters == ",":
            return "unclear", "group"
        return "unclear", "unclear" if self.point_unclear and not self.ungrouped else "decimal"


NO_NUMBERS = FormFacts(0, 0, 0, 0, 0, 0, 0, 0, 0, {})


def sisters_mark(columns: Iterable[FormFacts], settled: Iterable[DecimalMark | None]) -> DecimalMark | None:
    """Return the one decimal mark that columns of a file show; `settled` are the marks of others, settled before."""
    marks = {*(facts.mark() for facts in columns), *settled} - {None}
    return marks.pop() if len(marks) == 1 else None


def without_doubt_sql(text: str) -> str:
    """Return the condition that a plain number shows that its point is no mark between thousands."""
    return _matches(text, rf"-?(?:{_of_mark(_SURE_DECIMAL, '.')}|{_UNGROUPED})")


def _use(group: int, decimal: int, sure_decimal: int) -> MarkUse:
    if group:
        return "unclear" if decimal else "group"
    return "decimal" if sure_decimal else "unclear"


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


PLAIN = NumberForm()
_EITHER = NumberForm("decimal", "decimal")


def form_facts_sql(cell: str, source: str) -> str:
    """Return the query for the facts that settle how the numbers in a text cell of all rows are written.

    The parts of a cell are worked out once for each row, in queries inside each other.
    """
    parts = f"SELECT {_plain(cell)} AS plain FROM {source} WHERE {_may_be_number(cell)}"
    parts = f"SELECT plain, {_body('plain')} AS body, {_word('plain')} AS word FROM ({parts})"
    fits = f"{_matches('plain', _whole(_EITHER))} AND {_one_sign('plain')}"
    parts = f"SELECT body, {_unit('word')} AS unit FROM ({parts}) WHERE {fits}"
    spaced = r"\d{1,3}(?:[ ']\d{3})+%s\d+"
    counts = []
    for mark in (",", "."):
        for patterns in ((_UNCLEAR,), (_SURE_DECIMAL,), (_THREE_DECIMALS, spaced), (_SURE_GROUP,)):
            pattern = "|".join(_of_mark(each, mark) for each in patterns)
            counts.append(f"count(*) FILTER ({_matches('body', pattern)})")
    counts.append(f"count(*) FILTER ({_matches('body', _UNGROUPED)})")
    return f"SELECT {', '.join(counts)}, coalesce(histogram(unit), MAP {{}}) FROM ({parts})"


def facts_of(row: Sequence[object]) -> FormFacts:
    """Return the facts of a row of `form_facts_sql`."""
    *counts, units = row
    assert isinstance(units, dict)
    a, b, c, d, e, f, g, h, i = (int(str(count)) for count in counts)
    return FormFacts(a, b, c, d, e, f, g, h, i, units)


def number_text(cell: str, form: NumberForm = PLAIN) -> str:
    """Return the number in a text cell as text with a point and nothing else, NULL if it is none."""
    plain = _plain(cell)
    body = f"regexp_replace({_body(plain)}, '[ '']', '', 'g')"
    comma_group = _of_mark(_SURE_GROUP, ",") + (f"|{_of_mark(_UNCLEAR, ',')}" if form.comma == "group" else "")
    point_group = _of_mark(_SURE_GROUP, ".") + (f"|{_of_mark(_UNCLEAR, '.')}" if form.point == "group" else "")
    bare = (
        f"CASE WHEN {_matches(body, comma_group)} THEN replace({body}, ',', '') "
        f"WHEN {_matches(body, point_group)} THEN replace(replace({body}, '.', ''), ',', '.') "
        f"ELSE replace({body}, ',', '.') END"
    )
    sign = f"CASE WHEN contains({plain}, '-') OR starts_with({plain}, '(') THEN '-' ELSE '' END"
    fits = f"{_matches(plain, _whole(form))} AND {_one_sign(plain)}"
    if form.units is not None:
        fits += f" AND {sql.any_of(_unit(_word(plain)), form.units)}"
    return f"(CASE WHEN NOT {_may_be_number(cell)} THEN NULL WHEN {fits} THEN concat({sign}, {bare}) END)"


def unclear_sql(cell: str) -> str:
    """Return the condition that a comma or point in a text cell may stand before decimals or between thousands."""
    return _matches(_body(_plain(cell)), "|".join(_of_mark(_UNCLEAR, mark) for mark in (",", ".")))


def unit_sql(cell: str) -> str:
    """Return the currency of a number in a text cell or the percent sign, an empty text where it has none."""
    return _unit(_word(_plain(cell)))


def number_facts_sql(cell: str, source: str, form: NumberForm = PLAIN) -> str:
    """Return the query for the facts that settle the type of the numbers in a text cell of all rows."""
    return (
        f"WITH numbers AS MATERIALIZED (SELECT {number_text(cell, form)} AS number FROM {source}) "
        "SELECT max(length(ltrim(split_part(number, '.', 1), '-0'))), max(length(split_part(number, '.', 2))), "
        "bool_and(TRY_CAST(number AS BIGINT) IS NOT NULL), bool_and(TRY_CAST(number AS HUGEINT) IS NOT NULL) "
        "FROM numbers WHERE number IS NOT NULL"
    )


def number_sql(cell: str, duckdb_type: str, form: NumberForm = PLAIN) -> str:
    """Return the number in a text cell as this type, NULL where the cell is none or the type cannot hold it."""
    number = f"TRY_CAST({number_text(cell, form)} AS {duckdb_type})"
    return sql.finite(number) if duckdb_type in sql.FLOATS else number


def leading_zero_sql(number: str) -> str:
    """Return the condition that a number, as `number_text` gives it, is written with leading zeros, as codes are."""
    return f"coalesce({_matches(number, _CODE)}, FALSE)"


def missing_sql(cell: str, words: Sequence[str] = MISSING) -> str:
    """Return the condition that a text cell holds a word or sign for "nothing is known"."""
    written = [spelling for word in words for spelling in _spellings(word)]
    return f"coalesce({sql.any_of(f'lower({sql.trimmed(cell)})', written)}, FALSE)"


def _spellings(word: str) -> list[str]:
    """Return a word with every kind of apostrophe in the places where it has one."""
    pieces = word.split("'")
    marks = product("'" + APOSTROPHES, repeat=len(pieces) - 1)
    return ["".join(piece + mark for piece, mark in zip(pieces, (*each, ""), strict=True)) for each in marks]


def _may_be_number(cell: str) -> str:
    """Return a quick condition that every number fulfils: its figures stand together, little stands beside them."""
    marks = f"[0-9., '{_SPACES}{APOSTROPHES}]*"
    beside = rf"[{sql.BLANKS}]*[^0-9]{{0,{_MOST_BESIDE}}}"
    return _matches(cell, rf"{beside}[0-9]{marks}[^0-9]{{0,{_MOST_BESIDE}}}[{sql.BLANKS}]*")


def _whole(form: NumberForm) -> str:
    """Return the pattern of a whole cell: sign, currency, figures; `_one_sign` says whether the signs go together."""
    bodies = [_GROUPED, r"\d+"]
    for mark, use in ((",", form.comma), (".", form.point)):
        bodies += [_of_mark(_SURE_DECIMAL, mark), _of_mark(_SURE_GROUP, mark)]
        if use != "unclear":
            bodies.append(_of_mark(_UNCLEAR, mark))
    words = sorted({word for each in CURRENCIES.values() for word in each}, key=len, reverse=True)
    escaped = [word.replace("$", r"\$") for word in words]
    unit = f"(?:so'm|{'|'.join(escaped)}|%)\\.?"
    return f"(?i)\\(? ?[+-]?(?:{unit} ?)?[+-]?(?:{'|'.join(bodies)})(?: ?{unit})?-? ?\\)?"


def _one_sign(plain: str) -> str:
    """Return the condition that there is at most one sign, or a pair of brackets, which also means minus."""
    return f"regexp_full_match(regexp_replace({plain}, '[^-+()]', '', 'g'), '[-+]?|[(][)]')"


def _plain(cell: str) -> str:
    """Return text without outer blanks, with one kind of minus, blank and apostrophe."""
    kinds, plain = _MINUSES + _SPACES + APOSTROPHES, "-" * len(_MINUSES) + " " * len(_SPACES) + "'" * len(APOSTROPHES)
    trimmed = sql.trimmed(cell)
    odd = f"regexp_matches({trimmed}, {sql.literal(f'[{kinds}]')})"
    return f"(CASE WHEN {odd} THEN translate({trimmed}, {sql.literal(kinds)}, {sql.literal(plain)}) ELSE {trimmed} END)"


def _body(plain: str) -> str:
    """Return the figures of a number with their marks."""
    return rf"regexp_extract({plain}, '\d[\d., '']*\d|\d')"


def _word(plain: str) -> str:
    """Return what stands beside the figures, in small letters."""
    return f"regexp_replace(lower({plain}), '[-+0-9.,''() ]', '', 'g')"


def _unit(word: str) -> str:
    """Return the currency of this word or the percent sign, an empty text for none, NULL for an unknown word."""
    units = {"": "", PERCENT: PERCENT} | {word: unit for unit, words in CURRENCIES.items() for word in words}
    listed = ", ".join(f"{sql.literal(each)}: {sql.literal(unit)}" for each, unit in units.items())
    return f"(MAP {{{listed}}})[{word}]"


def _matches(text: str, pattern: str) -> str:
    return f"regexp_full_match({text}, {sql.literal(pattern)})"
