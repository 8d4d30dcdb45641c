"""Answers as a program has them: what a plan means, the tables that it made, and follow-ups."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any, Self, TypeAlias

from grammar import ToolError, by_name
from prompt.words import Language, detect_language, error_text, explain, note_text, question_text, screen_text

from . import database
from .accepted import AcceptedError, Memory, accepted_result, with_recalled
from .answered import Answered
from .calibration import calibration_of
from .conversation import Conversation
from .database import Row
from .deliver import Delivery, File, Wanted, check_wanted
from .library_error import LibraryError
from .notebook import line_html, list_html, page, picture_html
from .paths import STEP_PREFIX
from .plan_file import plan_of, read_plan
from .readings import Reading
from .render import json_value
from .result_chart import Chart
from .result_table import Table
from .served import LocalOrServed
from .session import Workspace
from .show import named_in
from .talk import Talk
from .told import told_in

Plan: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | PathLike[str]
"""A plan: a mapping with `steps`, only its list of steps, its JSON, or the path of a file that holds it."""

Lend: TypeAlias = Callable[[], AbstractContextManager[LocalOrServed]]


@dataclass(frozen=True)
class Opened:
    """What answers are made with: the opened tables, the model, and the language of all texts, None for each its own.

    Every answer gets a connection of its own to the tables, so the tables of its steps stand as long as it is open.
    """

    workspace: Workspace
    lend: Lend
    language: Language | None = None

    def ask(self, conversation: Conversation, request: str) -> "Answer":
        """Answer a request that goes on from a conversation; raises what `Talk.ask` raises."""
        settings = self.workspace.settings
        language = self.language or detect_language(request, settings.language)
        with told_in(language, settings.output.shown_options), self.lend() as model:
            talk = self._talk(conversation)
            calibration = calibration_of(settings, model.key)
            failed: list[AcceptedError] = []
            talk.workspace = with_recalled(talk.workspace, request, failed.append)
            answered = talk.ask(request, model, others=settings.readings.most > 0, calibration=calibration)
        return Answer(self, talk, answered, language, failed)

    def run(self, conversation: Conversation, plan: Plan, request: str | None = None) -> "Answer":
        """Run a plan that goes on from a conversation; raises what `session.run` raises."""
        language = self.language or self.workspace.settings.language
        with told_in(language, self.workspace.settings.output.shown_options):
            answer = _plan(plan)
            if any(turn.is_plan for turn in conversation.now):
                answer = {"on": "result", **answer}
            talk = self._talk(conversation)
            talk.add(_said(self.workspace, answer) if request is None else request, answer)
        made = Answered(request or "", talk.conversation.turns[-1].answer, (), talk.result)
        return Answer(self, talk, made, language)

    def _talk(self, conversation: Conversation) -> Talk:
        return Talk(replace(self.workspace, con=database.another(self.workspace.con)), conversation)


class Answer:
    """The answer to a request, or the result of a plan; its tables can be read until it is closed or forgotten.

    Reading the rows (`rows`, `df`, `arrow`, iteration) reads the table of the last step. An answer may be used from
    several threads, which wait for each other; different answers do not, but for the model.
    """

    def __init__(
        self,
        opened: Opened,
        talk: Talk,
        answered: Answered,
        language: Language,
        failed: Sequence[AcceptedError] = (),
    ) -> None:
        self.language = language
        self._failed = tuple(failed)
        self._opened = opened
        self._talk = talk
        self._answered = answered
        self._lock = RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop the tables of the steps; they cannot be read afterwards, words and plan can."""
        with self._lock:
            database.close(self._talk.workspace.con)

    @property
    def request(self) -> str | None:
        """Return the request; None for a plan that was run without one."""
        return self._answered.request or None

    @property
    def plan(self) -> dict[str, Any] | None:
        """Return the whole plan from the opened table on, as `run` and `tez run` take it; None for a question."""
        if self.question is not None:
            return None
        plan = self._talk.conversation.plan(self._talk.first_table)
        if plan is not None and len(self._talk.workspace.tables) == 1:
            plan.pop("table")
        return plan

    @property
    def scope(self) -> str | None:
        """Return what the own steps worked on, `table` or `result` (that of the answer before); None for a question."""
        return None if self.question is not None else self._talk.conversation.scope()

    @property
    def question(self) -> dict[str, Any] | None:
        """Return the question that was answered with, its kind and options; None where the answer is a plan."""
        return self._answered.answer.get("question")

    @property
    def words(self) -> tuple[str, ...]:
        """Return what each step of the whole plan did, or the question, in the language of the request."""
        if self.question is not None:
            return (question_text(self.question, self.language),)
        return _words(self._talk.workspace, self._result["steps"], self.language)

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """Return what is worth knowing of the run, as data: each a `note` with its facts and its `step`."""
        return [] if self.question is not None else list(self._result["evidence"])

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is worth knowing of the run, as sentences in the language of the request."""
        shown = self._opened.workspace.settings.output.shown_options
        said = [note_text(note, self.language, shown=shown) for note in self._answered.notes]
        found = [f"{note['step']}. {note_text(note, self.language, shown=shown)}" for note in self.evidence]
        return (*(error_text(error, self.language) for error in self._failed), *said, *found)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Return what the request may mean, the model's own answer first; empty where the model was sure.

        Each has its `answer` and `probability`; `take` runs one.
        """
        return self._answered.readings

    @property
    def confidence(self) -> float | None:
        """Return how often such an answer is right, 0 to 1; None where that was not measured of the model."""
        return self._answered.confidence

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns of the table; LibraryError `no_table` for a question, as all below."""
        return self.table.columns

    @property
    def table(self) -> Table:
        """Return the table of the last step."""
        return self.steps[-1]

    @property
    def steps(self) -> tuple[Table, ...]:
        """Return the table of every step of the whole plan; of large tables some lack columns that no step read."""
        with self._reading():
            return tuple(self._table(number) for number in range(1, len(self._made["steps"]) + 1))

    @property
    def row_count(self) -> int:
        """Return the number of rows of the table."""
        with self._reading():
            return int(self._made["row_count"])

    def __len__(self) -> int:
        return self.row_count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Row]:
        return iter(self.table)

    def rows(self, most: int | None = None) -> list[Row]:
        """Return the rows as tuples, all of them or at most so many."""
        return self.table.rows(most)

    def df(self) -> Any:
        """Return the table as a pandas data frame; LibraryError `no_package` without pandas."""
        return self.table.df()

    def arrow(self) -> Any:
        """Return the table as a pyarrow table; LibraryError `no_package` without pyarrow."""
        return self.table.arrow()

    def sql(self, dialect: str | None = None) -> str:
        """Return the whole plan as one SQL statement over the opened tables, of DuckDB or of another dialect.

        What the dialect cannot express stands in a comment before it. Raises DialectError.
        """
        from .dialect_sql import transpiled

        with self._reading():
            _ = self._made
            text = self._fresh().sql()
            return text if dialect is None else transpiled(text, dialect).text

    def chart(self, kind: str | None = None, x: str | None = None, y: str | None = None, **more: str) -> Chart:
        """Return the chart of the plan's last chart step, or one of the table that these arguments describe.

        They are those of the tool `chart`: `kind`, `x`, `y`, `color`. LibraryError `no_chart` where the plan has no
        such step and no `kind` is given, `nothing_to_draw` where the table has no rows for it; ToolError.
        """
        with self._reading():
            made, steps = self._made, list(self._made["steps"])
            if kind is not None:
                named = {"kind": kind, "x": x, "y": y, **more}
                args = {name: value for name, value in named.items() if value is not None}
                plan = {**(self.plan or {}), "steps": [*steps, {"tool": "chart", "args": args}]}
                talk = self._fresh(Conversation())
                talk.add("", plan)
                made = talk.result or made
            elif not any(step["tool"] == "chart" for step in steps):
                raise LibraryError("no_chart")
            charts = [each for each in made["artifacts"] if each.get("kind") == "chart"]
            if not charts:
                raise LibraryError("nothing_to_draw")
            return Chart(charts[-1], self.language, self._opened.workspace.settings.chart, self._sources)

    def save(self, path: str | PathLike[str], *, with_plan: bool = False) -> list[File]:
        """Write the table to a new file (.csv, .xlsx, .parquet or .json), `with_plan` the plan and evidence beside it.

        Returns for each file its `path`, `format`, `rows` and `notes` on what it holds. Raises ExportError.
        """
        with self._reading():
            made, wanted = self._made, Wanted(out=Path(path), with_plan=with_plan)
            check_wanted(wanted, self._sources)
            answers = self._talk.conversation.answers
            delivery = Delivery(
                self._talk.workspace, made, answers[-1], self.language, self.request, answers[: len(answers) - 1]
            )
            return list(delivery.wanted_only(wanted))

    def ask(self, request: str) -> "Answer":
        """Ask a follow-up, which may go on from this answer's table or start again; this answer stays as it is."""
        return self._opened.ask(self._talk.conversation, request)

    def run(self, plan: Plan) -> "Answer":
        """Run a plan on this answer's table; with `"on": "table"` on the opened one. This answer stays as it is."""
        return self._opened.run(self._talk.conversation, plan)

    def take(self, number: int) -> "Answer":
        """Run another reading of the request, by its number from 1; this answer stays. LibraryError `no_reading`."""
        with self._reading():
            if not 1 <= number <= len(self.readings):
                raise LibraryError("no_reading", found=number, most=len(self.readings))
            talk = self._fresh()
            talk.readings = self.readings
            talk.take(number)
        answer = talk.conversation.turns[-1].answer
        made = replace(self._answered, answer=answer, result=talk.result, decisions=(), confidence=None)
        return Answer(self._opened, talk, made, self.language)

    def accept(self) -> int:
        """Keep request and plan among the accepted answers, and return the number there: see `tez history`.

        Raises AcceptedError, `no_request` for a plan that was run without one.
        """
        with self._reading():
            _ = self._made
            if self.request is None:
                raise AcceptedError("no_request")
            return Memory(self._opened.workspace.settings).keep(accepted_result(self._talk))

    def as_json(self) -> dict[str, Any]:
        """Return the answer as JSON has it, with at most `output.json_rows` rows."""
        made = {} if self.question is not None else self._result
        most = self._opened.workspace.settings.output.json_rows
        return {
            "request": self.request,
            "answer": json_value(self._answered.answer),
            "plan": json_value(self.plan),
            "words": list(self.words),
            "columns": list(made["columns"]) if made else None,
            "rows": json_value(self.rows(most)) if made else None,
            "row_count": made.get("row_count"),
            "evidence": json_value(self.evidence),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        if self.question is not None:
            return self.words[0]
        said = [screen_text("plan", self.language)]
        said += [f"  {number}. {text}" for number, text in enumerate(self.words, 1)]
        if self.notes:
            said += [screen_text("evidence", self.language), *(f"  {text}" for text in self.notes)]
        return "\n".join([*said, self._still(lambda table: table.text())])

    def _repr_html_(self) -> str:
        if self.question is not None:
            return page(line_html(self.words[0], "question"))
        scope = screen_text(f"chat_on_{self.scope}", self.language, scope=f"on: {self.scope}")
        parts = [line_html(scope, "scope"), list_html(self.words, numbered=True), list_html(self.notes)]
        drawn = [each for each in self._result["artifacts"] if each.get("kind") == "chart"]
        if drawn:
            chart = Chart(drawn[-1], self.language, self._opened.workspace.settings.chart)
            parts.append(picture_html(chart.png(), str(drawn[-1]["title"])))
        return page(*parts, self._still(lambda table: table.html()))

    @property
    def _result(self) -> Mapping[str, Any]:
        assert self._talk.result is not None
        return self._talk.result

    @property
    def _made(self) -> Mapping[str, Any]:
        """Return the result; LibraryError where the answer is a question."""
        if self.question is not None:
            raise LibraryError("no_table", question=self.words[0])
        return self._result

    @property
    def _sources(self) -> tuple[Path, ...]:
        return tuple(table.path for table in self._opened.workspace.tables)

    def _still(self, shown: Callable[[Table], str]) -> str:
        """Return a table as it is shown, nothing of it where the answer is closed."""
        try:
            return shown(self.table)
        except database.DatabaseError as error:
            return str(error)

    def _table(self, number: int) -> Table:
        con, source = self._talk.workspace.con, database.temporary(f"{STEP_PREFIX}{number}")
        described = database.describe(con, source)
        return Table(
            tuple(name for name, _ in described),
            tuple(database.kind_of(kind) for _, kind in described),
            con,
            source,
            self._lock,
            self.language,
            self._opened.workspace.settings.output,
            frozenset(named_in(self._result["steps"])),
        )

    def _fresh(self, conversation: Conversation | None = None) -> Talk:
        """Return a talk that leaves the tables of this answer alone."""
        return self._opened._talk(self._talk.conversation if conversation is None else conversation)

    def _reading(self) -> AbstractContextManager[Any]:
        return told_in(self.language, self._opened.workspace.settings.output.shown_options, self._lock)


def _plan(plan: Plan) -> dict[str, Any]:
    """Return a plan in its form; ToolError for what is none."""
    match plan:
        case str() if plan.lstrip()[:1] in ("{", "["):
            return plan_of(plan)
        case str() | PathLike():
            return read_plan(Path(plan))
        case _:
            try:
                return plan_of(json.dumps(plan))
            except (TypeError, ValueError, RecursionError) as error:
                raise ToolError("plan_not_json", found=type(plan).__name__, detail=str(error)) from error


def _words(workspace: Workspace, steps: Sequence[Mapping[str, Any]], language: Language) -> tuple[str, ...]:
    contracts = by_name(workspace.contracts)
    return tuple(explain(contracts[step["tool"]], step["args"], language) for step in steps)


def _said(workspace: Workspace, answer: Mapping[str, Any]) -> str:
    """Return what a later request sees of a plan that was run without one: its tools, in the order of its steps."""
    return ", ".join(str(step.get("tool")) for step in answer["steps"] if isinstance(step, Mapping)) or "-"
