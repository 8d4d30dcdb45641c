"""Random plans over random tables, three ways: step by step, as one statement, and over plain Python rows.

Plans with a tool that the reference does not cover are compared the first two ways alone.
"""

import json
import os
from datetime import date
from typing import Any

from databases import BASE, SETTINGS, Contents, make_table, opened
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from reference import NotCovered, Reference, Rows, shown, stored
from strategies import CONTRACTS, written_answers

from accuracy.compare import same_result
from engine import database, plan_sql, run_plan
from engine.plan import planned_steps
from engine.profile import opened_scene, table_state
from grammar import AnswerMatcher, Scene, by_name

EXAMPLES = {"dev": 30, "check": 300, "soak": 5000}[os.environ.get("HYPOTHESIS_PROFILE", "dev")]
CON = opened()
OTHER = "o'ther"
COVERED = [each for each in CONTRACTS if hasattr(Reference, each["name"])]
NAMES = ["region", "Order", "y'z", 'a"b', "ўлчов", "place", "count", "share", "t", "v", "k0", "rowid_"]
TEXTS = ["Toshkent", "TOSHKENT ", "toshkent", "O'zbek", "Oʻzbek", "o‘ZBEK", "Город", "ГОРОД", "", "  ", "a10", "a9"]
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "VARCHAR": st.sampled_from(TEXTS),
    "BIGINT": st.integers(-3, 3) | st.sampled_from([10**12, -(10**15)]),
    "DECIMAL(4,2)": st.decimals(-99, 99, places=2),
    "DOUBLE": st.sampled_from([0.0, -1.5, 2.5, 0.25, 1e9]),
    "DATE": st.dates(date(2023, 12, 1), date(2024, 2, 1)),
    "BOOLEAN": st.booleans(),
}


@st.composite
def plain_tables(draw: st.DrawFn, most: int = 8) -> Contents:
    """A table of a few columns, with odd names, empty cells and many ties."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    kinds = [draw(st.sampled_from(list(CELLS))) for _ in names]
    row = st.tuples(*(st.none() | CELLS[kind] for kind in kinds)).map(list)
    return Contents(list(zip(names, kinds, strict=True)), draw(st.lists(row, max_size=most)))


def as_rows(name: str) -> Rows:
    described = database.describe(CON, f'"{name}"')
    found = database.query(CON, f'SELECT * FROM "{name}"')
    kinds = [(column, database.kind_of(kind)) for column, kind in described]
    return Rows(kinds, [[stored(cell) for cell in row] for row in found])


def test_three_ways_agree() -> None:
    compared: list[bool] = []

    @examples(max_examples=EXAMPLES)
    @given(st.data(), plain_tables(), st.none() | plain_tables(4), st.integers(0, 4))
    def three_ways(data: st.DataObject, table: Contents, beside: Contents | None, every_tool: int) -> None:
        database.drop(CON, database.tables(CON))
        make_table(CON, table)
        names = [BASE]
        if beside is not None:
            make_table(CON, beside, OTHER)
            names.append(OTHER)
        state = opened_scene([table_state(CON, name, SETTINGS) for name in names]).tables[0]
        matcher = AnswerMatcher(CONTRACTS if every_tool == 0 else COVERED, Scene((state,)))
        steps = json.loads(data.draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))["steps"]
        result = run_plan(CON, BASE, steps, SETTINGS)
        statement = plan_sql(CON, BASE, steps, SETTINGS)
        with database.steady(CON):
            assert same_result(result["rows"], database.query(CON, statement), SETTINGS, ordered=True), statement
        others = {OTHER: as_rows(OTHER)} if beside is not None else {}
        try:
            states = [read for _, read in planned_steps(by_name(CONTRACTS), state, steps)]
            expected = Reference(CON, others).run(as_rows(BASE), steps, states)
        except NotCovered:
            compared.append(False)
            return
        compared.append(True)
        assert [name for name, _ in expected.columns] == result["columns"]
        assert [kind for _, kind in expected.columns] == result["kinds"]
        assert same_result(result["rows"], shown(expected), SETTINGS, ordered=True), (steps, shown(expected))

    three_ways()
    assert compared.count(True) > len(compared) / 2
