"""Small random tables as files, and random requests about them in three languages, some of them hostile."""

import csv
import random
from pathlib import Path

from any_value import NASTY, SPECIAL, any_value

UZBEK = "qoldiq viloyat bo'yicha eng katta beshta kredit o'rtacha nechta Toshkent oxirgi oy yoki emas salom"
RUSSIAN = "сколько всего кредитов по области больше миллиона средний остаток топ худшие и или кроме прошлый год"
CYRILLIC_UZBEK = "ўртача қолдиқ вилоятлар бўйича энг кўп нечта қарздор ҳолати фаол эмас"
ENGLISH = "how many loans by region with balance over average and not paid show me the story of"
ODD = ["٣", "-1e99", "2024-02-30", "😀", "1 000 000,5", "C:\\temp", "select * from base"]
WORDS = [*f"{UZBEK} {RUSSIAN} {CYRILLIC_UZBEK} {ENGLISH}".split(), *ODD, *NASTY, *SPECIAL]


def random_request(chance: random.Random, known: list[str] | None = None) -> str:
    """Return up to fourteen words, some of the `known` ones among them; never a blank request, which is refused."""
    words = [chance.choice(WORDS) for _ in range(chance.randint(0, 10))]
    words += [chance.choice(known) for _ in range(chance.randint(0, 3)) if known]
    words += [any_value(chance, 60)] if chance.random() < 0.2 else []
    chance.shuffle(words)
    return " ".join([chance.choice("?!.a"), *words])


def random_table(chance: random.Random, path: Path) -> list[str]:
    """Write a table of one to five columns and up to twelve rows; return its names and some of its values."""
    names = [_name(chance) for _ in range(chance.randint(1, 5))]
    columns = [_column(chance, chance.randint(1, 12)) for _ in names]
    most = max(map(len, columns))
    rows = [[column[row % len(column)] for column in columns] for row in range(most)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=chance.choice(",;\t|")).writerows([names, *rows])
    return [*names, *(row[0] for row in rows[:3])]


def _name(chance: random.Random) -> str:
    return chance.choice(
        (chance.choice(WORDS), any_value(chance, 20), f"{chance.choice(WORDS)} {chance.randint(1, 9)}")
    )


def _column(chance: random.Random, rows: int) -> list[str]:
    sorts = (
        lambda: str(chance.randint(-1000, 10**6)),
        lambda: f"{chance.uniform(-5, 5):.2f}",
        lambda: f"20{chance.randint(10, 29)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        lambda: chance.choice(("true", "false", "")),
        lambda: chance.choice(("Toshkent", "Samarqand", "Ғазна", "область")),
        lambda: any_value(chance, 40),
    )
    made = chance.choice(sorts)
    return [made() for _ in range(rows)]
