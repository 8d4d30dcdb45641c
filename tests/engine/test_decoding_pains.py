"""What programs around llama.cpp were met with, P51 and P54 to P64, each held against the default model."""

import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf
from narrowed import Narrowed

from accuracy.baseline import Baseline, Job
from engine import database
from engine.decoder import Decoded, decode
from engine.model import LlamaModel
from engine.model_error import ModelError
from engine.plan import shipped_contracts
from engine.session import Workspace, ask, open_workspace, prepare
from engine.settings import load_settings
from grammar import AnswerMatcher, Column, Limits, Scene, TableState, validate_answer

SETTINGS = load_settings()
SHORT = replace(SETTINGS, max_steps=1, grammar=replace(SETTINGS.grammar, text_length=8, list_length=2))
LIMITS = Limits(**vars(SETTINGS.grammar), max_steps=1)
HEAD = '{"steps":[{"tool":"filter","args":{"column":"v","op":"=","value'
PROMPT = "Table t, column v.\nAnswer: "


class Counting:
    """Counts what a matcher is asked."""

    def __init__(self, matcher: AnswerMatcher) -> None:
        self.matcher = matcher
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        self.asked += 1
        return getattr(self.matcher, name)


class Narrow:
    """A model of a smaller context."""

    def __init__(self, model: LlamaModel, context: int) -> None:
        self._model = model
        self.context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def opened(folder: Path, text: str, settings: Any = SHORT, name: str = "t.csv") -> Workspace:
    (folder / name).write_text(text, encoding="utf-8")
    return open_workspace([folder / name], settings)


def scene(values: Sequence[str] | None, limits: Limits = LIMITS) -> Scene:
    return Scene((TableState((Column("v", "text", None if values is None else tuple(values)),), limits, name="t"),))


def chosen(model: LlamaModel, values: Sequence[str], question: str = "") -> tuple[Decoded, Any]:
    """Let the model choose one of the values; return what it took, and the value."""
    matcher = AnswerMatcher(shipped_contracts(), scene(values))
    decoded = decode(model, matcher, question + PROMPT, SHORT.model, begun=model.tokenise(HEAD))
    answer = json.loads(decoded.text)
    validate_answer(shipped_contracts(), scene(values), answer)
    return decoded, answer["steps"][0]["args"]["value"]


@pytest.mark.model
def test_p51_of_420_columns_those_are_offered_that_the_request_means(tmp_path: Path, default_model: LlamaModel) -> None:
    names = ["Hudud", *(f"Ko'rsatkich {number:03}" for number in range(1, 421))]
    rows = [[f"hudud {row}", *(str(row + place) for place in range(420))] for row in range(3)]
    workspace = opened(tmp_path, "\n".join(",".join(row) for row in [names, *rows]) + "\n")
    request = "Hudud bo'yicha Ko'rsatkich 117 jami"
    asked = prepare(workspace, request)
    offered = [column.name for column in asked.scene.tables[0].offered()]
    assert len(offered) <= SETTINGS.prompt.columns
    assert {"Hudud", "Ko'rsatkich 117"} <= set(offered)
    assert "Ko'rsatkich 400" not in asked.prompt.text
    head = '{"steps":[{"tool":"group_and_total","args":{"group_by":["Hudud"],"value_column":"Ko\'rsatkich '
    matcher = asked.matcher(workspace)
    assert [matcher.is_prefix(head + end) for end in ('117"', '400"')] == [True, False]
    small = Narrow(default_model, 2300 + SHORT.model.answer_tokens)
    given = ask(workspace, request, small, max_rows=3)
    assert given.tokens["prompt"] + given.tokens["answer"] <= small.context
    assert "Ko'rsatkich 400" not in json.dumps(given.answer)


@pytest.mark.model
def test_p51_what_would_overflow_the_context_is_shown_with_less(tmp_path: Path, default_model: LlamaModel) -> None:
    names = [f"ustun {number}" for number in range(30)]
    rows = [[f"{'uzun qiymat ' * 5}{name} {row}" for name in names] for row in range(5)]
    workspace = opened(tmp_path, "\n".join(",".join(row) for row in [names, *rows]) + "\n")
    small = Narrow(default_model, 1700 + SHORT.model.answer_tokens)
    assert len(default_model.chat_tokens(prepare(workspace, "ustun 21 nechta").prompt.text)) > 2 * 1700
    given = ask(workspace, "ustun 21 nechta", small, max_rows=3)
    assert given.tokens["prompt"] <= 1700
    assert [note["note"] for note in given.notes] == ["less_shown"]
    assert ("steps" in given.answer) != ("question" in given.answer)


@pytest.mark.model
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(['a "b" c', "C:\\temp", "x\ny", "\t\r", "😀", "\\u0041", '"'], id="P54"),
        pytest.param(["Ҳудуд", "Ғазна", "Ўлчов", "Қарз", "Oʻlcham", "и\u0306", "👩‍👩‍👧"], id="P59"),
        pytest.param(["<unused49>", "<|im_end|>", "<eos>", "</s>", "[control_36]"], id="P58"),
    ],
)
def test_p54_p58_p59_a_value_that_the_model_chooses_is_one_of_the_table(
    default_model: LlamaModel, values: list[str]
) -> None:
    for value in values:
        _, found = chosen(default_model, values, f"Only {json.dumps(value, ensure_ascii=False)}. ")
        assert found in values


BROKEN = ['root ::= "a" | nope', 'root := "a"', 'root ::= root "a" | "b"']


def test_p55_a_broken_grammar_ends_the_process_of_the_binding_and_no_other(tmp_path: Path) -> None:
    path = tiny_gguf.write_model(tmp_path / "tiny.gguf")
    with Baseline(path, replace(SETTINGS.model, context=tiny_gguf.CONTEXT), 60) as baseline:
        for broken in BROKEN:
            assert baseline.do(Job([1, 7, 8], 0, 5, broken)) is None
        assert baseline.do(Job([1, 7, 8], 0, 5, 'root ::= "[" ("1" | "2") "]"')) is not None


@pytest.mark.model
@pytest.mark.parametrize("text", BROKEN)
def test_p55_the_text_of_a_grammar_is_a_value_like_any_other(default_model: LlamaModel, text: str) -> None:
    decoded, found = chosen(default_model, [text])
    assert found == text
    assert decoded.passes <= 3


@pytest.mark.model
def test_p56_no_answer_has_white_space_that_is_not_in_a_text(tmp_path: Path, default_model: LlamaModel) -> None:
    workspace = opened(tmp_path, "v,n\na b,1\nc d,2\n")
    asked = prepare(workspace, "a b")
    matcher = asked.matcher(workspace)
    for begun in ("", "{", '{"steps":[', '{"steps":[{"tool":'):
        state = matcher.advance(matcher.start(), begun.encode())
        assert state is not None
        assert not matcher.first_bytes(state) & set(b" \n\t\r")
    text = decode(default_model, matcher, asked.prompt.text, SHORT.model).text
    assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


@pytest.mark.model
def test_p57_a_cut_answer_is_an_error_and_never_run(tmp_path: Path, default_model: LlamaModel) -> None:
    customers = "".join(f"Mijoz {number},{number}\n" for number in range(1, 46))
    workspace = opened(tmp_path, "mijoz,summa\n" + customers)
    request = "Faqat " + ", ".join(f"Mijoz {number}" for number in range(1, 41))
    little = replace(SHORT, model=replace(SHORT.model, answer_tokens=12))
    before = database.tables(workspace.con)
    with pytest.raises(ModelError) as caught:
        ask(replace(workspace, settings=little), request, default_model)
    assert (caught.value.reason, caught.value.facts["allowed"]) == ("answer_cut", 12)
    assert database.tables(workspace.con) == before
    given = ask(workspace, request, default_model, max_rows=3)
    assert ("steps" in given.answer) != ("question" in given.answer)


@pytest.mark.model
def test_p58_special_tokens_that_a_user_types_are_plain_text(tmp_path: Path, default_model: LlamaModel) -> None:
    names = ["<unused49>", "<start_of_turn>", "<eos>", "[multimodal]", "<|im_end|>"]
    workspace = opened(tmp_path, f"{names[0]},n\n{names[1]},1\n{names[2]},2\n")
    asked = prepare(workspace, " ".join(names))
    tokens = default_model.chat_tokens(asked.prompt.text)
    assert set(tokens[1:]) <= set(default_model.usable)
    assert b"".join(default_model.pieces[token] for token in tokens[1:]).decode() == asked.prompt.text
    assert all(name in asked.prompt.text for name in names)


@pytest.mark.model
def test_p59_letters_of_two_code_points_mean_those_of_one(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "ism,n\nЙўлдош,1\nОдил,2\n")
    found = prepare(workspace, "И\u0306у\u0306лдош нечта").links
    assert "Йўлдош" in {link.value for link in found}


@pytest.mark.model
def test_p60_a_token_costs_as_much_among_5000_values_as_among_5(default_model: LlamaModel) -> None:
    asked = {}
    for count in (5, 5000):
        matcher = Counting(AnswerMatcher(shipped_contracts(), scene([f"Ҳудуд {number:04}" for number in range(count)])))
        decoded = decode(default_model, matcher, PROMPT, SHORT.model, begun=default_model.tokenise(HEAD))
        assert json.loads(decoded.text)
        asked[count] = matcher.asked / decoded.answer_tokens
    assert asked[5000] < 10 * asked[5]


@pytest.mark.model
def test_p61_long_lists_of_long_values_are_written(default_model: LlamaModel) -> None:
    limits = replace(LIMITS, max_steps=4, list_length=20, text_length=5000)
    values = [f"{'я' * 55} {number:03}" for number in range(20)]
    made = scene(values, limits)
    step = {"tool": "filter", "args": {"column": "v", "op": "in", "values": values}}
    text = json.dumps({"steps": [step] * 4}, ensure_ascii=False, separators=(",", ":"))
    settings = replace(SETTINGS.model, answer_tokens=6000)
    narrowed = Narrowed(AnswerMatcher(shipped_contracts(), made), text)
    assert decode(default_model, narrowed, PROMPT, settings).text == text


@pytest.mark.model
def test_p62_the_tool_comes_before_its_arguments_and_the_column_before_the_value(default_model: LlamaModel) -> None:
    matcher = AnswerMatcher(shipped_contracts(), scene(["a", "b"]))
    for wrong in (
        '{"steps":[{"args"',
        HEAD.partition('"column"')[0] + '"value"',
        HEAD.partition(',"op"')[0] + ',"value"',
    ):
        assert not matcher.is_prefix(wrong)
    decoded, _ = chosen(default_model, ["a", "b"])
    assert list(json.loads(decoded.text)["steps"][0]) == ["tool", "args"]
    assert list(json.loads(decoded.text)["steps"][0]["args"]) == ["column", "op", "value"]


@pytest.mark.model
def test_p63_p64_tables_in_turns_keep_their_own_columns_and_questions_their_prompt(
    tmp_path: Path, default_model: LlamaModel
) -> None:
    one = opened(tmp_path, "viloyat,qoldiq\nToshkent,1\nXorazm,2\n")
    two = opened(tmp_path, "ism,baho\nAli,5\nVali,4\n", name="u.csv")
    requests = ["saralash", "nechta qator bor"]
    first = [ask(each, request, default_model, max_rows=3) for each in (one, two) for request in requests]
    again = [ask(each, request, default_model, max_rows=3) for request in requests for each in (one, two)]
    assert [given.answer for given in again] == [first[place].answer for place in (0, 2, 1, 3)]
    for given in first[2:]:
        assert not {"viloyat", "qoldiq", "Toshkent"} & set(json.dumps(given.answer).split('"'))
    for given, workspace in ((first[1], one), (first[3], two)):
        prompt = prepare(workspace, requests[1]).prompt
        shared = default_model.shared_tokens(prompt.text, prompt.shared)[-1]
        assert given.tokens["reused"] > shared - SETTINGS.model.batch


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.model
@pytest.mark.usefixtures("ctrl_c")
def test_deadlines_and_ctrl_c_stop_between_tokens_and_the_model_goes_on(default_model: LlamaModel) -> None:
    matcher = AnswerMatcher(shipped_contracts(), scene(None))
    begun = default_model.tokenise(HEAD + '":"')
    whole = decode(default_model, matcher, PROMPT, SHORT.model, begun=begun)
    heard: list[str] = []

    def press(text: str) -> None:
        heard.append(text)
        if len(heard) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        decode(default_model, matcher, PROMPT, SHORT.model, begun=begun, writing=press)
    assert len(heard) == 2
    with pytest.raises(ModelError) as caught:
        decode(default_model, matcher, PROMPT, replace(SHORT.model, seconds=1e-9), begun=begun)
    assert caught.value.reason == "too_slow"
    again = decode(default_model, matcher, PROMPT, SHORT.model, begun=begun)
    assert (again.text, again.written) == (whole.text, whole.written)
