"""The command `history`: accepted answers are listed, searched, shown, run again and deleted."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from grammar import TezError, by_name
from prompt.words import Language, error_text, explain, screen_text

from . import exit_codes, render, terminal
from .accepted import Accepted, AcceptedError, Memory, accepted_of, as_json, signature
from .deliver import Delivery, Wanted
from .plan import shipped_contracts
from .session import Workspace, run
from .settings import Settings
from .show import hand_over


def accept(workspace: Workspace, request: str, plan: Mapping[str, Any], language: Language) -> None:
    """Keep an answer among the accepted ones, and say so; where that cannot be, say why."""
    try:
        number = Memory(workspace.settings).keep(accepted_of(workspace, request, plan))
    except AcceptedError as error:
        say_error(error, language)
        return
    terminal.say(screen_text("accepted", language, number=number))


def say_error(error: TezError, language: Language) -> None:
    """Say an error that ends nothing."""
    terminal.say(screen_text("error", language, text=error_text(error, language)))


def history(arguments: argparse.Namespace, settings: Settings, language: Language) -> int:
    """List, search, show or delete accepted answers. Raises AcceptedError."""
    memory = Memory(settings)
    match arguments.doing:
        case "show":
            _show(memory.one(arguments.number), arguments, language)
        case "delete":
            count = memory.forget(None if arguments.all else arguments.number)
            if arguments.json:
                render.print_json({"deleted": count})
            else:
                terminal.say(screen_text("history_deleted", language, count=count))
        case "search":
            _list(memory.search(" ".join(arguments.words)), arguments, language)
        case _:
            _list(memory.all(), arguments, language)
    return exit_codes.ANSWERED


def replay(
    arguments: argparse.Namespace, workspace: Workspace, wanted: Wanted, most_rows: int, language: Language
) -> int:
    """Run the plan of an accepted answer on opened files, and say where they are not like those of then.

    Raises AcceptedError, and what `session.run` raises.
    """
    known = Memory(workspace.settings).one(arguments.number)
    now = accepted_of(workspace, known.request, known.plan)
    same = known.signature == signature(workspace.scene.tables)
    if not same:
        terminal.say(screen_text("history_other_tables", language, missing=_missing(known, now)))
    if known.contracts != now.contracts:
        terminal.say(screen_text("history_other_tools", language))
    result = run(workspace, [], known.plan, max_rows=most_rows, keep_steps=wanted.out is not None)
    document = None
    if arguments.json:
        keys = ("columns", "rows", "row_count", "evidence", "artifacts")
        document = {"request": known.request, "answer": known.plan, "same_tables": same}
        document |= {"same_tools": known.contracts == now.contracts, **{key: result[key] for key in keys}}
    hand_over(Delivery(workspace, result, known.plan, language, known.request), wanted, document)
    return exit_codes.ANSWERED


def _list(found: Sequence[Accepted], arguments: argparse.Namespace, language: Language) -> None:
    if arguments.json:
        render.print_json({"accepted": [as_json(each) for each in found]})
        return
    if not found:
        terminal.say(screen_text("history_none", language))
    for each in found:
        render.print_text(f"{each.number}. {each.at[:10]} {', '.join(each.tables)}: {render.one_line(each.request)}")


def _show(known: Accepted, arguments: argparse.Namespace, language: Language) -> None:
    if arguments.json:
        render.print_json(as_json(known))
        return
    terminal.say(f"{known.number}. {known.at}: {render.one_line(known.request)}")
    for name, columns in known.tables.items():
        terminal.say(screen_text("history_table", language, table=name, columns=list(columns)))
    contracts = by_name(shipped_contracts())
    for number, step in enumerate(known.plan["steps"], 1):
        if step["tool"] in contracts:
            terminal.say(f"  {number}. {explain(contracts[step['tool']], step['args'], language)}")
    render.print_json(known.plan)


def _missing(known: Accepted, now: Accepted) -> list[str]:
    """Return the columns of then that no table has now in that kind."""
    have = {(name.casefold(), kind) for columns in now.tables.values() for name, kind in columns.items()}
    columns = [(name, kind) for table in known.tables.values() for name, kind in table.items()]
    return [name for name, kind in columns if (name.casefold(), kind) not in have]
