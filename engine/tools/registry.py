"""What an executor gets, what it returns, and how executors are registered and paired with their contracts."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType, ModuleType
from typing import Any, Concatenate, Literal, TypeAlias

from engine import database, sql
from engine.settings import Settings
from grammar import Contract, ContractError, Kind, TableState, unique_name

ROW = "t"
Note: TypeAlias = dict[str, Any]


class RowCount:
    """How many rows a source has: counted when it is first asked for, unless somebody has told it by then."""

    def __init__(self, known: int | None = None, count: Callable[[], int] | None = None) -> None:
        self._known = known
        self._count = count

    @property
    def known(self) -> bool:
        """Whether nobody has to count any more."""
        return self._known is not None

    def told(self, rows: int) -> None:
        """Take the number from who has just counted."""
        self._known = rows

    def __call__(self) -> int:
        """Return the number."""
        if self._known is None:
            if self._count is None:
                raise RuntimeError("nobody has counted")
            self._known = self._count()
        return self._known


def bracketed(select: str) -> str:
    """Return a SELECT as a source."""
    return f"({select})"


def nothing() -> None:
    """Do nothing."""


def unfilled(types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
    """Refuse to make a table of rows: there is nowhere to put it."""
    raise RuntimeError("nothing takes rows here")


def unknown(column: str) -> bool:
    """Say that nothing is known of a column."""
    return False


@dataclass(frozen=True)
class Table:
    """The table that a step reads.

    `source` stands after FROM, and executors write it `FROM {source} AS t`; `columns` gives the DuckDB type of each
    column in order; `rows` counts. Cells are expressions over the row `t`. `state` is what the plan knows of the table,
    `others` gives the quoted name of each other opened table. Where `evidence` is false, nobody wants notes.

    On a large table every scan counts. `tally` counts several things in one; `prepared` keeps the rows of a SELECT
    that a step reads more than once. `place` is the cell that orders the rows where the source has one, `carried` what
    hands it on in a SELECT; `finite` tells of columns whose numbers or dates are all finite. `check_time` raises where
    the time of the plan is over. `fill` makes a source of rows, given the types of its columns.
    """

    con: database.Connection
    source: str
    columns: Mapping[str, str]
    counted: RowCount
    settings: Settings
    state: TableState
    others: Mapping[str, str] = field(default_factory=dict)
    evidence: bool = True
    place: str = ""
    carried: str = ""
    prepare: Callable[[str], str] = bracketed
    check_time: Callable[[], None] = nothing
    most: int | None = None
    finite: Callable[[str], bool] = unknown
    fill: Callable[[Mapping[str, str], Sequence[Sequence[Any]]], str] = unfilled

    @property
    def rows(self) -> int:
        """How many rows there are; may take a scan."""
        return self.counted()

    @property
    def most_rows(self) -> int:
        """How many rows there are at most, which is often known without a scan."""
        return self.rows if self.most is None else self.most

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
        cell = self.cell(column)
        return cell if self.is_finite(column) else sql.value_of(cell, self.type(column))

    def filled(self, column: str) -> str:
        """Return the condition that a column's cell is not empty."""
        cell = self.cell(column)
        return f"({cell} IS NOT NULL)" if self.is_finite(column) else sql.filled(cell, self.type(column))

    def is_finite(self, column: str) -> bool:
        """Return whether a column of binary numbers or dates is known to hold none that is not finite."""
        return sql.may_be_infinite(self.type(column)) and self.finite(column)

    def known_values(self, column: str) -> tuple[str, ...] | None:
        """Return all values that a column may hold, None where they are not known; each as it is stored."""
        return next((each.all_values() for each in self.state.columns if each.name == column), None)

    def select_list(self, replaced: Mapping[str, str] | None = None) -> str:
        """Return all columns in order for a SELECT, some of them replaced by expressions."""
        changed = replaced or {}
        parts = [
            f"{changed[column]} AS {sql.name(column)}" if column in changed else f"{ROW}.{sql.name(column)}"
            for column in self.columns
        ]
        return ", ".join([*parts, self.carried] if self.carried else parts)

    def numbered(self) -> tuple[str, str]:
        """Return a source with every row's place in the table's own order, and the cell that holds it."""
        place = sql.name(unique_name("place", self.columns))
        number = self.place or "row_number() OVER ()"
        rows = f"SELECT {self.select_list()}, {number} AS {place} FROM {self.source} AS {ROW}"
        return f"({rows})", f"{ROW}.{place}"

    def query(self, statement: str) -> list[database.Row]:
        """Return the rows of a look-up."""
        self.check_time()
        return database.query(self.con, statement)

    def count(self, condition: str) -> int:
        """Return how many rows fulfil a condition."""
        return self.tally(condition)[0]

    def tally(self, *conditions: str) -> list[int]:
        """Return how many rows fulfil each condition; one scan, which counts the rows, too."""
        asked = ["count(*)", *(f"count(*) FILTER (WHERE {condition})" for condition in conditions)]
        rows, *found = self.query(f"SELECT {', '.join(asked)} FROM {self.source} AS {ROW}")[0]
        self.counted.told(rows)
        return found

    @property
    def prepares(self) -> bool:
        """Whether what is prepared is made once, and not each time that it is read."""
        return self.prepare is not bracketed

    def prepared(self, select: str) -> str:
        """Return a source with the rows of a SELECT over this table, made once where that can be."""
        return self.prepare(select)

    def over(self, select: str) -> "Table":
        """Return the table that a SELECT over this one gives."""
        return replace(self._read_from(bracketed(select)), state=replace(self.state, columns=()))

    def other(self, name: str) -> "Table":
        """Return another opened table, which a plan names as `name`."""
        return replace(self._read_from(self.others[name]), state=self.state.other(name), others={})

    def _read_from(self, source: str) -> "Table":
        counted = RowCount(count=lambda: int(self.query(f"SELECT count(*) FROM {source}")[0][0]))
        described = dict(database.describe(self.con, source))
        return replace(
            self, source=source, columns=described, counted=counted, place="", carried="", most=None, finite=unknown
        )


@dataclass(frozen=True)
class Made:
    """What a step makes: the SELECT of its table, notes (evidence without step and tool), and artifacts.

    `rows` is how many rows the SELECT gives, where the executor knows. `repeated` names the columns of its table of
    which it put one cell into several rows.
    """

    select: str
    notes: list[Note] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    rows: RowCount | int | None = None
    repeated: frozenset[str] = frozenset()


def cleaning_report(column: str | None, changed: int, left: int, **more: Any) -> dict[str, Any]:
    """Return the artifact of a cleaning step: how many cells (rows, where no column is named) it changed and left."""
    named = {} if column is None else {"column": column}
    return {"kind": "cleaning_report", **named, "changed": changed, "left": left, **more}


Executor: TypeAlias = Callable[Concatenate[Table, ...], Made]

_MARK = "executes"


@dataclass(frozen=True)
class Habits:
    """How an executor goes about its table, for running it on a large one.

    `tool`: the tool that it executes. `lazy`: its SELECT costs little more than reading the rows, which it reads once,
    so that it may stand as a view (`in_order`: each row comes from one row, in their order; `reordered`: in another
    order). `named`: it reads only the columns that its arguments name, and hands on all others as they are. `own`: it
    calls a function of the user's, which no SQL stands for.
    """

    tool: str
    lazy: Literal["", "in_order", "reordered"] = ""
    named: bool = False
    own: bool = False


def executes(
    tool: str, *, lazy: Literal["", "in_order", "reordered"] = "", named: bool = False, own: bool = False
) -> Callable[[Executor], Executor]:
    """Mark the function as the executor of a tool, with its habits."""

    def mark(executor: Executor) -> Executor:
        setattr(executor, _MARK, Habits(tool, lazy, named, own))
        return executor

    return mark


def habits_of(executor: Executor) -> Habits:
    """Return the habits of an executor; of one without a mark nothing is presumed."""
    habits = getattr(executor, _MARK, None)
    return habits if isinstance(habits, Habits) else Habits("")


def executors_of(*modules: ModuleType) -> Mapping[str, Executor]:
    """Return the functions of these modules that are marked as executors, by tool.

    ContractError if a tool has two.
    """
    found: dict[str, Executor] = {}
    for value in (value for module in modules for value in vars(module).values()):
        tool = habits_of(value).tool if inspect.isfunction(value) else ""
        if tool and found.setdefault(tool, value) is not value:
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
