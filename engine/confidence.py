"""How sure the model was of an answer: the probabilities of whole values under the grammar, and what they say together.

The decoder notes, token by token, what else was allowed. Here these odds become decisions: at each value, and at each
place between two values, how likely the part that was written was, and which parts were likely instead. A token that
spells the text that was written in another way counts for it; one that leads to another text counts against the part
in which that text begins to differ. So the probabilities of the decisions multiply to the probability of the answer
under the grammar, and a value is never judged by its first token alone.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Generic, TypeVar

from grammar import Contract, Role, Slot, first_part, slots

from .decoder import Decoded
from .draft import Choice, Matcher

State = TypeVar("State")
_QUESTIONS: Mapping[Role, str] = {"column": "which_column", "value": "which_value", "table": "which_table"}


@dataclass(frozen=True)
class Rival:
    """Another way from a decision on: its first token after `written` tokens of the answer, and its probability.

    The probability is under the grammar and given all that stands before the decision. `part` is the whole value, or
    all that stands between two values; None where the token leaves it open which of several it will be.
    """

    written: int
    token: int
    probability: float
    part: str | None


@dataclass(frozen=True)
class Decision:
    """A part of the answer where the grammar left a choice: what was written, how likely it was, and what else was."""

    slot: Slot
    part: str
    probability: float
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class Close:
    """A decision between columns, values or tables, the likeliest of which lie close together.

    `kind` is that of the question about it; `options` are those close together, the written one first. `rivals` are the
    ways to the others, among them such as leave open where they lead.
    """

    kind: str
    decision: Decision
    options: tuple[str, ...]
    rivals: tuple[Rival, ...]


def decisions(
    decoded: Decoded, pieces: Sequence[bytes], matcher: Matcher[State], contracts: Mapping[str, Contract]
) -> tuple[Decision, ...]:
    """Return the decisions of an answer in the order of its text; those that were the only way are left out.

    Where the caller began the answer, the decisions of that beginning are not among them.
    """
    return tuple(_Deciding(decoded, pieces, matcher, contracts).decisions())


def probability(made: Sequence[Decision]) -> float:
    """Return the probability of the whole answer under the grammar: the product of its decisions."""
    return prod(each.probability for each in made)


def least(made: Sequence[Decision]) -> float:
    """Return the probability of the decision of which the model was least sure; 1 without any."""
    return min((each.probability for each in made), default=1.0)


def closest(made: Sequence[Decision], margin: float) -> Close | None:
    """Return the decision that a person could settle with one word; None where no two options lie so close.

    Of the decisions between columns, values or tables whose likeliest two lie closer than `margin`, the closest one.
    """
    found: list[tuple[float, int, Close]] = []
    for place, decision in enumerate(made):
        kind = _QUESTIONS.get(decision.slot.role)
        if kind is None:
            continue
        near = tuple(rival for rival in decision.rivals if decision.probability - rival.probability < margin)
        options = [json.loads(part) for part in (decision.part, *(rival.part for rival in near)) if part is not None]
        if near and all(isinstance(option, str) for option in options):
            apart = abs(decision.probability - decision.rivals[0].probability)
            found.append((apart, place, Close(kind, decision, tuple(dict.fromkeys(options)), near)))
    return min(found, key=lambda each: each[:2])[2] if found else None


def as_json(made: Sequence[Decision]) -> list[dict[str, Any]]:
    """Return decisions as JSON has them: what was decided where, how likely it was, and what else was."""
    return [
        {
            "at": each.slot.start,
            "role": each.slot.role,
            "path": list(each.slot.path),
            "written": each.part,
            "probability": each.probability,
            "instead": [{"written": rival.part, "probability": rival.probability} for rival in each.rivals],
        }
        for each in made
    ]


class _Deciding(Generic[State]):
    """The decisions of one answer."""

    def __init__(
        self, decoded: Decoded, pieces: Sequence[bytes], matcher: Matcher[State], contracts: Mapping[str, Contract]
    ) -> None:
        self._choices = decoded.choices
        self._data = decoded.text.encode()
        self._pieces = pieces
        self._matcher = matcher
        self._slots = slots(contracts, decoded.text)
        self._starts = [slot.start for slot in self._slots]

    def decisions(self) -> Iterator[Decision]:
        likely: dict[int, float] = {}
        rivals: dict[int, list[Rival]] = {}
        state: State | None = self._matcher.start()
        reached = 0
        for choice in self._choices:
            if state is not None:
                state = self._matcher.advance(state, self._data[reached : choice.at])
            reached = choice.at
            for place, here, left in self._differing(choice):
                before = likely.get(place, 1.0)
                against = sum(odds for _, odds in here)
                likely[place] = before * (left - against) / left
                rivals.setdefault(place, []).extend(
                    Rival(choice.written, token, before * odds / left, self._part(place, choice.at, token, state))
                    for token, odds in here
                )
        for place, share in sorted(likely.items()):
            slot = self._slots[place]
            part = self._data[slot.start : slot.end].decode()
            yield Decision(slot, part, share, _merged(rivals[place]))

    def _differing(self, choice: Choice) -> Iterator[tuple[int, list[tuple[int, float]], float]]:
        """Yield for each part, in order, the tokens that begin to differ in it, and the odds left before them."""
        left = 1.0 + sum(odds for _, odds in choice.others)
        found: dict[int, list[tuple[int, float]]] = {}
        for token, odds in choice.others:
            at = self._differs_at(choice.at, self._pieces[token])
            if at is not None:
                found.setdefault(bisect_right(self._starts, at) - 1, []).append((token, odds))
        for place in sorted(found):
            yield place, found[place], left
            left -= sum(odds for _, odds in found[place])

    def _differs_at(self, at: int, piece: bytes) -> int | None:
        """Return the byte of the text at which a piece, written from `at` on, differs from it; None if it does not."""
        text = self._data[at : at + len(piece)]
        if text == piece:
            return None
        same = next((place for place, (one, other) in enumerate(zip(text, piece, strict=False)) if one != other), None)
        return at + (len(text) if same is None else same)

    def _part(self, place: int, at: int, token: int, state: State | None) -> str | None:
        """Return the whole part that a token stands for, with what must follow it."""
        slot, piece = self._slots[place], self._pieces[token]
        reached = None if state is None else self._matcher.advance(state, piece)
        if reached is None:
            return None
        ahead = self._data[slot.start : at] + piece[max(slot.start - at, 0) :] + self._matcher.forced(reached)
        found = first_part(ahead, slot.role)
        if found is None and not self._matcher.first_bytes(self._after(reached)):
            found = ahead
        return None if found is None else found.decode("utf-8", "replace")

    def _after(self, state: State) -> State:
        following = self._matcher.advance(state, self._matcher.forced(state))
        assert following is not None
        return following


def _merged(rivals: Sequence[Rival]) -> tuple[Rival, ...]:
    """Return the rivals, the likeliest first; those that spell the same part in different ways made one."""
    merged: dict[object, Rival] = {}
    for rival in sorted(rivals, key=lambda each: -each.probability):
        key = rival.part if rival.part is not None else (rival.written, rival.token)
        known = merged.get(key)
        if known is None:
            merged[key] = rival
        else:
            merged[key] = replace(known, probability=known.probability + rival.probability)
    return tuple(sorted(merged.values(), key=lambda each: -each.probability))
