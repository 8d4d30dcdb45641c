"""Owns the made-up visits of a clinic: domains/clinic_visits/visits.csv, the same bytes at every run."""

import argparse
import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

SEED: Final = 20250914
VISITS: Final = 596
PATIENTS: Final = 320
COPIES: Final = 4
FIRST_DAY: Final = date(2025, 1, 3)
DAYS: Final = 268

COLUMNS: Final = (
    "Номер карты",
    "Дата записи",
    "Дата приёма",
    "Пациент",
    "Возраст",
    "Пол",
    "Отделение",
    "Врач",
    "Диагноз",
    "Услуга",
    "Стоимость услуги",
    "Оплачено",
    "Способ оплаты",
    "Статус",
    "Следующая явка",
)


class Department(NamedTuple):
    """A department: how busy it is, who works there, what is found there and what is done."""

    weight: int
    doctors: tuple[str, ...]
    diagnoses: tuple[str, ...]
    services: tuple[tuple[str, int], ...]


class Patient(NamedTuple):
    """A patient as the register knows him; `age` is None where nobody wrote it down."""

    card: str
    name: str
    age: int | None
    sex: str


DEPARTMENTS: Final = {
    "Терапия": Department(
        24,
        ("Каримова Дилноза", "Юсупов Шерзод", "Ли Марина"),
        ("ОРВИ", "Гипертония", "Гастрит", "Бронхит", "Анемия"),
        (("Первичный приём", 150000), ("Повторный приём", 100000), ("Анализ крови", 85000)),
    ),
    "Кардиология": Department(
        17,
        ("Рахимов Бахтиёр", "Назарова Лола"),
        ("Гипертония", "Стенокардия", "Аритмия"),
        (("Первичный приём", 220000), ("Повторный приём", 160000), ("ЭКГ", 90000), ("УЗИ", 240000)),
    ),
    "Неврология": Department(
        14,
        ("Тошматов Алишер", "Соколова Ирина"),
        ("Мигрень", "Остеохондроз", "Невралгия"),
        (("Первичный приём", 200000), ("Повторный приём", 140000), ("Физиотерапия", 120000)),
    ),
    "Хирургия": Department(
        10,
        ("Эргашев Отабек", "Мирзаев Тимур"),
        ("Грыжа", "Вывих", "Аппендицит"),
        (("Первичный приём", 210000), ("Рентген", 130000), ("Операция", 3400000)),
    ),
    "Педиатрия": Department(
        15,
        ("Каримова Сабина", "Ахмедова Зухра"),
        ("ОРВИ", "Ангина", "Бронхит", "Аллергия"),
        (("Первичный приём", 140000), ("Повторный приём", 95000), ("Анализ крови", 85000)),
    ),
    "Стоматология": Department(
        13,
        ("Петрова Елена", "Умаров Санжар"),
        ("Кариес", "Пульпит", "Гингивит"),
        (("Первичный приём", 120000), ("Лечение зуба", 480000), ("Рентген", 70000)),
    ),
    "Офтальмология": Department(
        7,
        ("Хамидова Нилуфар",),
        ("Близорукость", "Катаракта", "Конъюнктивит"),
        (("Первичный приём", 180000), ("Подбор очков", 110000)),
    ),
}
CHILDREN: Final = "Педиатрия"
SURNAMES: Final = (
    "Абдуллаев",
    "Азимов",
    "Бобоев",
    "Валиев",
    "Гафуров",
    "Джалилов",
    "Зокиров",
    "Иванов",
    "Исмоилов",
    "Кадыров",
    "Латипов",
    "Маматов",
    "Нурматов",
    "Орипов",
    "Пулатов",
    "Расулов",
    "Саидов",
    "Турсунов",
    "Файзиев",
    "Холматов",
    "Шарипов",
    "Якубов",
)
MALE_NAMES: Final = (
    "Азиз",
    "Акмал",
    "Бобур",
    "Виктор",
    "Даврон",
    "Ислом",
    "Камол",
    "Мурод",
    "Нодир",
    "Равшан",
    "Сардор",
    "Фаррух",
    "Хусан",
)
FEMALE_NAMES: Final = (
    "Азиза",
    "Барно",
    "Гулчехра",
    "Дилором",
    "Зебо",
    "Камола",
    "Малика",
    "Наргиза",
    "Ольга",
    "Рано",
    "Севара",
    "Умида",
    "Шахноза",
)
STATUSES: Final = (("состоялся", 79), ("отменён", 10), ("неявка", 8), ("", 3))
PAYMENTS: Final = (("карта", 44), ("наличные", 33), ("страховка", 15), ("перечисление", 8))
SERVICE_WEIGHTS: Final = (10, 8, 6, 3)
CARELESS: Final = 0.09


def drawn(random: Random, weighted: Sequence[tuple[str, int]]) -> str:
    """Return one of the texts, as often as its weight says."""
    return random.choices([text for text, _ in weighted], [weight for _, weight in weighted])[0]


def register(random: Random) -> tuple[list[Patient], list[Patient]]:
    """Return the grown-up patients and the children, each with a card number of six digits."""
    adults: list[Patient] = []
    children: list[Patient] = []
    names: set[str] = set()
    cards = random.sample(range(1, 30000), PATIENTS)
    while len(names) < PATIENTS:
        female = random.random() < 0.56
        surname = random.choice(SURNAMES) + ("а" if female else "")
        name = f"{surname} {random.choice(FEMALE_NAMES if female else MALE_NAMES)}"
        if name in names:
            continue
        names.add(name)
        child = random.random() < 0.18
        age: int | None = random.randint(1, 17) if child else min(random.randint(18, 70) + random.randint(0, 17), 86)
        if random.random() < 0.02:
            age = None
        card = f"{cards.pop():06d}"
        (children if child else adults).append(Patient(card, name, age, "женский" if female else "мужской"))
    return adults, children


def diagnosis(random: Random, choices: Sequence[str]) -> str:
    """Return a diagnosis as the reception typed it: sometimes in small letters, sometimes not at all."""
    written = random.choice(choices)
    fate = random.random()
    if fate < CARELESS:
        return written.lower()
    return "" if fate > 0.95 else written


def paid(random: Random, cost: int) -> int | None:
    """Return what the patient paid for a visit that took place, None where nothing was paid yet."""
    fate = random.random()
    if fate < 0.78:
        return cost
    if fate < 0.93:
        return cost * random.choice((50, 70, 80, 90)) // 100
    return None


def next_time(random: Random, visited: date) -> str:
    """Return the note about the next appointment: a date, or words."""
    fate = random.random()
    if fate < 0.42:
        return (visited + timedelta(days=random.randint(6, 35))).strftime("%d.%m.%Y")
    return "не требуется" if fate < 0.72 else "по необходимости"


def visit(random: Random, adults: Sequence[Patient], children: Sequence[Patient]) -> list[str]:
    """Return one visit as a row of texts in the order of `COLUMNS`."""
    department = drawn(random, [(name, about.weight) for name, about in DEPARTMENTS.items()])
    about = DEPARTMENTS[department]
    patient = random.choice(children if department == CHILDREN else adults)
    visited = FIRST_DAY + timedelta(days=random.randrange(DAYS))
    booked = visited - timedelta(days=min(random.randint(0, 12), random.randint(0, 20)))
    service, price = random.choices(about.services, SERVICE_WEIGHTS[: len(about.services)])[0]
    cost = price + 5000 * random.randint(0, 6)
    status = drawn(random, STATUSES)
    happened = status == "состоялся"
    payment = paid(random, cost) if happened else None
    return [
        patient.card,
        booked.isoformat(),
        visited.isoformat(),
        patient.name,
        "" if patient.age is None else str(patient.age),
        patient.sex,
        department,
        random.choice(about.doctors),
        diagnosis(random, about.diagnoses),
        service,
        str(cost),
        "" if payment is None else str(payment),
        "" if payment is None else drawn(random, PAYMENTS),
        status,
        next_time(random, visited) if happened else "",
    ]


def rows() -> list[list[str]]:
    """Return all visits in the order in which they were booked, a few of them entered twice."""
    random = Random(SEED)
    adults, children = register(random)
    visits = sorted((visit(random, adults, children) for _ in range(VISITS)), key=lambda row: row[1])
    for place in sorted(random.sample(range(VISITS), COPIES), reverse=True):
        visits.insert(place, list(visits[place]))
    return visits


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to its place in the domain, or to the file that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "clinic_visits" / "visits.csv"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.clinic_visits", description=main.__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=place)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows())
    parser.parse_args(arguments).file.write_bytes(written.getvalue().encode("utf-8"))


if __name__ == "__main__":
    main()
