"""What analysts ask of a table: random sequences of parts, each part about columns that it suits.

A recipe returns None where the table has no column for it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from .meanings import (
    Best,
    Calculated,
    Columns,
    Distinct,
    Drawn,
    Mended,
    Order,
    Part,
    Periods,
    Share,
    Spread,
    Top,
    TopGroups,
    Total,
    Where,
    Written,
)
from .tables import Made, MadeTable

MOST_STEPS: Final = 4
# A column with more different cells than this is not what people group by.
MOST_GROUPS: Final = 16
Recipe = Callable[[Random, MadeTable], list[Part] | None]


class Columned:
    """The columns of a table by what can be asked of them; those with flaws are left to the steps that mend them."""

    def __init__(self, table: MadeTable) -> None:
        sound = [column for column in table.columns if column.flaw in (None, "empty")]
        self.texts = [column for column in sound if column.concept.kind == "text"]
        self.groups = [column for column in self.texts if 1 < len(set(column.filled)) <= MOST_GROUPS]
        self.numbers = [column for column in sound if column.concept.kind == "number"]
        self.dates = [column for column in sound if column.concept.kind == "date"]
        self.empty = [column for column in sound if "" in column.cells and len(column.filled) > 1]
        self.flawed = {
            flaw: [column for column in table.columns if column.flaw == flaw]
            for flaw in ("spellings", "dates", "numbers")
        }


def parts(random: Random, table: MadeTable) -> list[Part]:
    """Return the parts of a random request about a table, at most four of them."""
    while True:
        recipe = random.choices(list(RECIPES), weights=list(RECIPES.values()))[0]
        found = recipe(random, table)
        if found and len(found) <= MOST_STEPS:
            return found


def conditions(random: Random, table: MadeTable, most: int = 2) -> list[Part]:
    """Return some conditions, often none or one, each on a column of its own."""
    count = random.choices(range(most + 1), weights=(5, 4, 2)[: most + 1])[0]
    found: list[Part] = []
    used: set[str] = set()
    for _ in range(count):
        condition = where(random, table)
        if condition is not None and condition.column.name not in used:
            used.add(condition.column.name)
            found.append(condition)
    return found


def where(random: Random, table: MadeTable, *, drop: bool = False) -> Where | None:
    """Return a condition that some rows meet and some do not."""
    columned = Columned(table)
    pools: list[tuple[list[Made], Callable[[Random, Made, bool], Where], float]] = [
        (columned.groups, _value, 6),
        (columned.numbers, _threshold, 4),
        (columned.dates, _since, 2),
        (columned.empty, _emptiness, 1),
    ]
    usable = [(pool, make, weight) for pool, make, weight in pools if pool]
    if not usable:
        return None
    pool, make, _ = random.choices(usable, weights=[weight for _, _, weight in usable])[0]
    return make(random, random.choice(pool), drop)


def _value(random: Random, column: Made, drop: bool) -> Where:
    cells = sorted(set(column.filled))
    kind = random.choices(("=", "!=", "in", "not_in"), weights=(10, 1, 3, 0.5))[0]
    if kind in ("=", "!=") or len(cells) < 3:
        return Where(column, "=" if drop or kind not in ("=", "!=") else kind, random.choice(cells), drop)
    return Where(
        column, "in" if drop else kind, tuple(random.sample(cells, 2 if len(cells) < 4 else random.randint(2, 3))), drop
    )


def _threshold(random: Random, column: Made, drop: bool) -> Where:
    numbers = sorted(float(cell) for cell in column.filled)
    at = numbers[int(len(numbers) * random.uniform(0.2, 0.8))]
    return Where(column, random.choice((">", "<", ">=", "<=")), rounded(at), drop)


def rounded(number: float) -> float:
    """Return a number as people say it: two leading digits."""
    size = 10 ** max(0, len(str(int(abs(number)))) - 2)
    value = round(number / size) * size
    return int(value) if abs(value) >= 10 or float(value).is_integer() else round(number, 1)


def _since(random: Random, column: Made, drop: bool) -> Where:
    day = date.fromisoformat(random.choice(column.filled)) + timedelta(days=random.randint(-20, 20))
    start = random.choice((date(day.year, 1, 1), date(day.year, day.month, 1), day))
    return Where(column, random.choice((">=", "<", ">=", "<=", ">")), str(start), drop)


def _emptiness(random: Random, column: Made, drop: bool) -> Where:
    return Where(column, "is_empty" if drop else random.choice(("is_empty", "not_empty")), None, drop)


def aggregate(random: Random, columned: Columned) -> tuple[str, Made | None]:
    """Return an aggregate and its column, None for the count of rows."""
    if not columned.numbers or random.random() < 0.3:
        return "count", None
    if random.random() < 0.06 and columned.texts:
        return "count_distinct", random.choice(columned.texts)
    return random.choices(("sum", "avg", "max", "min", "median"), weights=(5, 4, 2, 2, 1))[0], random.choice(
        columned.numbers
    )


def _totals(random: Random, table: MadeTable, groups: int) -> list[Part] | None:
    columned = Columned(table)
    if len(columned.groups) < groups:
        return None
    agg, value = aggregate(random, columned)
    if value is not None and value in columned.groups[:0]:
        return None
    chosen = [column for column in random.sample(columned.groups, groups) if column is not value]
    return [*conditions(random, table), Total(agg, value, tuple(chosen))]


def total(random: Random, table: MadeTable) -> list[Part] | None:
    """How many, how much, over some rows."""
    return _totals(random, table, 0)


def total_by(random: Random, table: MadeTable) -> list[Part] | None:
    """A total for each group, sometimes ordered, cut, drawn, shared or written."""
    found = _totals(random, table, random.choice((1, 1, 1, 2)))
    if found is None or not isinstance(found[-1], Total) or not found[-1].groups:
        return None
    after: Sequence[Part | None] = (
        None,
        None,
        None,
        Order(None, random.random() < 0.7),
        Best(random.randint(2, 6), random.random() < 0.75),
        Drawn(random.choice(("bar", "bar", "pie"))),
        Share(),
        Written(random.choice(FORMATS)),
    )
    last = random.choice(after)
    if len(found[-1].groups) > 1 and isinstance(last, (Drawn, Share)):
        return found
    if isinstance(last, Share) and found[-1].agg not in ("sum", "count"):
        return found
    return [*found, last] if last is not None else found


FORMATS: Final = ("xlsx", "csv", "parquet", "json")


def top(random: Random, table: MadeTable) -> list[Part] | None:
    """The largest, oldest, cheapest rows."""
    columned = Columned(table)
    pool = columned.numbers * 3 + columned.dates
    if not pool:
        return None
    n = random.choice((1, 1, 3, 5, 10, random.randint(2, 12)))
    return [*conditions(random, table), Top(random.choice(pool), n, random.random() < 0.65), *_shown(random, columned)]


def top_groups(random: Random, table: MadeTable) -> list[Part] | None:
    """The groups with the largest or smallest total."""
    columned = Columned(table)
    if not columned.groups or not columned.numbers:
        return None
    n = random.choice((1, 1, 3, 5, random.randint(2, 6)))
    agg = random.choices(("sum", "avg", "max"), weights=(5, 4, 1))[0]
    best = TopGroups(agg, random.choice(columned.numbers), random.choice(columned.groups), n, random.random() < 0.75)
    return [*conditions(random, table), best]


def most_frequent(random: Random, table: MadeTable) -> list[Part] | None:
    """The groups of most or fewest rows."""
    columned = Columned(table)
    if not columned.groups:
        return None
    best = Best(random.choice((1, 1, 3, random.randint(2, 5))), random.random() < 0.8)
    return [*conditions(random, table, 1), Total("count", None, (random.choice(columned.groups),)), best]


def listing(random: Random, table: MadeTable) -> list[Part] | None:
    """Rows that meet conditions, ordered or with some columns only."""
    columned = Columned(table)
    found = conditions(random, table)
    pool = columned.numbers + columned.dates + columned.texts
    if pool and random.random() < 0.4:
        found.append(Order(random.choice(pool), random.random() < 0.5))
    found += _shown(random, columned) if found else []
    return found or None


def _shown(random: Random, columned: Columned) -> list[Part]:
    pool = columned.texts + columned.numbers + columned.dates
    if random.random() < 0.7 or len(pool) < 3:
        return []
    return [Columns(tuple(random.sample(pool, random.randint(2, 3))))]


def columns(random: Random, table: MadeTable) -> list[Part] | None:
    """Only some columns, or what is in them."""
    columned = Columned(table)
    pool = columned.texts + columned.numbers + columned.dates
    if len(pool) < 2:
        return None
    return [Columns(tuple(random.sample(pool, random.randint(1, min(3, len(pool))))), random.random() < 0.4)]


def periods(random: Random, table: MadeTable) -> list[Part] | None:
    """A total for each month, compared with the one before."""
    columned = Columned(table)
    if not columned.dates:
        return None
    agg, value = aggregate(random, columned)
    if agg == "count_distinct":
        return None
    day, period = random.choice(columned.dates), random.choice(("month", "month", "quarter", "year", "week", "day"))
    return [*conditions(random, table, 1), Periods(day, period, agg, value)]


def pivot(random: Random, table: MadeTable) -> list[Part] | None:
    """A table of two columns crossed."""
    columned = Columned(table)
    if len(columned.groups) < 2:
        return None
    agg, value = aggregate(random, columned)
    first, second = random.sample(columned.groups, 2)
    if value in (first, second):
        return None
    return [*conditions(random, table, 1), Spread(first, second, agg, value)]


def calculated(random: Random, table: MadeTable) -> list[Part] | None:
    """A new column from two, or from one and a number."""
    columned = Columned(table)
    if len(columned.numbers) < 2:
        return None
    left, right = random.sample(columned.numbers, 2)
    op = random.choice(("+", "-", "*", "/"))
    name = random.choice(NEW_NAMES)
    if random.random() < 0.3:
        return [Calculated(name, left, random.choice(("*", "/")), random.choice((2, 10, 12, 100, 1000)))]
    return [*conditions(random, table, 1), Calculated(name, left, op, right)]


NEW_NAMES: Final = (
    "jami",
    "farq",
    "nisbat",
    "natija",
    "итог",
    "разница",
    "доля",
    "расчёт",
    "total",
    "difference",
    "ratio",
    "result",
)


def mended(random: Random, table: MadeTable) -> list[Part] | None:
    """A column made clean, then sometimes something asked of it."""
    columned = Columned(table)
    choices: list[tuple[str, Made]] = [
        *(("unify_spelling", column) for column in columned.flawed["spellings"]),
        *(("fix_dates", column) for column in columned.flawed["dates"]),
        *(("fix_numbers", column) for column in columned.flawed["numbers"]),
        *(("fill", column) for column in columned.empty),
    ]
    if not choices:
        return None
    how, column = random.choice(choices)
    return [
        _filled(random, column) if how == "fill" else Mended(column, how),
        *_after_mending(random, columned, how, column),
    ]


def _filled(random: Random, column: Made) -> Mended:
    if column.concept.kind == "number":
        method = random.choice(("value", "mean", "median", "previous", "most_common"))
        return Mended(column, method, 0 if method == "value" else None)
    method = random.choice(
        ("previous", "most_common", "value") if column.concept.kind == "text" else ("previous", "most_common")
    )
    return Mended(
        column, method, random.choice(("noma'lum", "нет данных", "unknown", "-")) if method == "value" else None
    )


def _after_mending(random: Random, columned: Columned, how: str, column: Made) -> list[Part]:
    if random.random() < 0.5:
        return []
    if how == "unify_spelling":
        return [Total("count", None, (column,))]
    if how == "fix_numbers":
        return [
            Total(
                random.choice(("sum", "avg", "max")),
                column,
                tuple(random.sample(columned.groups, min(1, len(columned.groups)))),
            )
        ]
    if how == "fix_dates":
        return [Periods(column, random.choice(("month", "year", "quarter")), "count", None)]
    return []


def distinct(random: Random, table: MadeTable) -> list[Part] | None:
    """Duplicates removed, sometimes counted after."""
    columned = Columned(table)
    some = tuple(random.sample(columned.texts, 1)) if columned.texts and random.random() < 0.5 else ()
    return [Distinct(some), *([Total("count", None)] if random.random() < 0.3 else [])]


def dropped(random: Random, table: MadeTable) -> list[Part] | None:
    """Rows removed, then a total or an order."""
    condition = where(random, table, drop=True)
    if condition is None:
        return None
    after = random.choice((total_by, listing, None))
    rest = after(random, table) if after else []
    kept = [part for part in rest or [] if not isinstance(part, Where)]
    return [condition, *kept]


def saved(random: Random, table: MadeTable) -> list[Part] | None:
    """Some rows, or all, as a file."""
    return [*conditions(random, table), Written(random.choice(FORMATS))]


RECIPES: Final[dict[Recipe, float]] = {
    total: 5,
    total_by: 9,
    top: 4,
    top_groups: 4,
    most_frequent: 3,
    listing: 5,
    columns: 1.5,
    periods: 2.5,
    pivot: 1.5,
    calculated: 1.5,
    mended: 2.5,
    distinct: 1,
    dropped: 1.5,
    saved: 1,
}


def frequencies(requests: Sequence[Sequence[Any]]) -> dict[str, int]:
    """Return how often each sort of part occurs."""
    return dict(Counter(type(part).__name__ for request in requests for part in request).most_common())
