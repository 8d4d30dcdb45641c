"""How numbers and dates are written in each language, for programs that draw or write files."""

from typing import Any

from babel import Locale
from babel.dates import get_day_names, get_month_names
from babel.numbers import get_decimal_symbol, get_group_symbol

from .language import Language

_DATES = {"uz": "%d.%m.%Y", "ru": "%d.%m.%Y", "en": "%Y-%m-%d"}


def drawing_locale(language: Language) -> dict[str, Any]:
    """Return the locale of a Vega drawing, in the form of d3-format and d3-time-format."""
    locale = Locale.parse(language)

    def names(get: Any, width: str, count: int, first: int) -> list[str]:
        found = get(width, "stand-alone", locale)
        return [str(found[(place + first) % count + (1 if count == 12 else 0)]) for place in range(count)]

    return {
        "number": {
            "decimal": get_decimal_symbol(locale),
            "thousands": get_group_symbol(locale),
            "grouping": [3],
            "currency": ["", ""],
        },
        "time": {
            "dateTime": f"{_DATES[language]} %H:%M:%S",
            "date": _DATES[language],
            "time": "%H:%M:%S",
            "periods": ["AM", "PM"],
            "days": names(get_day_names, "wide", 7, 6),
            "shortDays": names(get_day_names, "abbreviated", 7, 6),
            "months": names(get_month_names, "wide", 12, 0),
            "shortMonths": names(get_month_names, "abbreviated", 12, 0),
        },
    }
