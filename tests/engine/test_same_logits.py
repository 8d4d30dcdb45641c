"""The same prompt gives the default model's same logits, bit by bit, and the same answer, whatever was read before."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import LOANS, tez

from engine.decoder import Decoded, decode
from engine.draft import Logits
from engine.model import LlamaModel
from engine.prefix_store import PrefixStore
from engine.session import Asked, Workspace, open_workspace, prepare
from engine.settings import load_settings

SETTINGS = load_settings()
REQUEST = "Viloyatlar bo'yicha qoldiq yig'indisi"
OTHERS = ("Faol kreditlar nechta?", "Viloyatlar bo'yicha")

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def loans() -> Workspace:
    return open_workspace([LOANS], SETTINGS)


def read(model: LlamaModel, asked: Asked) -> tuple[Logits, int]:
    """Read a prompt; return the logits after it, and how many of its tokens were known."""
    text = asked.prompt.text
    reused = model.read(model.chat_tokens(text), shared=model.shared_tokens(text, asked.prompt.shared))
    return model.logits().copy(), reused


def written(model: LlamaModel, asked: Asked, loans: Workspace) -> Decoded:
    return decode(model, asked.matcher(loans), asked.prompt.text, SETTINGS.model, shared=asked.prompt.shared)


def test_whatever_was_read_before_logits_and_answer_are_the_same(
    default_model: LlamaModel, loans: Workspace, tmp_path: Path
) -> None:
    asked = prepare(loans, REQUEST)
    store = PrefixStore(tmp_path, SETTINGS.model.stored_bytes)
    with LlamaModel(default_model.path, SETTINGS.model, store=store) as model:
        fresh, reused = read(model, asked)
        assert reused == 0
        answer = written(model, asked, loans)
        for other in OTHERS:
            written(model, prepare(loans, other), loans)
            again, reused = read(model, asked)
            assert reused > 1000
            np.testing.assert_array_equal(again, fresh)
        assert written(model, asked, loans).written == answer.written
    with LlamaModel(default_model.path, SETTINGS.model, store=store) as model:
        restored, reused = read(model, asked)
        assert reused > 1000
        np.testing.assert_array_equal(restored, fresh)
        assert written(model, asked, loans).written == answer.written
        beyond = [*model.chat_tokens(asked.prompt.text)[:reused], *model.tokenise("other")]
        tools = model.shared_tokens(asked.prompt.text, asked.prompt.shared)[:1]
        assert model.read(beyond, shared=tools) == tools[0]
        again, reused = read(model, asked)
        np.testing.assert_array_equal(again, fresh)
    after, reused = read(default_model, asked)
    np.testing.assert_array_equal(after, fresh)
    assert written(default_model, asked, loans).choices == answer.choices


def test_a_process_of_its_own_gives_the_same_answer(default_model: LlamaModel, loans: Workspace) -> None:
    asked = prepare(loans, REQUEST)
    written(default_model, prepare(loans, OTHERS[0]), loans)
    answer = written(default_model, asked, loans)
    done = tez("ask", LOANS, REQUEST, "--json", "--dry-run")
    assert json.loads(done.out)["answer"] == json.loads(answer.text)
