"""Makes the loan table of the domain bank_loans: 3,000 made-up loans of 1,800 made-up borrowers.

Nothing here is about real people: names are random pairs from two lists of common names, and telephone numbers
begin with +998 00, a code that no operator has. The table is written as of the last day of 2024. One seed decides
everything, and only `random.Random` is used, so that each run writes the same bytes.
"""

import argparse
import csv
import io
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from .loan_words import (
    COLLATERAL,
    DISTRICTS,
    FAMILY_NAMES,
    FEMALE_NAMES,
    LOAN_KINDS,
    MALE_NAMES,
    OFFICERS,
    RATES,
    REGION_WEIGHTS,
    LoanKind,
)

SEED: Final = 2036
LOANS: Final = 3000
BORROWERS: Final = 1800
FIRST_DAY: Final = date(2022, 1, 1)
LAST_DAY: Final = date(2024, 12, 31)

COLUMNS: Final = (
    "shartnoma_raqami",
    "qarzdor_id",
    "qarzdor_ismi",
    "jinsi",
    "viloyat",
    "tuman",
    "filial",
    "kredit_xodimi",
    "kredit_turi",
    "valyuta",
    "kredit_summasi",
    "kredit_summasi_uzs",
    "qoldiq",
    "qoldiq_uzs",
    "foiz_stavkasi",
    "berilgan_sana",
    "tugash_sanasi",
    "muddat_oy",
    "kechikish_kuni",
    "holat",
    "garov_turi",
    "telefon",
)

Row = tuple[str | int | float | date, ...]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Borrower:
    """One borrower: what stays the same in all of their loans."""

    number: str
    name: str
    sex: str
    region: str
    district: str
    phone: str


def months_later(day: date, months: int) -> date:
    """Return the same day of the month `months` later, or that month's last day where it is shorter."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def branch(region: str) -> str:
    """Return the name of the only branch of a region."""
    return f"{region.removesuffix(' sh.')} {'shahar ' * region.endswith(' sh.')}filiali"


def loans(seed: int = SEED) -> list[Row]:
    """Make all rows, in the order of the contract numbers; each row has the cells of COLUMNS."""
    rng = Random(seed)
    people = _borrowers(rng)
    owners = people + [_pick(rng, people) for _ in range(LOANS - BORROWERS)]
    days = (LAST_DAY - FIRST_DAY).days + 1
    dated = sorted(
        ((FIRST_DAY + timedelta(days=rng.randrange(days)), place) for place in range(LOANS)),
        key=lambda pair: (pair[0], pair[1]),
    )
    return [_loan(rng, f"KR-{given.year}-{n:05d}", owners[place], given) for n, (given, place) in enumerate(dated, 1)]


def as_csv(rows: Sequence[Row]) -> bytes:
    """Write the rows under their header: UTF-8, commas, ISO dates, plain numbers, one line feed a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def _pick(rng: Random, items: Sequence[Item]) -> Item:
    return items[rng.randrange(len(items))]


def _weighted(rng: Random, weights: dict[str, float]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _borrowers(rng: Random) -> list[Borrower]:
    """Make the borrowers; no two share a name or a telephone number."""
    made: list[Borrower] = []
    names: set[str] = set()
    phones: set[str] = set()
    while len(made) < BORROWERS:
        female = rng.random() < 0.43
        given = _pick(rng, FEMALE_NAMES if female else MALE_NAMES)
        name = f"{_pick(rng, FAMILY_NAMES)}{'a' * female} {given}"
        phone = f"+998 00 {rng.randrange(100, 1000)}-{rng.randrange(100):02d}-{rng.randrange(100):02d}"
        if name in names or phone in phones:
            continue
        names.add(name)
        phones.add(phone)
        region = _weighted(rng, REGION_WEIGHTS)
        number = f"Q-{len(made) + 1:04d}"
        sex = "ayol" if female else "erkak"
        made.append(Borrower(number, name, sex, region, _pick(rng, DISTRICTS[region]), phone))
    return made


def _loan(rng: Random, number: str, borrower: Borrower, given: date) -> Row:
    kind_name = _weighted(rng, {name: kind.share for name, kind in LOAN_KINDS.items()})
    kind = LOAN_KINDS[kind_name]
    currency = _weighted(rng, {"UZS": 1 - kind.usd - kind.eur, "USD": kind.usd, "EUR": kind.eur})
    months = _pick(rng, kind.months)
    ends = months_later(given, months)
    status = _status(rng, ends)
    amount = _amount(rng, kind, currency)
    balance = _balance(rng, amount, status, (LAST_DAY - given).days / (ends - given).days)
    regions = list(REGION_WEIGHTS)
    first = regions.index(borrower.region) % len(OFFICERS)
    return (
        number,
        borrower.number,
        borrower.name,
        borrower.sex,
        borrower.region,
        borrower.district,
        branch(borrower.region),
        OFFICERS[(first + _pick(rng, (0, 0, 1, 3))) % len(OFFICERS)],
        kind_name,
        currency,
        amount,
        amount * RATES[currency],
        balance,
        balance * RATES[currency],
        _interest(rng, kind, currency),
        given,
        ends,
        months,
        _days_late(rng, given, ends) if status == "Muddati o'tgan" else 0,
        status,
        _weighted(rng, COLLATERAL[kind_name]),
        borrower.phone,
    )


def _status(rng: Random, ends: date) -> str:
    """A loan past its end is closed or overdue; a running one may be closed early, overdue or restructured."""
    if ends <= LAST_DAY:
        return _weighted(rng, {"Yopilgan": 0.88, "Muddati o'tgan": 0.12})
    return _weighted(rng, {"Faol": 0.76, "Muddati o'tgan": 0.11, "Yopilgan": 0.08, "Restrukturizatsiya": 0.05})


def _amount(rng: Random, kind: LoanKind, currency: str) -> int:
    """Draw the amount in the loan's own currency: whole 100,000 of UZS, whole hundreds of USD and EUR."""
    in_uzs = rng.triangular(kind.smallest, kind.largest, kind.smallest + (kind.largest - kind.smallest) * 0.25)
    unit = 100_000 if currency == "UZS" else 100
    return max(1, round(in_uzs / RATES[currency] / unit)) * unit


def _balance(rng: Random, amount: int, status: str, gone: float) -> int:
    """Draw what is still owed: nothing once closed, else about what the share `gone` of the term leaves."""
    if status == "Yopilgan":
        return 0
    left = 1 - min(gone, 0.95) * rng.uniform(0.7, 1.0)
    return max(1, min(amount, round(amount * left)))


def _interest(rng: Random, kind: LoanKind, currency: str) -> float:
    """Draw the yearly rate in percent, in steps of one half; foreign currency is cheaper."""
    low, high = kind.interest if currency == "UZS" else (7.0, 13.0)
    return low + rng.randrange(int((high - low) * 2) + 1) / 2


def _days_late(rng: Random, given: date, ends: date) -> int:
    """Draw the days past due: at least since the end of a finished loan, never longer than the loan is old."""
    least = max(1, min((LAST_DAY - ends).days, 365))
    return min(max(1, (LAST_DAY - given).days), least + int(rng.triangular(0, 180, 10)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to its place in the domain, or to the file that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "bank_loans" / "loans.csv"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.bank_loans", description=main.__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=place)
    parser.parse_args(arguments).file.write_bytes(as_csv(loans()))


if __name__ == "__main__":
    main()
