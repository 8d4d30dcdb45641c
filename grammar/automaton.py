"""Following a text through rules, byte by byte: accepts, refuses, what may come next.

The rules are run as a non-deterministic automaton with a stack (what llama.cpp does too), over UTF-8 bytes, and each
set of places that is reached becomes a state that remembers its moves: a deterministic automaton, built as it is used.
"""

from collections.abc import Iterator
from typing import Any

from .rules import Chars, Choice, Expression, Later, Literal, Repeat, Rule, Sequence
from .utf8 import ByteRanges, byte_ranges

# What remains to be matched: nothing (None), or a node, how far in it, and what comes after it (again such a value).
_Rest = tuple[Any, int, Any] | None


class _Bytes:
    """A terminal: bytes that must come one after the other, each within its range; of a literal, its `text`."""

    __slots__ = ("ranges", "text")

    def __init__(self, ranges: ByteRanges, text: bytes | None = None) -> None:
        self.ranges = ranges
        self.text = text


class State:
    """A set of places in the rules; made by a `Matcher`, never by hand.

    `complete` says whether the text so far is a whole text of the rules. What is found out of a state stays with it.
    """

    __slots__ = ("complete", "first_bytes", "moves", "places", "run")

    def __init__(self, places: frozenset[_Rest]) -> None:
        self.places = places
        self.complete = None in places
        self.moves: dict[int, State | None] = {}
        self.first_bytes: frozenset[int] | None = None
        self.run: tuple[bytes, State] | None = None


class Matcher:
    """Follows texts through one set of rules."""

    def __init__(self, root: Expression) -> None:
        self._root = root
        self._terminals: dict[int, tuple[_Bytes, ...]] = {}
        self._states: dict[frozenset[_Rest], State] = {}
        self._start: State | None = None

    def start(self) -> State:
        """Return the state before any text."""
        if self._start is None:
            self._start = self._state(frozenset(self._places(self._root, None)))
        return self._start

    def advance(self, state: State, data: bytes) -> State | None:
        """Return the state after these bytes, None if they are refused; a character may be cut."""
        for byte in data:
            following = self.step(state, byte)
            if following is None:
                return None
            state = following
        return state

    def step(self, state: State, byte: int) -> State | None:
        """Return the state after one more byte, None if it is refused."""
        moves = state.moves
        if byte not in moves:
            moves[byte] = self._moved(state, byte)
        return moves[byte]

    def first_bytes(self, state: State) -> frozenset[int]:
        """Return the bytes that may come next."""
        if state.first_bytes is None:
            allowed: set[int] = set()
            for place in state.places:
                if place is not None:
                    low, high = place[0].ranges[place[1]]
                    allowed.update(range(low, high + 1))
            state.first_bytes = frozenset(allowed)
        return state.first_bytes

    def forced(self, state: State) -> tuple[bytes, State]:
        """Return the bytes that must come next, up to a choice or a whole text, and the state after them."""
        if state.run is None:
            run, reached = bytearray(), state
            while not reached.complete:
                if len(reached.places) == 1:
                    ((node, index, rest),) = reached.places  # type: ignore[misc]
                    if node.text is not None:
                        run += node.text[index:]
                        reached = self._state(frozenset(self._resumed(rest)))
                        continue
                allowed = self.first_bytes(reached)
                if len(allowed) != 1:
                    break
                (byte,) = allowed
                following = self.step(reached, byte)
                if following is None:
                    break
                run.append(byte)
                reached = following
            state.run = bytes(run), reached
        return state.run

    def accepts(self, text: str) -> bool:
        """Say whether this is a whole text of the rules."""
        state = self.advance(self.start(), text.encode("utf-8", "surrogatepass"))
        return state is not None and state.complete

    def is_prefix(self, text: str) -> bool:
        """Say whether a whole text of the rules may begin so."""
        return self.advance(self.start(), text.encode("utf-8", "surrogatepass")) is not None

    @property
    def size(self) -> int:
        """Return the number of states that are remembered."""
        return len(self._states)

    def _state(self, places: frozenset[_Rest]) -> State:
        if places not in self._states:
            self._states[places] = State(places)
        return self._states[places]

    def _moved(self, state: State, byte: int) -> State | None:
        reached: set[_Rest] = set()
        for place in state.places:
            if place is None:
                continue
            node, index, rest = place
            low, high = node.ranges[index]
            if low <= byte <= high:
                if index + 1 < len(node.ranges):
                    reached.add((node, index + 1, rest))
                else:
                    reached.update(self._resumed(rest))
        return self._state(frozenset(reached)) if reached else None

    def _places(self, expression: Expression, rest: _Rest) -> Iterator[_Rest]:
        """Yield the terminals that this expression may begin with, before what rests."""
        match expression:
            case Literal(text) if not text:
                yield from self._resumed(rest)
            case Literal() | Chars():
                for terminal in self._bytes(expression):
                    yield (terminal, 0, rest)
            case Sequence():
                yield from self._resumed((expression, 0, rest))
            case Choice(options):
                for option in options:
                    yield from self._places(option, rest)
            case Repeat():
                yield from self._resumed((expression, 0, rest))
            case Rule(_, body):
                yield from self._places(body, rest)
            case Later():
                yield from self._places(expression.expression, rest)

    def _resumed(self, rest: _Rest) -> Iterator[_Rest]:
        if rest is None:
            yield None
            return
        node, index, after = rest
        match node:
            case Sequence(parts) if index == len(parts):
                yield from self._resumed(after)
            case Sequence(parts) if index == len(parts) - 1:
                yield from self._places(parts[index], after)
            case Sequence(parts):
                yield from self._places(parts[index], (node, index + 1, after))
            case Repeat(part, minimum, maximum):
                if index >= minimum:
                    yield from self._resumed(after)
                if index < maximum:
                    yield from self._places(part, (node, index + 1, after))

    def _bytes(self, terminal: Literal | Chars) -> tuple[_Bytes, ...]:
        if id(terminal) not in self._terminals:
            if isinstance(terminal, Literal):
                text = terminal.text.encode()
                made: tuple[_Bytes, ...] = (_Bytes(tuple((byte, byte) for byte in text), text),)
            else:
                ranges = [each for low, high in terminal.ranges for each in byte_ranges(low, high)]
                made = tuple(_Bytes(each) for each in ranges)
            self._terminals[id(terminal)] = made
        return self._terminals[id(terminal)]
