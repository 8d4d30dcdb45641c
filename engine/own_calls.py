"""Calling a user's functions: in a thread of their own, with a deadline, what they print kept off the results."""

import traceback
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from grammar import Column, ToolError, must_be_last, state_after

from . import render, sql
from .own_rows import Returned, returned
from .own_tools import OwnTool, Rows
from .tools.registry import ROW, Executor, Made, Table, executes, nothing

_LOOK = 0.05
_Answers: TypeAlias = "SimpleQueue[tuple[Any, BaseException | None]]"


class FunctionError(Exception):
    """A function of the user's raised; the cause is what it raised."""

    def __init__(self, cause: BaseException, file: str) -> None:
        super().__init__(file)
        self.__cause__ = cause
        self.said = traceback.format_exception_only(cause)[-1].strip()
        lines = [frame.lineno for frame in traceback.extract_tb(cause.__traceback__) if frame.filename == file]
        if isinstance(cause, SyntaxError) and cause.filename == file:
            lines.append(cause.lineno)
        self.line = lines[-1] if lines else None


class OwnThread:
    """Runs functions one after the other in one thread, which a function that never ends keeps for itself.

    They all run in the same one, so that what a module opened when it was loaded can be used by its functions.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Callable[[], Any], _Answers]] = SimpleQueue()
        self._thread: Thread | None = None

    def call(self, function: Callable[[], Any], seconds: float, file: str, check: Callable[[], None] = nothing) -> Any:
        """Return what a function returns; FunctionError if it raises, TimeoutError where it takes too long.

        `check` is called meanwhile. Errors of Tez pass through.
        """
        if self._thread is None:
            self._thread = Thread(target=_work, args=(self._asked,), daemon=True)
            self._thread.start()
        answers: _Answers = SimpleQueue()
        until = monotonic() + seconds
        try:
            with render.beside():
                self._asked.put((function, answers))
                while True:
                    try:
                        value, raised = answers.get(timeout=_LOOK)
                        break
                    except Empty:
                        check()
                        if monotonic() > until:
                            raise TimeoutError from None
        except BaseException:
            self._asked, self._thread = SimpleQueue(), None
            raise
        if isinstance(raised, ToolError):
            raise raised
        if raised is not None:
            raise FunctionError(raised, file)
        return value


def _work(asked: "SimpleQueue[tuple[Callable[[], Any], _Answers]]") -> None:
    while True:
        function, answers = asked.get()
        try:
            answers.put((function(), None))
        except BaseException as error:  # noqa: BLE001 - whatever a user's function raises is told to the user
            answers.put((None, error))


def executor_of(own: OwnTool, thread: OwnThread) -> Executor:
    """Return what runs a tool of the user's in a plan."""
    tool = own.contract["name"]

    @executes(tool, own=True)
    def execute(table: Table, **args: Any) -> Made:
        limits = table.settings.tools
        given = {"rows": _rows(table, limits.own_rows)} if own.reads_rows else {}
        declared = None if must_be_last(own.contract) else _declared(own, table, args)

        def run() -> Returned:
            return returned(own.function(**given, **deepcopy(args)), declared, limits.own_rows)

        try:
            made: Returned = thread.call(run, limits.own_seconds, own.place, table.check_time)
        except FunctionError as error:
            line = None if error.line is None else f"{Path(own.place).name}:{error.line}"
            raise ToolError("own_raised", found=error.said, place=line or own.place) from error
        except TimeoutError as error:
            table.check_time()
            raise ToolError("own_too_long", seconds=limits.own_seconds, place=own.place) from error
        columns = ", ".join(f"{ROW}.{sql.name(column)}" for column in made.types)
        return Made(f"SELECT {columns} FROM {table.fill(made.types, made.rows)} AS {ROW}", rows=len(made.rows))

    return execute


def _declared(own: OwnTool, table: Table, args: dict[str, Any]) -> tuple[Column, ...]:
    return state_after(own.contract, table.state, args).columns


def _rows(table: Table, most: int) -> Rows:
    """Return the rows of the table as plain values; ToolError if there are more than a function is handed."""
    if table.rows > most:
        raise ToolError("own_reads_too_many", found=table.rows, limit=most)
    read = table.query(f"SELECT {table.select_list()} FROM {table.source} AS {ROW}")
    return Rows(list(table.columns), [table.kind(column) for column in table.columns], read)
