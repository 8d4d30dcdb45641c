"""What an executor gets, what it returns, and how executors are registered and paired with their contracts."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType, ModuleType
from typing import Any, Concatenate, TypeAlias

from engine import database, sql
from engine.settings import Settings
from grammar import Contract, ContractError, Kind, TableState, unique_name

ROW = "t"
Note: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """The table that a step reads.

    `source` stands after FROM, and executors write it `FROM {source} AS t`; `columns` gives the DuckDB type of each
    column in order; `rows` counts. Cells are expressions over the row `t`. `state` is what the plan knows of the table,
    `others` gives the quoted name of each other opened table.
    """

    con: database.Connection
    source: str
    columns: Mapping[str, str]
    rows: int
    settings: Settings
    state: TableState
    others: Mapping[str, str] = field(default_factory=dict)

    def kind(self, column: str) -> Kind:
        """Return the kind of a column."""
        return database.kind_of(self.columns[column])

    def type(self, column: str) -> str:
        """Return the DuckDB type of what `cell` gives: text of any sort is VARCHAR."""
        return "VARCHAR" if self.kind(column) == "text" else self.columns[column]

    def cell(self, column: str) -> str:
        """Return a column's cell as it stands."""
        cell = f"{ROW}.{sql.name(column)}"
        return sql.text(cell, self.columns[column]) if self.kind(column) == "text" else cell

    def value(self, column: str) -> str:
        """Return a column's cell, NULL where it is empty."""
        return sql.value_of(self.cell(column), self.type(column))

    def filled(self, column: str) -> str:
        """Return the condition that a column's cell is not empty."""
        return sql.filled(self.cell(column), self.type(column))

    def select_list(self, replaced: Mapping[str, str] | None = None) -> str:
        """Return all columns in order for a SELECT, some of them replaced by expressions."""
        changed = replaced or {}
        parts = [
            f"{changed[column]} AS {sql.name(column)}" if column in changed else f"{ROW}.{sql.name(column)}"
            for column in self.columns
        ]
        return ", ".join(parts)

    def numbered(self) -> tuple[str, str]:
        """Return a source with every row's place in the table's own order, and the quoted name of that column."""
        place = sql.name(unique_name("place", self.columns))
        rows = f"SELECT {self.select_list()}, row_number() OVER () AS {place} FROM {self.source} AS {ROW}"
        return f"({rows})", f"{ROW}.{place}"

    def query(self, statement: str) -> list[database.Row]:
        """Return the rows of a look-up."""
        return database.query(self.con, statement)

    def count(self, condition: str) -> int:
        """Return how many rows fulfil a condition."""
        return int(self.query(f"SELECT count(*) FROM {self.source} AS {ROW} WHERE {condition}")[0][0])

    def over(self, select: str) -> "Table":
        """Return the table that a SELECT over this one gives."""
        source = f"({select})"
        rows = int(self.query(f"SELECT count(*) FROM {source}")[0][0])
        described = dict(database.describe(self.con, source))
        return replace(self, source=source, columns=described, rows=rows)

    def other(self, name: str) -> "Table":
        """Return another opened table, which a plan names as `name`."""
        source = self.others[name]
        rows = int(self.query(f"SELECT count(*) FROM {source}")[0][0])
        described = dict(database.describe(self.con, source))
        return replace(self, source=source, columns=described, rows=rows, state=self.state.other(name), others={})


@dataclass(frozen=True)
class Made:
    """What a step makes: the SELECT of its table, notes (evidence without step and tool), and artifacts."""

    select: str
    notes: list[Note] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)


def cleaning_report(column: str | None, changed: int, left: int, **more: Any) -> dict[str, Any]:
    """Return the artifact of a cleaning step: how many cells (rows, where no column is named) it changed and left."""
    named = {} if column is None else {"column": column}
    return {"kind": "cleaning_report", **named, "changed": changed, "left": left, **more}


Executor: TypeAlias = Callable[Concatenate[Table, ...], Made]

_MARK = "executes"


def executes(tool: str) -> Callable[[Executor], Executor]:
    """Mark the function as the executor of a tool."""

    def mark(executor: Executor) -> Executor:
        setattr(executor, _MARK, tool)
        return executor

    return mark


def executors_of(*modules: ModuleType) -> Mapping[str, Executor]:
    """Return the functions of these modules that are marked as executors, by tool.

    ContractError if a tool has two.
    """
    found: dict[str, Executor] = {}
    for value in (value for module in modules for value in vars(module).values()):
        tool = getattr(value, _MARK, None) if inspect.isfunction(value) else None
        if tool is not None and found.setdefault(tool, value) is not value:
            raise ContractError("two_executors", tool=tool)
    return MappingProxyType(found)


def paired(contracts: Iterable[Contract], executors: Mapping[str, Executor]) -> None:
    """Raise ContractError unless contracts and executors are the same set of tools with the same arguments.

    An optional argument must have a default in the executor, a required one must have none.
    """
    declared = {contract["name"]: contract for contract in contracts}
    without_executor = sorted(declared.keys() - executors.keys())
    without_contract = sorted(executors.keys() - declared.keys())
    if without_executor or without_contract:
        raise ContractError(
            "not_paired", without_executor=without_executor or None, without_contract=without_contract or None
        )
    for tool, contract in declared.items():
        wanted = {name: bool(argument.get("optional")) for name, argument in contract["args"].items()}
        parameters = inspect.signature(executors[tool]).parameters.values()
        offered = {
            parameter.name: parameter.default is not inspect.Parameter.empty
            for parameter in parameters
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        if wanted != offered:
            raise ContractError("arguments_not_paired", tool=tool, contract=_said(wanted), executor=_said(offered))


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names of a result's columns, each made different from those before it."""
    made: list[str] = []
    for name in names:
        made.append(unique_name(name, made))
    return made


def plain(value: object) -> object:
    """Return a cell's value as JSON can carry it; a fraction that no float is written as becomes text."""
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return int(value)
        return float(value) if Decimal(repr(float(value))) == value else f"{value:f}"
    return value.isoformat() if isinstance(value, date) else value


def _said(arguments: Mapping[str, bool]) -> list[str]:
    return [f"{name}?" if optional else name for name, optional in sorted(arguments.items())]
