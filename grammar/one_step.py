"""What may be written next of an answer that is written one step at a time."""

from dataclasses import dataclass

from .matcher import AnswerMatcher, Written

_END_OF_STEP = b"}"


@dataclass(frozen=True)
class Stepped:
    """A text so far, and how many steps it holds whole."""

    written: Written
    steps: int


class StepMatcher:
    """Follows an answer up to the end of its step of this number, from 1, or to its own end if that comes first."""

    def __init__(self, answers: AnswerMatcher, step: int) -> None:
        self._answers = answers
        self._step = step

    def start(self) -> Stepped:
        """Return the state before any text."""
        return Stepped(self._answers.start(), 0)

    def advance(self, stepped: Stepped, data: bytes) -> Stepped | None:
        """Return the state after these bytes, None if they are refused or go beyond the step."""
        for piece in _pieces(data):
            if stepped.steps >= self._step:
                return None
            written = self._answers.advance(stepped.written, piece)
            if written is None:
                return None
            ended = written.matcher is not stepped.written.matcher
            stepped = Stepped(written, stepped.steps + ended)
        return stepped

    def first_bytes(self, stepped: Stepped) -> frozenset[int]:
        """Return the bytes that may come next; none at the end of the step and of the answer."""
        return frozenset() if stepped.steps >= self._step else self._answers.first_bytes(stepped.written)

    def forced(self, stepped: Stepped) -> bytes:
        """Return the bytes that must come next, up to the next real choice or the end."""
        run = b""
        for piece in _pieces(self._answers.forced(stepped.written)):
            if stepped.steps >= self._step:
                break
            following = self.advance(stepped, piece)
            if following is None:
                break
            run, stepped = run + piece, following
        return run


def _pieces(data: bytes) -> list[bytes]:
    """Return the data cut behind every byte that may end a step."""
    whole = [part + _END_OF_STEP for part in data.split(_END_OF_STEP)]
    last = whole.pop()[:-1]
    return [*whole, last] if last else whole
