"""The order of text: by alphabet, digits within it by value.

ICU (the Unicode Collation Algorithm, built into DuckDB) orders Latin and Cyrillic text; its Uzbek rules put oʻ, gʻ, sh
and ch behind z. Those rules would misplace English words, so they hold for a column that has oʻ or gʻ. ICU has no rules
for Uzbek in Cyrillic, whose letters ў қ ғ ҳ stand behind я: for the order they are taken for four old letters that do.
Which of this a column needs is told by its first rows, as many as the settings say.
"""

import re
from dataclasses import dataclass

from engine import sql

from .registry import ROW, Table

_APOSTROPHES = "'ʻʼ‘’`´"
_UZBEK_LATIN = f"[oOgG][{_APOSTROPHES}]"
_UZBEK_CYRILLIC, _BEHIND_YA = "ўқғҳЎҚҒҲ", "ѧѫѩѭѦѪѨѬ"
_DIGITS = "[0-9]"
_PARTS = "[0-9]+|[^0-9]+"
_LONGEST_NUMBER = 20


@dataclass(frozen=True)
class Alphabet:
    """How the text of a column is ordered."""

    uzbek_latin: bool
    uzbek_cyrillic: bool
    digits: bool

    def key(self, cell: str) -> str:
        """Return what to order a text by; texts with the same key are ordered by their characters."""
        text = cell
        if self.uzbek_latin:
            text = f"translate({text}, {sql.literal(_APOSTROPHES)}, {sql.literal('ʻ' * len(_APOSTROPHES))})"
        if self.uzbek_cyrillic:
            text = f"translate({text}, {sql.literal(_UZBEK_CYRILLIC)}, {sql.literal(_BEHIND_YA)})"
        if self.digits:
            number = f"CASE WHEN part[1] BETWEEN '0' AND '9' AND length(part) < {_LONGEST_NUMBER} "
            padded = f"{number}THEN lpad(part, {_LONGEST_NUMBER}, '0') ELSE part END"
            parts = f"regexp_extract_all({text}, {sql.literal(_PARTS)})"
            text = f"array_to_string(list_transform({parts}, lambda part: {padded}), '')"
        return f"icu_sort_key({text}, {sql.literal('uz' if self.uzbek_latin else 'root')})"


def alphabet(table: Table, column: str) -> Alphabet | None:
    """Return how a column is ordered, None where its values order themselves."""
    if table.kind(column) != "text":
        return None
    signs = [_UZBEK_LATIN, f"[{_UZBEK_CYRILLIC}]", _DIGITS]
    known = table.known_values(column)
    if known is not None and not any(re.search(sign, value) for sign in signs for value in known):
        return Alphabet(uzbek_latin=False, uzbek_cyrillic=False, digits=False)
    cell = table.cell(column)
    cells = f"SELECT {cell} AS v FROM {table.source} AS {ROW} LIMIT {table.settings.tools.alphabet_rows}"
    found = ", ".join(f"coalesce(bool_or(regexp_matches(v, {sql.literal(sign)})), false)" for sign in signs)
    return Alphabet(*table.query(f"SELECT {found} FROM (SELECT DISTINCT v FROM ({cells}))")[0])


def ascending(table: Table, columns: list[str], keys: list[str]) -> str:
    """Return what to order rows by whose `keys` are the values of these columns: ascending, empty ones last."""
    parts = []
    for column, key in zip(columns, keys, strict=True):
        letters = alphabet(table, column)
        if letters is not None:
            parts.append(f"{letters.key(key)} ASC NULLS LAST")
        parts.append(f"{key} ASC NULLS LAST")
    return ", ".join(parts)


def with_rank(table: Table, source: str, column: str) -> tuple[str, str]:
    """Return a source with what its rows are to be ordered by, and that expression; a text is ranked but once."""
    value, letters = table.value(column), alphabet(table, column)
    if letters is None:
        return f"{source} AS {ROW}", value
    values = f"SELECT DISTINCT {value} AS v FROM {source} AS {ROW} WHERE {table.filled(column)}"
    ranks = f"SELECT v, row_number() OVER (ORDER BY {letters.key('v')} ASC, v ASC) AS rank FROM ({values})"
    return f"{source} AS {ROW} LEFT JOIN ({ranks}) AS ranks ON ranks.v = {value}", "ranks.rank"
