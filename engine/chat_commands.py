"""The commands of a conversation in a terminal: a sign, a name, and what stands behind it; a sign alone is help."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grammar import ToolError
from prompt.resolve import nearest

from . import render
from .accepted import Memory, accepted_result
from .chat import Chat, source_paths
from .conversation import Conversation, ConversationError
from .deliver import Wanted, check_wanted
from .line_input import COMMAND_SIGN
from .new_file import check_free
from .plan_file import plan_of, read_plan
from .saved import load_conversation, save_conversation
from .show import in_dialect, plan_words, print_made, say_file, say_notes, say_plan, say_step, say_tables
from .talk import Talk

Command = Callable[[Chat, str], None]
NEAR = 3


def run_command(chat: Chat, line: str) -> None:
    """Run the command of a line; ConversationError where there is none of its name or it misses something."""
    name, _, argument = line.removeprefix(COMMAND_SIGN).partition(" ")
    command = COMMANDS.get(name.lower() or "help")
    if command is None:
        found, known = f"{COMMAND_SIGN}{name}", [f"{COMMAND_SIGN}{each}" for each in COMMANDS]
        raise ConversationError("no_such_command", found=found, allowed=nearest(found, known, NEAR))
    command(chat, argument.strip())


def _undo(chat: Chat, argument: str) -> None:
    chat.talk.undo()
    chat.show()


def _redo(chat: Chat, argument: str) -> None:
    chat.talk.redo()
    chat.show()


def _back(chat: Chat, argument: str) -> None:
    """Go to an answer by its number; without one, list the answers."""
    if argument:
        chat.talk.back_to(_number(argument))
        chat.show()
        return
    conversation = chat.talk.conversation
    if not conversation.turns:
        raise ConversationError("no_turn_yet")
    for number, turn in enumerate(conversation.turns, 1):
        mark = "*" if number == conversation.at else " "
        render.print_text(f"{mark} {number}. {turn.request}")


def _on(chat: Chat, argument: str) -> None:
    """Switch the scope, or make it the one that is named."""
    if argument not in ("", "result", "table"):
        raise ConversationError("wrong_scope", found=argument, allowed=["result", "table"])
    if argument != chat.talk.conversation.scope():
        chat.talk.switch()
    chat.show()


def _step(chat: Chat, argument: str) -> None:
    """Show the table of a step by its number; without one, say the steps."""
    if not argument:
        say_plan(chat.talk.workspace, chat.delivery().result["steps"], chat.language)
        return
    result = chat.talk.step(_number(argument))
    say_step(chat.talk.workspace, len(result["steps"]), result["steps"][-1], chat.language)
    print_made(chat.talk.workspace, result, chat.language, len(result["steps"]) - 1)


def _edit(chat: Chat, argument: str) -> None:
    """Run the plan that is given as JSON or in a file; without one, put the current plan into the next line."""
    if argument and chat.talk.conversation.at:
        chat.talk.edit(_written_plan(argument))
        chat.show()
        return
    if argument:
        _run(chat, argument)
        return
    plan = chat.delivery().answer
    chat.given = f"{COMMAND_SIGN}edit {json.dumps(plan, ensure_ascii=False)}"


def _run(chat: Chat, argument: str) -> None:
    """Run a plan that a person wrote, as a new answer; its request is what the plan says in words."""
    plan, workspace = _written_plan(_named(argument)), chat.talk.workspace
    chat.talk.add(lambda exact: plan_words(workspace, exact["steps"], chat.language), plan)
    chat.show()


def _take(chat: Chat, argument: str) -> None:
    """Take another reading of the last request, by its number or else the next one."""
    chat.talk.take(_number(argument) if argument else chat.talk.next_reading())
    chat.show()


def _keep(chat: Chat, argument: str) -> None:
    try:
        chat.talk.keep(_named(argument))
    except ToolError as error:
        raise ToolError(
            error.reason, **{key: fact for key, fact in error.facts.items() if key != "argument"}
        ) from error
    chat.say("chat_kept", name=chat.talk.workspace.tables[-1].name, rows=chat.talk.workspace.tables[-1].rows)


def _tables(chat: Chat, argument: str) -> None:
    say_tables(chat.talk.workspace, chat.language)


def _accept(chat: Chat, argument: str) -> None:
    number = Memory(chat.talk.workspace.settings).keep(accepted_result(chat.talk))
    chat.say("accepted", number=number)


def _chart(chat: Chat, argument: str) -> None:
    _write(chat, Wanted(chart=Path(_named(argument))))


def _export(chat: Chat, argument: str) -> None:
    _write(chat, Wanted(out=Path(_named(argument))))


def _write(chat: Chat, wanted: Wanted) -> None:
    check_wanted(wanted, source_paths(chat.talk.opened))
    delivery = chat.delivery()
    for file in delivery.wanted_only(wanted):
        say_file(file, chat.language, chat.talk.workspace.settings)


def _plan(chat: Chat, argument: str) -> None:
    """Print the whole plan of the current result as JSON, as `tez run` takes it."""
    plan = chat.talk.conversation.plan(chat.talk.first_table)
    if plan is None:
        raise ConversationError("no_result")
    if len(chat.talk.workspace.tables) == 1:
        plan.pop("table")
    render.print_json(plan)


def _show(chat: Chat, argument: str) -> None:
    chat.talk.stand()
    chat.show()


def _sql(chat: Chat, argument: str) -> None:
    """Print the plan of the current result as SQL, of another database where its dialect is named."""
    text, notes = in_dialect(chat.talk.sql(), argument or None)
    render.print_text(text)
    say_notes(notes, chat.language)


def _save(chat: Chat, argument: str) -> None:
    path = Path(_named(argument))
    check_free(path, source_paths(chat.talk.opened))
    save_conversation(path, chat.talk.conversation)
    chat.say("chat_saved", path=path)


def _load(chat: Chat, argument: str) -> None:
    settings = chat.talk.workspace.settings.chat
    _replace(chat, load_conversation(Path(_named(argument)), settings.saved_bytes))
    chat.show()


def _new(chat: Chat, argument: str) -> None:
    _replace(chat, Conversation())
    chat.say("chat_new")


def _replace(chat: Chat, conversation: Conversation) -> None:
    """Go on with another conversation; where that fails, with the one before."""
    before = chat.talk
    before.forget()
    try:
        chat.resume(conversation)
    except BaseException:
        chat.talk = Talk(before.opened, before.conversation)
        chat.talk.stand()
        raise


def _help(chat: Chat, argument: str) -> None:
    for name in COMMANDS:
        chat.say(f"chat_help_{name}", command=f"{COMMAND_SIGN}{name}")


def _quit(chat: Chat, argument: str) -> None:
    chat.leaving = True


def _written_plan(argument: str) -> dict[str, Any]:
    """Return the plan that is given as JSON or in a file; raises what `read_plan` raises."""
    return plan_of(argument) if argument[0] in "[{" else read_plan(Path(argument))


def _number(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and len(argument) < 10):
        raise ConversationError("no_number", found=argument)
    return int(argument)


def _named(argument: str) -> str:
    if not argument:
        raise ConversationError("name_missing")
    return argument


COMMANDS: dict[str, Command] = {
    "undo": _undo,
    "redo": _redo,
    "back": _back,
    "on": _on,
    "step": _step,
    "show": _show,
    "run": _run,
    "edit": _edit,
    "take": _take,
    "keep": _keep,
    "tables": _tables,
    "accept": _accept,
    "chart": _chart,
    "export": _export,
    "plan": _plan,
    "sql": _sql,
    "save": _save,
    "load": _load,
    "new": _new,
    "help": _help,
    "quit": _quit,
}
