"""Greedy decoding of one answer: at every step the likeliest token that the matcher accepts.

The result is exactly that of masking every refused token and taking the largest logit (of equal ones the
lowest id): the best allowed token is the first allowed one in the order of the logits, so a few tests
usually settle it. The idea is known as opportunistic masking (DOMINO, arXiv 2403.06988).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from .forced import ForcedRuns
from .model_error import ModelError
from .settings import ModelSettings
from .vocabulary import Ids, Vocabulary

Phase = Literal["load", "read", "write", "run"]
Progress = Callable[[Phase, int, int], None]
Cancelled = Callable[[], bool]
Writing = Callable[[str], None]
Logits = npt.NDArray[np.float32]
State = TypeVar("State")

LIKELIEST = 16
LIKELY = 256
NEAR = 7.0


class TokenModel(Protocol):
    """What the decoder needs of a model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens as bytes."""

    @property
    def context(self) -> int:
        """The tokens that prompt and answer may take together."""

    def chat_tokens(self, content: str) -> list[int]:
        """Return the whole prompt as tokens, with the model's own frame around the content."""

    def tokenise(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        """Return how many tokens of `chat_tokens(content)` lie in each of its beginnings, given in characters."""

    def read(
        self, tokens: Sequence[int], progress: Progress, cancelled: Cancelled, *, shared: Sequence[int] = ()
    ) -> int:
        """Evaluate a prompt so that its logits are ready; return how many tokens did not need it.

        `shared` gives the lengths, in tokens, of beginnings that other prompts have too and that are worth keeping.
        """

    def logits(self) -> Logits:
        """Return the logits after the last token, one for every token of the vocabulary; valid until `append`."""

    def append_many(self, tokens: Sequence[int]) -> None:
        """Evaluate more tokens, in as few passes as possible."""


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


@dataclass(frozen=True)
class Decoded:
    """A finished answer, what it took (tokens, seconds), and how sure the model was where it could choose.

    `forced_tokens` of the answer's tokens were written without the model, `passes` is how often it was asked.
    `written` are its tokens. Where the answer was begun by the caller, tokens and text hold that beginning.
    """

    text: str
    written: tuple[int, ...]
    prompt_tokens: int
    reused_tokens: int
    answer_tokens: int
    forced_tokens: int
    passes: int
    read_seconds: float
    write_seconds: float
    choices: tuple[Choice, ...]


def silent(phase: Phase, done: int, total: int) -> None:
    """Report no progress."""


def unread(text: str) -> None:
    """Leave what is written so far unread."""


def never() -> bool:
    """Never cancel."""
    return False


def decode(
    model: TokenModel,
    matcher: Matcher[State],
    prompt: str,
    settings: ModelSettings,
    *,
    shared: Sequence[int] = (),
    begun: Sequence[int] = (),
    progress: Progress = silent,
    cancelled: Cancelled = never,
    writing: Writing = unread,
) -> Decoded:
    """Let the model write one answer to `prompt` that the matcher accepts to its end.

    `shared` gives the lengths, in characters, of beginnings of the prompt that other prompts have too. `begun` are the
    tokens that the answer begins with; without any it is all the model's own.
    `cancelled` is asked between tokens and between the batches of the prompt, `writing` hears the text so far. Raises
    ModelError: `prompt_too_long` before anything is evaluated, `too_slow`, `cancelled`, `answer_cut`, `no_token`,
    `bad_logits`.
    """
    return _Decoding(model, matcher, settings, progress, cancelled, writing).run(prompt, shared, begun)


class _Decoding(Generic[State]):
    """One answer on its way."""

    def __init__(
        self,
        model: TokenModel,
        matcher: Matcher[State],
        settings: ModelSettings,
        progress: Progress,
        cancelled: Cancelled,
        writing: Writing,
    ) -> None:
        self.model = model
        self.matcher = matcher
        self.settings = settings
        self.progress = progress
        self.cancelled = cancelled
        self.writing = writing
        self.started = time.monotonic()
        self.tokens: list[int] = []
        self.forced = 0
        self.passes = 0
        self.choices: list[Choice] = []
        self.runs = ForcedRuns(model.tokenise, model.vocabulary.pieces, matcher)

    def run(self, prompt: str, shared: Sequence[int], begun: Sequence[int]) -> Decoded:
        tokens = self.model.chat_tokens(prompt)
        allowed = self.model.context - self.settings.answer_tokens
        if len(tokens) > allowed:
            raise ModelError("prompt_too_long", found=len(tokens), allowed=allowed, context=self.model.context)
        beginnings = self.model.shared_tokens(prompt, shared)
        self.tokens = list(begun)
        reused = self.model.read([*tokens, *begun], self.progress, self._stopped, shared=beginnings)
        read = time.monotonic()
        text = self._write()
        return Decoded(
            text=text,
            written=tuple(self.tokens),
            prompt_tokens=len(tokens),
            reused_tokens=reused,
            answer_tokens=len(self.tokens),
            forced_tokens=self.forced,
            passes=self.passes,
            read_seconds=read - self.started,
            write_seconds=time.monotonic() - read,
            choices=tuple(self.choices),
        )

    def _stopped(self) -> bool:
        if time.monotonic() - self.started > self.settings.seconds:
            raise ModelError("too_slow", seconds=self.settings.seconds, tokens=len(self.tokens))
        return self.cancelled()

    def _write(self) -> str:
        state = self._after(self.matcher.start(), self.tokens)
        text = bytearray(b"".join(self.model.vocabulary.pieces[token] for token in self.tokens))
        waiting: list[int] = []
        while first_bytes := self.matcher.first_bytes(state):
            if self._stopped():
                raise ModelError("cancelled")
            if len(self.tokens) >= self.settings.answer_tokens:
                raise ModelError(
                    "answer_cut", allowed=self.settings.answer_tokens, text=text.decode("utf-8", "replace")
                )
            taken = self._forced(state)
            if taken:
                state = self._after(state, taken)
            else:
                if waiting:
                    self.model.append_many(waiting)
                    waiting = []
                token, state = self._next(state, first_bytes, len(text))
                self.passes += 1
                taken = [token]
            self.tokens += taken
            waiting += taken
            text += b"".join(self.model.vocabulary.pieces[token] for token in taken)
            self.progress("write", len(self.tokens), self.settings.answer_tokens)
            self.writing(text.decode("utf-8", "ignore"))
        return text.decode("utf-8")

    def _forced(self, state: State) -> list[int]:
        """Return the tokens that must follow, no more than an answer may still have."""
        if not self.settings.forced_runs:
            return []
        taken = self.runs.tokens(self.tokens, state)[: self.settings.answer_tokens - len(self.tokens)]
        self.forced += len(taken)
        return taken

    def _after(self, state: State, tokens: Sequence[int]) -> State:
        for token in tokens:
            following = self._advance(state, token)
            if following is None:
                raise ModelError("no_token", found=len(self.tokens))
            state = following
        return state

    def _next(self, state: State, first_bytes: frozenset[int], at: int) -> tuple[int, State]:
        """Return the likeliest allowed token and the state after it."""
        ids = self.model.vocabulary.starting(first_bytes)
        logits = self.model.logits()[ids]
        if not logits.size:
            raise ModelError("no_token", found=at)
        if not np.isfinite(logits.max()):
            raise ModelError("bad_logits")
        seen = _leading(ids, logits, LIKELIEST)
        for token in seen:
            following = self._advance(state, token)
            if following is not None:
                self._note_choice(state, token, ids, logits, at)
                return token, following
        for token in _leading(ids, logits, LIKELY)[len(seen) :]:
            following = self._advance(state, token)
            if following is not None:
                self._note_choice(state, token, ids, logits, at)
                return token, following
        return self._best_of_all(state, at)

    def _advance(self, state: State, token: int) -> State | None:
        return self.matcher.advance(state, self.model.vocabulary.pieces[token])

    def _best_of_all(self, state: State, at: int) -> tuple[int, State]:
        logits = self.model.logits()
        found = self.model.vocabulary.accepted(state, self.matcher.first_bytes, self.matcher.advance)
        best = max(found, key=lambda pair: (logits[pair[0]], -pair[0]), default=None)
        if best is None:
            raise ModelError("no_token", found=at)
        return best

    def _note_choice(self, state: State, token: int, ids: Ids, logits: Logits, at: int) -> None:
        """Keep how likely the other allowed tokens were, unless only one text may follow."""
        pieces = self.model.vocabulary.pieces
        if self.matcher.forced(state).startswith(pieces[token]):
            return
        best = float(self.model.logits()[token])
        near = (logits <= best) & (logits >= best - NEAR)
        ids, logits = ids[near], logits[near]
        others = tuple(
            (other, float(np.exp(float(logits[np.searchsorted(ids, other)]) - best)))
            for other in _leading(ids, logits, LIKELY)
            if other != token and self._advance(state, other) is not None
        )
        if others:
            self.choices.append(Choice(at, len(self.tokens), token, others))


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
