"""Files that analysts met elsewhere, each read right: the cases of `cases/files/pains.json`.

A case has the file's `text` and the `types` of columns; further what stands in columns (`values`), what is asked
(`settle`), labels, what the report says (`said`), which calls are not offered (tool, column, perhaps agg), which
columns a phrase means (`links`), and the rows that `steps` end with (`result`). `as_text` are columns that stay text.
"""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tables_in_files import SETTINGS, written

from engine.database import describe, query
from engine.load_options import LoadOptions
from engine.report_text import report_lines
from engine.session import Workspace, open_workspace, run
from grammar import AnswerMatcher, Scene
from prompt.resolve import links

CASES = json.loads((Path(__file__).parents[1] / "cases" / "files" / "pains.json").read_text(encoding="utf-8"))
REQUIRED = {"pain", "description", "text", "types"}
OPTIONAL = {"values", "settle", "labels", "said", "not_offered", "links", "steps", "result", "as_text"}


def as_in_a_case(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.isoformat() if isinstance(cell, date) else cell


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['pain']}: {case['description']}")
def test_a_file_is_read_right(case: dict[str, Any], tmp_path: Path) -> None:
    assert REQUIRED <= case.keys() <= REQUIRED | OPTIONAL
    assert ("steps" in case) == ("result" in case)
    options = LoadOptions(types=dict.fromkeys(case.get("as_text", ()), "text"))
    workspace = open_workspace([written(tmp_path, case["text"])], SETTINGS, options=options)
    (table,) = workspace.tables
    types = dict(describe(workspace.con, f'"{table.name}"'))
    assert {column: types.get(column) for column in case["types"]} == case["types"]
    for column, values in case.get("values", {}).items():
        rows = query(workspace.con, f'SELECT "{column}" FROM "{table.name}"')
        assert [as_in_a_case(row[0]) for row in rows] == values
    settle = {report.column: report.settle for report in table.report.columns if report.settle is not None}
    assert settle == case.get("settle", {})
    assert {**table.labels, **case.get("labels", {})} == table.labels
    said = report_lines(table.report, "en")
    assert set(case.get("said", ())) <= set(said), said
    for call in case.get("not_offered", ()):
        assert not is_offered(workspace, *call)
    for phrase, columns in case.get("links", {}).items():
        found = links(phrase, workspace.scene, {}, SETTINGS.prompt)
        assert [link.column for link in found if link.column is not None] == columns
    if "steps" in case:
        result = run(workspace, [], {"steps": case["steps"]})
        assert [[as_in_a_case(cell) for cell in row] for row in result["rows"]] == case["result"]


def is_offered(workspace: Workspace, tool: str, column: str, agg: str | None = None) -> bool:
    matcher = AnswerMatcher(workspace.contracts, Scene(workspace.scene.tables))
    argument = "column" if agg is None else "value_column"
    text = f'{{"steps":[{{"tool":"{tool}","args":{{"{argument}":"{column}"'
    return matcher.is_prefix(text if agg is None else f'{text},"agg":"{agg}"')


def test_an_offered_call_counts_as_one(tmp_path: Path) -> None:
    workspace = open_workspace([written(tmp_path, "a,b\n1,x\n")], SETTINGS)
    assert is_offered(workspace, "group_and_total", "a", "sum")
    assert is_offered(workspace, "fix_dates", "b")
    assert not is_offered(workspace, "group_and_total", "b", "sum")
