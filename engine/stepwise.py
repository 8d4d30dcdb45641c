"""An answer that is written one step at a time: each is run before the next, and the model reads what it has made.

After Chain-of-Table (Wang et al. 2024, arXiv 2401.04398). Contracts, grammar and prompt are those of any answer; what
is added to the prompt is the first rows of the table so far.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from grammar import AnswerMatcher, StepMatcher
from prompt.build import Prompt

from .decoder import Decoded, Progress, TokenModel, Writing, decode
from .render import json_value
from .settings import ModelSettings, StepwiseSettings

Answer: TypeAlias = dict[str, Any]
Result: TypeAlias = Mapping[str, Any]
StepMade = Callable[[int, Result], None]
END = "]}"


class Heard(NamedTuple):
    """Who hears how an answer comes about: how far it is, its text so far, and the table of each step."""

    progress: Progress
    writing: Writing
    made: StepMade


def unmade(step: int, result: Result) -> None:
    """Tell nobody of the table that a step has made."""


def write_stepwise(
    model: TokenModel,
    matcher: AnswerMatcher,
    prompt: Prompt,
    prompt_after: Callable[[Mapping[str, Any]], Prompt],
    attempt: Callable[[Answer], Result | None],
    settings: ModelSettings,
    shown: StepwiseSettings,
    heard: Heard,
) -> Decoded:
    """Let the model write an answer step by step, as one text with all its tokens and choices.

    `attempt` runs the plan so far; where it returns None, the plan ends there, so that whoever runs it meets the error.
    `prompt_after` gives the prompt that shows a table, as `prompt.build.build_prompt` takes it, and `heard.made` hears
    of each table. At most `shown.steps` steps are written. Raises ModelError.
    """
    decoded: Decoded | None = None
    step = 1
    while True:
        begun = () if decoded is None else decoded.written
        each = decode(
            model,
            StepMatcher(matcher, step),
            prompt.text,
            settings,
            shared=prompt.shared,
            begun=begun,
            progress=heard.progress,
            writing=heard.writing,
        )
        decoded = each if decoded is None else _joined(decoded, each)
        written = matcher.advance(matcher.start(), decoded.text.encode())
        assert written is not None
        if written.finished:
            return decoded
        answer = json.loads(decoded.text + END)
        result = attempt(answer)
        if result is None:
            return _ended(decoded, model)
        heard.made(step, result)
        if step == shown.steps:
            return _ended(decoded, model)
        prompt = prompt_after(_shown(result, shown))
        step += 1


def _joined(before: Decoded, after: Decoded) -> Decoded:
    """Return an answer with what it took to write its beginning."""
    return replace(
        after,
        prompt_tokens=before.prompt_tokens + after.prompt_tokens,
        reused_tokens=before.reused_tokens + after.reused_tokens,
        forced_tokens=before.forced_tokens + after.forced_tokens,
        passes=before.passes + after.passes,
        read_seconds=before.read_seconds + after.read_seconds,
        write_seconds=before.write_seconds + after.write_seconds,
        choices=(*before.choices, *after.choices),
    )


def _ended(decoded: Decoded, model: TokenModel) -> Decoded:
    """Return the answer with the end that is left to write, of which the model is not asked."""
    tokens = model.tokenise(END)
    return replace(
        decoded,
        text=decoded.text + END,
        written=(*decoded.written, *tokens),
        answer_tokens=decoded.answer_tokens + len(tokens),
        forced_tokens=decoded.forced_tokens + len(tokens),
    )


def _shown(result: Result, shown: StepwiseSettings) -> dict[str, Any]:
    """Return what the model reads of a table: some columns, some rows, and no more of a text than fits."""

    def cell(value: Any) -> Any:
        if isinstance(value, str) and len(value) > shown.cell_length:
            return f"{value[: shown.cell_length]}..."
        return json_value(value)

    rows = [[cell(value) for value in row[: shown.columns]] for row in result["rows"][: shown.rows]]
    return {"columns": list(result["columns"][: shown.columns]), "rows": rows, "row_count": result["row_count"]}
