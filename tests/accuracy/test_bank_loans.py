import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path

import pytest

from accuracy.synthetic.bank_loans import COLUMNS, as_csv, branch, loans, main, months_later
from engine.settings import home

FOLDER = home("domains") / "bank_loans"
Row = dict[str, str]

REGIONS = {
    "Toshkent sh.", "Toshkent viloyati", "Samarqand", "Farg'ona", "Andijon", "Namangan", "Buxoro", "Xorazm",
    "Qashqadaryo", "Surxondaryo", "Navoiy", "Jizzax", "Sirdaryo", "Qoraqalpog'iston",
}  # fmt: skip
VALUES = {
    "valyuta": {"UZS", "USD", "EUR"},
    "holat": {"Faol", "Muddati o'tgan", "Yopilgan", "Restrukturizatsiya"},
    "kredit_turi": {"Ipoteka", "Avtokredit", "Iste'mol krediti", "Mikroqarz", "Biznes kredit", "Ta'lim krediti"},
    "garov_turi": {"Ko'chmas mulk", "Avtotransport", "Kafillik", "Garovsiz", "Oltin"},
    "jinsi": {"erkak", "ayol"},
    "viloyat": REGIONS,
}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(csv.DictReader(io.StringIO((FOLDER / "loans.csv").read_text(encoding="utf-8"))))


def test_the_file_is_what_the_script_writes(tmp_path: Path) -> None:
    committed = (FOLDER / "loans.csv").read_bytes()
    main([str(tmp_path / "loans.csv")])
    assert (tmp_path / "loans.csv").read_bytes() == committed
    assert committed.count(b"\n") == 3001
    assert b"\r" not in committed


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "accuracy.synthetic.bank_loans", str(tmp_path / "loans.csv")]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], env={"PYTHONHASHSEED": "1"})
    assert (tmp_path / "loans.csv").read_bytes() == (FOLDER / "loans.csv").read_bytes()


def test_another_seed_writes_another_table() -> None:
    assert as_csv(loans(1)) != as_csv(loans())


def test_columns(rows: list[Row]) -> None:
    assert tuple(rows[0]) == COLUMNS
    assert COLUMNS == (
        "shartnoma_raqami", "qarzdor_id", "qarzdor_ismi", "jinsi", "viloyat", "tuman", "filial", "kredit_xodimi",
        "kredit_turi", "valyuta", "kredit_summasi", "kredit_summasi_uzs", "qoldiq", "qoldiq_uzs", "foiz_stavkasi",
        "berilgan_sana", "tugash_sanasi", "muddat_oy", "kechikish_kuni", "holat", "garov_turi", "telefon",
    )  # fmt: skip
    assert all(cell and cell == cell.strip() for row in rows for cell in row.values())


@pytest.mark.parametrize("column", VALUES)
def test_values(rows: list[Row], column: str) -> None:
    assert {row[column] for row in rows} == VALUES[column]


def test_shares_of_currencies(rows: list[Row]) -> None:
    share = {currency: count / len(rows) for currency, count in Counter(row["valyuta"] for row in rows).items()}
    assert share == pytest.approx({"UZS": 0.80, "USD": 0.17, "EUR": 0.03}, abs=0.01)


def test_one_rate_for_each_currency(rows: list[Row]) -> None:
    rates = defaultdict(set)
    for row in rows:
        rates[row["valyuta"]].add(int(row["kredit_summasi_uzs"]) / int(row["kredit_summasi"]))
        if row["qoldiq"] != "0":
            rates[row["valyuta"]].add(int(row["qoldiq_uzs"]) / int(row["qoldiq"]))
        assert (row["qoldiq"] == "0") == (row["qoldiq_uzs"] == "0")
    assert rates["UZS"] == {1}
    assert {currency: len(found) for currency, found in rates.items()} == {"UZS": 1, "USD": 1, "EUR": 1}


def test_balances(rows: list[Row]) -> None:
    assert all(0 <= int(row["qoldiq"]) <= int(row["kredit_summasi"]) for row in rows)
    assert all((row["qoldiq"] == "0") == (row["holat"] == "Yopilgan") for row in rows)


def test_amounts_fit_the_kind_of_loan(rows: list[Row]) -> None:
    amounts = defaultdict(list)
    for row in rows:
        amounts[row["kredit_turi"]].append(int(row["kredit_summasi_uzs"]))
    assert max(amounts["Mikroqarz"]) < min(amounts["Ipoteka"])
    collateral = Counter(row["garov_turi"] for row in rows if row["kredit_turi"] == "Mikroqarz")
    assert collateral.most_common(1)[0][0] == "Garovsiz"
    assert not any(row["garov_turi"] == "Garovsiz" for row in rows if row["kredit_turi"] == "Ipoteka")


def test_days_overdue_exactly_where_the_status_says_so(rows: list[Row]) -> None:
    assert all((int(row["kechikish_kuni"]) > 0) == (row["holat"] == "Muddati o'tgan") for row in rows)
    assert all(int(row["kechikish_kuni"]) >= 0 for row in rows)


def test_dates(rows: list[Row]) -> None:
    given = [date.fromisoformat(row["berilgan_sana"]) for row in rows]
    assert {day.year for day in given} == {2022, 2023, 2024}
    assert given == sorted(given)
    for row, day in zip(rows, given, strict=True):
        assert date.fromisoformat(row["tugash_sanasi"]) == months_later(day, int(row["muddat_oy"]))


@pytest.mark.parametrize(
    ("day", "months", "later"),
    [
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2023, 1, 31), 1, date(2023, 2, 28)),
        (date(2022, 12, 15), 12, date(2023, 12, 15)),
        (date(2022, 12, 31), 6, date(2023, 6, 30)),
        (date(2024, 2, 29), 12, date(2025, 2, 28)),
    ],
)
def test_months_later(day: date, months: int, later: date) -> None:
    assert months_later(day, months) == later


def test_one_branch_for_each_region_and_eight_officers(rows: list[Row]) -> None:
    assert len({(row["viloyat"], row["filial"]) for row in rows}) == len({row["filial"] for row in rows}) == 14
    assert branch("Toshkent sh.") == "Toshkent shahar filiali"
    assert len({row["kredit_xodimi"] for row in rows}) == 8


def test_borrowers_keep_who_they_are(rows: list[Row]) -> None:
    kept = {
        tuple(row[c] for c in ("qarzdor_id", "qarzdor_ismi", "jinsi", "telefon", "viloyat", "tuman")) for row in rows
    }
    assert len(kept) == len({row["qarzdor_id"] for row in rows}) == 1800
    assert all((row["qarzdor_ismi"].split()[0][-1] == "a") == (row["jinsi"] == "ayol") for row in rows)
    assert all(re.fullmatch(r"\+998 00 \d{3}-\d\d-\d\d", row["telefon"]) for row in rows)


def test_contracts_are_numbered(rows: list[Row]) -> None:
    numbers = [f"KR-{row['berilgan_sana'][:4]}-{number:05d}" for number, row in enumerate(rows, 1)]
    assert [row["shartnoma_raqami"] for row in rows] == numbers


def test_glossary_names_columns_and_values_of_the_table(rows: list[Row]) -> None:
    glossary = json.loads((FOLDER / "glossary.json").read_text(encoding="utf-8"))
    assert len(glossary) >= 60
    found = {column: {row[column] for row in rows} for column in COLUMNS}
    named = set()
    for words, meaning in glossary.items():
        match = re.fullmatch(r"(?:value (?P<value>.+) of|.+,) column (?P<column>\w+)", meaning)
        assert match, meaning
        assert match["value"] is None or match["value"] in found[match["column"]]
        assert len(words.split(" / ")) >= 2
        named.add((match["column"], match["value"]))
    assert {column for column, _ in named} == set(COLUMNS)
    for column in VALUES:
        assert {value for name, value in named if name == column and value} == VALUES[column]
