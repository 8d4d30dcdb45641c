"""A matcher that accepts one text only."""

from typing import Any

from grammar import AnswerMatcher


class Narrowed:
    """Accepts one text, which the matcher that it narrows must accept, too."""

    def __init__(self, matcher: AnswerMatcher, text: str) -> None:
        assert matcher.accepts(text), text
        self.matcher = matcher
        self.text = text.encode()

    def start(self) -> tuple[Any, int]:
        return self.matcher.start(), 0

    def advance(self, state: tuple[Any, int], data: bytes) -> tuple[Any, int] | None:
        written, place = state
        if self.text[place : place + len(data)] != data:
            return None
        reached = self.matcher.advance(written, data)
        return None if reached is None else (reached, place + len(data))

    def first_bytes(self, state: tuple[Any, int]) -> frozenset[int]:
        written, place = state
        return self.matcher.first_bytes(written) & set(self.text[place : place + 1])

    def forced(self, state: tuple[Any, int]) -> bytes:
        return self.text[state[1] :]
