"""Faults of rows and of the row of names: what stands above, between and below the data, and rows of a wrong width."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from .draft import Draft, Line, UnfitError
from .value_faults import Fault

_TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "uz": ("Savdo hisoboti 2025", "Tuzdi: A. Karimov"),
    "uz-cyrillic": ("Ҳосил ҳисоботи 2025", "Тузди: А. Каримов"),
    "ru": ("Отчёт за 2025 год", "Составил: А. Каримов"),
    "en": ("Report for 2025", "Prepared by: A. Karimov"),
    "fr": ("Rapport annuel", "Auteur : J. Müller"),
}
_TOTALS: Final = {"uz": "Jami", "uz-cyrillic": "Жами", "ru": "Итого", "en": "Total", "fr": "Total"}
_NOTES: Final = {
    "uz": "Izoh: ma'lumotlar dastlabki, keyin aniqlashtiriladi",
    "uz-cyrillic": "Изоҳ: маълумотлар дастлабки, кейин аниқлаштирилади",
    "ru": "Примечание: данные предварительные, будут уточнены",
    "en": "Note: figures are preliminary and will be revised",
    "fr": "Source : registre des établissements, mise à jour annuelle",
}


def titles(number: int, *, blank: bool) -> Fault:
    """Return the fault of so many lines of title above the names, with or without a blank one below them."""

    def fault(draft: Draft) -> None:
        padded = draft.rng.random() < 0.5
        for text in _TITLES[draft.table.language][:number]:
            draft.above.append(Line("title", _alone(draft, text, padded=padded)))
        if blank:
            draft.above.append(Line("blank", _alone(draft, "", padded=padded)))

    return fault


def totals(*, short: bool) -> Fault:
    """Return the fault of a row of totals below; `short`: it ends with the first sum."""

    def fault(draft: Draft) -> None:
        cells = [_TOTALS[draft.table.language] + draft.rng.choice(["", ":"]), *_sums(draft, 0, len(draft.rows))]
        if short:
            cells = cells[: next(place for place, cell in enumerate(cells) if place and cell) + 1]
        draft.below.insert(0, Line("aside", tuple(cells)))

    return fault


def subtotals(draft: Draft) -> None:
    """Put a row of totals after each third of the rows."""
    third = max(2, len(draft.rows) // 3)
    for row in range(third, len(draft.rows), third):
        cells = (_TOTALS[draft.table.language], *_sums(draft, row - third, row))
        draft.between.setdefault(row, []).append(Line("aside", cells))


def notes(draft: Draft) -> None:
    """Put a blank line and a note below."""
    draft.below += [Line("blank", ()), Line("aside", (_NOTES[draft.table.language],))]


def names_again(draft: Draft) -> None:
    """Put the names between the rows once more, as at the top of a second page."""
    if draft.header is None:
        raise UnfitError
    again = Line("aside", tuple(draft.header))
    draft.between.setdefault(len(draft.rows) // 2, []).append(again)


def blank_rows(draft: Draft) -> None:
    """Put blank rows between the rows, some of them with delimiters."""
    width = len(draft.columns)
    for number, row in enumerate(draft.rng.sample(range(1, len(draft.rows)), 3)):
        draft.between.setdefault(row, []).append(Line("blank", ("",) * width if number % 2 else ()))


def blank_column(place: int) -> Fault:
    """Return the fault of an empty column without a name at this place; -1: behind the last one."""

    def fault(draft: Draft) -> None:
        draft.blank_columns.append(len(draft.columns) if place < 0 else place)

    return fault


def short_rows(draft: Draft) -> None:
    """Let rows end before their last cells, which are empty."""
    for row in draft.rng.sample(range(len(draft.rows)), len(draft.rows) // 3):
        for place in range(len(draft.columns) - draft.rng.choice([1, 2]), len(draft.columns)):
            draft.rows[row][place] = None
            draft.marks.pop((row, place), None)
        draft.cut.add(row)


def long_row(draft: Draft) -> None:
    """Give a row a cell too many."""
    draft.long.add(len(draft.rows) // 2)


def same_names(draft: Draft) -> None:
    """Give two columns the same name."""
    names = _header(draft)
    first, second = draft.places("text", "decimal", "whole")[-2:]
    names[second] = names[first]


def spaced_names(draft: Draft) -> None:
    """Put blanks and zero-width characters around the names."""
    names = _header(draft)
    for place, name in enumerate(names):
        names[place] = (f"{name} ", f" {name}", f"{name}\u200b", f"\u00a0{name}")[place % 4]


def missing_name(draft: Draft) -> None:
    """Leave out the name of a column."""
    _header(draft)[draft.places("text", "decimal")[-1]] = ""


def no_names(draft: Draft) -> None:
    """Leave out the row of names."""
    draft.places("whole", "decimal", "date")
    draft.header = None


def _header(draft: Draft) -> list[str]:
    if draft.header is None:
        raise UnfitError
    return draft.header


def _alone(draft: Draft, text: str, *, padded: bool) -> tuple[str, ...]:
    """Return a row with one text, either as wide as the table or as narrow as can be."""
    return (text, *[""] * (len(draft.columns) - 1)) if padded else (text,) if text else ()


def _sums(draft: Draft, first: int, last: int) -> list[str]:
    """Return the cells of a row of totals behind its word."""
    draft.places("whole", "decimal")
    cells = []
    for place, column in enumerate(draft.columns[1:], 1):
        if column.kind not in ("whole", "decimal") or column.unit == "percent":
            cells.append("")
            continue
        values = [value for row in draft.rows[first:last] if isinstance(value := row[place], int | Decimal)]
        cells.append(draft.written(sum(values, Decimal(0)) if column.kind == "decimal" else sum(values), place))
    return cells
