"""Every tool by its case file, the pairing with its contract, and what holds of the tools on any table."""

import dataclasses
import json
import math
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from databases import BASE, SETTINGS, Contents, content_hash, make_table, opened, state_of, tables
from effort import FEWER
from hypothesis import given
from hypothesis import strategies as st
from strategies import CONTRACTS, written_answers
from tool_cases import ToolCase, load_cases

from engine import database, sql
from engine.plan import run_plan
from engine.settings import Settings
from engine.tools import EXECUTORS, Made, Table, executes, executors_of, paired, rows
from grammar import AnswerMatcher, ContractError, Scene, ToolError, by_name, unique_name

TOOLS = [contract["name"] for contract in CONTRACTS]
CASES = load_cases(TOOLS)
LEAST_CASES = 8


CON = opened()


def run(contents: Contents, *steps: tuple[str, dict[str, Any]], settings: Settings = SETTINGS) -> dict[str, Any]:
    make_table(CON, contents)
    return run_plan(CON, BASE, [{"tool": tool, "args": args} for tool, args in steps], settings, contracts=CONTRACTS)


def as_in_a_case(cell: object) -> object:
    """Return a cell as the case files write it, what JSON cannot hold as text."""
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell.isoformat() if isinstance(cell, date) else cell


def same_cell(found: object, expected: object) -> bool:
    if isinstance(found, float) and isinstance(expected, int | Decimal) and not isinstance(expected, bool):
        return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    return as_in_a_case(found) == expected


def same_rows(found: Sequence[Sequence[object]], expected: Sequence[Sequence[object]]) -> bool:
    return len(found) == len(expected) and all(
        all(same_cell(*cells) for cells in zip(*rows, strict=True)) for rows in zip(found, expected, strict=True)
    )


def with_tool_settings(changes: dict[str, Any]) -> Settings:
    """Return the settings with some of the part `tools` changed, a part of its own likewise."""
    changed = {
        key: dataclasses.replace(getattr(SETTINGS.tools, key), **value) if isinstance(value, dict) else value
        for key, value in changes.items()
    }
    return dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, **changed))


def as_written(args: dict[str, Any]) -> Any:
    """Return the arguments of a case as a plan writes them: fractions are floats."""
    return json.loads(json.dumps(args, default=float))


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Iterator[ToolCase]:
    """A case, its other tables in the database for the time."""
    given_case: ToolCase = request.param
    for name, other in given_case.others.items():
        make_table(CON, Contents(other["columns"], other["rows"]), name)
    yield given_case
    for name in given_case.others:
        database.execute(CON, f"DROP TABLE {sql.name(name)}")


@pytest.mark.parametrize("case", CASES, ids=str, indirect=True)
def test_case(case: ToolCase) -> None:
    contents = Contents(case.columns, case.rows)
    settings = with_tool_settings(case.settings)
    args = as_written(case.args)
    if case.error is not None:
        with pytest.raises(ToolError) as raised:
            run(contents, (case.tool, args), settings=settings)
        found = {"reason": raised.value.reason, "argument": raised.value.argument}
        assert found == {"argument": None, **case.error}
        assert raised.value.step == 1
        assert raised.value.tool == case.tool
        return
    result = run(contents, (case.tool, args), settings=settings)
    assert case.expected is not None
    assert result["columns"] == case.expected["columns"]
    assert same_rows(result["rows"], case.expected["rows"]), result["rows"]
    count, *notes = [{key: note[key] for key in note if key not in ("step", "tool")} for note in result["evidence"]]
    assert count == {"note": "rows", "rows_in": len(case.rows), "rows_out": len(case.expected["rows"])}
    if case.notes is not None:
        assert json.loads(json.dumps(notes), parse_float=Decimal) == case.notes
    if case.artifacts is not None:
        artifacts = json.loads(json.dumps(result["artifacts"]), parse_float=Decimal)
        assert artifacts == [{"step": 1, "tool": case.tool, **artifact} for artifact in case.artifacts]


def test_the_current_period_is_not_complete() -> None:
    today = date.today().isoformat()
    args = {"date_column": "d", "period": "year", "agg": "count"}
    result = run(Contents([("d", "DATE")], [["2001-12-31"], [today]]), ("period_compare", args))
    notes = [note for note in result["evidence"] if note["note"] == "incomplete_period"]
    assert [(note["period"], note["last"]) for note in notes] == [(f"{today[:4]}-01-01", today)]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.expected and "types" in case.expected], ids=str, indirect=True
)
def test_types_of_the_columns_made(case: ToolCase) -> None:
    make_table(CON, Contents(case.columns, case.rows))
    run_plan(
        CON, BASE, [{"tool": case.tool, "args": as_written(case.args)}], SETTINGS, keep_steps=True, contracts=CONTRACTS
    )
    assert case.expected is not None
    assert [kind for _, kind in database.describe(CON, 'temp.main."_step_1"')] == case.expected["types"]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_the_cases_that_matter(tool: str) -> None:
    cases = [case for case in CASES if case.tool == tool]
    assert len(cases) >= LEAST_CASES
    assert any(not case.rows and case.expected is not None for case in cases), "an empty table"
    assert any(len(case.rows) == 1 for case in cases), "one row"
    assert any("all cells empty" in case.description for case in cases), "all cells empty"
    assert any(case.error is not None for case in cases), "an error"
    assert any('"' in name or "'" in name for case in cases for name, _ in case.columns), "an odd name"


def test_contracts_and_executors_are_paired() -> None:
    paired(CONTRACTS, EXECUTORS)


def test_pairing_names_both_differences() -> None:
    executors = {tool: EXECUTORS[tool] for tool in TOOLS[1:]} | {"more": EXECUTORS["sort"]}
    with pytest.raises(ContractError) as raised:
        paired(CONTRACTS, executors)
    assert raised.value.facts == {"without_executor": [TOOLS[0]], "without_contract": ["more"]}


def test_pairing_compares_arguments() -> None:
    with pytest.raises(ContractError) as raised:
        paired([by_name(CONTRACTS)["top_n"]], {"top_n": EXECUTORS["sort"]})
    assert raised.value.facts == {
        "tool": "top_n",
        "contract": ["by", "descending", "group?", "n"],
        "executor": ["by", "descending"],
    }


def test_a_tool_has_one_executor() -> None:
    def again(table: Table, *, by: str) -> Made:
        return Made(f"SELECT {by} FROM {table.source}")

    other = ModuleType("other")
    other.again = executes("sort")(again)  # type: ignore[attr-defined]
    with pytest.raises(ContractError, match="two executors"):
        executors_of(rows, other)


@st.composite
def conditions(draw: st.DrawFn) -> tuple[Contents, dict[str, Any]]:
    """A table and the arguments of a filter on it, as the grammar lets them be written."""
    contents = draw(tables())
    matcher = AnswerMatcher([by_name(CONTRACTS)["filter"]], Scene((state_of(contents),)))
    answer = json.loads(draw(written_answers(matcher).filter(lambda text: '"steps"' in text)))
    args = answer["steps"][0]["args"]
    texts = [cell for row in contents.rows for cell in row if isinstance(cell, str) and cell.strip()]
    kinds = {name: database.kind_of(kind) for name, kind in contents.columns}
    if texts and "value" in args and kinds[args["column"]] == "text":
        args["value"] = draw(st.sampled_from([args["value"], *texts]))
    return contents, args


@given(conditions())
def test_filter_and_remove_rows_split_the_table(example: tuple[Contents, dict[str, Any]]) -> None:
    contents, args = example
    place = unique_name("row", [name for name, _ in contents.columns])
    contents = Contents([(place, "BIGINT"), *contents.columns], [[at, *row] for at, row in enumerate(contents.rows)])
    kept = [row[0] for row in run(contents, ("filter", args))["rows"]]
    removed = [row[0] for row in run(contents, ("remove_rows", args))["rows"]]
    assert kept == sorted(kept)
    assert removed == sorted(removed)
    assert sorted(kept + removed) == list(range(len(contents.rows)))


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Contents, dict[str, Any]]:
    contents = draw(tables())
    offered = [(name, kind) for name, kind in contents.columns if kind != "BLOB"]
    if not offered:
        offered = [("extra", "BIGINT")]
        contents = Contents([*contents.columns, *offered], [[*row, 1] for row in contents.rows])
    by, duckdb_type = draw(st.sampled_from(offered))
    number = database.kind_of(duckdb_type) == "number"
    agg = draw(st.sampled_from(["sum", "avg", "count", "min", "max"] if number else ["count", "min", "max"]))
    columns = draw(st.lists(st.sampled_from([name for name, _ in offered]), min_size=1, max_size=3))
    args = {"by": by, "n": draw(st.integers(1, 4)), "descending": draw(st.booleans())}
    return contents, {**args, "group": {"columns": columns, "agg": agg}}


@FEWER
@given(rankings())
def test_top_n_with_group_is_group_and_total_then_top_n(example: tuple[Contents, dict[str, Any]]) -> None:
    contents, args = example
    group = args["group"]
    one = run(contents, ("top_n", args))
    total = ("group_and_total", {"group_by": group["columns"], "value_column": args["by"], "agg": group["agg"]})
    by = run(contents, total)["columns"][-1]
    two = run(contents, total, ("top_n", {"by": by, "n": args["n"], "descending": args["descending"]}))
    for part in ("columns", "kinds", "rows"):
        assert one[part] == two[part]
    left_out = ("rows", "step")
    facts = [
        [{key: note[key] for key in note if key not in ("step", "tool")} for note in result["evidence"]]
        for result in (one, two)
    ]
    assert [note for note in facts[0] if note["note"] not in left_out] == [
        note for note in facts[1] if note["note"] not in left_out
    ]


def test_every_tool_runs_on_every_type_of_duckdb() -> None:
    con = opened()
    database.execute(con, "CREATE TABLE base AS SELECT * FROM test_all_types()")
    described = database.describe(con, "base")
    kinds = {name: database.kind_of(kind) for name, kind in described}
    assert {"number", "date", "text", "boolean", "other"} == set(kinds.values())
    before = content_hash(con)
    number = next(name for name, kind in kinds.items() if kind == "number")
    for name, kind in kinds.items():
        if kind == "other":
            continue
        for each in ("bar", "line", "pie"):
            step = {"tool": "chart", "args": {"kind": each, "x": name, "y": number}}
            run_plan(con, BASE, [step], SETTINGS, contracts=CONTRACTS)
        for step in _steps_about(name, kind):
            run_plan(con, BASE, [step], SETTINGS, contracts=CONTRACTS)
    for tool in ("remove_duplicates", "describe"):
        run_plan(con, BASE, [{"tool": tool, "args": {}}], SETTINGS, contracts=CONTRACTS)
    assert content_hash(con) == before


def _steps_about(name: str, kind: str) -> list[dict[str, Any]]:
    value: dict[str, Any] = {"number": 1.5, "date": "2024-01-05", "text": "a", "boolean": True}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("filter", {"column": name, "op": "=", "value": value[kind]}),
        ("remove_rows", {"column": name, "op": "in", "values": [value[kind]]}),
        ("filter", {"column": name, "op": "is_empty"}),
        ("sort", {"by": name, "descending": False}),
        ("top_n", {"by": name, "n": 1, "descending": True, "group": {"columns": [name], "agg": "max"}}),
        ("group_and_total", {"group_by": [name], "value_column": name, "agg": "count_distinct"}),
        ("remove_duplicates", {"columns": [name]}),
        ("fill_empty", {"column": name, "method": "previous"}),
        ("fill_empty", {"column": name, "method": "most_common"}),
        ("fill_empty", {"column": name, "method": "value", "value": value[kind]}),
    ]
    calls += [("export", {"format": "json"})]
    if kind == "number":
        calls += [("chart", {"kind": "histogram", "x": name})]
        calls += [("chart", {"kind": each, "x": name, "y": name}) for each in ("bar", "line", "pie", "scatter")]
        calls += [("group_and_total", {"value_column": name, "agg": agg}) for agg in ("sum", "avg", "median")]
        calls += [("fill_empty", {"column": name, "method": method}) for method in ("mean", "median")]
        calls += [
            ("add_column", {"name": name, "left": name, "op": op, "right": right})
            for op in "+-*/"
            for right in (name, 1.5)
        ]
        calls += [("add_share", {"value_column": name, "group_by": by}) for by in (None, [name])]
        calls += [("filter", {"column": name, "op": op, "value": 1e300}) for op in ("<", ">=")]
    if kind == "text":
        calls += [(tool, {"column": name}) for tool in ("fix_dates", "fix_numbers", "unify_spelling")]
        calls += [("filter", {"column": name, "op": "contains", "value": "A"})]
    if kind == "date":
        calls += [("filter", {"column": name, "op": "<", "value": "2024-01-05"})]
    return [{"tool": tool, "args": args} for tool, args in calls]


OPERATORS = {
    "=": lambda a, b: a == b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}


LIMITS = {
    "TINYINT": (-128, 127, 0),
    "UTINYINT": (0, 255, 0),
    "BIGINT": (-(2**63), 2**63 - 1, 0),
    "UBIGINT": (0, 2**64 - 1, 0),
    "HUGEINT": (-(2**127), 2**127 - 1, 0),
    "UHUGEINT": (0, 2**128 - 1, 0),
    "DECIMAL(4,2)": (-9999, 9999, 2),
    "DECIMAL(38,9)": (-(10**38) + 1, 10**38 - 1, 9),
}


@given(
    st.sampled_from(sorted(LIMITS)),
    st.sampled_from(sorted(OPERATORS)),
    st.integers(-(10**45), 10**45) | st.integers(-300, 300) | st.floats() | st.floats(-300, 300),
    st.data(),
)
def test_numbers_compare_exactly_and_never_fail(duckdb_type: str, op: str, value: float, data: st.DataObject) -> None:
    low, high, places = LIMITS[duckdb_type]
    cell = data.draw(st.integers(low, high))
    stored = Decimal((int(cell < 0), tuple(map(int, str(abs(cell)))), -places))
    condition = sql.compared(f"CAST('{stored:f}' AS {duckdb_type})", duckdb_type, op, value)
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    found = database.query(CON, f"SELECT {condition}")[0][0]
    assert found == (not exact.is_nan() and OPERATORS[op](stored, exact))


def test_the_case_loader_refuses_what_would_go_unread(tmp_path: Path) -> None:
    case = {"description": "d", "columns": [["a", "BIGINT"]], "rows": [[1]], "args": {}, "error": {"reason": "r"}}
    broken = {
        "unknown key": [{**case, "note": 1}],
        "empty file": [],
        "twice": [case, case],
        "no outcome": [{key: case[key] for key in case if key != "error"}],
        "two outcomes": [{**case, "expected": {"columns": ["a"], "rows": []}}],
        "short row": [{**case, "rows": [[]]}],
    }
    for cases in broken.values():
        (tmp_path / "sort.json").write_text(json.dumps(cases))
        with pytest.raises(ValueError, match="sort"):
            load_cases(["sort"], tmp_path)
    (tmp_path / "sort.json").write_text(json.dumps([case]))
    assert len(load_cases(["sort"], tmp_path)) == 1
    (tmp_path / "left_over.json").write_text(json.dumps([case]))
    with pytest.raises(ValueError, match="left_over"):
        load_cases(["sort"], tmp_path)
