"""The model behind llama.cpp: tokens, templates, evaluation, what is refused before it can end the process."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_gguf as tiny
from hypothesis import given
from hypothesis import strategies as st

from engine.decoder import Phase
from engine.draft import Logits
from engine.model import LlamaModel
from engine.model.ends import batch_ends, kept
from engine.model_error import ModelError
from engine.settings import load_settings

SETTINGS = load_settings().model
TEMPLATE = "{{ bos_token }}{% for m in messages %}<|turn|>{{ m.role }}: {{ m.content }}</s>{% endfor %}<|turn|>"
LONG = "sort filter tool Фаол qoldiq 😀 " * 8


def spelled(model: LlamaModel, tokens: Sequence[int]) -> bytes:
    return b"".join(model.pieces[token] for token in tokens)


def same(one: Logits, other: Logits) -> None:
    """Hold that two logits are of the same tokens: another batch size rounds otherwise, another text is far away."""
    np.testing.assert_allclose(one, other, atol=0.2)


def refused(path: Path, adapter: Path | None = None, **changes: object) -> ModelError:
    with pytest.raises(ModelError) as caught, LlamaModel(path, replace(SETTINGS, **changes), adapter):  # type: ignore[arg-type]
        pass
    return caught.value


def test_what_a_model_says_of_itself(tiny_path: Path, tiny_model: LlamaModel) -> None:
    about = tiny_path.stat()
    assert (tiny_model.name, tiny_model.context) == ("Tiny", tiny.CONTEXT)
    assert tiny_model.identity == f"tiny.gguf:{about.st_size}:{about.st_mtime_ns}"
    names = [name for name, _, _ in tiny.vocabulary()]
    assert len(tiny_model.pieces) == len(names)
    assert tiny_model.pieces[names.index("<0x0A>")] == b"\n"
    assert tiny_model.pieces[names.index("▁Фаол")] == " Фаол".encode()
    left_out = {names[token] for token in range(len(names))} - {names[token] for token in tiny_model.usable}
    assert left_out == {"<unk>", "<s>", "</s>", "<|turn|>", "<table>", "<unused0>"}


@pytest.mark.parametrize(
    "text",
    [
        "sort Фаол 😀",
        "",
        " a\n\nb ",
        "Ў\u0000ў",
        "</s><s><|turn|> <table></table>",
        "<unused0>",
        "\u2581a \u2581\u2581",
    ],
)
def test_text_is_spelled_by_its_tokens_and_names_of_tokens_are_plain_text(tiny_model: LlamaModel, text: str) -> None:
    tokens = tiny_model.tokenise(text)
    assert spelled(tiny_model, tokens) == text.encode()
    assert set(tokens) <= set(tiny_model.usable)


def test_only_on_request_names_stand_for_control_tokens(tiny_model: LlamaModel) -> None:
    assert tiny_model.tokenise("</s>", special=True) == [2]
    assert 2 not in tiny_model.tokenise("</s>")


def test_a_lone_surrogate_does_not_stop_it(tiny_model: LlamaModel) -> None:
    assert spelled(tiny_model, tiny_model.tokenise("a\ud800b")) == b"a?b"


def test_a_model_without_a_template_reads_plain_text_after_the_begin_token(tiny_model: LlamaModel) -> None:
    assert tiny_model.chat_tokens("sort") == [1, *tiny_model.tokenise("sort")]


def test_without_a_wanted_begin_token_there_is_none(tmp_path: Path) -> None:
    path = tiny.write_model(tmp_path / "m.gguf", {"tokenizer.ggml.add_bos_token": (tiny.BOOLEAN, False)})
    with LlamaModel(path, SETTINGS) as model:
        assert model.chat_tokens("sort") == model.tokenise("sort")


def test_the_chat_template_frames_the_content(tmp_path: Path) -> None:
    path = tiny.write_model(tmp_path / "m.gguf", {"tokenizer.chat_template": (tiny.STRING, TEMPLATE)})
    with LlamaModel(path, SETTINGS) as model:
        tokens = model.chat_tokens("a </s> <|turn|>")
        assert tokens[:2] == [1, 3]
        assert tokens[-2:] == [2, 3]
        assert tokens.count(1) == 1
        assert spelled(model, tokens) == b"user: a </s> <|turn|>"
        assert not {0, 1, 2, 3} & set(tokens[2:-2])


@pytest.mark.parametrize(
    "template",
    [
        "{% for %}",
        "{{ raise_exception('no') }}",
        "nothing of the content",
        "{{ messages[0].content }}{{ messages[0].content }}",
        "{{ messages[0].content.no.way }}",
        "{{ 1 / 0 }}",
    ],
)
def test_a_broken_template_is_an_error(tmp_path: Path, template: str) -> None:
    path = tiny.write_model(tmp_path / "m.gguf", {"tokenizer.chat_template": (tiny.STRING, template)})
    assert refused(path).reason == "template_broken"


def test_batches_do_not_change_the_logits(tiny_path: Path) -> None:
    found = []
    for batch in (512, 32, 1):
        with LlamaModel(tiny_path, replace(SETTINGS, batch=batch)) as model:
            tokens = model.chat_tokens(LONG)
            assert model.read(tokens) == 0
            found.append(model.logits().copy())
    assert len(tokens) > 64
    same(found[1], found[0])
    same(found[2], found[0])


def test_the_common_beginning_is_kept_and_the_rest_forgotten(tiny_model: LlamaModel) -> None:
    one, two = tiny_model.chat_tokens(LONG + "a"), tiny_model.chat_tokens(LONG + "b sort")
    end = len(tiny_model.chat_tokens(LONG)) - 1
    tiny_model.read(two, shared=[end])
    fresh = tiny_model.logits().copy()
    tiny_model.read(one, shared=[end])
    tiny_model.append(tiny_model.tokenise("a")[0])
    assert tiny_model.read(two, shared=[end]) == end
    np.testing.assert_array_equal(tiny_model.logits(), fresh)
    assert tiny_model.read(two, shared=[end]) == len(two)
    np.testing.assert_array_equal(tiny_model.logits(), fresh)
    assert tiny_model.read(two) < end
    same(tiny_model.logits(), fresh)
    assert tiny_model.read(two[:5]) == 0


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.sets(st.integers(0, 60))), min_size=1))
def test_what_is_kept_was_read_in_the_batches_of_a_fresh_reading(readings: list[tuple[int, int, set[int]]]) -> None:
    held: list[int] = []
    ends: list[int] = []
    for common, more, shared in readings:
        tokens = [*held[:common], *range(len(held), len(held) + more + 1)]
        fresh = batch_ends(len(tokens), list(shared), 16)
        assert fresh[-1] == len(tokens)
        assert {end for end in shared if 0 < end < len(tokens)} <= set(fresh)
        assert max(np.diff([0, *fresh])) <= 16
        reused = kept(ends, fresh, min(common, len(held)))
        assert reused <= min(common, len(held))
        again = [*(end for end in ends if end <= reused), *(end for end in fresh if end > reused)]
        assert again == fresh
        held, ends = tokens, fresh


def test_the_logits_do_not_depend_on_what_was_read_before(tiny_path: Path) -> None:
    settings = replace(SETTINGS, batch=16)
    with LlamaModel(tiny_path, settings) as model:
        tokens = model.chat_tokens(LONG + "sort filter")
        shared = [30, 41]
        model.read(tokens, shared=shared)
        fresh = model.logits().copy()
        for other, ends in (
            (tokens[:50], []),
            (tokens[:60], [30]),
            (tokens[:45], shared),
            ([*tokens, 9], [30, 41, 50]),
        ):
            model.read(other, shared=ends)
            model.append_many(tokens[5:9])
            model.read(tokens, shared=shared)
            np.testing.assert_array_equal(model.logits(), fresh)


def test_an_answer_goes_on_after_what_was_written_of_it(tiny_model: LlamaModel) -> None:
    prompt, answer = tiny_model.chat_tokens(LONG), tiny_model.tokenise("sort filter tool a b")
    tiny_model.read(prompt)
    tiny_model.append_many(answer[:3])
    tiny_model.append(answer[3])
    other = [*prompt, *answer[:3], 9, 9]
    assert tiny_model.read(other, answer=5) == len(prompt) + 3
    written = tiny_model.logits().copy()
    assert tiny_model.read(other) < len(prompt)
    same(tiny_model.logits(), written)
    tiny_model.read([*reversed(prompt)])
    assert tiny_model.read(other, answer=5) == 0
    same(tiny_model.logits(), written)


def test_appending_is_the_same_as_reading(tiny_model: LlamaModel) -> None:
    tokens = tiny_model.chat_tokens("sort filter tool")
    tiny_model.read(tokens)
    whole = tiny_model.logits().copy()
    tiny_model.read(tokens[:3])
    tiny_model.append(tokens[3])
    tiny_model.append_many(tokens[4:])
    same(tiny_model.logits(), whole)
    assert tiny_model.read(tokens) == 0
    assert tiny_model.read(tokens) == len(tokens)


def test_cancelling_between_batches_leaves_a_model_that_goes_on(tiny_path: Path) -> None:
    with LlamaModel(tiny_path, replace(SETTINGS, batch=16)) as model:
        tokens = model.chat_tokens(LONG)
        answers = iter([False, False, True])
        with pytest.raises(ModelError) as caught:
            model.read(tokens, cancelled=lambda: next(answers))
        assert caught.value.reason == "cancelled"
        with pytest.raises(ModelError):
            model.logits()
        assert model.read(tokens) == 32
        seen: list[tuple[Phase, int, int]] = []
        model.read(model.chat_tokens("b" * 40), lambda *step: seen.append(step))
        assert seen == [("read", done, 41) for done in (0, 16, 32, 41)]


def test_an_interruption_while_reading_leaves_a_model_that_goes_on(tiny_path: Path) -> None:
    with LlamaModel(tiny_path, replace(SETTINGS, batch=16)) as model:
        tokens = model.chat_tokens(LONG)
        model.read(tokens)
        whole = model.logits().copy()

        def interrupt(phase: Phase, done: int, total: int) -> None:
            if done > 16:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            model.read([1, *reversed(tokens[1:])], interrupt)
        model.read(tokens)
        same(model.logits(), whole)


def test_more_tokens_than_the_context_holds_are_an_error(tiny_path: Path) -> None:
    with LlamaModel(tiny_path, replace(SETTINGS, context=32)) as model:
        assert model.context == 32
        with pytest.raises(ModelError) as caught:
            model.read(list(range(7, 47)))
        assert (caught.value.reason, caught.value.facts["allowed"]) == ("context_full", 32)
        with pytest.raises(ModelError):
            model.read([])


def test_an_adapter_changes_the_logits_also_over_several_batches(tiny_path: Path, tmp_path: Path) -> None:
    adapter = tiny.write_adapter(tmp_path / "lora.gguf")
    found = []
    for each in (None, adapter):
        with LlamaModel(tiny_path, replace(SETTINGS, batch=16), each) as model:
            model.read(model.chat_tokens(LONG))
            found.append(model.logits().copy())
            assert ("lora.gguf" in model.identity) == (each is not None)
    assert np.abs(found[0] - found[1]).max() > 0.1


def test_what_is_no_adapter_of_this_model_is_refused(tiny_path: Path, tmp_path: Path) -> None:
    assert refused(tiny_path, tiny_path).reason == "adapter_kind"
    other = tiny.write_adapter(tmp_path / "a.gguf", {"general.architecture": (tiny.STRING, "qwen2")})
    assert refused(tiny_path, other).reason == "adapter_kind"
    assert refused(tiny_path, tmp_path / "none.gguf").reason == "model_missing"
    wrong = tiny.write_gguf(
        tmp_path / "w.gguf",
        {
            "general.architecture": (tiny.STRING, "llama"),
            "general.type": (tiny.STRING, "adapter"),
            "adapter.type": (tiny.STRING, "lora"),
            "adapter.lora.alpha": (tiny.FLOAT32, 8.0),
        },
        {"blk.9.attn_q.weight.lora_a": np.ones((4, 32), np.float32)},
    )
    assert refused(tiny_path, wrong).reason == "adapter_not_loaded"
    assert refused(tiny.write_adapter(tmp_path / "b.gguf")).reason == "model_kind"


def test_a_model_that_does_not_fit_is_refused_with_the_numbers(tiny_path: Path) -> None:
    error = refused(tiny_path, memory_share=1e-9)
    assert error.reason == "no_memory"
    assert error.facts["needed"] > error.facts["allowed"]


def test_a_model_that_llama_cpp_refuses_is_an_error_with_its_words(tmp_path: Path) -> None:
    error = refused(tiny.write_model(tmp_path / "m.gguf", {"tokenizer.ggml.model": (tiny.STRING, "nobody's")}))
    assert error.reason == "model_not_loaded"
    assert "nobody's" in error.facts["detail"]


def test_nothing_is_written_to_the_terminal(tiny_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with LlamaModel(tiny_path, SETTINGS) as model:
        model.read(model.chat_tokens("sort"))
    refused(tiny.write_model(tmp_path / "m.gguf", {"tokenizer.ggml.model": (tiny.STRING, "x")}))
    assert capfd.readouterr() == ("", "")


def test_loading_reports_its_progress_and_can_be_cancelled(tiny_path: Path) -> None:
    seen: list[tuple[Phase, int, int]] = []
    with LlamaModel(tiny_path, SETTINGS, progress=lambda *step: seen.append(step)):
        pass
    size = tiny_path.stat().st_size
    assert {(phase, total) for phase, _, total in seen} == {("load", size)}
    assert seen[-1][1] == size
    with pytest.raises(ModelError) as caught:
        LlamaModel(tiny_path, SETTINGS, cancelled=lambda: True)
    assert caught.value.reason == "cancelled"


def test_ctrl_c_while_loading_is_not_lost(tiny_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)

    def press(phase: Phase, done: int, total: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        LlamaModel(tiny_path, SETTINGS, progress=press)
    assert signal.getsignal(signal.SIGINT) is before


def test_closing_twice_is_harmless(tiny_path: Path) -> None:
    model = LlamaModel(tiny_path, SETTINGS)
    model.close()
    model.close()


@pytest.mark.model
@pytest.mark.parametrize(
    "text",
    [
        "<start_of_turn>",
        "<eos> <bos>",
        "<unused49>",
        "[multimodal]",
        "<table><td>",
        "</s>",
        "\u2581",
        "a\u2581<td>\u2581\u2581b",
    ],
)
def test_names_typed_by_a_user_are_plain_text_to_the_default_model(default_model: LlamaModel, text: str) -> None:
    tokens = default_model.tokenise(text)
    assert spelled(default_model, tokens) == text.encode()
    assert set(tokens) <= set(default_model.usable)


@pytest.mark.model
def test_the_default_model_has_no_template_and_wants_a_begin_token(default_model: LlamaModel) -> None:
    tokens = default_model.chat_tokens("Savol: ")
    assert spelled(default_model, tokens[:1]) == b""
    assert spelled(default_model, tokens[1:]) == b"Savol: "
