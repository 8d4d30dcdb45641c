"""Owns the made-up sales of a chain of shops: domains/shop_sales/sales.csv, the same bytes at every run."""

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

SEED: Final = 20250630
LINES: Final = 993
COPIES: Final = 7
FIRST_DAY: Final = date(2024, 7, 1)
DAYS: Final = 365

COLUMNS: Final = (
    "rcpt",
    "dt",
    "city",
    "ch",
    "cat",
    "prod",
    "brand",
    "qty",
    "amt_net",
    "amt_vat",
    "dlv",
    "st",
    "loyal",
)
CITIES: Final = (
    ("Toshkent", 31),
    ("Samarqand", 15),
    ("Farg'ona", 11),
    ("Andijon", 10),
    ("Buxoro", 9),
    ("Namangan", 8),
    ("Qo'qon", 6),
    ("Urganch", 5),
    ("Nukus", 5),
)
CHANNELS: Final = (("shop", 47), ("site", 26), ("app", 18), ("call", 9))
STATUSES: Final = (("paid", 79), ("return", 6), ("cancel", 5), ("wait", 4), ("hold", 3), ("", 3))
DELIVERIES: Final = (
    ("bepul", 30),
    ("15 000", 17),
    ("25 000", 22),
    ("30 000", 15),
    ("45 000", 6),
    ("kelishiladi", 8),
    ("", 2),
)
# A category: how often it sells, and its products with brand and net price in so'm.
GOODS: Final[dict[str, tuple[int, tuple[tuple[str, str, int], ...]]]] = {
    "phones": (
        26,
        (
            ("Galaxy A15 128GB", "Samsung", 2190000),
            ("Galaxy A35 256GB", "Samsung", 3990000),
            ("Galaxy A55 256GB", "Samsung", 4890000),
            ("Galaxy S24 256GB", "Samsung", 9890000),
            ("Redmi 13C 128GB", "Xiaomi", 1490000),
            ("Redmi Note 13 256GB", "Xiaomi", 2590000),
            ("Redmi Note 13 Pro", "Xiaomi", 3690000),
            ("Poco X6 256GB", "Xiaomi", 3390000),
            ("Honor X8b", "Honor", 2890000),
            ("Honor 90 Lite", "Honor", 2790000),
            ("Honor Magic6 Lite", "Honor", 4190000),
            ("Spark 20 Pro", "Tecno", 1990000),
            ("Camon 30", "Tecno", 2690000),
        ),
    ),
    "tv": (
        15,
        (
            ("TV 32 HD", "Artel", 1790000),
            ("TV 43 FHD Smart", "Artel", 2890000),
            ("TV 55 UHD Smart", "Artel", 4690000),
            ("TV 43 Crystal UHD", "Samsung", 4290000),
            ("TV 55 QLED", "Samsung", 8490000),
            ("TV 65 QLED", "Samsung", 11890000),
            ("TV 50 UHD", "LG", 5390000),
            ("TV 55 NanoCell", "LG", 7190000),
            ("TV 32 A2", "Xiaomi", 1990000),
            ("TV 43 A Pro", "Xiaomi", 3190000),
            ("TV soundbar 2.1", "LG", 1590000),
        ),
    ),
    "kitchen": (
        25,
        (
            ("Fridge 240L", "Artel", 3290000),
            ("Fridge 345L No Frost", "Artel", 5490000),
            ("Fridge 384L", "Samsung", 8290000),
            ("Fridge 419L", "LG", 9190000),
            ("Gas stove 4 burners", "Artel", 2190000),
            ("Electric oven 65L", "Bosch", 5690000),
            ("Microwave 20L", "Artel", 890000),
            ("Microwave 23L grill", "LG", 1690000),
            ("Dishwasher 12 sets", "Bosch", 7890000),
            ("Blender 800W", "Bosch", 990000),
            ("Mixer 450W", "Bosch", 790000),
            ("Meat grinder 1800W", "Moulinex", 1290000),
            ("Meat grinder 2200W", "Bosch", 1990000),
            ("Kettle 1.7L", "Moulinex", 390000),
            ("Kettle glass 2L", "Artel", 290000),
            ("Toaster 2 slots", "Moulinex", 490000),
            ("Coffee maker 1.2L", "Moulinex", 890000),
            ("Multicooker 5L", "Moulinex", 1190000),
        ),
    ),
    "laundry": (
        11,
        (
            ("Washer 6kg", "Artel", 3190000),
            ("Washer 7kg", "Samsung", 4890000),
            ("Washer 8kg steam", "LG", 6390000),
            ("Washer 9kg", "Bosch", 7490000),
            ("Dryer 8kg", "LG", 8890000),
            ("Iron 2400W", "Moulinex", 590000),
            ("Iron 2600W steam", "Bosch", 1090000),
            ("Steam station", "Moulinex", 1990000),
        ),
    ),
    "climate": (
        13,
        (
            ("Air conditioner 9", "Artel", 3590000),
            ("Air conditioner 12", "Artel", 4190000),
            ("Air conditioner 18", "Artel", 6190000),
            ("Air conditioner 12 Inverter", "LG", 6490000),
            ("Air conditioner 12 WindFree", "Samsung", 7290000),
            ("Heater 2000W", "Artel", 690000),
            ("Fan 40cm", "Artel", 390000),
            ("Humidifier 4L", "Xiaomi", 590000),
            ("Air purifier 4", "Xiaomi", 1890000),
            ("Water heater 50L", "Artel", 1490000),
        ),
    ),
    "cleaning": (
        10,
        (
            ("Vacuum 1800W", "Artel", 1190000),
            ("Vacuum 2000W", "Samsung", 1790000),
            ("Vacuum cordless V8", "LG", 5190000),
            ("Robot vacuum S10", "Xiaomi", 2490000),
            ("Robot vacuum X20", "Xiaomi", 5290000),
            ("Window cleaner", "Bosch", 990000),
        ),
    ),
}
CARELESS: Final = 0.11


def drawn(random: Random, weighted: Sequence[tuple[str, int]]) -> str:
    """Return one of the texts, as often as its weight says."""
    return random.choices([text for text, _ in weighted], [weight for _, weight in weighted])[0]


def brand_as_typed(random: Random, brand: str) -> str:
    """Return the brand as the cashier typed it: sometimes in other letters, sometimes not at all."""
    fate = random.random()
    if fate < CARELESS:
        return random.choice((brand.upper(), brand.lower()))
    return "" if fate > 0.97 else brand


def line(random: Random) -> list[str]:
    """Return what one line of a receipt says of its goods: cat, prod, brand, qty, amt_net, amt_vat."""
    category = drawn(random, [(name, weight) for name, (weight, _) in GOODS.items()])
    product, brand, price = random.choice(GOODS[category][1])
    quantity = random.choices((1, 2, 3, 4, 5, 10), (70, 16, 6, 4, 2, 2) if price < 3000000 else (90, 8, 2, 0, 0, 0))[0]
    net = price * quantity * (100 - random.choices((0, 3, 5, 10), (60, 14, 16, 10))[0]) // 100
    exempt = random.random() < 0.05
    vat = "" if exempt else f"{net * 12 / 100:.2f}"
    return [category, product, brand_as_typed(random, brand), str(quantity), str(net), vat]


def receipts(random: Random) -> Iterator[tuple[int, list[str]]]:
    """Yield for each receipt how many lines it has, and what it says of the sale: dt, city, ch, dlv, st, loyal."""
    left = LINES
    while left:
        size = min(left, random.choices((1, 2, 3), (72, 21, 7))[0])
        left -= size
        sold = FIRST_DAY + timedelta(days=random.randrange(DAYS))
        channel = drawn(random, CHANNELS)
        delivery = "olib ketish" if channel == "shop" else drawn(random, DELIVERIES)
        loyal = "true" if random.random() < 0.37 else "false"
        yield size, [sold.isoformat(), drawn(random, CITIES), channel, delivery, drawn(random, STATUSES), loyal]


def rows() -> list[list[str]]:
    """Return all lines by date and receipt number, a few of them exported twice."""
    random = Random(SEED)
    lines: list[list[str]] = []
    for number, (size, sale) in enumerate(sorted(receipts(random), key=lambda receipt: receipt[1][0]), start=1):
        day, city, channel, delivery, status, loyal = sale
        for _ in range(size):
            lines.append([f"{number:06d}", day, city, channel, *line(random), delivery, status, loyal])
    for place in sorted(random.sample(range(LINES), COPIES), reverse=True):
        lines.insert(place, list(lines[place]))
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to its place in the domain, or to the file that is given."""
    place = Path(__file__).resolve().parents[2] / "domains" / "shop_sales" / "sales.csv"
    parser = argparse.ArgumentParser(prog="python -m accuracy.synthetic.shop_sales", description=main.__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=place)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows())
    parser.parse_args(arguments).file.write_bytes(written.getvalue().encode("utf-8"))


if __name__ == "__main__":
    main()
