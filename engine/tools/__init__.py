"""The tools' executors, one function each, marked with the name of their contract.

An executor reads a `Table` and returns what it `Made`: the SELECT of the step's table, and the notes that a careful
colleague would add. It never changes anything. A new tool is a contract in `prompt/tools.json`, a function in one of
these modules, and a case file under `tests/cases/tools/`.
"""

from . import (
    appending,
    charts,
    cleaning,
    columns,
    computed,
    describing,
    export,
    joining,
    periods,
    pivoting,
    reading,
    rows,
    spelling,
    totals,
)
from .registry import Executor, Made, Table, executes, executors_of, paired

EXECUTORS = executors_of(
    appending,
    charts,
    cleaning,
    columns,
    computed,
    describing,
    export,
    joining,
    periods,
    pivoting,
    reading,
    rows,
    spelling,
    totals,
)

__all__ = [
    "EXECUTORS",
    "Executor",
    "Made",
    "Table",
    "appending",
    "charts",
    "cleaning",
    "columns",
    "computed",
    "describing",
    "executes",
    "executors_of",
    "export",
    "joining",
    "paired",
    "periods",
    "pivoting",
    "reading",
    "rows",
    "spelling",
    "totals",
]
