"""Answers that a person accepted, kept in a small DuckDB file of the user's data folder. Nothing leaves the machine.

The file is opened for a moment at a time, so that several processes may use it. One that another process holds, that is
broken or of another version is an AcceptedError; whoever can go on without the memory does.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs

from grammar import TableState, TezError, same_name
from grammar.script import fold
from prompt.samples import most_alike

from . import database, sql
from .conversation import ConversationError
from .database import Connection, DatabaseError, Row
from .session import Workspace
from .settings import Settings
from .talk import Talk

FILE = "accepted.duckdb"
FORM = 1
_AGAIN = 0.05
_LOCKED = ("lock", "used by another process", "different configuration")
_MADE = (
    f"BEGIN; CREATE TABLE form AS SELECT {FORM} AS number; CREATE SEQUENCE numbers; "
    "CREATE TABLE accepted (number BIGINT, kept_at VARCHAR, request VARCHAR, follows BOOLEAN, plan VARCHAR, "
    "tables VARCHAR, signature VARCHAR, contracts VARCHAR); COMMIT"
)


class AcceptedError(TezError):
    """The memory of accepted answers cannot be read or written, or does not hold what is asked for."""


@dataclass(frozen=True)
class Accepted:
    """An accepted answer: the request, the whole plan, and the tables that it was about, columns by kind.

    `follows`: the request went on from an earlier one, so its plan does more than it says. `contracts` tells the tools
    of then from those of now.
    """

    request: str
    follows: bool
    plan: dict[str, Any]
    tables: dict[str, dict[str, str]]
    signature: str
    contracts: str
    at: str = ""
    number: int = 0


def accepted_of(workspace: Workspace, request: str, plan: Mapping[str, Any], *, follows: bool = False) -> Accepted:
    """Return what is kept of an answer about these tables. AcceptedError `no_request` for a blank request."""
    if not request.strip():
        raise AcceptedError("no_request")
    states = workspace.scene.tables
    tables = {state.name: {column.name: str(column.kind) for column in state.columns} for state in states}
    text = json.dumps(list(workspace.contracts), sort_keys=True, ensure_ascii=False)
    contracts = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Accepted(request.strip(), follows, dict(plan), tables, signature(states), contracts)


def signature(states: Sequence[TableState]) -> str:
    """Return what is equal for tables of one kind: columns and their kinds, with several tables their names too."""
    kinds = [
        [same_name(state.name) if len(states) > 1 else "", *sorted((same_name(c.name), c.kind) for c in state.columns)]
        for state in states
    ]
    return hashlib.sha256(json.dumps(sorted(map(str, kinds))).encode()).hexdigest()[:16]


class Memory:
    """The accepted answers in a file. Every method raises AcceptedError."""

    def __init__(self, settings: Settings, path: Path | None = None) -> None:
        self.path = platformdirs.user_data_path("tez", appauthor=False) / FILE if path is None else path
        self._settings = settings

    def keep(self, accepted: Accepted) -> int:
        """Keep an answer and return its number; of more than the settings allow, the oldest are forgotten."""
        most, limits = self._settings.memory.longest, self._settings.memory
        values = [
            datetime.now(UTC).isoformat(timespec="seconds"),
            accepted.request,
            accepted.follows,
            json.dumps(accepted.plan, ensure_ascii=False),
            json.dumps(accepted.tables, ensure_ascii=False),
            accepted.signature,
            accepted.contracts,
        ]
        length = sum(len(str(value)) for value in values)
        if length > most:
            raise AcceptedError("too_long", found=length, most=most)
        cells = ", ".join("TRUE" if v is True else "FALSE" if v is False else sql.literal(str(v)) for v in values)
        with self._opened(write=True) as con:
            row = f"INSERT INTO accepted SELECT nextval('numbers'), {cells} RETURNING number"
            number = int(database.query(con, row)[0][0])
            last = f"SELECT number FROM accepted ORDER BY number DESC LIMIT {limits.kept}"
            database.execute(con, f"DELETE FROM accepted WHERE number NOT IN ({last})")
        return number

    def all(self, *, kind: str | None = None) -> list[Accepted]:
        """Return the accepted answers, the newest first; with a `kind` those whose tables have this signature."""
        if not self.path.exists():
            return []
        where = "" if kind is None else f" WHERE signature = {sql.literal(kind)}"
        with self._opened() as con:
            rows = database.query(con, f"SELECT * FROM accepted{where} ORDER BY number DESC")
            return [_accepted(row) for row in rows]

    def search(self, text: str) -> list[Accepted]:
        """Return the accepted answers that hold every word of a text in request, plan or tables, in any spelling."""
        words = fold(text).text.split()

        def held(each: Accepted) -> str:
            return fold(json.dumps([each.request, each.plan, each.tables], ensure_ascii=False)).text

        return [each for each in self.all() if all(word in held(each) for word in words)]

    def one(self, number: int) -> Accepted:
        """Return an accepted answer by its number."""
        found = [each for each in self.all() if each.number == number]
        if not found:
            raise AcceptedError("no_such_number", found=number)
        return found[0]

    def forget(self, number: int | None) -> int:
        """Delete an accepted answer by its number, all of them without one; return how many."""
        if number is not None:
            self.one(number)
        if not self.path.exists():
            return 0
        with self._opened(write=True) as con:
            where = "" if number is None else f" WHERE number = {number}"
            count = int(database.query(con, f"SELECT count(*) FROM accepted{where}")[0][0])
            database.execute(con, f"DELETE FROM accepted{where}")
            database.execute(con, "CHECKPOINT")
        return count

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[Connection]:
        """Open the file for a moment; wait for another process that has it, as long as the settings say."""
        deadline = time.monotonic() + self._settings.memory.wait_seconds
        while True:
            try:
                con = self._connected(write)
                break
            except DatabaseError as error:
                detail = str(error.facts.get("detail", "")).lower()
                if not any(word in detail for word in _LOCKED):
                    raise AcceptedError("broken", path=str(self.path), detail=error.facts.get("detail")) from error
                if time.monotonic() > deadline:
                    raise AcceptedError("busy", path=str(self.path)) from error
                time.sleep(_AGAIN)
        try:
            self._check_form(con)
            yield con
        except (DatabaseError, ValueError, LookupError) as error:
            said = error.facts.get("detail") if isinstance(error, DatabaseError) else str(error)
            raise AcceptedError("broken", path=str(self.path), detail=said) from error
        finally:
            database.close(con)

    def _connected(self, write: bool) -> Connection:
        if not write:
            return database.connect(self._settings.database, self.path, read_only=True)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AcceptedError("broken", path=str(self.path), detail=error.strerror or str(error)) from error
        con = database.connect(self._settings.database, self.path)
        if not database.tables(con):
            database.execute(con, _MADE)
        return con

    def _check_form(self, con: Connection) -> None:
        found = database.query(con, "SELECT number FROM form")[0][0]
        if found != FORM:
            raise AcceptedError("other_form", path=str(self.path), found=found, known=FORM)


def recalled(
    memory: Memory, workspace: Workspace, request: str, failed: Callable[[AcceptedError], None]
) -> list[dict[str, Any]]:
    """Return the accepted answers about tables of this kind whose requests are most like this one, the last the most.

    Requests that went on from another are left out. Where the memory cannot be read, `failed` hears why.
    """
    most = workspace.settings.memory.examples
    if not most or not request.strip():
        return []
    try:
        known = memory.all(kind=signature(workspace.scene.tables))
    except AcceptedError as error:
        failed(error)
        return []
    examples = [{"request": each.request, "answer": each.plan} for each in known if not each.follows]
    return [dict(example) for example in most_alike(examples, request, most)]


def with_recalled(
    workspace: Workspace, request: str, failed: Callable[[AcceptedError], None], memory: Memory | None = None
) -> Workspace:
    """Return the workspace with the accepted answers that its next prompt shows; as it is where none are wanted."""
    if not workspace.settings.memory.examples:
        return workspace
    examples = recalled(memory or Memory(workspace.settings), workspace, request, failed)
    return replace(
        workspace, domain=replace(workspace.domain, context={**workspace.domain.context, "accepted": examples})
    )


def accepted_result(talk: Talk) -> Accepted:
    """Return what is kept of the current result of a conversation, its whole plan.

    Raises ConversationError without a result, AcceptedError `on_kept_table` for a plan that needs a table which only
    this conversation has.
    """
    conversation = talk.conversation
    plan, number = conversation.plan(talk.first_table), conversation.result_at
    if plan is None or number is None:
        raise ConversationError("no_result")
    used = [plan["table"], *(step["args"].get("table") for step in plan["steps"])]
    kept = [each.name for each in conversation.kept if each.name in used]
    if kept:
        raise AcceptedError("on_kept_table", found=kept[0])
    if len(talk.opened.tables) == 1:
        plan.pop("table")
    turn = conversation.turns[number - 1]
    return accepted_of(talk.opened, turn.request, plan, follows=turn.answer.get("on") == "result")


def as_json(accepted: Accepted) -> dict[str, Any]:
    """Return an accepted answer as JSON has it."""
    return asdict(accepted)


def _accepted(row: Row) -> Accepted:
    number, at, request, follows, plan, tables, kind, contracts = row
    return Accepted(request, follows, json.loads(plan), json.loads(tables), kind, contracts, at, int(number))
