"""Values of all of Unicode come out of the default model's decoder as they are when nothing else may be written.

A table lists fifty of them; the grammar of the table, narrowed to the plan of one value, forces each in turn: as a run
that costs no pass, token by token against logits that mean nothing, and token by token by the model itself.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from any_value import different_values
from narrowed import Narrowed

from engine.decoder import decode
from engine.draft import Logits
from engine.model import LlamaModel
from engine.plan import shipped_contracts
from engine.settings import load_settings
from grammar import AnswerMatcher, Column, Limits, Scene, TableState, validate_answer

SETTINGS = load_settings()
LIMITS = Limits(**vars(SETTINGS.grammar), max_steps=SETTINGS.max_steps)
ROOMY = replace(SETTINGS.model, answer_tokens=4096)
TOKEN_BY_TOKEN = replace(ROOMY, forced_runs=False)
LONGEST = 1000
IN_A_TABLE = 50
# Of so many values, one is written token by token against logits that mean nothing, and one by the model itself.
AGAINST, ASKED = 10, 100


@dataclass
class Babbling:
    """The vocabulary and the tokeniser of a model whose logits mean nothing; nothing is evaluated."""

    model: LlamaModel
    noise: Logits

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def read(self, *_: Any, **__: Any) -> int:
        return 0

    def append_many(self, tokens: Sequence[int]) -> None:
        assert tokens

    def logits(self) -> Logits:
        return self.noise


def plan_of(column: str, value: str) -> dict[str, Any]:
    return {"steps": [{"tool": "filter", "args": {"column": column, "op": "=", "value": value}}]}


def round_trips(model: LlamaModel, count: int, seed: int) -> None:
    """Force so many values; each must be the value of the plan that comes out."""
    contracts, chance = shipped_contracts(), random.Random(seed)
    noise = np.random.default_rng(seed).normal(0, 3, len(model.pieces)).astype(np.float32)
    babbling = Babbling(model, noise)
    done = 0
    while done < count:
        values = different_values(chance, IN_A_TABLE, LONGEST)
        name = next((each for each in reversed(values) if each.strip()), "q")
        scene = Scene((TableState((Column(name, "text", values),), LIMITS, name="base"),))
        matcher = AnswerMatcher(contracts, scene)
        for value in values:
            text = json.dumps(plan_of(name, value), ensure_ascii=False, separators=(",", ":"))
            narrowed = Narrowed(matcher, text)
            found = [decode(model, narrowed, "Table:", ROOMY)]
            assert found[0].written == tuple(model.tokenise(text)), "the tokens of the whole plan"
            assert (found[0].forced_tokens, found[0].passes) == (found[0].answer_tokens, 0)
            if done % AGAINST == 0:
                found.append(decode(babbling, narrowed, "Table:", TOKEN_BY_TOKEN))
            if done % ASKED == 0:
                found.append(decode(model, narrowed, "Table:", TOKEN_BY_TOKEN))
                assert found[-1].passes == found[-1].answer_tokens
            for decoded in found:
                answer = json.loads(decoded.text)
                assert answer == plan_of(name, value)
                assert b"".join(model.pieces[token] for token in decoded.written) == text.encode()
            done += 1
        validate_answer(contracts, scene, plan_of(name, values[0]))
    assert done == count


@pytest.mark.model
def test_a_thousand_values_of_all_of_unicode_come_out_as_they_are(default_model: LlamaModel) -> None:
    round_trips(default_model, 1_000, 1)


@pytest.mark.model
@pytest.mark.soak
def test_ten_thousand_values_of_all_of_unicode_come_out_as_they_are(default_model: LlamaModel) -> None:
    round_trips(default_model, 10_000, 2)
