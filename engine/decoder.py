"""Letting a model write one answer that the grammar accepts; which token comes next says `draft.py`."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from .draft import Choice, Draft, Logits, Matcher
from .forced import ForcedRuns
from .model_error import ModelError
from .settings import ModelSettings
from .vocabulary import Vocabulary

Phase = Literal["load", "read", "write", "run"]
Progress = Callable[[Phase, int, int], None]
Cancelled = Callable[[], bool]
Writing = Callable[[str], None]
State = TypeVar("State")


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
        self,
        tokens: Sequence[int],
        progress: Progress,
        cancelled: Cancelled,
        *,
        shared: Sequence[int] = (),
        answer: int = 0,
    ) -> int:
        """Evaluate a prompt so that its logits are ready; return how many tokens did not need it.

        `shared` gives the lengths, in tokens, of beginnings that other prompts have too and that are worth keeping;
        the last `answer` tokens begin an answer that may have been written before, after the same prompt.
        """

    def logits(self) -> Logits:
        """Return the logits after the last token, one for every token of the vocabulary; valid until `append`."""

    def append_many(self, tokens: Sequence[int]) -> None:
        """Evaluate more tokens, in as few passes as possible."""


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
        self.written = 0

    def run(self, prompt: str, shared: Sequence[int], begun: Sequence[int]) -> Decoded:
        tokens = self.model.chat_tokens(prompt)
        allowed = self.model.context - self.settings.answer_tokens
        if len(tokens) > allowed:
            raise ModelError("prompt_too_long", found=len(tokens), allowed=allowed, context=self.model.context)
        beginnings = self.model.shared_tokens(prompt, shared)
        draft, answer = self._opened(begun)
        read_with = [*tokens, *draft.unread]
        draft.unread.clear()
        reused = self.model.read(read_with, self.progress, self._stopped, shared=beginnings, answer=answer)
        read = time.monotonic()
        self._write(draft)
        return Decoded(
            text=draft.text.decode("utf-8"),
            written=tuple(draft.tokens),
            prompt_tokens=len(tokens),
            reused_tokens=reused,
            answer_tokens=len(draft.tokens),
            forced_tokens=draft.forced,
            passes=draft.passes,
            read_seconds=read - self.started,
            write_seconds=time.monotonic() - read,
            choices=tuple(draft.choices),
        )

    def _stopped(self) -> bool:
        if time.monotonic() - self.started > self.settings.seconds:
            raise ModelError("too_slow", seconds=self.settings.seconds, tokens=self.written)
        return self.cancelled()

    def _opened(self, begun: Sequence[int]) -> tuple[Draft[State], int]:
        """Return the draft with what must stand first, and how many of its tokens are not part of that.

        What must stand first is read with the prompt, so that it takes no pass of its own.
        """
        vocabulary = self.model.vocabulary
        runs = ForcedRuns(self.model.tokenise, vocabulary.pieces, self.matcher)
        draft = Draft(vocabulary, runs, self.matcher, self.settings)
        draft.write_forced()
        opening = draft.tokens
        if not begun:
            return draft, 0
        same = list(begun[: len(opening)]) == opening
        return Draft(vocabulary, runs, self.matcher, self.settings, begun), len(begun) - len(opening) * same

    def _write(self, draft: Draft[State]) -> None:
        while not draft.finished:
            self.written = len(draft.tokens)
            if self._stopped():
                raise ModelError("cancelled")
            if draft.unread:
                self.model.append_many(draft.unread)
                draft.unread = []
            draft.choose(self.model.logits())
            draft.write_forced()
            self.progress("write", len(draft.tokens), self.settings.answer_tokens)
            self.writing(draft.text.decode("utf-8", "ignore"))
