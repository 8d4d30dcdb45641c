"""The printed GBNF means to llama.cpp what the rules mean to our matcher: a vocabulary of single bytes tells."""

import ctypes
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llama_cpp
import pytest
import tiny_gguf
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, scenes, texts, texts_near, written_answers

from grammar import AnswerMatcher, Column, Limits, Scene, TableState, gbnf
from grammar.answers import answer_shape
from grammar.automaton import Matcher
from grammar.compile import compile_shape

FIRST_BYTE = [name for name, _, _ in tiny_gguf.vocabulary()].index("<0x00>")
END = 2


class NativeGrammar:
    """llama.cpp's own reading of a grammar."""

    def __init__(self, vocabulary: Any, text: str) -> None:
        self.vocabulary = vocabulary
        self.text = text.encode()

    def accepts(self, text: str) -> bool:
        """Say whether this is a whole text of the grammar."""
        sampler = llama_cpp.llama_sampler_init_grammar(self.vocabulary, self.text, b"root")
        assert sampler, "llama.cpp does not read the grammar"
        try:
            for byte in text.encode("utf-8", "surrogatepass"):
                if not self._allowed(sampler, FIRST_BYTE + byte):
                    return False
                llama_cpp.llama_sampler_accept(sampler, FIRST_BYTE + byte)
            return self._allowed(sampler, END)
        finally:
            llama_cpp.llama_sampler_free(sampler)

    def _allowed(self, sampler: Any, token: int) -> bool:
        data = (llama_cpp.llama_token_data * 1)(llama_cpp.llama_token_data(token, 1.0, 0.0))
        candidates = llama_cpp.llama_token_data_array(data, 1, -1, False)
        llama_cpp.llama_sampler_apply(sampler, ctypes.byref(candidates))
        return bool(data[0].logit > float("-inf"))


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tiny_gguf.write_model(Path(tmp_path_factory.mktemp("tiny")) / "tiny.gguf")
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
    assert model
    yield llama_cpp.llama_model_get_vocab(model)
    llama_cpp.llama_model_free(model)


@given(st.data(), scenes())
def test_llama_cpp_accepts_what_the_matcher_accepts(vocabulary: Any, data: st.DataObject, scene: Scene) -> None:
    native = NativeGrammar(vocabulary, gbnf(CONTRACTS, scene))
    ours = Matcher(compile_shape(answer_shape(CONTRACTS, scene)))
    text = data.draw(written_answers(AnswerMatcher(CONTRACTS, scene)))
    for near in (text, data.draw(texts_near(text))):
        assert native.accepts(near) == ours.accepts(near), near


@given(texts, texts)
def test_names_and_values_of_any_characters_survive_the_notation(vocabulary: Any, name: str, value: str) -> None:
    state = TableState((Column(name, "text", (value,)),), Limits(9, 2, 9, 2, 3, 2, 4, 1))
    native = NativeGrammar(vocabulary, gbnf(CONTRACTS, state))
    matcher = Matcher(compile_shape(answer_shape(CONTRACTS, Scene((state,)))))
    step = {"tool": "filter", "args": {"column": name, "op": "!=", "value": value}}
    text = json.dumps({"steps": [step]}, ensure_ascii=False, separators=(",", ":"))
    assert native.accepts(text)
    assert matcher.accepts(text)
