"""What each command does: call the pipeline once, print what it gives."""

import argparse
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grammar import TezError, gbnf, json_schema, openai_tools
from prompt.build import tool_lines
from prompt.glossary import column_meanings
from prompt.words import (
    Language,
    detect_language,
    error_text,
    note_text,
    screen_text,
)

from . import exit_codes, outcome, render, terminal
from .accepted import with_recalled
from .answered import Answered
from .asking import settling_of
from .calibration import calibration_of
from .confidence import as_json as decisions_json
from .confidence import least
from .decoder import unread
from .deliver import Delivery, Wanted, check_wanted
from .history_command import accept, history, replay, say_error
from .load_options import ASK, LoadOptions
from .other_readings import offer_readings
from .paths import FileError
from .plan_file import read_plan
from .profile import profile
from .profile_text import table_json
from .session import ask, prepare, run, statement
from .settings import Settings, load_settings
from .show import (
    LiveSteps,
    hand_over,
    in_dialect,
    print_profile,
    print_unrun,
    say_notes,
    say_readings,
    say_report,
    say_reports,
    say_server,
    table_text,
)
from .sources import STANDARD_INPUT
from .stepwise import unmade
from .toolset import Toolset, load_tools
from .watching import watching_of
from .workspace import Workspace, open_workspace


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command of these arguments and return its exit code; no error leaves this function untold."""
    language: Language = arguments.lang or "en"
    shown: int | None = None
    try:
        settings = load_settings(arguments.settings)
        shown = settings.output.shown_options
        language = _language(arguments, settings)
        return _COMMANDS[arguments.command](arguments, settings, language)
    except KeyboardInterrupt:
        terminal.say(screen_text("interrupted", language))
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        terminal.close()
        return exit_codes.ANSWERED
    except TezError as error:
        if arguments.debug:
            traceback.print_exc()
        terminal.say(screen_text("error", language, text=error_text(error, language, shown=shown)))
        return outcome.exit_code(error)


def _language(arguments: argparse.Namespace, settings: Settings) -> Language:
    fallback: Language = arguments.lang or settings.language
    if arguments.lang is None and getattr(arguments, "request", None):
        return detect_language(arguments.request, fallback)
    return fallback


def _ask(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from .chosen_model import chosen_model

    wanted = _wanted(arguments)
    settings = _with_model(settings, arguments)
    say_server(settings, language)
    workspace = _opened(arguments, settings, language)
    live = LiveSteps(workspace, language) if settings.stepwise.on and not arguments.json else None
    workspace = with_recalled(workspace, arguments.request, lambda error: say_error(error, language))
    with terminal.progress(language) as progress, chosen_model(settings, progress) as model:
        answered = ask(
            workspace,
            arguments.request,
            model,
            dry_run=arguments.dry_run,
            max_rows=_most_rows(arguments, settings),
            keep_steps=wanted.out is not None,
            progress=progress,
            calibration=calibration_of(settings, model.key),
            others=settings.readings.most > 0,
            reading=arguments.reading,
            writing=live.writing if live else unread,
            made=live.made if live else unmade,
        )
        name = model.name
    if not arguments.json:
        say_notes(answered.notes, language)
    if answered.result is not None:
        delivery = Delivery(workspace, answered.result, answered.answer, language, arguments.request)
        document = _ask_json(workspace, answered, name) if arguments.json else None
        hand_over(delivery, wanted, document, plan_said=live is not None)
    elif arguments.json:
        render.print_json(_ask_json(workspace, answered, name))
    else:
        print_unrun(workspace, answered, language)
    settled = "steps" in answered.answer
    if settled and arguments.accept and answered.result is not None:
        accept(workspace, arguments.request, answered.answer, language)
    if not arguments.json:
        say_readings(workspace, answered, language)
        if not arguments.dry_run and terminal.attended() and render.is_terminal():
            settled |= offer_readings(workspace, answered, wanted, language, _most_rows(arguments, settings))
    return exit_codes.ANSWERED if settled else exit_codes.QUESTION


def _chat(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from .chat import chat
    from .chosen_model import chosen_model
    from .saved import Saved, saved_folder

    if STANDARD_INPUT in map(str, arguments.files):
        raise FileError("input_twice", path=STANDARD_INPUT)
    settings = _with_model(settings, arguments)
    say_server(settings, language)
    workspace = _opened(arguments, settings, language)
    saved = Saved(saved_folder(), arguments.files, settings.chat.conversations, settings.chat.saved_bytes)
    chat(
        workspace,
        lambda progress: chosen_model(settings, progress),
        saved,
        language,
        fixed=arguments.lang is not None,
        new=arguments.new,
    )
    return exit_codes.ANSWERED


def _mcp(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    from .desk import Desk
    from .mcp_server import serve

    if STANDARD_INPUT in map(str, arguments.files):
        raise FileError("input_twice", path=STANDARD_INPUT)
    workspace = _opened(arguments, settings, language)
    settings = _with_model(settings, arguments)
    say_server(settings, language)
    with Desk(workspace, settings, language) as desk:
        serve(desk, language, settings.output.shown_options)
    return exit_codes.ANSWERED


def _run(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    if STANDARD_INPUT == str(arguments.plan) in map(str, arguments.files):
        raise FileError("input_twice", path=STANDARD_INPUT)
    wanted = _wanted(arguments)
    workspace = _opened(arguments, settings, language)
    answer = read_plan(arguments.plan)
    started = time.monotonic()
    most = _most_rows(arguments, settings)
    result = run(workspace, [], answer, max_rows=most, keep_steps=wanted.out is not None)
    document = None
    if arguments.json:
        timing = {"run": time.monotonic() - started}
        said = {"notes": _file_notes(workspace), "tables": _reports_json(workspace)}
        document = {"answer": answer, **_result_json(result), "timing": timing, **said}
    hand_over(Delivery(workspace, result, answer, language), wanted, document)
    return exit_codes.ANSWERED


def _sql(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    if STANDARD_INPUT == str(arguments.plan) in map(str, arguments.files):
        raise FileError("input_twice", path=STANDARD_INPUT)
    answer = read_plan(arguments.plan)
    text = statement(_opened(arguments, settings, language), answer)
    text, notes = in_dialect(text, arguments.dialect)
    if arguments.json:
        render.print_json({"sql": text, "dialect": arguments.dialect or "duckdb", "notes": notes})
    else:
        render.print_text(text)
        say_notes(notes, language)
    return exit_codes.ANSWERED


def _wanted(arguments: argparse.Namespace) -> Wanted:
    """Return which files the user wants; ExportError before anything is opened for one that cannot be written."""
    wanted = Wanted(arguments.out, arguments.chart, arguments.with_plan)
    check_wanted(wanted, arguments.files)
    return wanted


def _profile(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    workspace = _opened(arguments, settings, language)
    glossary, known = workspace.domain.context["glossary"], workspace.listed
    tables = []
    for table, state in zip(workspace.tables, workspace.scene.tables, strict=True):
        found = profile(workspace.con, table.name, settings, known.get(table.name), state.columns)
        meanings = column_meanings(glossary, state)
        if arguments.json:
            tables.append(table_json(table, found, meanings))
            continue
        terminal.say(table_text(workspace, table, state, language))
        say_report(table, language)
        print_profile(found, meanings, language, settings)
    if arguments.json:
        render.print_json({"tables": tables, "domain": workspace.domain.name})
    elif workspace.domain.name is not None:
        terminal.say(screen_text("domain", language, name=workspace.domain.name))
    return exit_codes.ANSWERED


def _tools(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    if arguments.openai:
        return _openai_tools(arguments, settings, language)
    contracts = load_tools(arguments.tools or (), settings.tools).contracts
    if arguments.json:
        render.print_json(contracts)
    else:
        render.print_text(tool_lines(contracts))
    return exit_codes.ANSWERED


def _openai_tools(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    if not arguments.files:
        raise FileError("no_file_given")
    workspace = _opened(arguments, settings, language)
    if len(workspace.tables) > 1:
        raise FileError("one_table_wanted", found=[table.name for table in workspace.tables])
    render.print_json(openai_tools(workspace.tools.allowed, workspace.scene.tables[0]))
    return exit_codes.ANSWERED


def _schema(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    workspace = _opened(arguments, settings, language)
    render.print_json(json_schema(workspace.tools.allowed, workspace.scene))
    return exit_codes.ANSWERED


def _grammar(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    workspace = _opened(arguments, settings, language)
    text = gbnf(workspace.tools.allowed, workspace.scene)
    if arguments.json:
        render.print_json({"gbnf": text})
    else:
        render.print_text(text)
    return exit_codes.ANSWERED


def _prompt(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    workspace = _opened(arguments, settings, language)
    asked = prepare(workspace, arguments.request)
    if arguments.json:
        render.print_json({"parts": dict(asked.prompt.parts), "notes": asked.prompt.notes})
    else:
        say_notes(asked.prompt.notes, language)
        render.print_text(asked.prompt.text)
    return exit_codes.ANSWERED


def _opened(arguments: argparse.Namespace, settings: Settings, language: Language) -> Workspace:
    """Open the files as the options say, and say what a person should know of how, unless the output is JSON."""
    header, header_to = arguments.header or (None, None)
    options = LoadOptions(
        encoding=arguments.encoding,
        delimiter=arguments.delimiter,
        header=header,
        header_to=header_to,
        decimal=None if arguments.decimal == ASK else arguments.decimal,
        dates=None if arguments.dates == ASK else arguments.dates,
        types=dict(arguments.types or ()),
        keep_totals=arguments.keep_totals,
    )
    settling = settling_of(arguments, settings, language)
    watching = watching_of(arguments.files, settings, language)
    domain, tools = getattr(arguments, "domain", None), _toolset(arguments, settings)
    workspace = open_workspace(arguments.files, settings, domain, options, arguments.sheet, settling, watching, tools)
    workspace.tools.check_named(workspace.scene)
    if not getattr(arguments, "json", False):
        for table in workspace.tables:
            for note in table.notes:
                said = _file_note(note, language, settings.output.shown_options)
                terminal.say(screen_text("file_note", language, table=table.name, text=said))
        if arguments.command != "profile":
            say_reports(workspace, language, every=arguments.command == "chat")
    return workspace


def _toolset(arguments: argparse.Namespace, settings: Settings) -> Toolset:
    """Return the tools that the command line asks for; a command that has no need of them loads none."""
    if not hasattr(arguments, "tools"):
        return Toolset()
    tools = load_tools(arguments.tools or (), settings.tools)
    return tools.choosing(getattr(arguments, "tool", None), getattr(arguments, "no_tools", False))


def _history(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    if arguments.doing != "replay":
        return history(arguments, settings, language)
    wanted = _wanted(arguments)
    return replay(arguments, _opened(arguments, settings, language), wanted, _most_rows(arguments, settings), language)


_COMMANDS = {
    "ask": _ask,
    "chat": _chat,
    "mcp": _mcp,
    "history": _history,
    "run": _run,
    "sql": _sql,
    "profile": _profile,
    "tools": _tools,
    "schema": _schema,
    "grammar": _grammar,
    "prompt": _prompt,
}


def _file_note(note: Mapping[str, Any], language: Language, shown: int) -> str:
    if "reason" in note:
        note = {**note, "text": error_text(FileError(note["reason"], **note["facts"]), language, shown=shown)}
    return note_text(note, language, shown=shown)


def _with_model(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Return the settings with the model (a file or a server), the adapter and the mode that were typed."""
    model = settings.model
    if arguments.model is not None:
        model = replace(model, path=str(arguments.model))
    if arguments.adapter is not None:
        model = replace(model, adapter=str(arguments.adapter))
    stepwise = replace(settings.stepwise, on=settings.stepwise.on or arguments.stepwise)
    return replace(settings, model=model, stepwise=stepwise)


def _most_rows(arguments: argparse.Namespace, settings: Settings) -> int:
    if arguments.rows is not None:
        return int(arguments.rows)
    return settings.output.json_rows if arguments.json else settings.output.shown_rows


def _ask_json(workspace: Workspace, answered: Answered, model: str) -> dict[str, Any]:
    return {
        "request": answered.request,
        "answer": answered.answer,
        **_result_json(answered.result),
        "timing": answered.timing,
        "model": {"name": model, "tokens": answered.tokens},
        "confidence": {
            "right": answered.confidence,
            "probability": answered.probability,
            "least": least(answered.decisions) if answered.weighed else None,
            "decisions": decisions_json(answered.decisions),
        },
        "readings": [{"number": number, **reading.as_json()} for number, reading in enumerate(answered.readings, 1)],
        "notes": [*_file_notes(workspace), *answered.notes],
        "tables": _reports_json(workspace),
    }


def _file_notes(workspace: Workspace) -> list[dict[str, Any]]:
    return [{"table": table.name, **note} for table in workspace.tables for note in table.notes]


def _reports_json(workspace: Workspace) -> list[dict[str, Any]]:
    return [{"name": table.name, "report": table.report.as_json()} for table in workspace.tables]


def _result_json(result: Mapping[str, Any] | None) -> dict[str, Any]:
    keys = ("columns", "rows", "row_count", "evidence", "artifacts")
    return {**{key: None if result is None else result[key] for key in keys}, "files": []}
