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

from .confidence import Decision, Rival, decisions, probability
from .decoder import Cancelled, Decoded, TokenModel, decode, never
from .draft import Matcher
from .model_error import ModelError
from .settings import ModelSettings, ReadingSettings

State = TypeVar("State")
Run = Callable[[dict[str, Any]], dict[str, Any] | None]


@dataclass(frozen=True)
class Written:
    """An answer as text, its probability under the grammar, and its decisions, those of its beginning included.

    `rival` is that of the first answer's rivals that was to be followed in any case and led here.
    """

    text: str
    probability: float
    decisions: tuple[Decision, ...]
    rival: Rival | None = None


@dataclass(frozen=True)
class Reading:
    """One way to understand a request: the answer, its probability under the grammar, and its result.

    `result` is None where the plan was not run. `same` is the number of further answers that give the same table.
    `options` are those of a question about the request that it answers.
    """

    answer: dict[str, Any]
    probability: float
    result: dict[str, Any] | None = None
    same: int = 0
    options: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the reading as JSON has it: the plan, how likely it is, and the shape of its table."""
        shape = {key: None if self.result is None else self.result[key] for key in ("columns", "row_count")}
        told = {"answer": self.answer, "probability": self.probability, "same": self.same}
        return {**told, "options": list(self.options), **shape}

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
    ahead: Sequence[Rival] = (),
    shared: Sequence[int] = (),
    cancelled: Cancelled = never,
) -> Iterator[Written]:
    """Yield other answers than the `first`, of which `made` are the decisions; each text once.

    `shared` is what `decode` was given for the first. The ways of the rivals `ahead` are followed before all others,
    and in any case. At most `limits.tried` more ways are followed, for at most `limits.seconds`: a way not finished by
    then is dropped. A way is followed where its part is at least `limits.share` times as likely as the one that was
    written.
    """
    deadline = time.monotonic() + limits.seconds
    seen = {first.text}
    queue: list[tuple[bool, float, int, _Way]] = []
    number = 0

    def add(written: Sequence[int], decided: Sequence[Decision], before: Sequence[Decision]) -> None:
        nonlocal number
        for way in _ways(written, decided, before, limits.share, () if before else ahead):
            number += 1
            heapq.heappush(queue, (way.rival is None, -way.probability, number, way))

    add(first.written, made, ())
    for _ in range(len(ahead) + limits.tried):
        left = deadline - time.monotonic()
        if not queue or left <= 0:
            return
        way = heapq.heappop(queue)[-1]
        try:
            bounded = replace(settings, seconds=min(left, settings.seconds))
            decoded = decode(model, matcher, prompt, bounded, shared=shared, begun=way.begun, cancelled=cancelled)
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
        yield Written(decoded.text, way.probability * probability(own), (*before, *own), way.rival)


def readings(first: Reading, others: Iterator[Reading], run: Run, most: int) -> list[Reading]:
    """Return at most `most` other readings than the first, each with a table of its own, the likeliest first.

    Of the others, which have no results yet, a question is no reading, nor is a plan that `run` says cannot run (None).
    Plans that give the same table count once, with their probabilities together; those that come out empty come last.
    The first plan is run only if there is another to compare it with.
    """
    found: list[Reading] = [first]
    for other in others:
        if "steps" not in other.answer:
            continue
        if "steps" in first.answer and found[0].result is None:
            found[0] = replace(first, result=run(first.answer))
        result = run(other.answer)
        if result is None:
            continue
        place = next((place for place, known in enumerate(found) if _same_table(known.result, result)), None)
        if place is None:
            found.append(replace(other, result=result))
        else:
            found[place] = _together(found[place], other)
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
    rival: Rival | None


def _together(known: Reading, other: Reading) -> Reading:
    """Return a reading with another of the same table."""
    options, likely = (*known.options, *other.options), known.probability + other.probability
    return replace(known, probability=likely, same=known.same + 1, options=options)


def _ways(
    written: Sequence[int],
    decided: Sequence[Decision],
    before: Sequence[Decision],
    least: float,
    ahead: Sequence[Rival],
) -> Iterator[_Way]:
    """Yield the ways not taken at these decisions that are likely enough against what was written, or are `ahead`."""
    reached = probability(before)
    for place, decision in enumerate(decided):
        for rival in decision.rivals:
            wanted = any(rival is each for each in ahead)
            if rival.probability < least * decision.probability and not wanted:
                continue
            begun = (*written[: rival.written], rival.token)
            turn = Decision(decision.slot, rival.part or "", rival.probability, ())
            likely, earlier = reached * rival.probability, (*before, *decided[:place])
            yield _Way(begun, likely, earlier, turn, rival if wanted else None)
        reached *= decision.probability


def _same_table(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> bool:
    """Return whether two results hold the same table, and the same charts and files."""
    keys = ("columns", "kinds", "row_count", "rows", "artifacts")
    return one is not None and all(one[key] == other[key] for key in keys)
