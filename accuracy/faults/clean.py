"""Clean tables, of which files with faults are made: what a file means is known before it is written.

Nine tables of different work, in Uzbek (both alphabets), Russian, English and French. Each has a column whose value is
in no other row, so that a row can be found again wherever a reader has put it.
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Final, Literal, TypeAlias

Kind = Literal["text", "whole", "decimal", "date", "boolean"]
Value: TypeAlias = str | int | Decimal | datetime.date | None
Maker: TypeAlias = Callable[[Random, int], Value]

YES: Final = frozenset({"да", "ha", "ҳа", "yes"})
NO: Final = frozenset({"нет", "yo'q", "йўқ", "no"})


@dataclass(frozen=True)
class CleanColumn:
    """A column: its name, what it holds, and whether that is money or a percentage."""

    name: str
    kind: Kind
    unit: Literal["", "money", "percent"] = ""


@dataclass(frozen=True)
class CleanTable:
    """A table; the values of the column at the place `key` are all different. `language` is that of its words."""

    name: str
    language: str
    columns: tuple[CleanColumn, ...]
    rows: tuple[tuple[Value, ...], ...]
    key: int = 0


def clean_table(name: str, rng: Random) -> CleanTable:
    """Return the table of this name with rows made by `rng`."""
    language, makers = _TABLES[name]
    rows = tuple(tuple(make(rng, number) for _, make in makers) for number in range(rng.randrange(8, 45)))
    return CleanTable(name, language, tuple(column for column, _ in makers), rows)


def _pick(*words: str, empty: float = 0) -> Maker:
    return lambda rng, _: None if rng.random() < empty else rng.choice(words)


def _key(prefix: str, width: int) -> Maker:
    return lambda _, number: f"{prefix}{417 + 13 * number:0{width}}"


def _id(first: int) -> Maker:
    return lambda _, number: first + 3 * number


def _figures(start: str, width: int) -> Maker:
    return lambda rng, _: start + "".join(rng.choice("0123456789") for _ in range(width - len(start)))


def _whole(low: int, high: int, empty: float = 0) -> Maker:
    return lambda rng, _: None if rng.random() < empty else rng.randrange(low, high)


def _decimal(low: int, high: int, places: int = 2, empty: float = 0) -> Maker:
    def made(rng: Random, _: int) -> Value:
        if rng.random() < empty:
            return None
        return Decimal(rng.randrange(low * 10**places, high * 10**places)).scaleb(-places)

    return made


def _day(first: str, days: int, empty: float = 0) -> Maker:
    start = datetime.date.fromisoformat(first)
    return lambda rng, _: None if rng.random() < empty else start + datetime.timedelta(rng.randrange(days))


_Made = tuple[tuple[CleanColumn, Maker], ...]
_TABLES: Final[Mapping[str, tuple[str, _Made]]] = {
    "shop": (
        "uz",
        (
            (CleanColumn("Chek", "text"), _key("SH-", 5)),
            (CleanColumn("Sana", "date"), _day("2024-01-01", 500)),
            (CleanColumn("Do'kon", "text"), _pick("Chilonzor", "Yunusobod", "Sho'rchi", "Markaz")),
            (CleanColumn("Tovar", "text"), _pick("Guruch", "Un, 1-nav", "Paxta yog'i", "Shakar", "Choy (ko'k)")),
            (CleanColumn("Soni", "whole"), _whole(1, 3000)),
            (CleanColumn("Narx", "decimal", "money"), _decimal(900, 90_000)),
            (CleanColumn("Chegirma", "decimal", "percent"), _decimal(0, 40, 1, empty=0.2)),
            (CleanColumn("Izoh", "text"), _pick("naqd", "karta", "qaytarildi", empty=0.5)),
        ),
    ),
    "loans": (
        "ru",
        (
            (CleanColumn("Договор", "text"), _key("KD-", 6)),
            (CleanColumn("Заёмщик", "text"), _pick("Иванова Анна", "Каримов Бахтиёр", "Ли Сергей", "Пак Ольга")),
            (CleanColumn("Город", "text"), _pick("Ташкент", "Бухара", "Самарканд", "Нукус")),
            (CleanColumn("ИНН", "text"), _figures("30", 9)),
            (CleanColumn("Дата выдачи", "date"), _day("2022-03-01", 700)),
            (CleanColumn("Дата возврата", "date"), _day("2024-03-01", 900, empty=0.1)),
            (CleanColumn("Сумма", "decimal", "money"), _decimal(1_000_000, 90_000_000)),
            (CleanColumn("Ставка", "decimal", "percent"), _decimal(14, 36, 1)),
            (CleanColumn("Дней просрочки", "whole"), _whole(0, 90, empty=0.3)),
        ),
    ),
    "clinic": (
        "en",
        (
            (CleanColumn("Visit", "whole"), _id(20_411)),
            (CleanColumn("Patient", "text"), _pick("A. Smith", "B. O'Neil", "D. Karimov", "E. Lee", "J. Brown")),
            (CleanColumn("Born on", "date"), _day("1950-01-01", 18_000)),
            (CleanColumn("Visit date", "date"), _day("2023-02-01", 600)),
            (CleanColumn("Code", "text"), _pick("J06.9", "I10", "E11.9", "M54.5")),
            (CleanColumn("Fee", "decimal", "money"), _decimal(40, 2_500, empty=0.1)),
            (CleanColumn("Ward", "text"), _pick("03", "07", "11", "12")),
            (CleanColumn("Paid", "boolean"), _pick("yes", "no")),
        ),
    ),
    "harvest": (
        "uz-cyrillic",
        (
            (CleanColumn("Рақам", "text"), _key("00", 4)),
            (CleanColumn("Хўжалик", "text"), _pick("Чорвадор", "Оқ олтин", "Ғалаба", "Беш қайрағоч")),
            (CleanColumn("Туман", "text"), _pick("Қува", "Ҳазорасп", "Ёзёвон", "Олот")),
            (CleanColumn("Экин", "text"), _pick("буғдой", "пахта", "шоли")),
            (CleanColumn("Майдон", "decimal"), _decimal(2, 90, 1)),
            (CleanColumn("Ҳосил", "decimal"), _decimal(5, 400, 2, empty=0.1)),
            (CleanColumn("Сана", "date"), _day("2024-05-01", 200)),
        ),
    ),
    "stock": (
        "en",
        (
            (CleanColumn("SKU", "text"), _key("A", 5)),
            (CleanColumn("Item", "text"), _pick("Monitor, wide", "Cable 2 m", "Keyboard", "Mouse; optical", "Stand")),
            (CleanColumn("Qty", "whole"), _whole(0, 900)),
            (CleanColumn("Unit price", "decimal", "money"), _decimal(2, 4_000)),
            (CleanColumn("Weight kg", "decimal"), _decimal(0, 30, 2)),
            (CleanColumn("Received", "date"), _day("2023-06-01", 800)),
        ),
    ),
    "school": (
        "ru",
        (
            (CleanColumn("№ записи", "whole"), _id(1_040)),
            (CleanColumn("Ученик", "text"), _pick("Ахмедова Лола", "Ким Артём", "Юсупов Даврон", "Щукина Вера")),
            (CleanColumn("Класс", "text"), _pick("5-А", "7-Б", "9-В")),
            (CleanColumn("Предмет", "text"), _pick("Алгебра", "Родной язык", "Физика", "История")),
            (CleanColumn("Оценка", "whole"), _whole(2, 6, empty=0.1)),
            (CleanColumn("Дата урока", "date"), _day("2024-09-02", 250)),
            (CleanColumn("Сдано", "boolean"), _pick("да", "нет")),
        ),
    ),
    "ledger": (
        "uz",
        (
            (CleanColumn("Hisob raqami", "text"), _key("2020800090012", 7)),
            (CleanColumn("Nomi", "text"), _pick("Asosiy vositalar", "Kassa", "Ustav kapitali", "Debitorlar")),
            (CleanColumn("Debet", "decimal", "money"), _decimal(0, 7_000_000, empty=0.2)),
            (CleanColumn("Kredit", "decimal", "money"), _decimal(0, 7_000_000, empty=0.2)),
            (CleanColumn("Saldo", "decimal", "money"), _decimal(-900_000, 900_000)),
        ),
    ),
    "weather": (
        "en",
        (
            (CleanColumn("Reading", "whole"), _id(7_001)),
            (CleanColumn("Day", "date"), _day("2021-01-01", 1_000)),
            (CleanColumn("Low", "decimal"), _decimal(-25, 20, 1)),
            (CleanColumn("High", "decimal"), _decimal(-5, 44, 1)),
            (CleanColumn("Rain mm", "decimal"), _decimal(0, 60, 1, empty=0.2)),
        ),
    ),
    "branches": (
        "fr",
        (
            (CleanColumn("Réf", "text"), _key("FR-", 4)),
            (CleanColumn("Établissement", "text"), _pick("Café Müller", "Hôtel du Nord", "Crêperie José", "La Forêt")),
            (CleanColumn("Ville", "text"), _pick("Besançon", "Orléans", "Nîmes", "Zürich")),
            (CleanColumn("Montant", "decimal", "money"), _decimal(50, 9_000)),
            (CleanColumn("Employés", "whole"), _whole(1, 400)),
            (CleanColumn("Date d'ouverture", "date"), _day("2015-01-01", 3_000)),
        ),
    ),
}

TABLES: Final = tuple(_TABLES)
