"""A plan as one SQL statement: a WITH chain of its steps over the opened table's name.

The steps run as they do in `run_plan`, since executors look at the data; meanwhile the SELECT of each is written down.
What a step read from the data (spellings, the values of a pivot, a mean) stands in the statement as values.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grammar import Contract, TableState, ToolError, unique_name

from . import database, sql
from .database import Connection
from .plan import Plan, Run, Step, drop_failed_steps, in_time, prepared_plan, run_steps, step_names, untold
from .settings import Settings
from .sql_layout import bare_words, laid_out, replaced
from .step_tables import STEP_MARK, Source, StepTables, compared_by_letters, count, hidden_name
from .tools import Executor
from .tools.registry import Made, RowCount, Table, bracketed, habits_of

_PASSING = frozenset({"chart", "export"})


@dataclass(frozen=True)
class _Written:
    """The SELECT of a step, the tool, and the name of the table that the run made of it."""

    tool: str
    select: str
    table: str


class _WrittenSteps(StepTables):
    """Makes a real table of every step and writes its SELECT down, which counts on nothing that only a table has."""

    written: list[_Written]

    def read_by(
        self, executor: Executor, state: TableState, others: Mapping[str, str], settings: Settings, *, evidence: bool
    ) -> Table:
        table = super().read_by(executor, state, others, settings, evidence=evidence)
        return replace(table, place="", carried="", prepare=bracketed)

    def make(self, number: int, executor: Executor, table: Table, made: Made) -> RowCount:
        counted = super().make(number, executor, table, made)
        self.written.append(_Written(habits_of(executor).tool, _plainer(made.select, table), self.source.text))
        return counted


def _plainer(select: str, table: Table) -> str:
    """Return the SELECT with the tests for blank text in their short form; those of executors are the quick ones.

    Inside a literal their quotes would be doubled, so none is taken for a test.
    """
    blanks = sql.literal(sql.BLANKS)
    for column in table.columns:
        if table.type(column) == "VARCHAR":
            cell = table.cell(column)
            filled = f"(coalesce(trim({cell}, {blanks}), '') <> '')"
            select = select.replace(table.value(column), f"(CASE WHEN trim({cell}, {blanks}) <> '' THEN {cell} END)")
            select = select.replace(table.filled(column), filled)
    return select


def plan_sql(
    con: Connection,
    base: str,
    steps: Iterable[Step],
    settings: Mapping[str, Any] | Settings,
    *,
    contracts: Sequence[Contract] | None = None,
    executors: Mapping[str, Executor] | None = None,
    known: Sequence[TableState] = (),
) -> str:
    """Return the plan as one SELECT for DuckDB, which gives the table that `run_plan` gives; no `;` behind it.

    It reads the tables by their names, of `base` and of what is joined or appended, and holds for the data as it is:
    run again over other rows, it knows the spellings and values of these. Steps that only draw or write a file leave
    nothing in it. Raises what `run_plan` raises; the tables that it makes meanwhile are gone when it returns.
    """
    with prepared_plan(con, base, steps, settings, contracts, executors, known) as plan:
        _check_own(plan)
        names = step_names(con, len(plan.steps))
        try:
            with in_time(con, plan.settings.tools.plan_seconds) as deadline:
                opened = _opened(con, plan, base)
                rows = RowCount(count(con, opened.source))
                hidden, nothing_left_out = hidden_name(plan.states), [None] * len(names)
                tables = _WrittenSteps(con, names, Source(opened.source, rows), nothing_left_out, hidden, 2**63)
                tables.written = []
                run_steps(opened, Run(tables, plan.settings, False, untold), deadline)
                made = _statement(con, base, opened, tables.written)
        except BaseException:
            drop_failed_steps(con)
            raise
        database.drop_temporary(con, STEP_MARK)
        return made


def _check_own(plan: Plan) -> None:
    """Raise ToolError where a step calls a function of the user's: no statement stands for that."""
    for number, (step, _) in enumerate(plan.steps, 1):
        if habits_of(plan.executors[step["tool"]]).own:
            raise ToolError("own_tool_in_sql", step=number, tool=step["tool"])


def _opened(con: Connection, plan: Plan, base: str) -> Plan:
    """Return the plan with its tables by their names alone, unless a column might have a collation of its own."""
    sources = {name: database.find_table(con, name) or "" for name in (base, *plan.others)}
    if database.has_collations(con):
        sources = {
            name: compared_by_letters(database.describe(con, source), source) for name, source in sources.items()
        }
    return replace(plan, source=sources[base], others={name: sources[name] for name in plan.others})


def _statement(con: Connection, base: str, plan: Plan, written: Sequence[_Written]) -> str:
    steps = [step for step in written if step.tool not in _PASSING] or [written[-1]]
    taken = set().union(*(bare_words(step.select) for step in steps))
    shown = {}
    for name in (base, *plan.others):
        source = database.find_table(con, name)
        if source is not None:
            shown[source] = _table_name(con, name, source, taken)
    taken |= {name.lower() for name in database.tables(con, everywhere=True)}
    chain: list[tuple[str, str]] = []
    names = {step.table: "" for step in written}
    above = None
    for number, step in enumerate(written, 1):
        if step not in steps:
            names[step.table] = plan.source if above is None else above
            continue
        above = names[step.table] = sql.name(unique_name(f"{step.tool}_{number}", taken))
        chain.append((above, step.select))
    # What stands for a step that passes the opened table on may be the name of that table.
    sources = {table: replaced(name, shown) for table, name in names.items()} | shown
    keywords = database.keywords(con)
    *before, (last, final) = [(name, replaced(select, sources)) for name, select in chain]
    text = laid_out(final, keywords)
    if not before:
        return text
    listed = ",\n".join(
        f"{laid_out(name, keywords)} AS (\n{laid_out(select, keywords, indent=1)}\n)" for name, select in before
    )
    return f"WITH {listed}\n-- {laid_out(last, keywords)}\n{text}"


def _table_name(con: Connection, name: str, source: str, taken: Collection[str]) -> str:
    """Return the bare name of a table, with its schema where the statement has that name for something else."""
    if name.lower() not in taken:
        return sql.name(name)
    return database.name_with_schema(con, name) or source
