"""Owns the made-up table of farms and their harvest, domains/harvest/harvest.csv.

`python -m accuracy.synthetic.harvest` writes the file again, byte for byte. Regions, districts and crops are
real words; farms, amounts and dates come from a seeded generator.
"""

import argparse
import csv
import datetime
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

SEED: Final = 20251015
FARMS: Final = 122
REPEATED_ROWS: Final = 7

COLUMNS: Final = (
    "Хўжалик коди",
    "Хўжалик номи",
    "Вилоят",
    "Туман",
    "Экин тури",
    "Майдон (га)",
    "Ҳосил (т)",
    "Сотилган (т)",
    "Нарх (сўм/кг)",
    "Субсидия",
    "Суғурталанган",
    "Экилган сана",
    "Йиғим санаси",
    "Тўлов санаси",
    "Ҳолат",
)
DISTRICTS: Final = {
    "Андижон": ("Асака", "Шаҳрихон", "Балиқчи"),
    "Бухоро": ("Ғиждувон", "Вобкент", "Когон"),
    "Жиззах": ("Зомин", "Пахтакор", "Дўстлик"),
    "Қашқадарё": ("Китоб", "Шаҳрисабз", "Косон"),
    "Самарқанд": ("Ургут", "Булунғур", "Каттақўрғон"),
    "Сирдарё": ("Боёвут", "Сардоба", "Гулистон"),
    "Тошкент": ("Бўка", "Пискент", "Зангиота"),
    "Фарғона": ("Қува", "Риштон", "Олтиариқ"),
}
FIRST_WORDS: Final = (
    "Олтин",
    "Барака",
    "Нурли",
    "Обод",
    "Яшил",
    "Саховат",
    "Файзли",
    "Истиқлол",
    "Зарафшон",
    "Навбаҳор",
    "Дўстлик",
    "Баҳор",
    "Умид",
    "Тонг",
)
SECOND_WORDS: Final = (
    "водий",
    "агро",
    "замин",
    "далалар",
    "боғи",
    "ҳосили",
    "деҳқон",
    "сахийлик",
    "чорвадор",
    "нур",
    "чашмаси",
)
SAME_FIRST_WORD: Final = ("Кўксарой агро", "Кўксарой замин")
HARVESTED, PARTLY, GROWING, LOST = "Йиғиб олинган", "Қисман йиғилган", "Ўсмоқда", "Нобуд бўлган"


class Crop(NamedTuple):
    """How a crop grows: tonnes per hectare, soum per kilogram, sowing month and day, days to harvest, regions."""

    tonnes: float
    price: int
    sown: tuple[int, int]
    days: int
    regions: tuple[str, ...] = tuple(DISTRICTS)


CROPS: Final = {
    "Пахта": Crop(3.1, 9200, (4, 8), 165),
    "Буғдой": Crop(5.8, 3300, (10, 5), 255),
    "Шоли": Crop(4.4, 7600, (5, 12), 130, ("Андижон", "Сирдарё", "Тошкент")),
    "Картошка": Crop(23.0, 4600, (3, 10), 105),
    "Помидор": Crop(38.0, 5100, (4, 20), 95),
    "Пиёз": Crop(33.0, 2400, (3, 2), 125),
    "Узум": Crop(13.5, 11200, (3, 15), 170),
    "Гилос": Crop(6.2, 21500, (3, 1), 95, ("Самарқанд", "Тошкент", "Фарғона")),
}


def rows() -> list[list[str]]:
    """Return the rows of the table as texts, in the order of the file; an empty text is an empty cell."""
    rng = Random(SEED)
    made = [row for farm in _farms(rng) for row in _rows_of(rng, *farm)]
    rng.shuffle(made)
    for _ in range(REPEATED_ROWS):
        made.insert(rng.randrange(len(made)), list(rng.choice(made)))
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to its place in the domain, or to the file that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "harvest" / "harvest.csv"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.harvest", description=main.__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=place)
    with parser.parse_args(arguments).file.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows())


def _farms(rng: Random) -> list[tuple[str, str, str, str]]:
    """Return (code, name, region, district) of each farm; codes and names differ."""
    names = [
        *SAME_FIRST_WORD,
        *rng.sample([f"{first} {second}" for first in FIRST_WORDS for second in SECOND_WORDS], FARMS),
    ]
    codes = rng.sample(range(100, 9000), len(names))
    farms = []
    for code, name in zip(codes, names, strict=True):
        region = rng.choice(tuple(DISTRICTS))
        farms.append((f"{code:05d}", name, region, rng.choice(DISTRICTS[region])))
    return farms


def _rows_of(rng: Random, code: str, name: str, region: str, district: str) -> list[list[str]]:
    crops = [crop for crop, facts in CROPS.items() if region in facts.regions]
    pairs = [(crop, year) for crop in crops for year in (2024, 2025)]
    made = []
    for crop, year in rng.sample(pairs, rng.choice((3, 4, 4, 5))):
        made.append([code, name, region, _as_typed(rng, district), crop, *_growing(rng, crop, year)])
    return made


def _growing(rng: Random, crop: str, year: int) -> list[str]:
    """Return the cells from the area to the status for one crop that is harvested in `year`."""
    facts = CROPS[crop]
    month, day = facts.sown
    sown = datetime.date(year - 1 if month == 10 else year, month, day) + datetime.timedelta(days=rng.randrange(25))
    reaped = sown + datetime.timedelta(days=facts.days + rng.randrange(-9, 20))
    area = round(rng.choice((4, 9, 22, 48)) * (0.6 + rng.random()), 1)
    unfinished = (0.70, 0.08, 0.16, 0.06) if year == 2025 else (0.88, 0.05, 0.0, 0.07)
    status = rng.choices((HARVESTED, PARTLY, GROWING, LOST), unfinished)[0]
    share = {HARVESTED: 1.0, PARTLY: 0.45, GROWING: 0.0, LOST: 0.0}[status]
    crop_tonnes = round(area * facts.tonnes * rng.gauss(1, 0.14) * share, 2)
    has_crop = share > 0
    sold = round(crop_tonnes * (0.5 + rng.random() * 0.48), 2) if has_crop and rng.random() > 0.1 else None
    price = round(facts.price * rng.gauss(1, 0.12), -1)
    paid = reaped + datetime.timedelta(days=rng.randrange(3, 60))
    return [
        str(area),
        "" if status == GROWING else str(crop_tonnes),
        "" if sold is None else str(sold),
        "" if sold is None or rng.random() < 0.04 else str(int(price)),
        _subsidy(rng, area),
        "true" if rng.random() < 0.37 else "false",
        sown.isoformat(),
        reaped.isoformat() if has_crop else "",
        _payment(rng, paid) if sold is not None else "",
        "" if has_crop and rng.random() < 0.03 else status,
    ]


def _subsidy(rng: Random, area: float) -> str:
    """Return a sum of money as people type it (with or without blanks), the word for none, or an empty cell."""
    chance = rng.random()
    if chance < 0.55:
        return "йўқ"
    if chance < 0.60:
        return ""
    money = f"{round(area * rng.uniform(18_000, 60_000), -3):.0f}"
    return money if rng.random() < 0.4 else f"{int(money):,}".replace(",", " ")


def _payment(rng: Random, day: datetime.date) -> str:
    return "кутилмоқда" if rng.random() < 0.12 else day.strftime("%d.%m.%Y")


def _as_typed(rng: Random, district: str) -> str:
    """Return the district as different hands write it: as it is, in capitals, in small letters."""
    chance = rng.random()
    if chance < 0.05:
        return district.upper()
    return district.lower() if chance < 0.09 else district


if __name__ == "__main__":
    main()
