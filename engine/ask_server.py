"""Asking a server: the same prompt and the same checks as for the model of this process, and one repair."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from grammar import gbnf, json_schema

from .answered import Answered
from .decoder import Progress, Writing
from .served import Question, TextModel, serve
from .server import Language
from .session import Asked, RequestError, Workspace, checked, prepare, run


def ask_server(
    workspace: Workspace,
    request: str,
    model: TextModel,
    history: Sequence[Mapping[str, Any]],
    how: tuple[bool, int | None, bool, int | None],
    heard: tuple[Progress, Writing],
    standing: str | None,
    failed: Mapping[str, Any] | None,
) -> Answered:
    """Let a server answer a request; the arguments are those of `session.ask`, `how` its `dry_run`, `max_rows`,
    `keep_steps` and `reading`, `heard` its `progress` and `writing`.

    Raises RequestError `no_readings`, `no_steps`, ServerError, ToolError where `failed` tells of a first try, and
    RepairError.
    """
    dry_run, max_rows, keep_steps, reading = how
    if reading is not None:
        raise RequestError("no_readings")
    if workspace.settings.stepwise.on:
        raise RequestError("no_steps")
    started = time.monotonic()
    asked: list[Asked] = []

    def question(failed: Mapping[str, Any] | None) -> Question:
        now = prepare(workspace, request, history, standing=standing, failed=failed)
        asked.append(now)
        language = Language(lambda: json_schema(now.contracts, now.scene), lambda: gbnf(now.contracts, now.scene))
        return Question(now.prompt.text, language, lambda written: checked(workspace, now, written))

    def execute(answer: dict[str, Any]) -> dict[str, Any] | None:
        if dry_run or "steps" not in answer:
            return None
        earlier = [turn["answer"] for turn in history]
        return run(workspace, earlier, answer, max_rows=max_rows, keep_steps=keep_steps)

    served = serve(model, question, execute, failed=failed, progress=heard[0], writing=heard[1])
    total = time.monotonic() - started
    timing = {
        "prepare": total - served.written - served.ran,
        "read": 0.0,
        "write": served.written,
        "others": 0.0,
        "run": served.ran,
        "total": total,
    }
    notes = (*asked[-1].prompt.notes, *served.notes)
    return Answered(
        request,
        served.answer,
        notes,
        served.result,
        timing,
        dict(served.tokens),
        written=served.answer,
        weighed=False,
        before=served.before,
    )
