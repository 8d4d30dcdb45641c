"""Running a plan: every step reads the table of the step before and makes `_step_1`, `_step_2`, ... of its own.

The table that was opened is only ever read. The `_step_` tables are temporary, so a plan runs on a read-only database
too, and they are gone when it ends, well or badly, unless the caller keeps them.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from grammar import (
    Column,
    Contract,
    TableState,
    ToolError,
    by_name,
    check_known_tools,
    checked_step,
    has_exclusions,
    load_contracts,
    pivoted_argument,
    same_name,
    state_after,
    table_argument,
)

from . import database, profile, sql
from .database import Connection, DatabaseError
from .day_order import as_columns, day_orders, with_labels_of, with_orders_of, with_values_of
from .interrupt import Stopping
from .paths import STEP_PREFIX
from .settings import Settings, as_settings, limits
from .step_tables import (
    STEP_MARK,
    StepTables,
    compared_by_letters,
    hidden_name,
    kept_name,
    opened_source,
    read_later,
)
from .tools import EXECUTORS, Executor, paired
from .tools.registry import RowCount

Step = Mapping[str, Any]
Told = Callable[[int], None]


def untold(step: int) -> None:
    """Tell nobody."""


@dataclass
class Run:
    """What has been gathered while the steps run."""

    tables: StepTables
    settings: Settings
    gathers: bool
    told: Told
    evidence: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    repeated: frozenset[str] = frozenset()


def run_plan(
    con: Connection,
    base: str,
    steps: Iterable[Step],
    settings: Mapping[str, Any] | Settings,
    keep_as: str | None = None,
    keep_steps: bool = False,
    *,
    contracts: Sequence[Contract] | None = None,
    executors: Mapping[str, Executor] | None = None,
    max_rows: int | None = None,
    known: Sequence[TableState] = (),
    evidence: bool = True,
    told: Told = untold,
) -> dict[str, Any]:
    """Run the steps on the table or view `base` and return the result.

    `columns` (names), `kinds`, `rows` (tuples, at most `max_rows` of them), `row_count`, `evidence` and `artifacts`
    (dicts with `step` and `tool`), `steps` (as checked, with exact column names). `keep_as` gives the result a lasting
    name, `keep_steps` leaves the tables of the steps in place (above `tools.copied_rows` rows some are views, or lack
    columns that nobody reads). `known` are states of opened tables as they are: the values of their columns, and what a
    person settled of their dates and decimals. Without `evidence` nothing is counted for it: no notes, no reports of
    cleaning steps. `told` hears the number of each step whose table is made.

    All steps are checked before the first one runs. Any connection will do: what its caller has set is put aside for
    the run. Raises ToolError for a plan that cannot run as written, for names that are refused and for one that takes
    longer than `tools.plan_seconds`, SettingsError, DatabaseError where DuckDB fails, KeyboardInterrupt at Ctrl-C.
    """
    with prepared_plan(con, base, steps, settings, contracts, executors, known) as plan:
        if max_rows is not None and (not isinstance(max_rows, int) or isinstance(max_rows, bool)):
            raise ToolError("wrong_value", argument="max_rows", found=max_rows, allowed=["integer"])
        if keep_as is not None:
            _check_lasting_name(con, base, keep_as)
        names = step_names(con, len(plan.steps))
        bounded = max_rows is not None and not keep_steps
        hidden = hidden_name(plan.states)
        most = plan.settings.tools.copied_rows
        try:
            with in_time(con, plan.settings.tools.plan_seconds) as deadline:
                source = opened_source(con, plan.source, most, hidden)
                tables = StepTables(con, names, source, plan.read_later(), hidden, most, bounded=bounded)
                run = Run(tables, plan.settings, evidence, told)
                run_steps(plan, run, deadline)
                result = _result(con, plan, run, max_rows)
                if keep_as is not None:
                    database.execute(con, f"CREATE TABLE {sql.name(keep_as)} AS SELECT * FROM {visible_name(names)}")
        except BaseException:
            drop_failed_steps(con)
            raise
        database.drop_temporary(con, STEP_MARK, names if keep_steps else ())
        return result


@dataclass(frozen=True)
class Plan:
    """A checked plan: the opened table, the steps with the states that they read, and what executes them."""

    con: Connection
    source: str
    others: Mapping[str, str]
    steps: Sequence[tuple[Step, TableState]]
    states: Sequence[TableState]
    settings: Settings
    contracts: Mapping[str, Contract]
    executors: Mapping[str, Executor]

    def read_later(self) -> list[set[str] | None]:
        """Return for each step which columns of its table somebody reads later."""
        return read_later(self.contracts, self.steps, self.executors)


@contextmanager
def prepared_plan(
    con: Connection,
    base: str,
    steps: Iterable[Step],
    settings: Mapping[str, Any] | Settings,
    contracts: Sequence[Contract] | None = None,
    executors: Mapping[str, Executor] | None = None,
    known: Sequence[TableState] = (),
) -> Iterator[Plan]:
    """Yield the checked plan, on a connection that has DuckDB's defaults for the time; errors as `run_plan`."""
    all_settings = as_settings(settings)
    tools = by_name(shipped_contracts() if contracts is None else contracts)
    executing = EXECUTORS if executors is None else executors
    listed = _listed(steps)
    check_known_tools({tool: contract for tool, contract in tools.items() if tool in executing}, listed)
    with database.steady(con):
        source = base_source(con, base)
        others = _other_tables(con, base, tools, listed)
        settled = {state.name: state for state in known}
        state = _start(con, (base, source), others, tools, listed, all_settings, settled)
        planned = list(planned_steps(tools, state, listed))
        last, before = planned[-1]
        states = [*(state for _, state in planned), state_after(tools[last["tool"]], before, last["args"])]
        yield Plan(con, source, others, planned, states, all_settings, tools, executing)


def shipped_contracts() -> list[Contract]:
    """Return the contracts of the tools that Tez brings along; ContractError unless each has its executor."""
    return list(_shipped())


@cache
def _shipped() -> tuple[Contract, ...]:
    """Return the contracts, read and checked once: the file is part of the program."""
    contracts = load_contracts(Path(str(files("prompt").joinpath("tools.json"))))
    paired(contracts, EXECUTORS)
    return tuple(contracts)


def table_state(con: Connection, source: str, name: str, settings: Settings) -> TableState:
    """Return the state of a table as DuckDB describes it, with no values known."""
    columns = tuple(Column(column, database.kind_of(kind)) for column, kind in database.describe(con, source))
    return TableState(columns, limits(settings), name=name)


def check_plan(contracts: Mapping[str, Contract], state: TableState, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return the steps with exact column names, each checked against the state that the one before leaves.

    Raises ToolError for the first step that cannot run.
    """
    return [step for step, _ in planned_steps(contracts, state, steps)]


def planned_steps(
    contracts: Mapping[str, Contract], state: TableState, steps: Sequence[Step]
) -> Iterator[tuple[dict[str, Any], TableState]]:
    """Yield the steps as `check_plan` returns them, each with the state of the table that it reads."""
    check_known_tools(contracts, steps)
    for number, step in enumerate(steps, 1):
        checked = checked_step(contracts, state, step, number)
        yield checked, state
        state = state_after(contracts[checked["tool"]], state, checked["args"])


def base_source(con: Connection, base: str) -> str:
    """Return the full quoted name of the table to start from; ToolError if there is none or it is a step's."""
    if not isinstance(base, str):
        raise ToolError("not_a_name", argument="base", found=str(base))
    if same_name(base).startswith(STEP_PREFIX):
        raise ToolError("base_is_a_step", found=base)
    source = database.find_table(con, base)
    if source is None:
        allowed = [name for name in database.tables(con) if not same_name(name).startswith(STEP_PREFIX)]
        raise ToolError("no_such_table", found=base, allowed=allowed)
    return source


def _listed(steps: Iterable[Step]) -> list[Step]:
    if not isinstance(steps, Iterable) or isinstance(steps, str | bytes | Mapping):
        raise ToolError("not_a_plan", found=str(steps), allowed=['[{"tool": ..., "args": {...}}, ...]'])
    listed = list(steps)
    if not listed:
        raise ToolError("no_steps", found=listed)
    return listed


def _other_tables(
    con: Connection, base: str, contracts: Mapping[str, Contract], steps: Sequence[Step]
) -> dict[str, str]:
    """Return the quoted full name of every table but `base`; none where no step reads another table."""
    if not any(table_argument(contracts[step["tool"]]) for step in steps):
        return {}
    found = {}
    for name in database.tables(con):
        if same_name(name) != same_name(base) and not same_name(name).startswith(STEP_PREFIX):
            source = database.find_table(con, name)
            if source is not None:
                found[name] = compared_by_letters(database.describe(con, source), source)
    return found


def _start(
    con: Connection,
    base: tuple[str, str],
    others: Mapping[str, str],
    contracts: Mapping[str, Contract],
    steps: Sequence[Step],
    settings: Settings,
    settled: Mapping[str, TableState],
) -> TableState:
    """Return the state of the table that the plan starts from, with known values only where a step needs them."""
    by_values = any(pivoted_argument(contracts[step["tool"]]) for step in steps)
    by_orders = any(has_exclusions(contracts[step["tool"]]) for step in steps)

    def state(name: str, source: str) -> TableState:
        if name in settled:
            found = with_values_of(table_state(con, source, name, settings), settled[name].columns)
            return with_labels_of(with_orders_of(found, settled[name].columns), settled[name].columns)
        if by_values:
            found = profile.table_state(con, name, settings, source=source)
        else:
            found = table_state(con, source, name, settings)
        if not by_orders:
            return found
        return with_orders_of(found, as_columns(day_orders(con, source, dict(database.describe(con, source)))))

    return replace(state(*base), others=tuple(state(name, source) for name, source in others.items()))


def step_names(con: Connection, steps: int) -> list[str]:
    """Return the names of the steps' tables, those of an earlier run removed; ToolError if one is the caller's own."""
    names = [f"{STEP_PREFIX}{number}" for number in range(1, steps + 1)]
    taken = database.taken_temporary(con, [*names, *(kept_name(number) for number in range(1, steps + 1))], STEP_MARK)
    if taken:
        raise ToolError("step_name_is_taken", found=taken[0])
    database.drop_temporary(con, STEP_MARK)
    return names


def _check_lasting_name(con: Connection, base: str, name: str) -> None:
    if not isinstance(name, str):
        raise ToolError("not_a_name", argument="keep_as", found=str(name))
    form = same_name(name)
    if not form:
        raise ToolError("blank_name", argument="keep_as", found=name)
    if form.startswith(STEP_PREFIX):
        raise ToolError("step_name", argument="keep_as", found=name)
    if form == same_name(base) or any(form == same_name(other) for other in database.tables(con, everywhere=True)):
        raise ToolError("name_is_taken", argument="keep_as", found=name)
    if database.is_read_only(con):
        raise DatabaseError("read_only", name=name)


@contextmanager
def in_time(con: Connection, seconds: float | None) -> Iterator[Stopping]:
    """Stop DuckDB when the time of a plan is over; ToolError `too_long`."""
    with Stopping(seconds, lambda: database.stop(con)) as deadline:
        try:
            yield deadline
        except (DatabaseError, TimeoutError) as error:
            if deadline.passed and (isinstance(error, TimeoutError) or error.reason == "interrupted"):
                raise ToolError("too_long", seconds=seconds) from error
            raise


def run_steps(plan: Plan, run: Run, deadline: Stopping) -> None:
    """Run the steps one after the other; a ToolError says at which one it happened."""
    for number, (step, state) in enumerate(plan.steps, 1):
        executor = plan.executors[step["tool"]]
        state = _with_repeated(state, run.repeated)
        table = run.tables.read_by(executor, state, plan.others, run.settings, evidence=run.gathers)
        table = replace(table, check_time=deadline.check)
        try:
            made = executor(table, **step["args"])
        except ToolError as error:
            raise _placed(error, number, step["tool"]) from error
        rows = run.tables.make(number, executor, table, made)
        run.told(number)
        place = {"step": number, "tool": step["tool"]}
        run.artifacts += [{**place, **artifact} for artifact in made.artifacts]
        left = state_after(plan.contracts[step["tool"]], state, step["args"])
        run.repeated = made.repeated | {column.name for column in left.columns if column.repeated}
        if run.gathers:
            run.evidence.append({**place, "note": "rows", "rows_in": table.counted, "rows_out": rows})
            run.evidence += [{**place, **note} for note in made.notes]


def _with_repeated(state: TableState, names: Container[str]) -> TableState:
    """Return the state in which the columns of these names are marked: a join has repeated their cells."""
    columns = tuple(replace(column, repeated=column.name in names) for column in state.columns)
    return replace(state, columns=columns)


def _placed(error: ToolError, step: int, tool: str) -> ToolError:
    """Return the error of an executor with the step and the tool that it came from."""
    return ToolError(error.reason, **{**error.facts, "step": step, "tool": tool})


def _result(con: Connection, plan: Plan, run: Run, max_rows: int | None) -> dict[str, Any]:
    result = visible_name([f"{STEP_PREFIX}{len(plan.steps)}"])
    columns = run.tables.source.columns or dict(database.describe(con, result))
    limit = "" if max_rows is None else f" LIMIT {max(0, max_rows)}"
    rows = database.query(con, f"SELECT * FROM {result}{limit}")
    counted = run.tables.source.counted
    if max_rows is None or len(rows) < max_rows:
        counted.told(len(rows))
    return {
        "columns": list(columns),
        "kinds": [database.kind_of(kind) for kind in columns.values()],
        "rows": rows,
        "row_count": counted(),
        "artifacts": run.artifacts,
        "evidence": [
            {key: value() if isinstance(value, RowCount) else value for key, value in note.items()}
            for note in run.evidence
        ],
        "steps": [step for step, _ in plan.steps],
    }


def visible_name(names: Sequence[str]) -> str:
    """Return the full name of the last step's table, without what is hidden behind it."""
    return database.temporary(names[-1])


def drop_failed_steps(con: Connection) -> None:
    """Drop what the steps of a failed run have made.

    The connection may refuse every statement until the caller rolls back his transaction; the tables then go with it,
    and the failure itself is what the caller must hear of.
    """
    with suppress(DatabaseError):
        database.drop_temporary(con, STEP_MARK)
