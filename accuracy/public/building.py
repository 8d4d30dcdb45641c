"""Builds a plan step by step, with what each step leaves for the next one to name."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.session import Workspace
from grammar import ToolError, by_name
from grammar.check import checked_step
from grammar.effects import state_after
from grammar.names import find_column
from grammar.state import TableState

# What a plan cannot say, each under a name of its own; a report sorts by them.
OR_OF_COLUMNS: Final = "or_between_conditions"
COLUMNS_COMPARED: Final = "columns_compared"
SEVERAL_TOTALS: Final = "several_totals"
TOTAL_OF_CALCULATION: Final = "calculation"
PATTERN: Final = "pattern"
TOO_MANY_STEPS: Final = "more_steps_than_allowed"
FIRST_ROWS: Final = "first_rows_without_order"
SEVERAL_ORDERS: Final = "order_by_several_columns"
OTHER_JOIN: Final = "other_join"
OTHER_STATEMENT: Final = "other_statement"
NO_COLUMN: Final = "no_such_column"
NO_TABLE: Final = "no_such_table"
REFUSED: Final = "refused_by_contract"


class CannotSayError(Exception):
    """A plan cannot say this; `reason` is one of the names above, `detail` what it is about."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class PlanBuilder:
    """A plan over one of the opened tables that grows step by step; `state` is the table after the last step."""

    def __init__(self, workspace: Workspace, table: str) -> None:
        tables = {state.name.casefold(): state for state in workspace.scene.tables}
        if table.casefold() not in tables:
            raise CannotSayError(NO_TABLE, table)
        self._contracts = by_name(workspace.contracts)
        self._several = len(tables) > 1
        self.state: TableState = tables[table.casefold()]
        self._table = self.state.name
        self.steps: list[dict[str, Any]] = []

    def step(self, tool: str, **args: Any) -> None:
        """Add a step. Raises CannotSayError where the contract refuses it or the plan is full."""
        if len(self.steps) == self.state.limits.max_steps:
            raise CannotSayError(TOO_MANY_STEPS)
        given = {name: value for name, value in args.items() if value is not None}
        try:
            checked = checked_step(self._contracts, self.state, {"tool": tool, "args": given}, len(self.steps) + 1)
        except ToolError as error:
            raise CannotSayError(REFUSED, f"{tool}: {error.reason}") from error
        self.steps.append(checked)
        self.state = state_after(self._contracts[tool], self.state, checked["args"])

    def column(self, name: str) -> str:
        """Return the exact name of a column of the current table; CannotSayError."""
        found = find_column(name, self.state.columns)
        if found is None:
            raise CannotSayError(NO_COLUMN, name)
        return found.name

    def names(self) -> list[str]:
        """Return the names of the current table's columns."""
        return [column.name for column in self.state.columns]

    def only(self, columns: Sequence[str]) -> None:
        """Keep these columns in this order, where that is not what the table has already."""
        if list(columns) != self.names():
            self.step("select_columns", columns=list(columns))

    def total(self, agg: str, value: str | None = None, groups: Sequence[str] = ()) -> str:
        """Add a total for each of the groups, or of the whole table, and return the name of its column."""
        self.step("group_and_total", group_by=list(groups) or None, value_column=value, agg=agg)
        return self.names()[-1]

    def answer(self) -> Mapping[str, Any]:
        """Return the plan as a model would write it. A table as it is takes no step, so one that keeps all of it."""
        if not self.steps:
            self.step("select_columns", columns=self.names())
        return {**({"table": self._table} if self._several else {}), "steps": self.steps}
