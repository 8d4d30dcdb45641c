"""A conversation in a terminal: reads lines, runs requests and commands, shows what came of each."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from grammar import Scene, TezError
from prompt.words import Language, detect_language, error_text, question_text, screen_text

from . import render, terminal
from .accepted import with_recalled
from .answered import Answered
from .calibration import Calibration, calibration_of
from .conversation import Conversation
from .decoder import Progress
from .deliver import Delivery, Wanted
from .line_input import COMMAND_SIGN, LineInput
from .saved import Saved
from .served import LocalOrServed, RepairError
from .session import current_result
from .show import (
    LiveSteps,
    print_charts,
    print_made,
    print_result,
    say_confidence,
    say_file,
    say_notes,
    say_options,
    say_step,
    say_tables,
)
from .talk import Listening, Talk
from .workspace import Workspace

PROMPT = "tez> "
SWITCH_KEY, TAKE_KEY = "f2", "f3"


LoadModel = Callable[[Progress], AbstractContextManager[LocalOrServed]]


class Chat:
    """One terminal session about opened tables. Use it as a context manager: the model is loaded when it is needed.

    `language` is that of texts without a request of their own, and where a request does not tell its language; where it
    is `fixed` it is that of all texts.
    """

    def __init__(
        self, workspace: Workspace, load_model: LoadModel, saved: Saved, language: Language, *, fixed: bool
    ) -> None:
        self.talk = Talk(workspace)
        self.language = language
        self.saved = saved
        self.given = ""
        self.leaving = False
        self._fixed = fixed
        self._load_model = load_model
        self._model: LocalOrServed | None = None
        self._calibration: Calibration | None = None
        self._held = ExitStack()

    def __enter__(self) -> "Chat":
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def resume(self, conversation: Conversation) -> None:
        """Go on with a conversation; a plan of its that cannot run any more is repaired once or undone, and said."""
        talk = Talk(self.talk.opened, conversation)
        before, self.talk = self.talk, talk
        if not self._fixed and conversation.now:
            self.language = detect_language(conversation.now[-1].request, self.language)
        try:
            try:
                talk.stand()
            except TezError as error:
                self.say_error(error)
                self._repaired(error)
        except BaseException:
            talk.forget()
            self.talk = before
            raise

    def run(self) -> None:
        """Read lines until the person leaves."""
        from .chat_commands import COMMANDS, run_command

        def candidates() -> Iterator[str]:
            yield from (f"{COMMAND_SIGN}{name}" for name in COMMANDS)
            yield from names_in(self._scene())

        typed = [turn.request for turn in self.talk.conversation.now]
        most = self.talk.workspace.settings.chat.completions
        keys = {SWITCH_KEY: f"{COMMAND_SIGN}on", TAKE_KEY: f"{COMMAND_SIGN}take"}
        lines = LineInput(candidates, keys, typed, most)
        self.say("chat_hello", switch=SWITCH_KEY.upper(), take=TAKE_KEY.upper())
        while not self.leaving:
            given, self.given = self.given, ""
            line = lines.read(PROMPT, given)
            if line is None:
                return
            if not line.strip():
                continue
            if not lines.attended:
                terminal.say(f"{PROMPT}{line}")
            work = run_command if line.startswith(COMMAND_SIGN) else Chat.request
            self.attempt(lambda work=work, line=line: work(self, line))  # type: ignore[misc]

    def attempt(self, work: Callable[[], None]) -> None:
        """Do something; what fails or is interrupted is said, and the session goes on. Saves the conversation."""
        try:
            work()
        except KeyboardInterrupt:
            self.say("chat_cancelled")
        except TezError as error:
            self.say_error(error)
        if not self.saved.save(self.talk.conversation):
            self.say("chat_not_saved", path=self.saved.path)

    def request(self, request: str) -> None:
        """Let the model answer a request and show its answer; take an option of the open question that it names."""
        option = self.talk.meant_option(request)
        if option is not None and self.talk.settle(option):
            self.show()
            return
        request = request if option is None else option
        if not self._fixed:
            self.language = detect_language(request, self.language)
        with terminal.progress(self.language) as progress:
            model = self._loaded(progress)
            listening, most = self._listening(progress), self.talk.workspace.settings.readings.most
            self.talk.workspace = with_recalled(self.talk.workspace, request, self.say_error)
            answered = self.talk.ask(request, model, listening, others=most > 0, calibration=self._calibration)
        self.show_answered(answered)

    def show_answered(self, answered: Answered) -> None:
        """Show an answer whose steps were said while they were written, and write the files that it asks for."""
        say_notes(answered.notes, self.language)
        if "question" in answered.answer:
            render.print_text(question_text(answered.answer["question"], self.language))
            say_options(self.talk.workspace, self.talk.options, answered.readings, self.language)
            say_confidence(answered, self.language)
            self._say_readings(0)
            return
        delivery = self.delivery()
        self.say_scope()
        print_made(delivery.workspace, delivery.result, self.language, self._replayed())
        print_charts(delivery)
        for file in delivery.files(Wanted()):
            say_file(file, self.language, delivery.workspace.settings)
        say_confidence(answered, self.language)
        self._say_readings(1)

    def show(self) -> None:
        """Show the current result, or say that there is none."""
        number = self.talk.conversation.result_at
        if self.talk.result is None or number is None:
            self.say("chat_no_result")
            return
        self.say("chat_answer", number=number, request=self.talk.conversation.turns[number - 1].request)
        self.say_scope()
        print_result(self.talk.workspace, self.talk.result, self.language)
        print_charts(self.delivery())

    def delivery(self) -> Delivery:
        """Return the current result as what files are made of; ConversationError without one."""
        from .conversation import ConversationError

        self.talk.stand()
        conversation, result = self.talk.conversation, self.talk.result
        number = conversation.result_at
        if result is None or number is None:
            raise ConversationError("no_result")
        turn, before = conversation.turns[number - 1], conversation.answers[: number - 1]
        return Delivery(self.talk.workspace, result, turn.answer, self.language, turn.request, before)

    def say(self, key: str, **facts: Any) -> None:
        """Say a sentence of the screen."""
        terminal.say(screen_text(key, self.language, **facts))

    def say_error(self, error: TezError) -> None:
        """Say an error; of a repair that failed also the plans that were tried."""
        shown = self.talk.workspace.settings.output.shown_options
        if isinstance(error, RepairError):
            for answer, _ in error.tried:
                self.say("chat_tried")
                self._say_steps(answer)
        self.say("error", text=error_text(error, self.language, shown=shown))

    def say_scope(self) -> None:
        """Say what the current result was made from."""
        conversation, number = self.talk.conversation, self.talk.conversation.result_at
        if number is not None:
            scope = str(conversation.scope())
            several = len(self.talk.workspace.tables) > 1 and scope == "table"
            table = conversation.turns[number - 1].answer.get("table") if several else None
            self.say(f"chat_on_{scope}", scope=f"on: {scope}", table=table)

    def _replayed(self) -> int:
        """Return how many steps of the current result are those of earlier answers."""
        delivery = self.delivery()
        return len(delivery.result["steps"]) - len(delivery.answer["steps"])

    def _loaded(self, progress: Progress) -> LocalOrServed:
        if self._model is None:
            self._model = self._held.enter_context(self._load_model(progress))
            self._calibration = calibration_of(self.talk.workspace.settings, self._model.key)
        return self._model

    def _listening(self, progress: Progress) -> Listening:
        """Say each step as soon as it is written, and show how far the run is."""
        earlier = 0 if self.talk.result is None else len(self.talk.result["steps"])
        live = LiveSteps(self.talk.workspace, self.language, earlier)

        def told(step: int) -> None:
            progress("run", step, live.steps)

        def failed(answer: Mapping[str, Any], error: TezError) -> None:
            live.forget()
            self.say_error(error)
            self.say("chat_repairing")

        return Listening(progress, live.writing, told, failed, live.made)

    def _repaired(self, error: TezError) -> None:
        """Repair the current result's plan once; where that fails, go back to the last one that runs."""
        with terminal.progress(self.language) as progress:
            try:
                self.talk.repair(error, self._loaded(progress), self._listening(progress))
                return
            except TezError as again:
                self.say_error(again)
        while self.talk.conversation.at:
            self.talk.conversation = self.talk.conversation.undone()
            try:
                self.talk.stand()
                break
            except TezError:
                continue
        self.say("chat_went_back", number=self.talk.conversation.at)

    def _say_readings(self, after: int) -> None:
        """Say what else the last request may mean; the first `after` readings have been shown."""
        for number, reading in enumerate(self.talk.readings, 1):
            if number > after and "steps" in reading.answer and not reading.options:
                rows = None if reading.result is None else reading.result["row_count"]
                self.say("chat_also", command=f"{COMMAND_SIGN}take {number}", press=TAKE_KEY.upper(), rows=rows)
                self._say_steps(reading.answer)

    def _say_steps(self, answer: Mapping[str, Any]) -> None:
        for number, step in enumerate(answer["steps"], 1):
            say_step(self.talk.workspace, number, step, self.language)

    def _scene(self) -> Scene:
        try:
            result = current_result(self.talk.workspace, self.talk.conversation.answers)
        except TezError:
            result = None
        return Scene(self.talk.workspace.scene.tables, result)


def names_in(scene: Scene) -> Iterator[str]:
    """Yield the names that a request may hold: columns and values of the result and of the opened tables."""
    for state in (*([scene.result] if scene.result is not None else []), *scene.tables):
        yield from (column.name for column in state.offered())
        yield from (value for column in state.offered() for value in column.values or ())
    yield from (table.name for table in scene.tables)


def chat(
    workspace: Workspace, load_model: LoadModel, saved: Saved, language: Language, *, fixed: bool, new: bool
) -> None:
    """Hold a conversation about a workspace, going on where it stopped unless it is to be a `new` one."""
    with Chat(workspace, load_model, saved, language, fixed=fixed) as session:
        earlier = None if new else saved.load()
        if earlier is not None and earlier.turns:
            session.attempt(lambda: session.resume(earlier))
            session.say("chat_goes_on", answers=len(session.talk.conversation.now))
            say_tables(session.talk.workspace, session.language, len(workspace.tables))
            session.attempt(session.show)
        session.run()


def source_paths(workspace: Workspace) -> list[Path]:
    """Return the files that no file may be written over."""
    return [table.path for table in workspace.tables]
