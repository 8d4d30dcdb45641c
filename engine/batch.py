"""Many requests in one context: their prompts share a beginning, their answers are written side by side."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from .decoder import Cancelled, Decoded, never
from .draft import Draft, Logits, Matcher
from .forced import ForcedRuns
from .model_error import ModelError
from .settings import ModelSettings
from .vocabulary import Vocabulary

State = TypeVar("State")


class Sequences(Protocol):
    """What is evaluated side by side; see `engine.model.many.ManySequences`."""

    def share(self, tokens: Sequence[int], cancelled: Cancelled) -> None:
        """Evaluate the beginning that all sequences have."""

    def begin(self, sequence: int) -> None:
        """Let a sequence, of 1 and up, begin as all do."""

    def append(self, tokens: Mapping[int, Sequence[int]]) -> Mapping[int, Logits]:
        """Evaluate more tokens of several sequences; return the logits after the last of each."""

    def end(self, sequence: int) -> None:
        """Drop a sequence."""


class ManyModel(Protocol):
    """What writing many answers needs of a model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens as bytes."""

    @property
    def context(self) -> int:
        """The tokens that one prompt and its answer may take together."""

    def chat_tokens(self, content: str) -> list[int]:
        """Return the whole prompt as tokens, with the model's own frame around the content."""

    def tokenise(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def many(self, count: int, room: int) -> AbstractContextManager[Sequences]:
        """Return so many sequences that may hold so many tokens together."""


@dataclass(frozen=True)
class Request(Generic[State]):
    """A prompt, and what its answer may look like."""

    prompt: str
    matcher: Matcher[State]


@dataclass
class _Running(Generic[State]):
    """A request that is being answered: its number, its draft, and the tokens of its prompt left to read."""

    number: int
    draft: Draft[State]
    prompt_tokens: int
    unread: list[int]
    started: float
    read: float = 0.0


def decode_many(
    model: ManyModel,
    requests: Sequence[Request[State]],
    settings: ModelSettings,
    count: int,
    *,
    cancelled: Cancelled = never,
    each: Callable[[int], None] = lambda number: None,
) -> list[Decoded | ModelError]:
    """Let the model answer all requests, `count` at a time, each as `decode` would; an error is that request's outcome.

    The tokens that all prompts begin with are read once. Logits depend a little on the batch that a token is evaluated
    in: an answer written alone is the same whatever was read before (`engine/model/ends.py`), but here it depends on
    the company, so where two tokens are almost equally likely it may differ from the one that `decode` gives.
    `settings.seconds` is the time of one request times `count`. `each` hears the number of a request that is finished.
    Raises ModelError `cancelled`, and what evaluating raises.
    """
    return _Decodings(model, requests, settings, count, cancelled, each).run()


class _Decodings(Generic[State]):
    """Answers on their way."""

    def __init__(
        self,
        model: ManyModel,
        requests: Sequence[Request[State]],
        settings: ModelSettings,
        count: int,
        cancelled: Cancelled,
        each: Callable[[int], None],
    ) -> None:
        self.model = model
        self.requests = requests
        self.settings = settings
        self.count = count
        self.cancelled = cancelled
        self.each = each
        self.prompts = [model.chat_tokens(request.prompt) for request in requests]
        self.outcomes: dict[int, Decoded | ModelError] = {}
        self.running: dict[int, _Running[State]] = {}

    def run(self) -> list[Decoded | ModelError]:
        allowed = self.model.context - self.settings.answer_tokens
        for number, tokens in enumerate(self.prompts):
            if len(tokens) > allowed:
                self._finish(
                    number,
                    ModelError("prompt_too_long", found=len(tokens), allowed=allowed, context=self.model.context),
                )
        waiting = deque(number for number in range(len(self.requests)) if number not in self.outcomes)
        if waiting:
            lengths = [len(self.prompts[number]) for number in waiting]
            shared = _shared([self.prompts[number] for number in waiting])
            room = shared + self.count * (max(lengths) - shared + self.settings.answer_tokens)
            with self.model.many(self.count, room) as sequences:
                sequences.share(self.prompts[waiting[0]][:shared], self.cancelled)
                self._write(sequences, waiting, shared)
        return [self.outcomes[number] for number in range(len(self.requests))]

    def _write(self, sequences: Sequences, waiting: deque[int], shared: int) -> None:
        free = list(range(self.count, 0, -1))
        while waiting or self.running:
            if self.cancelled():
                raise ModelError("cancelled")
            while waiting and free:
                sequence = free.pop()
                sequences.begin(sequence)
                self.running[sequence] = self._begun(waiting.popleft(), shared)
            unread = {}
            for sequence, each in self.running.items():
                unread[sequence] = [*each.unread, *each.draft.unread]
                each.unread, each.draft.unread = [], []
            logits = sequences.append(unread)
            for sequence in list(self.running):
                if self._went_on(self.running[sequence], logits[sequence]):
                    del self.running[sequence]
                    sequences.end(sequence)
                    free.append(sequence)

    def _begun(self, number: int, shared: int) -> _Running[State]:
        matcher, vocabulary = self.requests[number].matcher, self.model.vocabulary
        runs = ForcedRuns(self.model.tokenise, vocabulary.pieces, matcher)
        draft = Draft(vocabulary, runs, matcher, self.settings)
        draft.write_forced()
        tokens = self.prompts[number]
        return _Running(number, draft, len(tokens), tokens[shared:], time.monotonic())

    def _went_on(self, running: _Running[State], logits: Logits) -> bool:
        """Write the next token and what must follow it; say whether the request is finished."""
        now, draft = time.monotonic(), running.draft
        running.read = running.read or now
        outcome: Decoded | ModelError | None = None
        try:
            if now - running.started > self.settings.seconds * self.count:
                raise ModelError("too_slow", seconds=self.settings.seconds, tokens=len(draft.tokens))
            if not draft.finished:
                draft.choose(logits)
            draft.write_forced()
            if draft.finished:
                outcome = self._decoded(running)
        except ModelError as error:
            outcome = error
        if outcome is not None:
            self._finish(running.number, outcome)
        return outcome is not None

    def _decoded(self, running: _Running[State]) -> Decoded:
        draft = running.draft
        return Decoded(
            text=draft.text.decode("utf-8"),
            written=tuple(draft.tokens),
            prompt_tokens=running.prompt_tokens,
            reused_tokens=0,
            answer_tokens=len(draft.tokens),
            forced_tokens=draft.forced,
            passes=draft.passes,
            read_seconds=running.read - running.started,
            write_seconds=time.monotonic() - running.read,
            choices=tuple(draft.choices),
        )

    def _finish(self, number: int, outcome: Decoded | ModelError) -> None:
        self.outcomes[number] = outcome
        self.each(number)


def _shared(prompts: Sequence[list[int]]) -> int:
    """Return how many tokens all prompts begin with; never the last of one, whose logits are needed."""
    first, last = min(prompts), max(prompts)
    most = min(len(first), len(last), *(len(prompt) - 1 for prompt in prompts))
    return next((place for place in range(most) if first[place] != last[place]), most)
