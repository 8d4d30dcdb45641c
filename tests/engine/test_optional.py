"""Arguments that may be left out: as likely as the model says, favoured by a bonus, or decided on as null."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from command_line import LOANS
from finite import FakeModel, FiniteMatcher
from wanting_model import wanting

from engine.confidence import decisions
from engine.decoder import decode
from engine.plan import shipped_contracts
from engine.session import ask, open_workspace
from engine.settings import load_settings
from grammar import by_name

SETTINGS = load_settings()
BYTES = [bytes((byte,)) for byte in range(256)]
SHORT = '{"steps":[{"tool":"remove_duplicates","args":{"columns":["a"]}}]}'


def plan(**args: Any) -> dict[str, Any]:
    return {"steps": [{"tool": "group_and_total", "args": args}]}


def text(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


LEAST, MORE = plan(value_column="a"), plan(value_column="a", agg="sum")


@pytest.mark.parametrize("closing", ['"}', '"}}', "}}]}", "}"])
@pytest.mark.parametrize(("bonus", "written"), [(0.0, LEAST), (0.9, LEAST), (1.1, MORE), (3.0, MORE)])
def test_a_bonus_goes_to_what_goes_on(closing: str, bonus: float, written: dict[str, Any]) -> None:
    """The token that ends the arguments may begin before and go on behind the place where they end."""
    going_on = closing[: closing.index("}")] + ',"'
    pieces = [*BYTES, closing.encode(), going_on.encode()]
    made = np.full(len(pieces), -30.0, dtype=np.float32)
    made[256:] = (2.0, 1.0)
    settings = replace(SETTINGS.model, forced_runs=False, optional_bonus=bonus)
    matcher = FiniteMatcher([text(LEAST), text(MORE)])
    decoded = decode(FakeModel(pieces, lambda tokens: made), matcher, "p", settings)
    assert json.loads(decoded.text) == written
    (end,) = decisions(decoded, pieces, matcher, by_name(shipped_contracts()))
    assert end.probability == pytest.approx(1 / (1 + np.exp(-abs(1.0 - bonus))), abs=1e-3)


def test_items_steps_and_texts_have_no_bonus() -> None:
    wanted = [
        '{"steps":[{"tool":"select_columns","args":{"columns":["a"]}}]}',
        '{"steps":[{"tool":"select_columns","args":{"columns":["a","b"]}}]}',
        '{"steps":[{"tool":"select_columns","args":{"columns":["a"]}},{"tool":"describe","args":{}}]}',
    ]
    made = np.zeros(256, dtype=np.float32)
    made[ord("]")] = made[ord("}")] = 1.0
    settings = replace(SETTINGS.model, forced_runs=False, optional_bonus=50.0)
    assert decode(FakeModel(BYTES, lambda tokens: made), FiniteMatcher(wanted), "p", settings).text == wanted[0]
    braces = [f'{{"a":"x{letter}y"}}' for letter in " ,}"]
    made = np.zeros(256, dtype=np.float32)
    made[ord("}")] = 1.0
    assert '"x}' in decode(FakeModel(BYTES, lambda tokens: made), FiniteMatcher(braces), "p", settings).text


def test_nulls_are_written_and_left_out_of_the_answer() -> None:
    settings = replace(SETTINGS, model=replace(SETTINGS.model, optional_nulls=True))
    loans = open_workspace([LOANS], settings)
    counted = plan(group_by=["valyuta"], value_column=None, agg="count")
    answered = ask(loans, "valyutalar", wanting((counted, 1.0)))
    assert answered.answer == plan(group_by=["valyuta"], agg="count")
    assert answered.result is not None
    assert answered.result["row_count"] == 3
