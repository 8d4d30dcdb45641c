"""What a function returned: any value at all ends in a table that DuckDB takes as it is, or in an error of ours."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from databases import SETTINGS, Contents, make_table, opened
from hypothesis import given
from hypothesis import strategies as st

from engine import Rows, run_plan
from engine.own_calls import OwnThread, executor_of
from engine.own_rows import returned
from engine.own_tools import OwnTool, own_tool, tool
from engine.plan import shipped_contracts
from engine.tools import EXECUTORS
from grammar import Column, ToolError

CELLS = {
    "number": st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    "text": st.text(st.characters(exclude_categories=["Cs"])),
    "boolean": st.booleans(),
    "date": st.dates(date(1, 1, 1), date(9999, 12, 31)),
}
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(str.strip)
ODD: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.decimals()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.complex_numbers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=8,
)
THREAD = OwnThread()


def own(value: Any, returns: dict[str, str] | None) -> OwnTool:
    """Return a tool that returns the value."""
    declared = {} if returns is None else {"returns": returns}

    @tool({"name": "toy", "description": "A toy", "args": {}, **declared})
    def toy() -> Any:
        return value

    return own_tool(toy, __file__)


def result_of(value: Any, returns: dict[str, str] | None = None) -> dict[str, Any]:
    """Run a plan of the tool that returns the value."""
    con = opened()
    make_table(con, Contents([("a", "VARCHAR")], []))
    made = own(value, returns)
    executors = {**EXECUTORS, "toy": executor_of(made, THREAD)}
    contracts = [*shipped_contracts(), made.contract]
    return run_plan(con, "base", [{"tool": "toy"}], SETTINGS, contracts=contracts, executors=executors)


@given(value=ODD)
def test_any_value_is_a_table_or_an_error_of_ours(value: Any) -> None:
    for declared in (None, [Column("a", "number")]):
        rows, types, reason = [], {}, "own_"
        try:
            made = returned(value, declared, 1000)
            rows, types = list(made.rows), dict(made.types)
        except ToolError as error:
            reason = error.reason
        assert reason.startswith("own_")
        assert all(len(row) == len(types) for row in rows)


@given(data=st.data())
def test_rows_of_one_kind_a_column_come_back_as_they_are(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    rows = data.draw(st.lists(st.tuples(*(st.none() | CELLS[kind] for kind in kinds)), max_size=5))
    returns = {f"c{place}": kind for place, kind in enumerate(kinds)}
    found = result_of(rows, returns)
    assert (found["columns"], found["kinds"]) == (list(returns), kinds)
    for row, expected in zip(found["rows"], rows, strict=True):
        for cell, given_cell in zip(row, expected, strict=True):
            same = cell == given_cell or (isinstance(cell, float) and math.isclose(cell, float(given_cell)))
            assert same, (cell, given_cell)


@given(name=NAMES)
def test_a_column_may_have_any_name(name: str) -> None:
    assert result_of([{name: 1}])["columns"] == [name]


def test_decimals_moments_and_rows_as_a_sequence() -> None:
    found = result_of([{"d": Decimal("0.1"), "m": datetime(2026, 1, 2, 3, 4)}])
    assert found["rows"] == [(0.1, datetime(2026, 1, 2, 3, 4))]
    assert found["kinds"] == ["number", "date"]
    rows = Rows(["a", "b"], ["number", "text"], [(1, "x"), (2, "y")])
    assert (len(rows), rows[1], list(rows), rows.columns, rows.kinds) == (
        2,
        (2, "y"),
        [(1, "x"), (2, "y")],
        ("a", "b"),
        ("number", "text"),
    )
    assert list(rows.dicts()) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
