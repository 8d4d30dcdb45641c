"""The made-up tables of the speed measure: so many listed values in one column, and requests that name some of them."""

from collections.abc import Callable, Sequence
from math import prod
from random import Random

from engine.settings import Settings, limits
from grammar import Column, Scene, TableState
from grammar.compile import json_text
from grammar.rules import Choice, Expression, Later, Literal, Repeat, Rule
from grammar.rules import Sequence as Row

SIZES = (5, 50, 500, 5000)
FLAT_SIZE = 500
WIDE = (200, 5000)
_PLACES = ("Toshkent", "Самарқанд", "Farg'ona", "Қўқон", "Urganch", "Навоий", "Xiva", "Термиз", "Jizzax", "Гулистон")
_KINDS = ("tumani", "шаҳри", 'MCHJ "Baraka"', "filiali", "бозори")
_REQUESTS = (
    "{value} bo'yicha qoldiq yig'indisi",
    "сколько строк, где hudud {value}",
    "total of summa for {value}",
    "{value} dan boshqa hududlar nechta",
    "топ 5 по сумме в {value}",
    "average summa of {value} and {other}",
    "{value} hududidagi eng katta summa",
    "строки {value} или {other}",
)


def values(count: int) -> tuple[str, ...]:
    """Return so many different values, in two alphabets and with quotes."""
    made = (
        f"{place} {kind} {number}".strip() for number in range(1, count + 1) for place in _PLACES for kind in _KINDS
    )
    return tuple(value for value, _ in zip(made, range(count), strict=False))


def scene(count: int, settings: Settings) -> Scene:
    """Return a table with so many listed values."""
    columns = (
        Column("hudud", "text", values(count)),
        Column("holat", "text"),
        Column("summa", "number"),
        Column("qoldiq", "number"),
        Column("sana", "date"),
        Column("faol", "boolean"),
    )
    return Scene((TableState(columns, limits(settings), name="jadval"),))


def wide_scene(settings: Settings) -> Scene:
    """Return a table of many columns, half of them with listed values."""
    width, listed = WIDE
    names = values(listed)
    share = listed // (width // 2)
    texts = [Column(f"matn {place}", "text", names[place * share : (place + 1) * share]) for place in range(width // 2)]
    numbers = [Column(f"son {place}", "number") for place in range(width - width // 2)]
    return Scene((TableState((*texts, *numbers), limits(settings), name="jadval"),))


def requests(count: int, many: int, seed: int) -> list[str]:
    """Return `many` requests about the table with so many values."""
    chance = Random(seed)
    names = values(count)
    return [
        _REQUESTS[place % len(_REQUESTS)].format(value=chance.choice(names), other=chance.choice(names))
        for place in range(many)
    ]


def flattened(expression: Expression, listed: Sequence[str]) -> Expression:
    """Return rules in which a choice among these values is written as a flat list, as people write it by hand."""
    flat = Choice(tuple(Literal(json_text(value)) for value in listed))
    known: dict[int, Expression] = {}

    def changed(each: Expression) -> Expression:
        if id(each) not in known:
            is_list = isinstance(each, Rule) and each.name == "values" and _count(each) == len(listed)
            known[id(each)] = Rule("values", flat) if is_list else _rebuilt(each, changed)
        return known[id(each)]

    return changed(expression)


def _rebuilt(expression: Expression, changed: Callable[[Expression], Expression]) -> Expression:
    match expression:
        case Row(parts) if parts:
            return Row(tuple(map(changed, parts)))
        case Choice(options):
            return Choice(tuple(map(changed, options)))
        case Repeat(part, minimum, maximum):
            return Repeat(changed(part), minimum, maximum)
        case Rule(name, body):
            return Rule(name, changed(body))
        case Later():
            return changed(expression.expression)
        case _:
            return expression


def _count(expression: Expression) -> int:
    """Return how many texts an expression of literals has."""
    match expression:
        case Row(parts):
            return prod(map(_count, parts))
        case Choice(options):
            return sum(map(_count, options))
        case Rule(_, body):
            return _count(body)
        case Later():
            return _count(expression.expression)
        case _:
            return 1
