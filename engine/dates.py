"""From text to dates and times: the one place that says which text is which day.

Loading a file and the tool fix_dates read by the same rules. Expressions are SQL over text; text that is no date gives
NULL, and so does a year before 1900 or after 2100. Where the whole column does not tell day from month, `DateForm`
leaves the order open and such cells are not read.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal

from grammar import same_name

from . import sql
from .load_options import DateOrder

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_YEARS_AHEAD = 30
_SERIAL_FROM, _SERIAL_TO = 20_000, 73_050
_SERIAL_ZERO = "DATE '1899-12-30'"

_ZONE = r"Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?"
_TIME = (
    r"(?i)(?:T|,? +(?:(?:в|soat|соат|at) +)?|,)"
    rf"(\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?(?: ?[AP]M)?) ?({_ZONE})?$"
)
_MIDNIGHT = r"0?0:00(?::00(?:\.0+)?)?"
_YEAR_WORD = r"(?:[ -]*(?:yilda|yil|йилда|йил|года|год|г|y)\.?)?"
_YEAR = r"(?:19\d{2}|20\d{2}|2100)"
_ISO = rf"{_YEAR}-\d{{2}}-\d{{2}}|{_YEAR}/\d{{1,2}}/\d{{1,2}}|{_YEAR}\.\d{{1,2}}\.\d{{1,2}}"
_SHORT_YEAR_FIRST = r"\d{2}[-/.]\d{1,2}[-/.]\d{1,2}"
_POINTED = rf"\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d{{2}}){_YEAR_WORD}"
_SLASHED = r"\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})|\d{1,2}-\d{1,2}-\d{4}|\d{2}-\d{2}-\d{2}"
# The names of each month in Uzbek (both alphabets), Russian and English, whole and cut.
_MONTHS = (
    r"yan(?:var)?|jan(?:uary)?|янв(?:ар[ья]?)?",
    r"fev(?:ral)?|feb(?:ruary)?|фев(?:р|рал[ья]?)?",
    r"mar(?:t|ch)?|мар(?:та?)?",
    r"apr(?:el|il)?|апр(?:ел[ья]?)?",
    r"may|ма[йя]",
    r"iyun|jun(?:e)?|июн[ья]?",
    r"iyul|jul(?:y)?|июл[ья]?",
    r"avg(?:ust)?|aug(?:ust)?|авг(?:уста?)?",
    r"sen(?:t|t[ya]{1,2}br)?|sept?(?:ember)?|сен(?:т|т[яа]бр[ья]?)?",
    r"okt(?:[ya]{1,2}br)?|oct(?:ober)?|окт(?:[яа]бр[ья]?)?",
    r"noy(?:abr)?|nov(?:ember)?|ноя(?:б|бр[ья]?)?",
    r"dek(?:abr)?|dec(?:ember)?|дек(?:абр[ья]?)?",
)
_MONTH = f"(?:{'|'.join(_MONTHS)})"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_NAMED = (
    rf"{_NUMBER}[ .-]*{_MONTH}[ .,-]*(?:\d{{4}}|\d{{2}}){_YEAR_WORD}|{_NUMBER}/{_MONTH}/\d{{4}}"
    rf"|{_MONTH}\.? {_NUMBER},? \d{{4}}"
    rf"|\d{{4}}[ -]*(?:yil|йил|года|г\.?)[ ,]*\d{{1,2}}[ -]*{_MONTH}|\d{{4}}[ -]{_MONTH}[ -]\d{{1,2}}"
)
_HOURS, _MINUTES = "^([+-][0-9]{2})", "^[+-][0-9]{2}:?([0-9]{2})$"
_SERIAL = r"\d{5}"
_BIRTH = re.compile(r"tug'?il|туғил|тугил|рожд|birth|(?<![^\W_])born(?![^\W_])|(?<![^\W_])dob(?![^\W_])")
_DAY_NAME = re.compile(r"(?<![^\W_])(?:sana|сана|дата|date|kun|кун|день|muddat|муддат|срок)")


@dataclass(frozen=True)
class DateForm:
    """How the dates of a column are written.

    `slashed` and `pointed` are the order of day, month and year between slashes or hyphens, and between points (None:
    it cannot be told, or there are none). `named` says that names of months occur, `serials` that five figures are a
    day as Excel counts them. Two figures of a year up to `pivot` mean 20.., others 19..; days after `latest` are
    refused. Times are those that the clocks showed (`written`); where cells name different time zones, they are those
    of UTC (`utc`), and a time without a zone is not read.
    """

    slashed: DateOrder | None = None
    pointed: DateOrder | None = "dmy"
    named: bool = True
    serials: bool = False
    pivot: int = 68
    latest: date | None = None
    clock: Literal["written", "utc"] = "written"


@dataclass(frozen=True)
class DateFacts:
    """How many cells of a column are written in which way, in the order of `date_facts_sql`.

    `first` and `second` count numbers over 12 at the first and second place, which no month has, `slashed_unclear`
    the cells whose day could as well be their month. `marks` are the marks between the numbers of the slashed cells,
    `zones` the time zones of the times, an empty text for none.
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
    slashed_unclear: int = 0
    marks: str = ""
    zones: tuple[str, ...] = ()

    @property
    def dates(self) -> int:
        """Return how many cells look like dates, serial days not counted."""
        return self.iso + self.slashed + self.pointed + self.named

    def order(self) -> DateOrder | None:
        """Return the order of the dates between slashes, None if they do not tell it or contradict each other."""
        return _order(self.slashed_first, self.slashed_second)

    def form(
        self,
        column: str,
        today: date,
        slashed: DateOrder | None = None,
        pointed: DateOrder | None = None,
        sisters: DateOrder | None = None,
    ) -> DateForm:
        """Return the form of a column of this name.

        `slashed` and `pointed` are the orders that a person named: they hold where the cells do not show another one.
        `sisters` is the order that sister columns show: it holds where nothing else tells.
        """
        contradictory = self.slashed_first and self.slashed_second
        either: DateOrder | None = None if contradictory or self.slashed_unclear else "dmy"
        birth = is_birth(column)
        found = _settled(self.slashed_first, self.slashed_second, slashed)
        return DateForm(
            slashed=found or (None if contradictory else sisters) or (either if self.slashed else None),
            pointed=_settled(self.pointed_first, self.pointed_second, pointed)
            or ("dmy" if self.pointed and not self.pointed_second else None),
            named=self.named > 0,
            serials=self.serials > 0 and (self.dates > 0 or is_day(column)),
            pivot=(today.year + (0 if birth else _YEARS_AHEAD)) % 100,
            latest=today if birth else None,
            clock="utc" if len(self.zones) > 1 else "written",
        )


NO_DATES = DateFacts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def _order(first: int, second: int) -> DateOrder | None:
    if first and not second:
        return "dmy"
    return "mdy" if second and not first else None


def _settled(first: int, second: int, named: DateOrder | None) -> DateOrder | None:
    """Return the order that the numbers over 12 show, else the one that a person named."""
    return named if named == "ymd" or (first and second) else _order(first, second) or named


def sisters_order(facts: DateFacts, others: Iterable[DateFacts]) -> DateOrder | None:
    """Return the order that other columns show whose dates have the same marks, None if none does or they differ."""
    orders = {other.order() for other in others if other.slashed and other.marks == facts.marks} - {None}
    return orders.pop() if len(orders) == 1 else None


def is_birth(column: str) -> bool:
    """Return whether a column of this name holds days of birth, which lie in the past."""
    return bool(_BIRTH.search(same_name(column)))


def is_day(column: str) -> bool:
    """Return whether a column of this name holds days."""
    return bool(_DAY_NAME.search(same_name(column))) or is_birth(column)


def date_facts_sql(cell: str, source: str) -> str:
    """Return the query for the facts that settle how the dates in a text cell of all rows are written."""
    counts = [_matches("day", _ISO)]
    for pattern in (_SLASHED, _POINTED):
        fits = _matches("day", pattern)
        counts += [fits, *(f"{fits} AND {_part('day', place)} BETWEEN 13 AND 31" for place in (1, 2))]
    counts += [_matches("day", _NAMED), _is_serial("day"), f"time <> '' AND NOT {_matches('time', _MIDNIGHT)}"]
    slashed = _matches("day", _SLASHED)
    first, second = _part("day", 1), _part("day", 2)
    counts.append(f"{slashed} AND {first} <= 12 AND {second} <= 12 AND {first} <> {second}")
    listed = ", ".join(f"count(*) FILTER ({count})" for count in counts)
    marks = f"coalesce(string_agg(DISTINCT regexp_extract(day, '[-/]'), '') FILTER ({slashed}), '')"
    zones = "coalesce(list(DISTINCT zone) FILTER (time <> ''), [])"
    parts = f"SELECT {_day_text(cell)} AS day, {_time_text(cell)} AS time, {_zone_text(cell)} AS zone FROM {source}"
    return f"SELECT {listed}, {marks}, {zones} FROM ({parts})"


def unclear_sql(cell: str) -> str:
    """Return the condition that a text cell holds a date between slashes or hyphens whose day may be its month."""
    day = _day_text(cell)
    first, second = _part(day, 1), _part(day, 2)
    return f"({_matches(day, _SLASHED)} AND {first} <= 12 AND {second} <= 12 AND {first} <> {second})"


def serial_sql(cell: str) -> str:
    """Return the condition that a text cell holds five figures that are a day as Excel counts them."""
    return _is_serial(_day_text(cell))


def slashed_sql(cell: str) -> str:
    """Return the condition that a text cell holds a date between slashes or hyphens, whatever its order."""
    return _matches(_day_text(cell), _SLASHED)


def date_sql(cell: str, form: DateForm) -> str:
    """Return the date in a text cell as DATE, NULL where there is a time of day with it."""
    day = _bounded(_day(_day_text(cell), form), form)
    return f"(CASE WHEN {_timeless(_time_text(cell))} THEN {day} END)"


def moment_sql(cell: str, form: DateForm) -> str:
    """Return date and time in a text cell as TIMESTAMP, at midnight where there is no time with it."""
    day = _bounded(_day(_day_text(cell), form), form)
    return _moment(day, _time_text(cell), _zone_text(cell), form)


def values_sql(cell: str, source: str, form: DateForm, *, timed: bool) -> str:
    """Return the query for `cell` and `value`, what `date_sql` or `moment_sql` gives, in all rows.

    The parts of a cell are worked out once for each row, in queries inside each other.
    """
    texts = f"{_day_text(cell)} AS day, {_time_text(cell)} AS time, {_zone_text(cell)} AS zone"
    parts = f"SELECT {cell} AS cell, {texts} FROM {source}"
    parts = f"SELECT cell, time, zone, {_day('day', form)} AS found FROM ({parts})"
    day = _bounded("found", form)
    value = _moment(day, "time", "zone", form) if timed else f"CASE WHEN {_timeless('time')} THEN {day} END"
    return f"SELECT cell, {value} AS value FROM ({parts})"


def _moment(day: str, time: str, zone: str, form: DateForm) -> str:
    moment = f"({day} + ({_clock(time)}))"
    if form.clock == "written":
        return moment
    hours, minutes = (f"TRY_CAST(regexp_extract({zone}, '{part}', 1) AS INTEGER)" for part in (_HOURS, _MINUTES))
    ahead = f"{hours} * 60 + coalesce({minutes}, 0) * CASE WHEN starts_with({zone}, '-') THEN -1 ELSE 1 END"
    offset = f"CASE WHEN {zone} IN ('Z', 'UTC', 'GMT') THEN 0 ELSE {ahead} END"
    return f"(CASE WHEN {time} = '' THEN {moment} ELSE {moment} - to_minutes({offset}) END)"


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
        cases.append(f"WHEN {_is_serial(day)} THEN {_SERIAL_ZERO} + TRY_CAST({day} AS INTEGER)")
    return f"(CASE {' '.join(cases)} END)"


def _is_serial(day: str) -> str:
    return f"({_matches(day, _SERIAL)} AND TRY_CAST({day} AS INTEGER) BETWEEN {_SERIAL_FROM} AND {_SERIAL_TO})"


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
    name = f"regexp_extract({day}, {sql.literal(_MONTH)})"
    month = " ".join(f"WHEN {_matches(name, names)} THEN '{number:02}'" for number, names in enumerate(_MONTHS, 1))
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


def _zone_text(cell: str) -> str:
    """Return the time zone of a time of day in capital letters, an empty text where none is named."""
    return f"upper(regexp_extract({sql.trimmed(cell)}, {sql.literal(_TIME)}, 2))"


def _matches(text: str, pattern: str) -> str:
    return f"regexp_full_match({text}, {sql.literal(pattern)})"


def facts_of(row: Sequence[object]) -> DateFacts:
    """Return the facts of a row of `date_facts_sql`."""
    facts: dict[str, Any] = {part.name: value for part, value in zip(fields(DateFacts), row, strict=True)}
    return DateFacts(**{**facts, "zones": tuple(facts["zones"])})
