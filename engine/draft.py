"""One answer on its way: which token comes next, given the logits and the grammar.

The result is exactly that of masking every refused token and taking the largest logit (of equal ones the
lowest id): the best allowed token is the first allowed token in the order of the logits, so a few tests
usually settle it. The idea is known as opportunistic masking (DOMINO, arXiv 2403.06988).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from .forced import ForcedRuns
from .model_error import ModelError
from .settings import ModelSettings
from .vocabulary import FEW_BYTES, Ids, Vocabulary

Logits = npt.NDArray[np.float32]
State = TypeVar("State")

LIKELIEST = 16
LIKELY = 256
# Where tokens of many beginnings are allowed, those within so much of the likeliest are looked at first.
REACHES = (4.0, 8.0, 16.0)
NEAR = 7.0
# An object ends with one of these and goes on with the other; within a text both are letters, as a space is.
_END, _MORE, _SPACE = b"},\x20"


class Matcher(Protocol[State]):
    """What may be written next, over bytes, with immutable states; see `grammar.matcher.AnswerMatcher`."""

    def start(self) -> State:
        """Return the state before the first byte."""

    def advance(self, state: State, data: bytes) -> State | None:
        """Return the state after these bytes; None if they are refused."""

    def first_bytes(self, state: State) -> frozenset[int]:
        """Return the bytes that may come next; none where the answer is complete."""

    def forced(self, state: State) -> bytes:
        """Return the bytes that must come next, as far as they are certain."""


@dataclass(frozen=True)
class Choice:
    """A place where the grammar left a choice of tokens.

    `at` is the offset in bytes of the token within the text, `written` the number of tokens before it. `others` are
    the other allowed tokens with their odds against the one that was chosen, the likeliest first; those of less than a
    thousandth are left out. What that means for whole values says `engine.confidence`.
    """

    at: int
    written: int
    token: int
    others: tuple[tuple[int, float], ...]


class Draft(Generic[State]):
    """An answer as far as it is written: its `tokens`, `text`, `choices`; how many tokens were `forced`, how often the
    model was asked (`passes`), and which tokens it has not read yet (`unread`).

    `begun` are the tokens that it begins with. Raises ModelError: `no_token`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        runs: ForcedRuns[State],
        matcher: Matcher[State],
        settings: ModelSettings,
        begun: Sequence[int] = (),
    ) -> None:
        self.tokens: list[int] = []
        self.text = b""
        self.choices: list[Choice] = []
        self.forced = 0
        self.passes = 0
        self.unread: list[int] = []
        self._pieces = vocabulary.pieces
        self._vocabulary = vocabulary
        self._matcher = matcher
        self._settings = settings
        self._runs = runs
        self._state = matcher.start()
        self._write(begun)

    @property
    def finished(self) -> bool:
        """Whether the answer is whole."""
        return not self._matcher.first_bytes(self._state)

    def write_forced(self) -> None:
        """Write the tokens that must follow, as far as there is room for them."""
        if self.finished or not self._settings.forced_runs:
            return
        taken = self._runs.tokens(self.tokens, self._state)[: self._room()]
        self.forced += len(taken)
        self._write(taken)

    def choose(self, logits: Logits) -> None:
        """Write the likeliest allowed token. Raises ModelError: `answer_cut`, `no_token`, `bad_logits`."""
        if not self._room():
            text = self.text.decode("utf-8", "replace")
            raise ModelError("answer_cut", allowed=self._settings.answer_tokens, text=text)
        self.passes += 1
        noted = len(self.choices)
        token, state = self._next(logits)
        more = self._argument_instead(token) if self._settings.optional_bonus else []
        if more:
            del self.choices[noted:]
            logits = logits.copy()
            logits[more] += self._settings.optional_bonus
            token, state = self._next(logits)
        self._take(token, state)

    def _room(self) -> int:
        return max(self._settings.answer_tokens - len(self.tokens), 0)

    def _argument_instead(self, token: int) -> list[int]:
        """Return the tokens that write one more argument where this one ends the arguments; none where it does not.

        A call of few arguments is short, and each token that is not written is a risk not taken: so an argument that
        may be left out is left out too often, which `optional_bonus` makes up for.
        """
        piece = self._pieces[token]
        for place in (place for place, byte in enumerate(piece) if byte == _END):
            state = self._matcher.advance(self._state, piece[:place])
            allowed = frozenset() if state is None else self._matcher.first_bytes(state)
            if {_END, _MORE} <= allowed and _SPACE not in allowed:
                return self._vocabulary.beginning(piece[:place] + bytes((_MORE,)))
        return []

    def _write(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            following = self._advance(token)
            if following is None:
                raise ModelError("no_token", found=len(self.tokens))
            self._take(token, following)

    def _take(self, token: int, state: State) -> None:
        self._state = state
        self.tokens.append(token)
        self.unread.append(token)
        self.text += self._pieces[token]

    def _advance(self, token: int) -> State | None:
        return self._matcher.advance(self._state, self._pieces[token])

    def _next(self, logits: Logits) -> tuple[int, State]:
        """Return the likeliest allowed token and the state after it."""
        likeliest = int(logits.argmax())
        if not np.isfinite(logits[likeliest]):
            raise ModelError("bad_logits")
        first_bytes = self._matcher.first_bytes(self._state)
        following = self._advance(likeliest) if self._vocabulary.may_begin(likeliest, first_bytes) else None
        if following is not None:
            self._note_choice(likeliest, first_bytes, logits)
            return likeliest, following
        seen: list[int] = []
        for count in (LIKELIEST, LIKELY):
            leading = _leading(*self._among(logits, first_bytes, count), count)
            for token in leading[len(seen) :]:
                following = self._advance(token)
                if following is not None:
                    self._note_choice(token, first_bytes, logits)
                    return token, following
            seen = leading
        return self._best_of_all(logits)

    def _among(self, logits: Logits, first_bytes: frozenset[int], count: int) -> tuple[Ids, Logits]:
        """Return ids with their logits, more than `count` of the likeliest that begin with these bytes, or all."""
        if len(first_bytes) > FEW_BYTES:
            top = float(logits.max())
            for reach in REACHES:
                ids = self._vocabulary.only_starting(np.flatnonzero(logits >= top - reach), first_bytes)
                if ids.size > count:
                    return ids, logits[ids]
        ids = self._vocabulary.starting(first_bytes)
        return ids, logits[ids]

    def _best_of_all(self, logits: Logits) -> tuple[int, State]:
        found = self._vocabulary.accepted(self._state, self._matcher.first_bytes, self._matcher.advance)
        best = max(found, key=lambda pair: (logits[pair[0]], -pair[0]), default=None)
        if best is None:
            raise ModelError("no_token", found=len(self.text))
        return best

    def _note_choice(self, token: int, first_bytes: frozenset[int], logits: Logits) -> None:
        """Keep how likely the other allowed tokens were, unless only one text may follow."""
        if self._matcher.forced(self._state).startswith(self._pieces[token]):
            return
        best = logits[token]
        if len(first_bytes) > FEW_BYTES:
            ids = self._vocabulary.only_starting(np.flatnonzero(logits >= best - NEAR), first_bytes)
        else:
            ids = self._vocabulary.starting(first_bytes)
            ids = ids[logits[ids] >= best - NEAR]
        ids = ids[logits[ids] <= best]
        others = tuple(
            (other, float(np.exp(float(logits[other]) - float(best))))
            for other in _leading(ids, logits[ids], LIKELY)
            if other != token and self._advance(other) is not None
        )
        if others:
            self.choices.append(Choice(len(self.text), len(self.tokens), token, others))


def _leading(ids: Ids, logits: Logits, count: int) -> list[int]:
    """Return at most `count` ids in the order of their logits, equal ones by id.

    An id whose logit equals that of one left out is left out as well, so the order is never broken.
    """
    if ids.size > count:
        bound = np.partition(logits, ids.size - count - 1)[ids.size - count - 1]
        kept = np.flatnonzero(logits > bound)
    else:
        kept = np.arange(ids.size)
    ordered = kept[np.argsort(-logits[kept], kind="stable")]
    found: list[int] = ids[ordered].tolist()
    return found
