"""From text to dates and times: the one place that says which text is which day.

Loading a file and the tool fix_dates read by the same rules. Expressions are SQL over text; text that is no date gives
NULL, and so does a year before 1900 or after 2100. Where the whole column does not tell day from month, `DateForm`
leaves the order open and such cells are not read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from . import sql
from .load_options import DateOrder

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_YEARS_AHEAD = 30
_SERIAL_FROM, _SERIAL_TO = 20_000, 73_050
_SERIAL_ZERO = "DATE '1899-12-30'"

_TIME = r"(?:T|,? +)(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?: ?[AaPp][Mm])?)Z?$"
_MIDNIGHT = r"0?0:00(?::00(?:\.0+)?)?"
_YEAR_WORD = r"(?:[ -]*(?:yil|йил|года|год|г|y)\.?)?"
_ISO = r"(?:19\d{2}|20\d{2}|2100)[-/.]\d{2}[-/.]\d{2}"
_SHORT_YEAR_FIRST = r"\d{2}[-/.]\d{1,2}[-/.]\d{1,2}"
_POINTED = rf"\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d{{2}}){_YEAR_WORD}"
_SLASHED = r"\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})|\d{1,2}-\d{1,2}-\d{4}|\d{2}-\d{2}-\d{2}"
_MONTHS = (
    ("yan", "jan", "янв"),
    ("fev", "feb", "фев"),
    ("mar", "мар"),
    ("apr", "апр"),
    ("may", "май", "мая"),
    ("iyun", "jun", "июн"),
    ("iyul", "jul", "июл"),
    ("avg", "aug", "авг"),
    ("sen", "sep", "сен"),
    ("okt", "oct", "окт"),
    ("noy", "nov", "ноя"),
    ("dek", "dec", "дек"),
)
_MONTH = "(?:" + "|".join(start for starts in _MONTHS for start in starts) + r")[a-zа-я']*"
_NAMED = (
    rf"\d{{1,2}}[ .-]*{_MONTH}[ .,-]*(?:\d{{4}}|\d{{2}}){_YEAR_WORD}"
    rf"|{_MONTH}\.? \d{{1,2}},? \d{{4}}|\d{{4}}[ -]*(?:yil|йил)[ ,]*\d{{1,2}}[ -]*{_MONTH}"
)
_SERIAL = r"\d{5}"
_BIRTH = re.compile(r"tug'?il|туғил|рожд|birth|dob\b", re.IGNORECASE)
_DAY_NAME = re.compile(r"\b(?:sana|сана|дата|date|kun|кун|день)", re.IGNORECASE)


@dataclass(frozen=True)
class DateForm:
    """How the dates of a column are written.

    `slashed` and `pointed` are the order of day, month and year between slashes or hyphens, and between points (None:
    it cannot be told, or there are none). `named` says that names of months occur, `serials` that five figures are a
    day as Excel counts them. Two figures of a year up to `pivot` mean 20.., others 19..; days after `latest` are
    refused.
    """

    slashed: DateOrder | None = None
    pointed: DateOrder | None = "dmy"
    named: bool = True
    serials: bool = False
    pivot: int = 68
    latest: date | None = None


@dataclass(frozen=True)
class DateFacts:
    """How many cells of a column are written in which way, in the order of `date_facts_sql`.

    `first` and `second` count numbers over 12 at the first and second place, which no month has.
    """

    iso: int
    slashed: int
    slashed_first: int
    slashed_second: int
    pointed: int
    pointed_first: int
    pointed_second: int
    named: int
    serials: int
    times: int

    @property
    def dates(self) -> int:
        """Return how many cells look like dates, serial days not counted."""
        return self.iso + self.slashed + self.pointed + self.named

    def order(self) -> DateOrder | None:
        """Return the order of the dates between slashes, None if they do not tell it or contradict each other."""
        return _order(self.slashed_first, self.slashed_second)

    def form(self, column: str, today: date, order: DateOrder | None = None) -> DateForm:
        """Return the form of a column of this name; `order` is that of its sister columns or of a person."""
        pointed = "dmy" if not self.pointed_second else _order(self.pointed_first, self.pointed_second)
        birth = is_birth(column)
        return DateForm(
            slashed=order or self.order(),
            pointed=(order or pointed) if self.pointed else None,
            named=self.named > 0,
            serials=self.dates > 0 and self.serials > 0,
            pivot=(today.year + (0 if birth else _YEARS_AHEAD)) % 100,
            latest=today if birth else None,
        )


NO_DATES = DateFacts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def _order(first: int, second: int) -> DateOrder | None:
    if first and not second:
        return "dmy"
    return "mdy" if second and not first else None


def is_birth(column: str) -> bool:
    """Return whether a column of this name holds days of birth, which lie in the past."""
    return bool(_BIRTH.search(column))


def is_day(column: str) -> bool:
    """Return whether a column of this name holds days."""
    return bool(_DAY_NAME.search(column)) or is_birth(column)


def date_facts_sql(cell: str, source: str) -> str:
    """Return the query for the facts that settle how the dates in a text cell of all rows are written."""
    counts = [_matches("day", _ISO)]
    for pattern in (_SLASHED, _POINTED):
        fits = _matches("day", pattern)
        counts += [fits, *(f"{fits} AND {_part('day', place)} > 12" for place in (1, 2))]
    serial = f"{_matches('day', _SERIAL)} AND TRY_CAST(day AS INTEGER) BETWEEN {_SERIAL_FROM} AND {_SERIAL_TO}"
    counts += [_matches("day", _NAMED), serial, f"time <> '' AND NOT {_matches('time', _MIDNIGHT)}"]
    listed = ", ".join(f"count(*) FILTER ({count})" for count in counts)
    return f"SELECT {listed} FROM (SELECT {_day_text(cell)} AS day, {_time_text(cell)} AS time FROM {source})"


def date_sql(cell: str, form: DateForm) -> str:
    """Return the date in a text cell as DATE, NULL where there is a time of day with it."""
    day = _bounded(_day(_day_text(cell), form), form)
    return f"(CASE WHEN {_timeless(_time_text(cell))} THEN {day} END)"


def moment_sql(cell: str, form: DateForm) -> str:
    """Return date and time in a text cell as TIMESTAMP, at midnight where there is no time with it."""
    return f"({_bounded(_day(_day_text(cell), form), form)} + ({_clock(_time_text(cell))}))"


def values_sql(cell: str, source: str, form: DateForm, *, timed: bool) -> str:
    """Return the query for `cell` and `value`, what `date_sql` or `moment_sql` gives, in all rows.

    The parts of a cell are worked out once for each row, in queries inside each other.
    """
    parts = f"SELECT {cell} AS cell, {_day_text(cell)} AS day, {_time_text(cell)} AS time FROM {source}"
    parts = f"SELECT cell, time, {_day('day', form)} AS found FROM ({parts})"
    day = _bounded("found", form)
    value = f"{day} + ({_clock('time')})" if timed else f"CASE WHEN {_timeless('time')} THEN {day} END"
    return f"SELECT cell, {value} AS value FROM ({parts})"


def _timeless(time: str) -> str:
    return f"({time} = '' OR {_matches(time, _MIDNIGHT)})"


def _clock(time: str) -> str:
    clock = f"CAST(try_strptime(upper({time}), ['%I:%M:%S %p', '%I:%M %p', '%I:%M%p']) AS TIME)"
    return f"CASE WHEN {time} = '' THEN TIME '00:00' ELSE coalesce({clock}, TRY_CAST({time} AS TIME)) END"


def _day(day: str, form: DateForm) -> str:
    cases = [f"WHEN {_matches(day, _ISO)} THEN {_made(day, 'ymd', form.pivot)}"]
    for pattern, order in ((_SLASHED, form.slashed), (_POINTED, form.pointed)):
        if order is not None:
            cases.append(f"WHEN {_matches(day, pattern)} THEN {_made(day, order, form.pivot)}")
    if "ymd" in (form.slashed, form.pointed):
        cases.append(f"WHEN {_matches(day, _SHORT_YEAR_FIRST)} THEN {_made(day, 'ymd', form.pivot)}")
    if form.named:
        cases.append(f"WHEN {_matches(day, _NAMED)} THEN {_named(day, form.pivot)}")
    if form.serials:
        number = f"TRY_CAST({day} AS INTEGER)"
        fits = f"{_matches(day, _SERIAL)} AND {number} BETWEEN {_SERIAL_FROM} AND {_SERIAL_TO}"
        cases.append(f"WHEN {fits} THEN {_SERIAL_ZERO} + {number}")
    return f"(CASE {' '.join(cases)} END)"


def _bounded(day: str, form: DateForm) -> str:
    """Return a day, NULL where its year or a future day of birth says that it is none."""
    latest = form.latest or date(_LAST_YEAR, 12, 31)
    return f"(CASE WHEN {day} BETWEEN {sql.literal(date(_FIRST_YEAR, 1, 1))} AND {sql.literal(latest)} THEN {day} END)"


def _made(day: str, order: DateOrder, pivot: int) -> str:
    """Return the DATE of three numbers in this order; NULL if there is no such day."""
    places = {part: place for place, part in enumerate(order, 1)}
    year = _full_year(f"regexp_extract({_part_text(day, places['y'])}, '^[0-9]+')", pivot)
    month, number = (f"lpad({_part_text(day, places[part])}, 2, '0')" for part in "md")
    return f"TRY_CAST(concat({year}, '-', {month}, '-', {number}) AS DATE)"


def _named(day: str, pivot: int) -> str:
    """Return the DATE of text with the name of a month."""
    month = " ".join(
        f"WHEN regexp_matches({day}, {sql.literal('|'.join(starts))}) THEN '{number:02}'"
        for number, starts in enumerate(_MONTHS, 1)
    )
    long_year = f"regexp_extract({day}, '[0-9]{{4}}')"
    year = f"CASE WHEN {long_year} <> '' THEN {long_year} ELSE {_full_year(_last_two(day), pivot)} END"
    number = f"regexp_extract({day}, '(?:^|[^0-9])([0-9]{{1,2}})(?:[^0-9]|$)', 1)"
    return f"TRY_CAST(concat({year}, '-', CASE {month} END, '-', lpad({number}, 2, '0')) AS DATE)"


def _last_two(day: str) -> str:
    return f"regexp_extract({day}, '([0-9]{{2}})[^0-9]*$', 1)"


def _full_year(year: str, pivot: int) -> str:
    century = f"CASE WHEN TRY_CAST({year} AS INTEGER) <= {pivot} THEN '20' ELSE '19' END"
    return f"(CASE WHEN length({year}) = 2 THEN concat({century}, {year}) ELSE {year} END)"


def _part_text(day: str, place: int) -> str:
    return f"split_part(regexp_replace({day}, '[./]', '-', 'g'), '-', {place})"


def _part(day: str, place: int) -> str:
    return f"TRY_CAST({_part_text(day, place)} AS INTEGER)"


def _day_text(cell: str) -> str:
    """Return the cell in small letters without its time of day."""
    return f"lower(regexp_replace({sql.trimmed(cell)}, {sql.literal(_TIME)}, ''))"


def _time_text(cell: str) -> str:
    return f"regexp_extract({sql.trimmed(cell)}, {sql.literal(_TIME)}, 1)"


def _matches(text: str, pattern: str) -> str:
    return f"regexp_full_match({text}, {sql.literal(pattern)})"


def facts_of(row: Sequence[object]) -> DateFacts:
    """Return the facts of a row of `date_facts_sql`."""
    return DateFacts(*(int(str(count)) for count in row))
