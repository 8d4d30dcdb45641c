"""`tez` with a model whose answers were written down: `python chat_process.py ANSWERS.json chat FILE...`.

The answer to a request may be the text "wait": the model then says so and reads for ever. Where the answers are lists
of [answer, weight], the model wants each of them so much.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from recorded_model import RecordedModel
from wanting_model import wanting_by_request

import engine.model
import engine.weights
from engine.cli import main

WAITING = "reading for ever"


class Patient(RecordedModel):
    """Answers by request; waits where it is told to."""

    def read(self, *arguments: Any, **named: Any) -> int:
        """Read, for ever where the answer is to wait."""
        if self.text == b'"wait"':
            sys.stderr.write(f"{WAITING}\n")
            sys.stderr.flush()
            while True:
                time.sleep(0.01)
        return super().read(*arguments, **named)

    def chat_tokens(self, content: str) -> list[int]:
        """Take the prompt."""
        requests = [line for line in content.split("\n") if line.startswith("Request: ")]
        if self.answers[json.loads(requests[-1].removeprefix("Request: "))] == "wait":
            self.text = b'"wait"'
            return [1]
        return super().chat_tokens(content)


if __name__ == "__main__":
    known = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    unsure = any(isinstance(each, list) for each in known.values())
    engine.model.LlamaModel = lambda *_, **__: wanting_by_request(known) if unsure else Patient(known)  # type: ignore[misc, assignment]
    engine.weights.default_weights = lambda _: Path("unused")
    sys.exit(main(sys.argv[2:]))
