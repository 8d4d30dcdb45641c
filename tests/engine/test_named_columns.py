"""Names of columns that a person types in options: found in other letters, asked for where several fit."""

from pathlib import Path

import pytest
from tables_in_files import SETTINGS, written

from engine import database
from engine.load_options import LoadOptions
from engine.named_columns import check_named, named_kinds
from engine.paths import FileError
from engine.sources import open_sources

COLUMNS = ["Сумма", "O‘lcham", "Ёши", "Tug'ilgan sana", "Cумма (USD)", "Код", "код_2", "Hudud  nomi"]


@pytest.mark.parametrize(
    ("typed", "column"),
    [
        ("Сумма", "Сумма"),
        ("СУММА", "Сумма"),
        ("Cумма", "Сумма"),
        ("summa", "Сумма"),
        ("oʻlcham", "O‘lcham"),
        ("ўлчам", "O‘lcham"),
        ("ЕШИ", "Ёши"),
        ("TUG`ILGAN SANA", "Tug'ilgan sana"),
        ("сумма (usd)", "Cумма (USD)"),
        ("Код", "Код"),
        ("hudud nomi", "Hudud  nomi"),
        ("hudud nomi\u200b", "Hudud  nomi"),
        ("foyda", None),
    ],
)
def test_a_name_is_found_in_other_letters(typed: str, column: str | None) -> None:
    assert list(named_kinds({typed: "text"}, COLUMNS)) == ([column] if column else [])


def test_a_name_that_fits_several_columns_is_asked_for() -> None:
    with pytest.raises(FileError) as caught:
        named_kinds({"kod": "number"}, ["Код", "KОД"])
    assert (caught.value.reason, caught.value.facts["allowed"]) == ("ambiguous_column", ["Код", "KОД"])


def test_a_name_must_be_in_one_of_the_tables(tmp_path: Path) -> None:
    paths = [written(tmp_path, "a,b\n1,2\n", "x.csv"), written(tmp_path, "c,d\n3,4\n", "y.csv")]
    con = database.connect(SETTINGS.database)
    tables = open_sources(con, paths, SETTINGS.files, options=LoadOptions(types={"D": "text"}))
    assert [column.kind for column in tables[1].report.columns] == ["number", "text"]
    with pytest.raises(FileError) as caught:
        check_named({"e": "text"}, [["a", "b"], ["c", "d"]])
    assert (caught.value.reason, caught.value.facts["found"]) == ("unknown_column", "e")
    assert set(caught.value.facts["allowed"]) == set("abcd")
