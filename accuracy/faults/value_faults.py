"""Faults of values: how numbers and dates are written, and what stands where nothing is known."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from .draft import Draft, UnfitError

Fault = Callable[[Draft], None]

_MONTHS: Final[Mapping[str, Sequence[str]]] = {
    "uz": (
        *("yanvar", "fevral", "mart", "aprel", "may", "iyun"),
        *("iyul", "avgust", "sentabr", "oktabr", "noyabr", "dekabr"),
    ),
    "uz-cyrillic": (
        *("январь", "февраль", "март", "апрель", "май", "июнь"),
        *("июль", "август", "сентябрь", "октябрь", "ноябрь", "декабрь"),
    ),
    "ru": (
        *("января", "февраля", "марта", "апреля", "мая", "июня"),
        *("июля", "августа", "сентября", "октября", "ноября", "декабря"),
    ),
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
}
_NOTHING: Final = {"uz": "yo'q", "uz-cyrillic": "йўқ", "ru": "нет данных", "en": "N/A", "fr": "N/A"}
_MONEY: Final = {"uz": "{} so'm", "uz-cyrillic": "{} сўм", "ru": "{} руб.", "en": "${}", "fr": "{} €"}


def marks(decimal: str, group: str) -> Fault:
    """Return the fault of writing numbers with these marks."""

    def fault(draft: Draft) -> None:
        places = draft.places("whole", "decimal")
        if group and not any(_size(_number(draft, row, at)) >= 1000 for row in range(len(draft.rows)) for at in places):
            raise UnfitError
        if decimal != ".":
            draft.places("decimal")
        draft.decimal, draft.group = decimal, group

    return fault


def whole_groups(mark: str) -> Fault:
    """Return the fault of whole numbers with a mark between thousands, where nothing says that it is no decimal one."""

    def fault(draft: Draft) -> None:
        for place in draft.places("whole", "decimal"):
            for row in draft.rows:
                value = row[place]
                row[place] = None if value is None else int(_as_number(value)) % 900_000
        draft.group, draft.decimal = mark, "," if mark == "." else "."

    return fault


def three_decimals(draft: Draft) -> None:
    """Put a decimal comma before exactly three figures in one column and nothing else that shows what it is."""
    first, *others = draft.places("decimal")
    for row in draft.rows:
        value = row[first]
        if value is not None:
            row[first] = Decimal(int(_size(_as_number(value)) * 100) % 9_000 + 1_000).scaleb(-3)
        for place in others:
            row[place] = None if row[place] is None else int(_as_number(row[place]))
    draft.decimal = ","
    draft.unclear.add(first)


def dates(style: Callable[[datetime.date], str], *, slashed: bool = False) -> Fault:
    """Return the fault of writing dates in this style."""

    def fault(draft: Draft) -> None:
        draft.places("date")
        draft.date_style, draft.slashed = style, slashed

    return fault


def unclear_dates(draft: Draft) -> None:
    """Write dates between slashes, all of them in the first twelve days of a month."""
    for place in draft.places("date"):
        for row in draft.rows:
            day = row[place]
            if isinstance(day, datetime.date):
                row[place] = day.replace(day=(day.day - 1) % 12 + 1)
    draft.date_style, draft.slashed = slashes, True


def slashes(day: datetime.date) -> str:
    """Return a day as 25/05/2024."""
    return f"{day:%d/%m/%Y}"


def month_names(draft: Draft) -> None:
    """Write the names of months in the language of the table."""
    draft.places("date")
    names = _MONTHS.get(draft.table.language)
    if names is None:
        raise UnfitError
    draft.date_style = lambda day: f"{day.day} {names[day.month - 1]} {day.year}"


def times(draft: Draft) -> None:
    """Write days with points and a time of day behind them."""
    for place in draft.places("date"):
        for row in draft.rows:
            day = row[place]
            if isinstance(day, datetime.date):
                row[place] = datetime.datetime(
                    day.year, day.month, day.day, draft.rng.randrange(24), draft.rng.randrange(60)
                )
    draft.date_style = lambda day: f"{day:%d.%m.%Y}"


def percent(draft: Draft) -> None:
    """Write a percent sign behind the numbers of a column."""
    for place in draft.places("decimal", unit="percent"):
        draft.wrap[place] = "{}%"


def money(draft: Draft) -> None:
    """Write the currency beside sums of money, as it is usual in the language."""
    for place in draft.places("decimal", unit="money"):
        draft.wrap[place] = _MONEY[draft.table.language]


def two_currencies(draft: Draft) -> None:
    """Write sums of money in two currencies in one column; there is no common number."""
    place = draft.places("decimal", unit="money")[0]
    for number, row in enumerate(draft.rows):
        value = row[place]
        if value is not None:
            row[place] = f"{draft.written(value, place)} {'USD' if number % 3 == 1 else 'UZS'}"
    draft.unclear.add(place)


def negative(form: str) -> Fault:
    """Return the fault of writing what is below zero in this form."""

    def fault(draft: Draft) -> None:
        places = draft.places("whole", "decimal")
        if not any(_number(draft, row, place) < 0 for row in range(len(draft.rows)) for place in places):
            raise UnfitError
        draft.negative = form

    return fault


def nothing(word: str | None) -> Fault:
    """Return the fault of a word or sign in empty cells of numbers and dates; None: one of the table's language."""

    def fault(draft: Draft) -> None:
        mark = _NOTHING[draft.table.language] if word is None else word
        for place in draft.places("whole", "decimal", "date"):
            for row in draft.rng.sample(range(len(draft.rows)), max(1, len(draft.rows) // 6)):
                draft.rows[row][place] = None
                draft.marks[row, place] = mark
        for number, cells in enumerate(draft.rows):
            for place in draft.places("whole", "decimal", "date"):
                if cells[place] is None and draft.rng.random() < 0.5:
                    draft.marks[number, place] = mark

    return fault


def outer_blanks(draft: Draft) -> None:
    """Write blanks around the values."""
    draft.pad = " "


def _number(draft: Draft, row: int, place: int) -> int | Decimal:
    value = draft.rows[row][place]
    return 0 if value is None else _as_number(value)


def _as_number(value: object) -> int | Decimal:
    assert isinstance(value, int | Decimal)
    return value


def _size(number: int | Decimal) -> int | Decimal:
    return -number if number < 0 else number
