"""Owns the made-up table of school grades, domains/school_grades/grades.csv.

`python -m accuracy.synthetic.school_grades` writes the file again, byte for byte. Every pupil, teacher and
school in it is drawn from lists of common names by a seeded generator.
"""

import argparse
import csv
import datetime
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

SEED: Final = 20240902
PUPILS: Final = 138
ROWS_PER_PUPIL: Final = 5
REPEATED_ROWS: Final = 12

COLUMNS: Final = (
    "Maktab kodi",
    "O'quvchi ismi",
    "Sinf",
    "Fan",
    "Chorak",
    "Baho",
    "Nazorat ishi bali",
    "Davomat foizi",
    "Qoldirilgan darslar",
    "O'qituvchi",
    "Holat",
    "Sana",
)
SCHOOLS: Final = ("007", "012", "031", "058", "104")
CLASSES: Final = ("5-A", "5-B", "6-A", "7-A", "7-B", "8-A", "9-A", "9-B", "10-A", "11-A")
# subject -> (the first class in which it is taught, its teachers)
SUBJECTS: Final = {
    "Matematika": (5, ("Karimova D.", "To'rayev S.")),
    "Ona tili": (5, ("Karimova Z.", "Yo'ldosheva M.")),
    "Ingliz tili": (5, ("Saidova N.", "Ergashev B.")),
    "Rus tili": (5, ("Abdullayeva L.", "Nazarova G.")),
    "Tarix": (5, ("G'afurov A.", "Mirzayeva O.")),
    "Informatika": (5, ("Sobirov J.", "Qodirova F.")),
    "Biologiya": (6, ("Hakimova R.", "Usmonov T.")),
    "Fizika": (7, ("Rasulov I.", "Shodmonov K.")),
    "Kimyo": (8, ("O'rinboyeva S.", "Latipov U.")),
}
BOYS: Final = (
    "Aziz",
    "Bekzod",
    "Davron",
    "Elyor",
    "Farrux",
    "Ibrohim",
    "Jasur",
    "Kamron",
    "Laziz",
    "Mirjalol",
    "Nodir",
    "Otabek",
    "Rustam",
    "Sardor",
    "Temur",
    "Ulug'bek",
    "Xurshid",
    "Yusuf",
    "Zafar",
    "Sherzod",
)
GIRLS: Final = (
    "Aziza",
    "Barno",
    "Dilnoza",
    "Feruza",
    "Go'zal",
    "Hilola",
    "Iroda",
    "Kamola",
    "Lola",
    "Madina",
    "Nargiza",
    "Ozoda",
    "Ra'no",
    "Sevara",
    "Shahlo",
    "Umida",
    "Xadicha",
    "Yulduz",
    "Zarina",
    "Charos",
)
SURNAMES: Final = (
    "Abdurahmonov",
    "Boboyev",
    "Dadajonov",
    "Eshonqulov",
    "Fayziyev",
    "G'aniyev",
    "Hamroyev",
    "Ismoilov",
    "Jo'rayev",
    "Komilov",
    "Mahmudov",
    "Normatov",
    "O'rinov",
    "Po'latov",
    "Qosimov",
    "Rahimov",
    "Salimov",
    "Tursunov",
    "Umarov",
    "Xolmatov",
    "Yo'ldoshev",
    "Zokirov",
    "Shukurov",
)
TERMS: Final = {
    1: (datetime.date(2024, 9, 2), datetime.date(2024, 10, 31)),
    2: (datetime.date(2024, 11, 5), datetime.date(2024, 12, 27)),
    3: (datetime.date(2025, 1, 10), datetime.date(2025, 3, 20)),
    4: (datetime.date(2025, 4, 1), datetime.date(2025, 5, 24)),
}


def rows() -> list[list[str]]:
    """Return the rows of the table as texts, in the order of the file; an empty text is an empty cell."""
    rng = Random(SEED)
    made = [row for pupil in _pupils(rng) for row in _rows_of(rng, *pupil)]
    rng.shuffle(made)
    for _ in range(REPEATED_ROWS):
        made.insert(rng.randrange(len(made)), list(rng.choice(made)))
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to its place in the domain, or to the file that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "school_grades" / "grades.csv"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.school_grades", description=main.__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=place)
    with parser.parse_args(arguments).file.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows())


def _pupils(rng: Random) -> list[tuple[str, str, str, float]]:
    """Return (school, name, class, ability) of each pupil; names differ."""
    names = [f"{surname} {name}" for surname in SURNAMES for name in BOYS]
    names += [f"{surname}a {name}" for surname in SURNAMES for name in GIRLS]
    weights = (5, 4, 4, 3, 2)
    return [
        (rng.choices(SCHOOLS, weights)[0], name, rng.choice(CLASSES), rng.gauss(70, 14))
        for name in rng.sample(names, PUPILS)
    ]


def _rows_of(rng: Random, school: str, name: str, form: str, ability: float) -> list[list[str]]:
    year = int(form.split("-")[0])
    subjects = [subject for subject, (first, _) in SUBJECTS.items() if first <= year]
    pairs = [(subject, term) for subject in subjects for term in TERMS]
    chosen = rng.sample(pairs, ROWS_PER_PUPIL)
    return [_row(rng, school, name, form, ability, subject, term) for subject, term in chosen]


def _row(rng: Random, school: str, name: str, form: str, ability: float, subject: str, term: int) -> list[str]:
    score = min(100, max(18, round(ability + rng.gauss(0, 9) + 2 * term - 5)))
    missed = max(0, round(rng.gauss(9, 6) - (ability - 70) / 5))
    attendance = min(100.0, round(100 - missed * 1.35 - rng.random() * 2, 1))
    excused = rng.random() < 0.03
    grade = "" if excused or rng.random() < 0.03 else str(_grade(score))
    if excused:
        status = "Ozod qilingan"
    elif not grade or rng.random() < 0.03:
        status = ""
    else:
        status = "Qayta topshiradi" if grade == "2" else "O'zlashtirdi"
    first, last = TERMS[term]
    day = first + datetime.timedelta(days=rng.randrange((last - first).days + 1))
    return [
        school,
        name,
        form,
        subject,
        str(term),
        grade,
        "" if excused or rng.random() < 0.04 else str(score),
        "" if rng.random() < 0.03 else str(attendance),
        "" if rng.random() < 0.04 else str(missed),
        _as_typed(rng, rng.choice(SUBJECTS[subject][1])),
        status,
        day.isoformat(),
    ]


def _grade(score: int) -> int:
    if score >= 86:
        return 5
    if score >= 70:
        return 4
    return 3 if score >= 52 else 2


def _as_typed(rng: Random, teacher: str) -> str:
    """Return the teacher's name as different hands write it: capitals, an end blank, another apostrophe."""
    chance = rng.random()
    if chance < 0.02:
        return teacher.upper()
    if chance < 0.035:
        return teacher.lower()
    if chance < 0.05:
        return teacher + " "
    return teacher.replace("'", "\N{MODIFIER LETTER TURNED COMMA}") if chance < 0.2 else teacher


if __name__ == "__main__":
    main()
