"""A model that wants to write a given text, for unit tests of what stands around the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.decoder import Cancelled, Progress
from engine.vocabulary import Vocabulary

SURE = 20.0
PIECES = [bytes((byte,)) for byte in range(256)]


class ScriptedModel:
    """Writes `text` one byte a token; `prompts` keeps what it was asked."""

    name = "scripted"
    key = "scripted"
    context = 1_000_000

    def __init__(self, text: str) -> None:
        self.text = text.encode()
        self.vocabulary = Vocabulary(PIECES, range(256))
        self.prompts: list[str] = []
        self._written = 0
        self._prompt = 0

    def __enter__(self) -> "ScriptedModel":
        return self

    def __exit__(self, *_: Any) -> None:
        """Close nothing."""

    def chat_tokens(self, content: str) -> list[int]:
        """Take the prompt, one byte a token."""
        self.prompts.append(content)
        self._prompt = len(content.encode())
        return list(content.encode())

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        """Return the lengths in bytes."""
        return [len(content[:length].encode()) for length in beginnings]

    def read(
        self,
        tokens: Sequence[int],
        progress: Progress,
        cancelled: Cancelled,
        *,
        shared: Sequence[int] = (),
        answer: int = 0,
    ) -> int:
        """Begin a new answer; nothing is reused."""
        progress("read", len(tokens), len(tokens))
        self._written = len(tokens) - self._prompt
        return 0

    def logits(self) -> npt.NDArray[np.float32]:
        """Prefer the next byte of the text."""
        logits = np.zeros(len(PIECES), dtype=np.float32)
        if self._written < len(self.text):
            logits[self.text[self._written]] = SURE
        return logits

    def tokenise(self, text: str) -> list[int]:
        """Return the bytes."""
        return list(text.encode())

    def append_many(self, tokens: Sequence[int]) -> None:
        """Go on by these bytes."""
        self._written += len(tokens)
