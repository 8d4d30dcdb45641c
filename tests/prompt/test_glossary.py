"""The glossary: columns and values that a meaning names are found in the letters of the opened table."""

import pytest
from strategies import LIMITS

from grammar import Column, TableState
from prompt.glossary import Target, column_meanings, entries


@pytest.mark.parametrize("column", ["viloyat", "VILOYAT", "Вилоят", "вилоят "])
def test_a_column_is_found_in_other_letters(column: str) -> None:
    state = TableState((Column(column, "text", ("Тошкент",)), Column("izoh", "text")), LIMITS, name="t")
    glossary = {"hudud / регион": "region of the loan, column viloyat", "poytaxt": "value Toshkent of column viloyat"}
    region, capital = entries(glossary, [state])
    assert region.targets == (Target("t", column),)
    assert capital.targets == (Target("t", column, "Тошкент"),)
    assert {name: entry.phrases for name, entry in column_meanings(glossary, state).items()} == {
        column: ("hudud", "регион")
    }


def test_a_longer_name_is_another_column() -> None:
    state = TableState((Column("summa", "number"), Column("summa_uzs", "number")), LIMITS, name="t")
    (entry,) = entries({"pul": "money, column summa_uzs, fit to be added up"}, [state])
    assert entry.targets == (Target("t", "summa_uzs"),)
