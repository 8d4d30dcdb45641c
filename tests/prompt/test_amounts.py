"""Numbers as people write them."""

import pytest

from grammar.script import fold
from prompt.amounts import written_amounts


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10 ming", ["10000"]),
        ("10 минг сўмдан", ["10000"]),
        ("1,5 млн", ["1500000"]),
        ("2.25 mlrd va 3 million", ["2250000000", "3000000"]),
        ("5 mingtadan", ["5000"]),
        ("1\u00a0250\u00a0000,5", ["1250000.5"]),
        ("12 345", ["12345"]),
        ("1234 5678", []),
        ("3.5.6 ming", []),
        ("2024", []),
        ("5 ta", []),
        ("99999999999999999999 ming", []),
    ],
)
def test_amounts(text: str, numbers: list[str]) -> None:
    assert [number for _, _, number in written_amounts(fold(text).text)] == numbers
