"""Numbers as people write them in a request: `10 ming`, `1,5 млн`, `1 250 000`."""

import re
from decimal import Decimal

from .wordfiles import word_file

_NUMBER = r"(?<![\w.,])\d{1,15}(?:[.,]\d{1,6})?(?![\w.,]*\d)"
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,6})?(?!\w)")
_WITH_WORD = re.compile(rf"({_NUMBER}) ?([^\W\d_]+)")


def written_amounts(folded: str) -> list[tuple[int, int, str]]:
    """Return the place and the plain decimal text of each number written with a word for thousands or with groups.

    A number that stands in plain digits is not listed.
    """
    endings = tuple(word_file("amounts")["endings"])
    powers: dict[str, int] = word_file("amounts")["powers"]
    found = []
    for match in _WITH_WORD.finditer(folded):
        for ending in ("", *endings):
            power = powers.get(match.group(2).removesuffix(ending))
            if power is not None:
                found.append((match.start(), match.end(), _plain(match.group(1), power)))
                break
    taken = [(start, end) for start, end, _ in found]
    for match in _GROUPED.finditer(folded):
        if all(match.end() <= start or end <= match.start() for start, end in taken):
            found.append((match.start(), match.end(), _plain(match.group().replace(" ", ""), 0)))
    return sorted(found)


def _plain(number: str, power: int) -> str:
    text = format(Decimal(number.replace(",", ".")).scaleb(power), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
