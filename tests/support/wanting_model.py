"""A model that wants to write one of a few answers, each with a weight of its own."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from finite import FakeModel

from engine.decoder import Logits

BYTES = [bytes((byte,)) for byte in range(256)]
REQUEST = "Request: "
Wanted = tuple[dict[str, Any], float]


def wanting(*answers: Wanted) -> FakeModel:
    """Return a model that writes one of these answers, each with its weight, and nothing else."""
    return choosing(lambda prompt: answers)


def wanting_by_request(answers: Mapping[str, Sequence[Wanted]]) -> FakeModel:
    """Return a model that writes one of the answers that stand for the request, each with its weight."""

    def asked(prompt: str) -> Sequence[Wanted]:
        lines = [line for line in prompt.split("\n") if line.startswith(REQUEST)]
        return answers[json.loads(lines[-1].removeprefix(REQUEST))]

    return choosing(asked)


def choosing(answers: Callable[[str], Sequence[Wanted]]) -> FakeModel:
    """Return a model that writes one of the answers that a prompt is given."""
    prompt: list[int] = []
    texts: list[tuple[bytes, float]] = []

    def rule(tokens: Sequence[int]) -> Logits:
        written = bytes(tokens[len(prompt) :])
        weights = np.full(256, 1e-9)
        for text, weight in texts:
            if text.startswith(written) and len(text) > len(written):
                weights[text[len(written)]] += weight
        return np.log(weights).astype(np.float32)

    class Wanting(FakeModel):
        name = "wanting"
        key = "wanting"

        def __enter__(self) -> "Wanting":
            return self

        def __exit__(self, *_: Any) -> None:
            """Close nothing."""

        def chat_tokens(self, content: str) -> list[int]:
            prompt[:] = content.encode()
            texts[:] = [
                (json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode(), weight)
                for each, weight in answers(content)
            ]
            return list(prompt)

    return Wanting(BYTES, rule, context=1_000_000)
