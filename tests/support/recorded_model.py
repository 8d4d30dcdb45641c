"""A model that answers each request with what was written down for it."""

import json
from collections.abc import Mapping
from typing import Any

from scripted_model import ScriptedModel

from engine.plan import shipped_contracts
from engine.settings import limits, load_settings
from grammar import by_name
from prompt.answers import answer_text

REQUEST = "Request: "


class RecordedModel(ScriptedModel):
    """Answers by request; an answer that is an exception is raised. `asked` keeps the requests in their order."""

    def __init__(self, answers: Mapping[str, dict[str, Any] | BaseException]) -> None:
        super().__init__("")
        self.answers = dict(answers)
        self.asked: list[str] = []

    def chat_tokens(self, content: str) -> list[int]:
        """Take the prompt, and find the answer to its request."""
        lines = [line for line in content.split("\n") if line.startswith(REQUEST)]
        request = json.loads(lines[-1].removeprefix(REQUEST))
        self.asked.append(request)
        answer = self.answers[request]
        if isinstance(answer, BaseException):
            raise answer
        self.text = answer_text(answer, by_name(shipped_contracts()), limits(load_settings())).encode()
        return super().chat_tokens(content)
