"""Parts of a request as the steps of a plan."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

from accuracy.public.building import PlanBuilder
from engine.session import Workspace

from .meanings import (
    Best,
    Calculated,
    Columns,
    Distinct,
    Drawn,
    Mended,
    Order,
    Part,
    Periods,
    Share,
    Spread,
    Top,
    TopGroups,
    Total,
    Where,
    Written,
)
from .tables import Made, MadeTable


def plan_of(workspace: Workspace, table: MadeTable, parts: Sequence[Part]) -> Mapping[str, Any]:
    """Return the plan of the parts over the opened table. Raises CannotSayError where a contract refuses a part."""
    state = workspace.scene.tables[0]
    builder = PlanBuilder(workspace, state.name)
    opened = {made.name: column.name for made, column in zip(table.columns, state.columns, strict=True)}
    for part in parts:
        _add(part, builder, opened)
    return builder.answer()


@singledispatch
def _add(part: Any, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    raise TypeError(part)


@_add.register
def _(part: Where, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    given = {"values": list(part.value)} if part.op in ("in", "not_in") else {"value": part.value}
    builder.step("remove_rows" if part.drop else "filter", column=opened[part.column.name], op=part.op, **given)


@_add.register
def _(part: Total, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.total(part.agg, _name(part.value, opened), [opened[group.name] for group in part.groups])


@_add.register
def _(part: TopGroups, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    group = {"columns": [opened[part.group.name]], "agg": part.agg}
    builder.step("top_n", by=opened[part.value.name], n=part.n, descending=part.descending, group=group)


@_add.register
def _(part: Top, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("top_n", by=opened[part.by.name], n=part.n, descending=part.descending)


@_add.register
def _(part: Order, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("sort", by=_name(part.by, opened) or builder.names()[-1], descending=part.descending)


@_add.register
def _(part: Best, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("top_n", by=builder.names()[-1], n=part.n, descending=part.descending)


@_add.register
def _(part: Columns, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step(
        "describe" if part.describe else "select_columns", columns=[opened[each.name] for each in part.columns]
    )


@_add.register
def _(part: Periods, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    day, value = opened[part.day.name], _name(part.value, opened)
    builder.step("period_compare", date_column=day, period=part.period, value_column=value, agg=part.agg)


@_add.register
def _(part: Spread, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    rows, column = [opened[part.rows.name]], opened[part.column.name]
    builder.step("pivot", rows=rows, column=column, value_column=_name(part.value, opened), agg=part.agg)


@_add.register
def _(part: Share, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("add_share", value_column=builder.names()[-1])


@_add.register
def _(part: Calculated, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    right = opened[part.right.name] if isinstance(part.right, Made) else part.right
    builder.step("add_column", name=part.name, left=opened[part.left.name], op=part.op, right=right)


@_add.register
def _(part: Mended, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    column = opened[part.column.name]
    if part.how in ("fix_dates", "fix_numbers", "unify_spelling"):
        builder.step(part.how, column=column)
    else:
        builder.step("fill_empty", column=column, method=part.how, value=part.value)


@_add.register
def _(part: Distinct, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("remove_duplicates", columns=[opened[each.name] for each in part.columns] or None)


@_add.register
def _(part: Drawn, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("chart", kind=part.kind, x=builder.names()[0], y=builder.names()[-1])


@_add.register
def _(part: Written, builder: PlanBuilder, opened: Mapping[str, str]) -> None:
    builder.step("export", format=part.format)


def _name(made: Made | None, opened: Mapping[str, str]) -> str | None:
    return None if made is None else opened[made.name]
