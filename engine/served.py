"""An answer of a model that writes whole texts, as a server does: read strictly, checked, and written anew once.

What such a model writes is bound by our grammar at best, and by nothing at worst. So its text must be one JSON object,
alone or in one fence of Markdown, which is said. One that is none, an answer that the schema of the tables refuses and
a plan that the engine refuses go back to the model once, with the error.
"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from grammar import TezError, ToolError
from prompt.words import error_text

from .decoder import Progress, TokenModel, Writing
from .known_model import KnownModel

if TYPE_CHECKING:
    from .server import Language, Text

_FENCED = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_SHOWN = 200


class RepairError(TezError):
    """A plan could not run, and neither could the one that the model wrote after reading why.

    `first` and `second` are the errors; `tried` the plans, without those that were none.
    """

    def __init__(self, tried: Sequence[tuple[Mapping[str, Any] | None, TezError]]) -> None:
        self.tried = tuple((plan, error) for plan, error in tried if plan is not None)
        first, second = (error for _, error in tried)
        super().__init__("twice", first=first, second=second)


@runtime_checkable
class TextModel(Protocol):
    """A model that answers a prompt with a whole text; it tells neither tokens nor probabilities."""

    name: str
    key: str

    def write(self, prompt: str, language: "Language", progress: Progress) -> "Text":
        """Let the model write an answer."""


class LoadedModel(KnownModel, Protocol):
    """A model of this process, with the name that it is told by."""

    name: str


AnyModel: TypeAlias = TokenModel | TextModel
LocalOrServed: TypeAlias = KnownModel | TextModel
ChosenModel: TypeAlias = LoadedModel | TextModel


@dataclass(frozen=True)
class Question:
    """What a text model is asked: the prompt, the language of answers, and how an answer is checked."""

    prompt: str
    language: "Language"
    check: Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Served:
    """An answer that was checked, with its result where it ran, notes, tokens, the seconds of both.

    `before` is the plan that was refused before it (None where it was no plan) and why.
    """

    answer: dict[str, Any]
    result: dict[str, Any] | None
    notes: tuple[Mapping[str, Any], ...]
    tokens: Mapping[str, int]
    written: float
    ran: float
    before: tuple[Mapping[str, Any] | None, ToolError] | None


def serve(
    model: TextModel,
    question: Callable[[Mapping[str, Any] | None], Question],
    execute: Callable[[dict[str, Any]], dict[str, Any] | None],
    *,
    failed: Mapping[str, Any] | None,
    progress: Progress,
    writing: Writing,
) -> Served:
    """Let a text model answer; what is refused goes back once, unless it is the second try already (`failed`).

    `question` makes what is asked from what failed before, `execute` runs a plan, as far as it is to be run. Raises
    ServerError, ToolError where this was the second try, RepairError where both tries were refused.
    """
    before: tuple[Mapping[str, Any] | None, ToolError] | None = None
    seconds = {"write": 0.0, "run": 0.0}
    tokens: dict[str, int] = {}
    while True:
        asked = question(failed)
        started = time.monotonic()
        text = model.write(asked.prompt, asked.language, progress)
        seconds["write"] += time.monotonic() - started
        tokens = {key: tokens.get(key, 0) + count for key, count in text.tokens.items()}
        plan: dict[str, Any] | None = None
        try:
            written, fenced = read_answer(text.text)
            plan = asked.check(written)
            writing(json.dumps(plan, ensure_ascii=False, separators=(",", ":")))
            started = time.monotonic()
            result = execute(plan)
            seconds["run"] += time.monotonic() - started
        except ToolError as error:
            if before is not None:
                raise RepairError([before, (plan, error)]) from error
            if failed is not None:
                raise
            before = plan, error
            failed = {"answer": plan or text.text[:_SHOWN], "error": error_text(error, "en")}
            continue
        notes = _notes(model, text.bound, fenced, before)
        return Served(plan, result, notes, tokens, seconds["write"], seconds["run"], before)


def read_answer(text: str) -> tuple[dict[str, Any], bool]:
    """Return the JSON object that a text is, and whether it stood in a fence. Raises ToolError `not_json`."""
    bare = text.strip()
    fence = _FENCED.fullmatch(bare)
    try:
        answer = json.loads(
            fence[1] if fence else bare,
            object_pairs_hook=_once,
            parse_constant=_refused,
            parse_float=_number,
        )
        json.dumps(answer, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ToolError("not_json", found=_shown(bare)) from error
    if not isinstance(answer, dict):
        raise ToolError("not_json", found=_shown(bare))
    return answer, fence is not None


def _notes(
    model: TextModel, bound: bool, fenced: bool, before: tuple[Mapping[str, Any] | None, ToolError] | None
) -> tuple[Mapping[str, Any], ...]:
    notes: list[Mapping[str, Any]] = []
    if not bound:
        notes.append({"note": "server_unbound", "model": model.name})
    if fenced:
        notes.append({"note": "answer_fenced"})
    if before is not None:
        notes.append({"note": "answer_repaired", "error": error_text(before[1], "en")})
    return tuple(notes)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refused(name: str) -> float:
    raise ValueError(name)


def _number(text: str) -> float | int:
    """Return a number as Tez writes it: 5.0 is 5. One that is not finite is none."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return int(number) if number.is_integer() else number


def _shown(text: str) -> str:
    line = " ".join("".join(each if each.isprintable() else " " for each in text[: _SHOWN * 2]).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
