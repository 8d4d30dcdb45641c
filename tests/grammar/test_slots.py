"""The parts of an answer's text: without a gap, each with its role."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar import by_name, first_part, load_contracts, slots

CONTRACTS = by_name(load_contracts(Path(__file__).parents[2] / "prompt" / "tools.json"))
PLAN = (
    '{"table":"a","steps":[{"tool":"filter","args":{"column":"val\\"yuta","op":"in","values":["Ўзб","E"]}},'
    '{"tool":"top_n","args":{"by":"x","n":3,"descending":true,"group":{"columns":["v"],"agg":"sum"}}},'
    '{"tool":"join_table","args":{"table":"b","column":"v","other_column":"w","how":"left"}}]}'
)


def test_each_part_has_its_role() -> None:
    found = slots(CONTRACTS, PLAN)
    data = PLAN.encode()
    told = [(each.role, data[each.start : each.end].decode()) for each in found if each.role != "between"]
    assert told == [
        ("opening", '{"table":'),
        ("table", '"a"'),
        ("tool", '"filter"'),
        ("column", '"val\\"yuta"'),
        ("word", '"in"'),
        ("value", '"Ўзб"'),
        ("value", '"E"'),
        ("tool", '"top_n"'),
        ("column", '"x"'),
        ("value", "3"),
        ("value", "true"),
        ("column", '"v"'),
        ("word", '"sum"'),
        ("tool", '"join_table"'),
        ("table", '"b"'),
        ("column", '"v"'),
        ("column", '"w"'),
        ("word", '"left"'),
    ]
    assert found[-1].end == len(data)
    assert [one.end for one in found[:-1]] == [other.start for other in found[1:]]


def test_the_parts_of_a_question() -> None:
    found = slots(CONTRACTS, '{"question":{"kind":"which_column","options":["a","b"]}}')
    assert [each.role for each in found] == ["opening", "value", "between", "option", "between", "option", "between"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), json_values, min_size=1, max_size=4))
def test_paths_lead_to_the_values_of_any_json(value: dict[str, object]) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    data = text.encode()
    found = slots({}, text) if not {"steps", "question", "table"} & value.keys() else ()
    for each in found:
        part = data[each.start : each.end].decode()
        reached: object = value
        for key in each.path:
            reached = reached[key]  # type: ignore[index]
        assert each.role in ("opening", "between") or json.loads(part) == reached
    assert not found or b"".join(data[each.start : each.end] for each in found) == data


@pytest.mark.parametrize(
    ("data", "role", "part"),
    [
        (b'"a\\"b"x', "column", b'"a\\"b"'),
        (b'"a', "column", None),
        (b"12,", "value", b"12"),
        (b"12", "value", None),
        (b"true}", "value", b"true"),
        (b',"a":[', "between", b',"a":['),
        (b',"a"', "between", b","),
        (b'},{"tool":"x', "between", b'},{"tool":'),
        (b"]}}]}", "between", b"]}}]}"),
        (b"]", "between", None),
        (b'{"question":{"kind":"w', "opening", b'{"question":{"kind":'),
    ],
)
def test_the_first_part_of_a_text(data: bytes, role: str, part: bytes | None) -> None:
    assert first_part(data, role) == part  # type: ignore[arg-type]
