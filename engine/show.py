"""How an answer is shown to a person: the plan in words, what is worth knowing, the table, charts and files."""

from collections.abc import Mapping, Sequence
from typing import Any

from grammar import TableState, by_name
from prompt.glossary import Entry
from prompt.words import Language, explain, note_text, question_text, screen_text

from . import render, terminal
from .answered import Answered
from .deliver import Delivery, Wanted
from .described import table_line
from .files import OpenedTable
from .model_address import is_address, read_address
from .profile import Profile
from .profile_text import is_estimated, problem_lines, profile_rows
from .readings import Reading
from .report_text import report_lines
from .settings import Settings
from .workspace import Workspace
from .written_steps import written_steps

LEAST_TOLD = 0.01


def hand_over(delivery: Delivery, wanted: Wanted, document: dict[str, Any] | None, *, plan_said: bool = False) -> None:
    """Print a result, or a JSON document of it, and write its files; a file that fails takes no answer with it."""
    language, settings = delivery.language, delivery.workspace.settings
    if document is None:
        (print_made if plan_said else print_result)(delivery.workspace, delivery.result, language)
        print_charts(delivery)
    written: list[dict[str, Any]] = []
    try:
        for file in delivery.files(wanted):
            written.append(file)
            if document is None:
                say_file(file, language, settings)
    finally:
        if document is not None:
            render.print_json({**document, "artifacts": delivery.artifacts(), "files": written})


def print_charts(delivery: Delivery) -> None:
    """Print the charts of an answer as text."""
    width = render.line_width(delivery.workspace.settings.output)
    for lines in delivery.text_charts(width, plain=not render.is_unicode()):
        render.print_text("\n".join(["", *lines]))


def in_dialect(text: str, dialect: str | None) -> tuple[str, list[dict[str, Any]]]:
    """Return a statement of DuckDB in another dialect, where one is named, and notes on what that cannot express."""
    if dialect is None:
        return text, []
    from .dialect_sql import transpiled

    made = transpiled(text, dialect)
    notes: list[dict[str, Any]] = [
        {"note": "not_in_dialect", "dialect": dialect, "text": each} for each in made.unsupported
    ]
    if made.functions:
        notes.append({"note": "functions_of_duckdb", "dialect": dialect, "functions": list(made.functions)})
    return made.text, notes


def say_file(file: Mapping[str, Any], language: Language, settings: Settings) -> None:
    """Say that a file was written, and what a person should know of it."""
    terminal.say(screen_text("file_written", language, path=file["path"], rows=file.get("rows")))
    for note in file["notes"]:
        terminal.say(f"  {note_text(note, language, shown=settings.output.shown_options)}")


def print_unrun(workspace: Workspace, answered: Answered, language: Language) -> None:
    """Print an answer that is a question, or a plan that was not run."""
    if "question" in answered.answer:
        render.print_text(question_text(answered.answer["question"], language))
    else:
        say_plan(workspace, answered.answer["steps"], language)
        terminal.say(screen_text("not_run", language))
        render.print_json(answered.answer)


def print_result(workspace: Workspace, result: Mapping[str, Any], language: Language) -> None:
    """Print a result: its plan in words and the evidence to standard error, its table to standard output."""
    say_plan(workspace, result["steps"], language)
    print_made(workspace, result, language)


def print_made(workspace: Workspace, result: Mapping[str, Any], language: Language, after: int = 0) -> None:
    """Print a result without its plan; evidence only of the steps after the first `after`."""
    shown = workspace.settings.output.shown_options
    evidence = [note for note in result["evidence"] if note["step"] > after]
    if evidence:
        terminal.say(screen_text("evidence", language))
        for note in evidence:
            terminal.say(f"  {note['step']}. {note_text(note, language, shown=shown)}")
    hidden = render.print_table(
        result["columns"],
        result["kinds"],
        result["rows"],
        language,
        workspace.settings.output,
        named_in(result["steps"]),
    )
    if hidden:
        terminal.say(screen_text("more_columns", language, columns=len(hidden), names=hidden[:shown]))
    printed, rows = len(result["rows"]), result["row_count"]
    terminal.say(screen_text("rows", language, rows=rows, shown=printed if printed < rows else None))


def say_plan(workspace: Workspace, steps: Sequence[Mapping[str, Any]], language: Language) -> None:
    """Say the steps of a plan in words."""
    terminal.say(screen_text("plan", language))
    for number, step in enumerate(steps, 1):
        say_step(workspace, number, step, language)


def say_tables(workspace: Workspace, language: Language, after: int = 0) -> None:
    """Say what each of the opened tables holds, but for the first `after`."""
    known = {state.name: state for state in workspace.scene.tables}
    for table in workspace.tables[after:]:
        terminal.say(table_text(workspace, table, known[table.name], language))


def say_reports(workspace: Workspace, language: Language, *, every: bool) -> None:
    """Say of each table that was not plain how it was read, where `every` one is told what each of them holds."""
    for table, state in zip(workspace.tables, workspace.scene.tables, strict=True):
        if every:
            terminal.say(table_text(workspace, table, state, language))
            say_report(table, language)
        elif report_lines(table.report, language):
            columns = len(table.report.columns)
            terminal.say(screen_text("opened", language, table=table.name, rows=table.rows, columns=columns))
            say_report(table, language)


def say_report(table: OpenedTable, language: Language) -> None:
    """Say how a table was read."""
    for line in report_lines(table.report, language):
        terminal.say(f"  {line}")


def table_text(workspace: Workspace, table: OpenedTable, state: TableState, language: Language) -> str:
    """Return the line that says what an opened table holds."""
    return table_line(workspace.con, workspace.domain, table, state, workspace.settings, language)


def say_step(workspace: Workspace, number: int, step: Mapping[str, Any], language: Language) -> None:
    """Say one step of a plan in words."""
    contracts = by_name(workspace.contracts)
    terminal.say(f"  {number}. {explain(contracts[step['tool']], step['args'], language)}")


class LiveSteps:
    """Says each step of an answer as soon as it is written, and in the stepwise mode the table that it has made.

    Those of an answer that goes on from a result are counted behind its `earlier` steps.
    """

    def __init__(self, workspace: Workspace, language: Language, earlier: int = 0) -> None:
        self._workspace = workspace
        self._language = language
        self._earlier = earlier
        self._said = 0
        self.after = 0

    @property
    def steps(self) -> int:
        """Return the number of the last step that was said."""
        return self.after + self._said

    def writing(self, text: str) -> None:
        """Say the steps of the beginning of an answer that have not been said."""
        for step in written_steps(text)[self._said :]:
            if not self._said:
                terminal.say(screen_text("plan", self._language))
                self.after = self._earlier if text.startswith('{"on":"result"') else 0
            self._said += 1
            say_step(self._workspace, self.steps, step, self._language)

    def made(self, step: int, result: Mapping[str, Any]) -> None:
        """Say what table a step has made."""
        shown = self._workspace.settings.output.shown_options
        names = result["columns"][:shown] + (["..."] if len(result["columns"]) > shown else [])
        said = screen_text("step_made", self._language, rows=result["row_count"], names=names)
        terminal.say(f"     {said}")

    def forget(self) -> None:
        """Begin with another answer."""
        self._said = 0


def say_confidence(answered: Answered, language: Language) -> None:
    """Say how often such an answer is right; nothing where that was not measured."""
    if answered.confidence is not None:
        key = "confidence" if answered.confidence >= LEAST_TOLD else "confidence_low"
        terminal.say(screen_text(key, language, percent=max(1, round(100 * answered.confidence))))


def say_server(settings: Settings, language: Language) -> None:
    """Say that what the model reads leaves this machine, where the model is a server on another one."""
    path = settings.model.path
    if path is None or not is_address(path):
        return
    address = read_address(path)
    if not address.on_this_machine:
        key = "server_away" if address.secure else "server_away_open"
        terminal.say(screen_text(key, language, address=address.shown))


def say_readings(workspace: Workspace, answered: Answered, language: Language) -> None:
    """Say how often such an answer is right, and what else the request may mean."""
    if not answered.weighed:
        terminal.say(screen_text("server_unsure", language))
        return
    say_confidence(answered, language)
    if answered.confidence is None:
        terminal.say(screen_text("not_calibrated", language))
    say_other_readings(workspace, answered, language)


def say_other_readings(workspace: Workspace, answered: Answered, language: Language) -> None:
    """Say what else the request may mean."""
    others = other_readings(answered)
    if not others:
        return
    terminal.say(screen_text("also_possible", language))
    for number, reading in others.items():
        told = reading_text(workspace, reading, language)
        terminal.say("  " + screen_text("reading", language, number=number, plan=told))


def other_readings(answered: Answered) -> dict[int, Reading]:
    """Return the plans that a request may mean beside its answer, by their numbers."""
    return {
        number: reading
        for number, reading in enumerate(answered.readings, 1)
        if reading.answer != answered.answer and "steps" in reading.answer
    }


def reading_text(workspace: Workspace, reading: Reading, language: Language) -> str:
    """Return a reading in words, with the number of its rows where it was run."""
    rows = None if reading.result is None else reading.result["row_count"]
    plan = plan_words(workspace, reading.answer["steps"], language)
    return screen_text("reading_plan", language, plan=plan, rows=rows)


def plan_words(workspace: Workspace, steps: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Return the steps of a plan in words, on one line."""
    contracts = by_name(workspace.contracts)
    return "; ".join(explain(contracts[step["tool"]], step["args"], language) for step in steps)


def say_options(workspace: Workspace, options: Sequence[str], readings: Sequence[Reading], language: Language) -> None:
    """Say the options of a question with their numbers, each with its plan where that is known."""
    for number, option in enumerate(options, 1):
        found = next((each for each in readings if option in each.options), None)
        plan = None if found is None else reading_text(workspace, found, language)
        terminal.say("  " + screen_text("option", language, number=number, option=option, plan=plan))
    if options:
        terminal.say(screen_text("option_hint", language))


def say_notes(notes: Sequence[Mapping[str, Any]], language: Language) -> None:
    """Say notes, a line each."""
    for note in notes:
        terminal.say(note_text(note, language))


def named_in(steps: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the texts that the arguments of these steps hold, column names among them."""

    def texts(value: Any) -> set[str]:
        if isinstance(value, str):
            return {value}
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        return {text for each in inner for text in texts(each)}

    return {text for step in steps for text in texts(step["args"])}


def print_profile(found: Profile, meanings: Mapping[str, Entry], language: Language, settings: Settings) -> None:
    """Print the profile of a table, and say what is worth fixing in it."""
    headings, kinds, rows = profile_rows(found, meanings, language)
    hidden = render.print_table(headings, kinds, rows, language, settings.output)
    if hidden:
        terminal.say(screen_text("more_columns", language, columns=len(hidden), names=hidden))
    if found.problems:
        terminal.say(screen_text("worth_fixing", language))
        for line in problem_lines(found.problems, language):
            terminal.say(f"  {line}")
    if is_estimated(found):
        terminal.say(screen_text("estimated", language))
