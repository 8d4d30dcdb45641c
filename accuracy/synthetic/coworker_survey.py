"""Owns the made-up survey among colleagues: six tables in domains/coworker_survey/, the same bytes at every run.

`python -m accuracy.synthetic.coworker_survey` writes them again. Every person in them is a random pair of names.
"""

import argparse
import csv
import datetime
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

SEED: Final = 20250317
PEOPLE: Final = 60
FIRST_DAY: Final = datetime.date(2025, 3, 3)
DAYS: Final = 19

PEOPLE_COLUMNS: Final = ("name", "team", "city", "role", "years")
VOTE_COLUMNS: Final = ("voter", "chosen", "day")
REASON_COLUMNS: Final = ("voter", "chosen", "reason", "day")

TEAMS: Final = {
    "Development": ("developer", "developer", "tester", "team lead"),
    "Support": ("operator", "operator", "technician", "team lead"),
    "Sales": ("manager", "manager", "team lead"),
    "Marketing": ("designer", "analyst", "team lead"),
    "Finance": ("accountant", "analyst", "team lead"),
    "HR": ("recruiter", "team lead"),
}
CITIES: Final = ("Toshkent", "Samarqand", "Buxoro", "Andijon", "Nukus")
REASONS: Final = ("expertise", "helps others", "reliability", "new ideas", "calm under pressure", "mentoring")
# table -> (the chance that a person votes in it, the most votes of a person)
VOTES: Final = {
    "most_valuable": (0.92, 3),
    "unused_potential": (0.7, 2),
    "like_to_work_with": (0.88, 3),
    "tension_with": (0.45, 2),
    "hard_to_work_with": (0.6, 2),
}
# People who were voted for and have left since: they are in no row of the people.
LEFT: Final = ("Sattorov Olim", "Yunusova Dildora")
MEN: Final = ("Akmal", "Bobur", "Doniyor", "Eldor", "Farhod", "Ilhom", "Jahongir", "Komil", "Mansur", "Nurbek")
WOMEN: Final = ("Aziza", "Dilfuza", "Gulnora", "Kamola", "Laylo", "Malika", "Nodira", "Ra'no", "Saida", "Zilola")
FAMILIES: Final = (
    "Aliyev",
    "Botirov",
    "Ergashev",
    "G'ofurov",
    "Ibragimov",
    "Jalilov",
    "Karimov",
    "Mirzayev",
    "Nazarov",
    "O'ktamov",
    "Rahmonov",
    "Sodiqov",
    "To'xtayev",
    "Usmonov",
    "Yo'ldoshev",
    "Zaripov",
)


def tables() -> dict[str, tuple[Sequence[str], list[list[str]]]]:
    """Return the columns and the rows of each table by its name; an empty text is an empty cell."""
    rng = Random(SEED)
    people = _people(rng)
    made: dict[str, tuple[Sequence[str], list[list[str]]]] = {"people": (PEOPLE_COLUMNS, people)}
    for table, (chance, most) in VOTES.items():
        columns = REASON_COLUMNS if table == "most_valuable" else VOTE_COLUMNS
        made[table] = (columns, _votes(rng, people, chance, most, with_reason="reason" in columns))
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables to their place in the domain, or to the folder that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "coworker_survey"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.coworker_survey", description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=place)
    folder = parser.parse_args(arguments).folder
    for table, (columns, rows) in tables().items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)


def _people(rng: Random) -> list[list[str]]:
    names = [f"{family} {name}" for family in FAMILIES for name in MEN]
    names += [f"{family}a {name}" for family in FAMILIES for name in WOMEN]
    people = []
    for name in rng.sample(names, PEOPLE):
        team = rng.choices(tuple(TEAMS), (18, 12, 10, 6, 6, 4))[0]
        city = "" if rng.random() < 0.05 else rng.choices(CITIES, (10, 4, 3, 2, 1))[0]
        people.append([name, team, city, rng.choice(TEAMS[team]), str(rng.randrange(21))])
    return people


def _votes(rng: Random, people: list[list[str]], chance: float, most: int, *, with_reason: bool) -> list[list[str]]:
    """Return the votes of one question: some people are chosen far more often than others, nobody chooses himself."""
    candidates = [person[0] for person in people] + list(LEFT)
    liked = [min(rng.paretovariate(1.1), 9.0) for _ in candidates]
    rows = []
    for voter, *_ in people:
        if rng.random() >= chance:
            continue
        day = FIRST_DAY + datetime.timedelta(days=rng.randrange(DAYS))
        chosen: list[str] = []
        for _ in range(rng.randint(1, most)):
            name = rng.choices(candidates, liked)[0]
            if name != voter and name not in chosen:
                chosen.append(name)
        for name in chosen:
            reason = [""] if rng.random() < 0.06 else [rng.choices(REASONS, (6, 5, 5, 3, 2, 2))[0]]
            rows.append([voter, name, *(reason if with_reason else []), day.isoformat()])
    rng.shuffle(rows)
    return rows


if __name__ == "__main__":
    main()
