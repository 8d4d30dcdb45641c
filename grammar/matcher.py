"""What may be written next of an answer, across its steps.

After each step the state that it leaves is computed from its contract, and the rules of that state take over. So a
plan whose second step names a column that the first removed cannot be written. Whoever follows the text does not see
the change of rules.
"""

import json
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from typing import Any

from .answers import openings, question_shape
from .automaton import Matcher, State
from .calls import call_shapes, offered
from .compile import Pieces, appended, compile_sequences, compile_shape, json_text, sequences
from .contracts import Contract, by_name, must_be_last
from .effects import state_after
from .nulls import call_with_nulls, without_nulls
from .rules import Later
from .shapes import AnyOf, OneOf, Shape
from .state import Scene, TableState

_END_OF_STEPS = "]}"
MOST_SCENES = 4
MOST_STATES = 20_000


@dataclass(frozen=True)
class Written:
    """A text so far: its bytes, and where it stands in the rules of the segment that is being written."""

    text: bytes
    matcher: Matcher
    state: State
    finished: bool = False


class AnswerMatcher:
    """Follows the text of one answer about a scene; see `Matcher` for the meaning of the methods."""

    def __init__(self, contracts: SequenceOf[Contract], scene: Scene, *, nulls: bool = False) -> None:
        """Follow an answer about this scene; with `nulls`, what may be left out of a call is written as `null`."""
        self._nulls = nulls
        self._contracts = contracts
        self._by_name = by_name(contracts)
        self._openings = openings(scene)
        self._limits = scene.tables[0].limits
        self._segments: dict[bytes, Matcher] = {}
        self._opening = Matcher(compile_sequences([*self._plan_openings(), *sequences(question_shape(scene))]))

    @property
    def size(self) -> int:
        """Return the number of states that are remembered."""
        return self._opening.size + sum(matcher.size for matcher in self._segments.values())

    def start(self) -> Written:
        """Return the state before any text."""
        return Written(b"", self._opening, self._opening.start())

    def advance(self, written: Written, data: bytes) -> Written | None:
        """Return the state after these bytes, None if they are refused; a character may be cut."""
        matcher, state, finished = written.matcher, written.state, written.finished
        for place, byte in enumerate(data, 1):
            moves = state.moves
            moved = None if finished else moves[byte] if byte in moves else matcher.step(state, byte)
            if moved is None:
                return None
            state = moved
            if state.complete:
                following = self._following(written.text + data[:place])
                finished = following is None
                if following is not None:
                    matcher, state = following, following.start()
        return Written(written.text + data, matcher, state, finished)

    def first_bytes(self, written: Written) -> frozenset[int]:
        """Return the bytes that may come next; none means that the answer is finished."""
        return frozenset() if written.finished else written.matcher.first_bytes(written.state)

    def forced(self, written: Written) -> bytes:
        """Return the bytes that must come next, up to the next real choice or the end."""
        run, reached = b"", written
        while not reached.finished:
            more, end = reached.matcher.forced(reached.state)
            run += more
            following = self.advance(reached, more) if more and end.complete else None
            if following is None:
                break
            reached = following
        return run

    def accepts(self, text: str) -> bool:
        """Say whether this is the whole text of an answer."""
        written = self.advance(self.start(), text.encode("utf-8", "surrogatepass"))
        return written is not None and written.finished

    def is_prefix(self, text: str) -> bool:
        """Say whether the text of an answer may begin so."""
        return self.advance(self.start(), text.encode("utf-8", "surrogatepass")) is not None

    def _plan_openings(self) -> list[Pieces]:
        alternatives = []
        for fields, state in self._openings:
            head = "{"
            for field in fields:
                assert isinstance(field.shape, OneOf)
                head += f"{json_text(field.key)}:{json_text(field.shape.values[0])},"
            alternatives += [appended((head + '"steps":[',), step) for step in self._steps(state)]
        return alternatives

    def _steps(self, state: TableState) -> list[Pieces]:
        """Return the texts of one step over a table in this state; arguments are made when they are reached."""

        def calls(contract: Contract) -> Shape:
            shapes = call_shapes(contract, state)
            return AnyOf(tuple(call_with_nulls(contract, call) for call in shapes) if self._nulls else shapes)

        def arguments(contract: Contract) -> Later:
            return Later(lambda: compile_shape(calls(contract)))

        return [
            (f'{{"tool":{json_text(contract["name"])},"args":', arguments(contract), "}")
            for contract in offered(self._contracts, state)
        ]

    def _following(self, text: bytes) -> Matcher | None:
        """Return the matcher of what follows a complete segment, None if the answer ends with it."""
        if text not in self._segments:
            segment = self._next_segment(text)
            if segment is None:
                return None
            self._segments[text] = segment
        return self._segments[text]

    def _next_segment(self, text: bytes) -> Matcher | None:
        if text.endswith(_END_OF_STEPS.encode()) or text.startswith(b'{"question"'):
            return None
        answer = json.loads(text + _END_OF_STEPS.encode())
        alternatives: list[Pieces] = [(_END_OF_STEPS,)]
        last = self._by_name[answer["steps"][-1]["tool"]]
        if len(answer["steps"]) < self._limits.max_steps and not must_be_last(last):
            state = self._state_before(answer)
            for step in answer["steps"]:
                state = state_after(self._by_name[step["tool"]], state, without_nulls(step["args"]))
            alternatives += [appended((",",), step) for step in self._steps(state)]
        return Matcher(compile_sequences(alternatives))

    def _state_before(self, answer: dict[str, Any]) -> TableState:
        """Return the state that the first step reads: that of the opening with these `on` and `table`."""
        for fields, state in self._openings:
            if all(field.shape == OneOf((answer[field.key],)) for field in fields if field.key in answer):
                return state
        raise ValueError(f"not an opening of this scene: {answer}")


class Matchers:
    """The matchers of the scenes asked about last: what was found out of a scene serves the next request about it."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], AnswerMatcher] = {}

    def of(self, contracts: SequenceOf[Contract], scene: Scene, *, nulls: bool = False) -> AnswerMatcher:
        """Return a matcher as `AnswerMatcher` makes it."""
        key = (tuple(map(id, contracts)), scene, nulls)
        found = self._made.pop(key, None)
        if found is None or found.size > MOST_STATES:
            found = AnswerMatcher(tuple(contracts), scene, nulls=nulls)
        self._made[key] = found
        while len(self._made) > MOST_SCENES:
            del self._made[next(iter(self._made))]
        return found
