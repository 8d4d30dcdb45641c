"""A conversation about opened tables that runs: every answer, and every way back to one, leaves its table standing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grammar import TezError, ToolError, meant_names
from prompt.words import error_text

from . import database
from .answered import Answered
from .calibration import Calibration
from .conversation import Conversation, ConversationError
from .decoder import Progress, Writing, silent, unread
from .described import with_descriptions
from .files import OpenedTable
from .history import Answer
from .join_keys import with_join_keys
from .plan import Told, untold
from .profile import opened_scene, table_state
from .readings import Reading
from .served import AnyModel, RepairError
from .session import ask, meant_table, run, statement, table_of
from .stepwise import StepMade, unmade
from .workspace import Workspace


def unsaid(answer: Mapping[str, Any], error: TezError) -> None:
    """Say nothing of a plan that failed."""


@dataclass(frozen=True)
class Listening:
    """Who hears how an answer comes about.

    `progress` and `writing` while the model reads and writes, `told` when a step has run, `failed` of a plan that
    could not run before the model writes another, `made` of the table of each step where they are written one by one.
    """

    progress: Progress = silent
    writing: Writing = unread
    told: Told = untold
    failed: Callable[[Mapping[str, Any], TezError], None] = unsaid
    made: StepMade = unmade


UNHEARD = Listening()


class Talk:
    """A conversation with its workspace; `result` is what the last plan gave, None before the first.

    What fails or is interrupted leaves conversation and result as they were. `readings` are what the last request may
    mean, the model's own answer first.
    """

    def __init__(self, workspace: Workspace, conversation: Conversation | None = None) -> None:
        self.opened = workspace
        self.workspace = workspace
        files = tuple(dict.fromkeys(table.path.name for table in workspace.tables))
        self.conversation = replace(conversation or Conversation(), files=files)
        self.result: dict[str, Any] | None = None
        self.readings: tuple[Reading, ...] = ()
        self._stands = False
        try:
            for kept in self.conversation.kept:
                run(workspace, [], kept.plan, max_rows=0, keep_as=kept.name)
                self._open(kept.name, kept.plan["table"])
        except BaseException:
            self.forget()
            raise

    @property
    def first_table(self) -> str:
        """Return the table of plans that name none."""
        return self.opened.tables[0].name

    @property
    def standing(self) -> str | None:
        """Return what stands after FROM for the table of the current result, while it stands; None otherwise."""
        if not self._stands or self.result is None:
            return None
        return table_of(self.result)

    def forget(self) -> None:
        """Drop the kept tables; the conversation cannot be used afterwards."""
        database.drop(self.opened.con, [each.name for each in self.conversation.kept])

    def ask(
        self,
        request: str,
        model: AnyModel,
        listening: Listening = UNHEARD,
        *,
        others: bool = False,
        calibration: Calibration | None = None,
    ) -> Answered:
        """Let the model answer a request; a plan that cannot run is written anew once, with the error before it.

        With `others`, other readings of the request are looked for where the model was not sure, and kept for `take`.
        `calibration` is as in `session.ask`; the plans of the options of a doubt are kept for `settle`.

        Raises what `session.ask` and `session.run` raise, and RepairError.
        """
        self.stand()
        answered = self._asked(
            request, model, self.conversation, listening, None, others=others, calibration=calibration
        )
        answered, answer = self._run_or_repair(request, answered, model, self.conversation, listening)
        self._take(self.conversation.added(request, answer), answered)
        return answered

    def add(self, request: str | Callable[[Answer], str], answer: Answer) -> None:
        """Add a request with an answer that is there already; a plan is run. Raises what `session.run` raises.

        The request may be what makes one of the plan with exact names.
        """
        if callable(request):
            result, exact = self._run(self.conversation.answers, answer)
            said = request(exact)
            self._take(self.conversation.added(said, exact), Answered(said, dict(exact), (), result))
            return
        if "steps" not in answer:
            self._take(self.conversation.added(request, answer), Answered(request, dict(answer), ()))
            return
        result, exact = self._run(self.conversation.answers, answer)
        self._take(self.conversation.added(request, exact), Answered(request, dict(exact), (), result))

    def stand(self) -> None:
        """Make the table of the current result again where it is gone. Raises what `session.run` raises."""
        if not self._stands:
            self._go(self.conversation)

    def repair(self, error: TezError, model: AnyModel, listening: Listening = UNHEARD) -> None:
        """Let the model write the plan of the current result anew, which could not run. Raises RepairError."""
        number = self.conversation.result_at
        if number is None:
            raise ConversationError("no_result")
        turn = self.conversation.turns[number - 1]
        before = replace(self.conversation, at=number - 1)
        answered = Answered(turn.request, turn.answer, ())
        answered, answer = self._repaired(turn.request, answered, error, model, before, listening)
        self._take(replace(self.conversation, at=number).changed(answer), answered)

    def undo(self) -> None:
        """Go back one answer. Raises ConversationError, and what `session.run` raises."""
        self._go(self.conversation.undone())

    def redo(self) -> None:
        """Go forward to the answer that was undone last; raises as `undo`."""
        self._go(self.conversation.redone())

    def back_to(self, number: int) -> None:
        """Go to right after the answer of this number, from 1; raises as `undo`."""
        self._go(self.conversation.back_to(number))

    def switch(self) -> None:
        """Run the last plan over the other scope; raises as `undo`."""
        several = len(self.workspace.tables) > 1
        self._change(self.conversation.switched(several, self.first_table))

    def edit(self, answer: Answer) -> None:
        """Put another plan in the place of the last answer and run it; raises as `undo`."""
        if not self.conversation.at:
            raise ConversationError("no_turn_yet")
        self._change(answer)

    def take(self, number: int) -> None:
        """Take another reading of the last request, by its number from 1; raises as `undo`."""
        if not 1 <= number <= len(self.readings):
            raise ConversationError("no_such_reading", found=number, most=len(self.readings))
        self._change(self.readings[number - 1].answer)

    def next_reading(self) -> int:
        """Return the number of the reading after the one that stands, the first after the last. ConversationError."""
        plans = [number for number, each in enumerate(self.readings, 1) if "steps" in each.answer]
        now = self.conversation.answers[-1] if self.conversation.at else None
        taken = [number for number in plans if self.readings[number - 1].answer == now]
        if not plans or plans == taken:
            raise ConversationError("no_other_reading")
        later = [number for number in plans if taken and number > taken[0]]
        return (later or plans)[0]

    @property
    def options(self) -> tuple[str, ...]:
        """Return what the question offers that was asked last and has no answer yet."""
        last = self.conversation.answers[-1] if self.conversation.at else {}
        return tuple(last.get("question", {}).get("options", ()))

    def meant_option(self, text: str) -> str | None:
        """Return the open question's option that a text means by name or number; None if it means none."""
        text, options = text.strip(), self.options
        named = meant_names(text, options)
        if len(named) == 1:
            return named[0]
        numbered = {str(number): option for number, option in enumerate(options, 1)}
        return numbered.get(text)

    def settle(self, option: str) -> bool:
        """Put the plan of an option in the place of the open question; say whether its plan is known. Raises as `undo`.

        The plans are known of a question that stands for a plan of which the model was not sure.
        """
        found = next((each for each in self.readings if option in each.options), None)
        if found is not None:
            self._change(found.answer)
        return found is not None

    def keep(self, name: str) -> None:
        """Make the current result a further opened table; ConversationError, ToolError for a name that is taken."""
        conversation = self.conversation.with_kept(name, self.first_table)
        if len(conversation.kept) > self.workspace.settings.chat.kept_tables:
            raise ConversationError("too_many_kept", most=self.workspace.settings.chat.kept_tables)
        plan = conversation.kept[-1].plan
        self._stands = False
        run(self.workspace, [], plan, max_rows=0, keep_as=name)
        self.conversation = conversation
        self._open(name, plan["table"])

    def sql(self) -> str:
        """Return the whole plan of the current result as one SQL statement; raises as `undo`."""
        plan = self.conversation.plan(self.first_table)
        if plan is None:
            raise ConversationError("no_result")
        self._stands = False
        return statement(self.workspace, plan)

    def step(self, number: int) -> dict[str, Any]:
        """Return the result after one of the current result's steps, by its number from 1; raises as `undo`."""
        plan = self.conversation.plan(self.first_table)
        steps = [] if plan is None else plan["steps"]
        if plan is None or not 1 <= number <= len(steps):
            raise ConversationError("no_such_step", found=number, most=len(steps))
        self._stands = False
        return run(self.workspace, [], {**plan, "steps": steps[:number]}, max_rows=self._most_rows)

    @property
    def _most_rows(self) -> int:
        return self.workspace.settings.output.shown_rows

    def _asked(
        self,
        request: str,
        model: AnyModel,
        conversation: Conversation,
        listening: Listening,
        failed: Mapping[str, Any] | None,
        *,
        others: bool = False,
        calibration: Calibration | None = None,
    ) -> Answered:
        standing = self.standing if conversation is self.conversation else None
        if others or calibration is not None or self.workspace.settings.stepwise.on:
            self._stands = False
        return ask(
            self.workspace,
            request,
            model,
            conversation.history,
            dry_run=True,
            progress=listening.progress,
            writing=listening.writing,
            standing=standing,
            failed=failed,
            others=others,
            calibration=calibration,
            made=listening.made,
        )

    def _run_or_repair(
        self, request: str, answered: Answered, model: AnyModel, before: Conversation, listening: Listening
    ) -> tuple[Answered, Answer]:
        if "steps" not in answered.answer:
            return answered, answered.answer
        try:
            return self._ran(answered, before, listening)
        except ToolError as error:
            if answered.before is not None:
                raise RepairError([answered.before, (answered.answer, error)]) from error
            return self._repaired(request, answered, error, model, before, listening)

    def _repaired(
        self,
        request: str,
        answered: Answered,
        error: TezError,
        model: AnyModel,
        before: Conversation,
        listening: Listening,
    ) -> tuple[Answered, Answer]:
        listening.failed(answered.answer, error)
        failed = {"answer": answered.answer, "error": error_text(error, "en")}
        second = self._asked(request, model, before, listening, failed)
        if "steps" not in second.answer:
            return second, second.answer
        try:
            return self._ran(second, before, listening)
        except ToolError as again:
            raise RepairError([(answered.answer, error), (second.answer, again)]) from again

    def _ran(self, answered: Answered, before: Conversation, listening: Listening) -> tuple[Answered, Answer]:
        result, answer = self._run(before.answers, answered.answer, listening.told)
        return replace(answered, result=result, answer=dict(answer)), answer

    def _run(self, before: Sequence[Answer], answer: Answer, told: Told = untold) -> tuple[dict[str, Any], Answer]:
        """Run a plan; return its result, whose table stands, and the plan with exact names."""
        self._stands = False
        result = run(self.workspace, before, answer, max_rows=self._most_rows, keep_steps=True, told=told)
        steps = result["steps"][len(result["steps"]) - len(answer["steps"]) :]
        head: dict[str, Any] = {}
        if any("steps" in each for each in before):
            head["on"] = answer.get("on", "table")
        if head.get("on") != "result" and len(self.workspace.tables) > 1:
            head["table"] = meant_table(answer["table"], [table.name for table in self.workspace.tables])
        return result, {**head, "steps": steps}

    def _change(self, answer: Answer) -> None:
        before = self.conversation.undone()
        result, exact = self._run(before.answers, answer)
        self.conversation = self.conversation.changed(exact)
        self.result, self._stands = result, True

    def _go(self, conversation: Conversation) -> None:
        number, result = conversation.result_at, None
        if number is not None:
            before = replace(conversation, at=number - 1)
            result, _ = self._run(before.answers, conversation.turns[number - 1].answer)
        if conversation is not self.conversation:
            self.readings = ()
        self.conversation, self.result, self._stands = conversation, result, True

    def _take(self, conversation: Conversation, answered: Answered) -> None:
        """Go on with an answer; after a question the result before it is still the current one."""
        self.conversation = conversation.bounded(self.workspace.settings.chat.turns, self.first_table)
        self.readings = answered.readings
        if answered.result is not None:
            self.result, self._stands = answered.result, True

    def _open(self, name: str, start: str) -> None:
        """Add a table that stands in the database to the opened ones; `start` is the one that its plan starts from."""
        known = self.workspace
        source = next(table for table in known.tables if table.name == meant_table(start, _names(known)))
        state = table_state(known.con, name, known.settings)
        rows = int(database.query(known.con, f"SELECT count(*) FROM {database.find_table(known.con, name)}")[0][0])
        opened = replace(
            known,
            tables=(*known.tables, OpenedTable(name, source.path, rows)),
            scene=opened_scene(with_join_keys(known.con, [*known.scene.tables, state], known.settings)),
        )
        domain = with_descriptions(known.con, opened.domain, opened.tables, opened.scene.tables, known.settings)
        self.workspace = replace(opened, domain=domain)


def _names(workspace: Workspace) -> list[str]:
    return [table.name for table in workspace.tables]
