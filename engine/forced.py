"""Tokens that need no model: where only one text may follow, it is written as the whole answer would be tokenised.

The tokens of a text depend on what stands around it. So a run is tokenised together with the last tokens before it
and with everything that may come behind it, up to the next choice; only tokens on which all of these agree are taken.
Where the model chose another way to spell what stands before, only the tokens after that are looked at.

A run is evaluated in one batch, which rounds otherwise than token by token: without `forced_runs` the tokens that are
forced are the same, but where two tokens are almost equally likely a later choice may differ.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")

CONTEXT_TOKENS = 8
MOST_BEHIND = 24


class Matcher(Protocol[State]):
    """What forced runs need of a matcher; see `engine.decoder.Matcher`."""

    def advance(self, state: State, data: bytes) -> State | None:
        """Return the state after these bytes; None if they are refused."""

    def first_bytes(self, state: State) -> frozenset[int]:
        """Return the bytes that may come next; none where the answer is complete."""

    def forced(self, state: State) -> bytes:
        """Return the bytes that must come next, as far as they are certain."""


class ForcedRuns(Generic[State]):
    """Finds the tokens that must follow, for one vocabulary and one matcher."""

    def __init__(self, tokenise: Callable[[str], list[int]], pieces: Sequence[bytes], matcher: Matcher[State]) -> None:
        self._tokenise = tokenise
        self._pieces = pieces
        self._matcher = matcher

    def tokens(self, written: Sequence[int], state: State) -> list[int]:
        """Return the tokens that must follow those `written`, empty where there are none that are certain."""
        run = _whole_characters(self._matcher.forced(state))
        if not run or not _starts_a_character(run):
            return []
        after = self._matcher.advance(state, run)
        if after is None:
            return []
        follows = self._following(after)
        first = next(follows, "")
        context = self._context(written, run.decode() + first)
        if context is None:
            return []
        text = self._spelled(context).decode() + run.decode()
        agreed = self._tokenise(text + first)
        for following in follows:
            if len(agreed) <= len(context):
                return []
            agreed = _common(agreed, self._tokenise(text + following))
        return self._within(agreed[len(context) :], run)

    def _context(self, written: Sequence[int], more: str) -> list[int] | None:
        """Return the last tokens before the run that are those of their own text when `more` follows; None without any.

        They begin with a whole character.
        """
        context = list(written[-CONTEXT_TOKENS:])
        while context:
            data = self._spelled(context)
            if not _starts_a_character(data):
                del context[0]
                continue
            found = self._tokenise(data.decode() + more)
            same = len(_common(context, found))
            if same == len(context):
                return context
            del context[: same + 1]
        return None if written else []

    def _spelled(self, tokens: Sequence[int]) -> bytes:
        return b"".join(self._pieces[token] for token in tokens)

    def _following(self, state: State) -> Iterator[str]:
        """Yield a character for each byte that may come next, with what must follow it; nothing after the end."""
        first_bytes = sorted(self._matcher.first_bytes(state))
        if not first_bytes:
            yield ""
        for byte in first_bytes:
            data, reached = bytes((byte,)), self._matcher.advance(state, bytes((byte,)))
            while reached is not None and _whole_characters(data) != data:
                data += bytes((min(self._matcher.first_bytes(reached)),))
                reached = self._matcher.advance(reached, data[-1:])
            more = b"" if reached is None else self._matcher.forced(reached)[:MOST_BEHIND]
            yield _whole_characters(data + more).decode()

    def _within(self, tokens: Sequence[int], run: bytes) -> list[int]:
        """Return the first tokens that spell the run or its beginning."""
        taken: list[int] = []
        spelled = b""
        for token in tokens:
            spelled += self._pieces[token]
            if not self._pieces[token] or not run.startswith(spelled):
                break
            taken.append(token)
        return taken


def _whole_characters(data: bytes) -> bytes:
    """Return the bytes without a character that is cut at their end."""
    for length in range(len(data), max(len(data) - 4, -1), -1):
        if length == len(data) or data[length] & 0xC0 != 0x80:
            head = data[:length]
            if _ends_whole(head):
                return head
    return b""


def _ends_whole(data: bytes) -> bool:
    start = len(data)
    while start and data[start - 1] & 0xC0 == 0x80:
        start -= 1
    if not start:
        return start == len(data)
    lead = data[start - 1]
    wanted = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return len(data) - start + 1 == wanted


def _starts_a_character(data: bytes) -> bool:
    return not data or data[0] & 0xC0 != 0x80


def _common(one: list[int], other: list[int]) -> list[int]:
    length = min(len(one), len(other))
    return one[: next((place for place in range(length) if one[place] != other[place]), length)]
