"""Runner-up answers: what else the model may have meant, opened only where it was not sure.

From each decision the ways not taken lead to other answers. They are followed best first: the likeliest way is begun
with its token and completed greedily under the grammar, and its own ways not taken join the queue. So the answers come
roughly in the order of their probability, each after one evaluation of what differs from the ones before (the common
beginning is not evaluated again). Where the model was sure nothing is opened and nothing costs anything.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from grammar import Contract

from .confidence import Decision, decisions, probability
from .decoder import Cancelled, Decoded, TokenModel, decode, never
from .draft import Matcher
from .model_error import ModelError
from .settings import ModelSettings, ReadingSettings

State = TypeVar("State")
Run = Callable[[dict[str, Any]], dict[str, Any] | None]


@dataclass(frozen=True)
class Written:
    """An answer as text, its probability under the grammar, and its decisions, those of its beginning included."""

    text: str
    probability: float
    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class Reading:
    """One way to understand a request: the answer, its probability under the grammar, and its result.

    `result` is None where the plan was not run. `same` is the number of further answers that give the same table.
    """

    answer: dict[str, Any]
    probability: float
    result: dict[str, Any] | None = None
    same: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the reading as JSON has it: the plan, how likely it is, and the shape of its table."""
        shape = {key: None if self.result is None else self.result[key] for key in ("columns", "row_count")}
        return {"answer": self.answer, "probability": self.probability, "same": self.same, **shape}

    @property
    def empty(self) -> bool:
        """Return whether the plan ran and came out without a row."""
        return self.result is not None and not self.result["row_count"]


def runner_ups(
    model: TokenModel,
    matcher: Matcher[State],
    contracts: Mapping[str, Contract],
    prompt: str,
    first: Decoded,
    made: Sequence[Decision],
    settings: ModelSettings,
    limits: ReadingSettings,
    *,
    cancelled: Cancelled = never,
) -> Iterator[Written]:
    """Yield other answers than the `first`, of which `made` are the decisions; each text once.

    At most `limits.tried` ways are followed, for at most `limits.seconds`: a way that is not finished by then is
    dropped. A way is followed where its part is at least `limits.share` times as likely as the one that was written.
    """
    deadline = time.monotonic() + limits.seconds
    seen = {first.text}
    queue: list[tuple[float, int, _Way]] = []
    number = 0

    def add(written: Sequence[int], decided: Sequence[Decision], before: Sequence[Decision]) -> None:
        nonlocal number
        for way in _ways(written, decided, before, limits.share):
            number += 1
            heapq.heappush(queue, (-way.probability, number, way))

    add(first.written, made, ())
    for _ in range(limits.tried):
        left = deadline - time.monotonic()
        if not queue or left <= 0:
            return
        way = heapq.heappop(queue)[2]
        try:
            bounded = replace(settings, seconds=min(left, settings.seconds))
            decoded = decode(model, matcher, prompt, bounded, begun=way.begun, cancelled=cancelled)
        except ModelError as error:
            if error.reason in ("too_slow", "answer_cut", "no_token"):
                continue
            raise
        if decoded.text in seen:
            continue
        seen.add(decoded.text)
        own = decisions(decoded, model.vocabulary.pieces, matcher, contracts)
        before = (*way.before, way.turn)
        add(decoded.written, own, before)
        yield Written(decoded.text, way.probability * probability(own), (*before, *own))


def readings(first: Reading, others: Iterator[tuple[dict[str, Any], float]], run: Run, most: int) -> list[Reading]:
    """Return at most `most` other readings than the first, each with a table of its own, the likeliest first.

    Answers are (answer, probability); a question is none, nor is a plan that `run` says cannot run (None). Plans that
    give the same table count once, with their probabilities together; those that come out empty come last. The first
    plan is run only if there is another to compare it with.
    """
    found: list[Reading] = [first]
    for answer, likely in others:
        if "steps" not in answer:
            continue
        if "steps" in first.answer and found[0].result is None:
            found[0] = replace(first, result=run(first.answer))
        result = run(answer)
        if result is None:
            continue
        place = next((place for place, known in enumerate(found) if _same_table(known.result, result)), None)
        if place is None:
            found.append(Reading(answer, likely, result))
        else:
            known = found[place]
            found[place] = replace(known, probability=known.probability + likely, same=known.same + 1)
        if len(found) > most:
            break
    return [found[0], *sorted(found[1:], key=lambda each: (each.empty, -each.probability))]


@dataclass(frozen=True)
class _Way:
    """A way not taken: the tokens it begins with, how likely it is, the decisions before it, and its own."""

    begun: tuple[int, ...]
    probability: float
    before: tuple[Decision, ...]
    turn: Decision


def _ways(
    written: Sequence[int], decided: Sequence[Decision], before: Sequence[Decision], least: float
) -> Iterator[_Way]:
    """Yield the ways not taken at these decisions that are likely enough against what was written."""
    reached = probability(before)
    for place, decision in enumerate(decided):
        for rival in decision.rivals:
            if rival.probability < least * decision.probability:
                continue
            begun = (*written[: rival.written], rival.token)
            turn = Decision(decision.slot, rival.part or "", rival.probability, ())
            yield _Way(begun, reached * rival.probability, (*before, *decided[:place]), turn)
        reached *= decision.probability


def _same_table(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> bool:
    """Return whether two results hold the same table, and the same charts and files."""
    keys = ("columns", "kinds", "row_count", "rows", "artifacts")
    return one is not None and all(one[key] == other[key] for key in keys)
