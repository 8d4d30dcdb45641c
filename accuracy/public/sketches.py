"""WikiSQL's sketches (a column, an aggregate, conditions) as plans."""

from collections.abc import Mapping
from typing import Any, Final

from engine import database, sql
from engine.session import Workspace

from .building import PlanBuilder

AGGREGATES: Final = {"MAX": "max", "MIN": "min", "COUNT": "count", "SUM": "sum", "AVG": "avg"}
_NUMERIC: Final = ("sum", "avg", "min", "max")


def plan_of_sketch(workspace: Workspace, sketch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the plan of a sketch: a filter for each condition, then the column or its aggregate.

    Columns are taken by their place. A value is written as the table writes it where they differ in letter case only,
    as WikiSQL compares. Raises CannotSayError.
    """
    plan = PlanBuilder(workspace, workspace.scene.tables[0].name)
    names = plan.names()
    selected = names[sketch["sel"]]
    for place, op, value in sketch["conds"]:
        _filter(workspace, plan, names[place], op, value)
    agg = AGGREGATES.get(sketch["agg"])
    if agg is None:
        plan.only([selected])
        return plan.answer()
    if agg in _NUMERIC and plan.state.column(selected).kind == "text" and _reads_as_numbers(workspace, selected):
        plan.step("fix_numbers", column=selected)
    plan.total(agg, selected)
    return plan.answer()


def _filter(workspace: Workspace, plan: PlanBuilder, column: str, op: str, value: Any) -> None:
    kind = plan.state.column(column).kind
    if kind == "number":
        number = _number(value)
        if number is None:  # the set's mark for a missing cell, which Tez opened as an empty one
            plan.step("filter", column=column, op="is_empty")
        else:
            plan.step("filter", column=column, op=op, value=number)
        return
    if op != "=" or kind == "date":
        plan.step("filter", column=column, op=op, value=value)
        return
    spellings = _spellings(workspace, column, str(value)) or [str(value)]
    if len(spellings) == 1:
        plan.step("filter", column=column, op="=", value=spellings[0])
    else:
        plan.step("filter", column=column, op="in", values=spellings)


def _number(value: Any) -> float | None:
    """Return the number that a value is or reads as; None for other text."""
    try:
        number = float(str(value).strip().removesuffix("%").replace(",", ""))
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


def _spellings(workspace: Workspace, column: str, value: str) -> list[str]:
    """Return the cells of a column that differ from a value in letter case and outer blanks only."""
    table, cell = sql.name(workspace.scene.tables[0].name), sql.name(column)
    statement = f"SELECT DISTINCT {cell} FROM {table} WHERE lower(trim({cell})) = lower(trim({sql.literal(value)}))"
    return [str(each) for (each,) in database.query(workspace.con, statement)]


def _reads_as_numbers(workspace: Workspace, column: str) -> bool:
    """Return whether a text column has cells that read as numbers, so that the set can order them by size."""
    table, cell = sql.name(workspace.scene.tables[0].name), sql.name(column)
    statement = f"SELECT count(*) FROM {table} WHERE try_cast(replace({cell}, ',', '') AS DOUBLE) IS NOT NULL"
    return bool(database.query(workspace.con, statement)[0][0])
