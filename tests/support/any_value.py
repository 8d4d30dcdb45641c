"""Random values of all of Unicode, and of what kills or misleads programs around language models."""

import random
from collections.abc import Callable

SPECIAL = (
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<mask>",
    "<unused0>",
    "<unused49>",
    "<unused98>",
    "[multimodal]",
    "[control_36]",
    "<table>",
    "<0x0A>",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "</s>",
    "\u2581",
    "\u2402content\u2403",
)
NASTY = (
    '"',
    "\\",
    '\\"',
    "\\u0041",
    "\\ud83d",
    "\\n",
    "\n",
    "\r\n",
    "\t",
    "\x00",
    "\x1b[31m",
    "\x7f",
    "\u0085",
    "\u2028",
    "\ufeff",
    "'",
    "''",
    "`",
    "{{",
    "]}",
    '"}}]}',
    '"]}',
    '{"steps":[',
    'root ::= root "a" | "b"',
    "root ::= [^\x00]{0,2000}",
    "<[262143]>",
    "'); DROP TABLE base; --",
    "$1",
    "{% raw %}",
    "%s%n",
    "a" * 40,
    " " * 30,
)
RANGES = (
    (0x20, 0x7E),
    (0x00, 0x1F),
    (0x80, 0xFF),
    (0x300, 0x36F),
    (0x400, 0x4FF),
    (0x5D0, 0x5EA),
    (0x600, 0x6FF),
    (0xE00, 0xE7F),
    (0x1100, 0x11FF),
    (0x2000, 0x206F),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xE000, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0xFFF0, 0xFFFF),
    (0x1D400, 0x1D7FF),
    (0x1F1E6, 0x1F1FF),
    (0x1F300, 0x1FAFF),
    (0xE0000, 0xE007F),
    (0x10FFF0, 0x10FFFF),
)
WORDS = (
    "Toshkent",
    "Oʻlcham",
    "o'rta",
    "Ғазна",
    "Қарз",
    "область",
    "и\u0306",
    "e\u0301",
    "👩‍👩‍👧",
    "12,5 %",
    "None",
    "",
)


def any_value(chance: random.Random, longest: int) -> str:
    """Return a value of at most `longest` characters, none of them half of a surrogate pair."""
    sorts: tuple[Callable[[], str], ...] = (
        lambda: _everywhere(chance, chance.randint(1, 24)),
        lambda: _of_range(chance, chance.randint(1, 24)),
        lambda: "".join(_of_range(chance, 3) for _ in range(chance.randint(1, 6))),
        lambda: chance.choice(SPECIAL),
        lambda: "".join(chance.choice((*NASTY, *SPECIAL, *WORDS)) for _ in range(chance.randint(1, 6))),
        lambda: " ".join(chance.choice((*WORDS, *NASTY)) for _ in range(chance.randint(1, 5))),
        lambda: _everywhere(chance, 1).join(chance.choice(WORDS) for _ in range(3)),
    )
    if chance.random() < 0.02:
        return _of_range(chance, longest)
    return chance.choice(sorts)()[:longest]


def different_values(chance: random.Random, count: int, longest: int) -> tuple[str, ...]:
    """Return so many values, no two the same."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[any_value(chance, longest)] = None
    return tuple(found)


def _everywhere(chance: random.Random, count: int) -> str:
    points = (chance.randrange(0x110000 - 0x800) for _ in range(count))
    return "".join(chr(point if point < 0xD800 else point + 0x800) for point in points)


def _of_range(chance: random.Random, count: int) -> str:
    low, high = chance.choice(RANGES)
    return "".join(chr(chance.randint(low, high)) for _ in range(count))
