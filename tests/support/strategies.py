"""The random values of this project's property tests: names, columns, states, texts near an answer."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import prompt
from grammar import AnswerMatcher, Column, Limits, Scene, TableState, load_contracts, same_name

CONTRACTS = load_contracts(Path(prompt.__file__).with_name("tools.json"))
LIMITS = Limits(
    text_length=12,
    list_length=3,
    number_digits=9,
    number_decimals=3,
    integer_digits=3,
    question_options=3,
    pivot_columns=4,
    max_steps=4,
)
KINDS = ("number", "date", "text", "boolean", "other")
NASTY = [
    '"',
    "\\",
    "\n",
    "\t",
    "'",
    "`",
    "]}",
    '"}}',
    "\x00",
    "\x7f",
    "é",
    "e\u0301",
    "ў",
    "ʻ",
    "😀",
    "ש",
    "); drop table t; --",
]

characters = st.characters(exclude_categories=["Cs"])
pieces = st.one_of(st.text(characters, min_size=1, max_size=6), st.sampled_from(NASTY), st.sampled_from("abAB12 "))
texts = st.lists(pieces, min_size=1, max_size=4).map("".join).filter(lambda text: text.strip() != "")


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(KINDS))
    values = None
    if kind == "text":
        values = draw(st.none() | st.lists(texts, max_size=5, unique=True).map(tuple))
    day_order = draw(st.sampled_from((None, "dmy", "unclear"))) if kind == "text" else None
    return Column(name, kind, values, day_order=day_order)


@st.composite
def states(draw: st.DrawFn, name: str = "base", max_columns: int = 6) -> TableState:
    names = draw(st.lists(texts, max_size=max_columns, unique_by=same_name))
    groups = draw(st.lists(st.sampled_from(names), unique=True, max_size=2)) if names else []
    return TableState(tuple(draw(columns(each)) for each in names), LIMITS, tuple(groups), name)


@st.composite
def joined(draw: st.DrawFn, state: TableState, others: Sequence[TableState]) -> TableState:
    """A state whose columns know the columns of other tables that they can meet, or do not know them."""
    partners = [(other.name, column.name) for other in others for column in other.columns]
    known = st.lists(st.sampled_from(partners), unique=True, max_size=3).map(tuple) if partners else st.just(())
    return replace(state, columns=tuple(replace(each, joins=draw(st.none() | known)) for each in state.columns))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    count = draw(st.integers(1, 2))
    drawn = [draw(states(name=f"t'{number}", max_columns=4)) for number in range(count)]
    alone = [draw(joined(state, [other for other in drawn if other is not state])) for state in drawn]
    tables = tuple(replace(state, others=tuple(other for other in alone if other is not state)) for state in alone)
    result = draw(st.none() | states(max_columns=4))
    if result is not None:
        others = tables[0].others
        result = replace(draw(joined(result, others)), others=others)
    return Scene(tables, result)


@st.composite
def written_answers(draw: st.DrawFn, matcher: AnswerMatcher) -> str:
    """A text that the matcher let somebody write, byte by byte."""
    random = draw(st.randoms(use_true_random=False))
    written = matcher.start()
    while allowed := sorted(matcher.first_bytes(written)):
        following = matcher.advance(written, bytes((random.choice(allowed),)))
        assert following is not None
        written = following
    return written.text.decode()


@st.composite
def texts_near(draw: st.DrawFn, text: str) -> str:
    """A text that differs a little from another: one place changed, or the same JSON value written otherwise."""
    place = draw(st.integers(0, len(text)))
    change = draw(st.sampled_from(["insert", "delete", "replace", "spaces", "ascii", "cut", "none"]))
    insert = draw(st.sampled_from([*'0123456789.-+eE"\\{}[],: aя', "\\u0041", "\n", "😀"]))
    match change:
        case "insert":
            return text[:place] + insert + text[place:]
        case "delete":
            return text[:place] + text[place + 1 :]
        case "replace":
            return text[:place] + insert + text[place + 1 :]
        case "spaces":
            return json.dumps(json.loads(text), ensure_ascii=False)
        case "ascii":
            return json.dumps(json.loads(text), separators=(",", ":"))
        case "cut":
            return text[:place]
        case _:
            return text


def parsed(text: str) -> Any:
    """Return the JSON value of a text, None if it is none. Numbers that JSON does not know count as none."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return None
