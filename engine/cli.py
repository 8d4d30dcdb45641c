"""The command line: arguments in, one call, an exit code out.

What the commands do stands in `commands.py`, which is loaded only when one runs, so that `tez --help` needs neither
the database nor the model. Other packages add commands through the entry-point group `tez.commands`: an object with
`name`, `help`, `add_arguments(parser)` and `run(arguments) -> exit code`.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path

from .exit_codes import INTERRUPTED
from .load_options import ASK, COLUMN_KINDS, DATE_ORDERS, MARKS

COMMANDS_OF_OTHERS = "tez.commands"
_LANGUAGES = ("uz", "ru", "en")
_FILES = (
    "tables: CSV, TSV, JSON, JSON Lines (also .gz or .zip), Excel, ODS, Parquet, SQLite or DuckDB; "
    "a folder of such files; - for standard input"
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="tez", description="Ask a table in Uzbek, Russian or English, offline.")
    top.add_argument("--version", action="version", version=f"tez {version('tez-analyst')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    ask = _command(commands, "ask", "answer a request about the files")
    _paths(ask)
    ask.add_argument("request", metavar="REQUEST", help="what you want to know, in quotes")
    _model_options(ask)
    _tool_choice(ask)
    ask.add_argument(
        "--reading", type=_reading, metavar="N", help="take the N-th of the readings that were found possible"
    )
    ask.add_argument("--accept", action="store_true", help="keep the answer among the accepted ones: see tez history")
    ask.add_argument("--dry-run", action="store_true", help="write the plan and do not run it")
    _output_options(ask)

    chat = _command(commands, "chat", "hold a conversation about the files")
    _paths(chat)
    _model_options(chat)
    _tool_choice(chat)
    chat.add_argument("--new", action="store_true", help="start afresh, not where the conversation stopped")

    run = _command(commands, "run", "run a plan that is already written; needs no model")
    _file_arguments(run)
    _own_tools(run)
    run.add_argument("--plan", required=True, type=Path, metavar="PLAN.json", help="the plan; - reads standard input")
    _output_options(run)

    written = _command(commands, "sql", "print a plan as one SQL statement over the opened tables; needs no model")
    _file_arguments(written)
    _own_tools(written)
    written.add_argument(
        "--plan", required=True, type=Path, metavar="PLAN.json", help="the plan; - reads standard input"
    )
    written.add_argument(
        "--dialect", metavar="NAME", help="for another database: postgres, mysql, clickhouse, ...; by default DuckDB"
    )
    written.add_argument("--json", action="store_true", help="print one JSON object")

    profile = _command(commands, "profile", "say what the files hold")
    _file_arguments(profile)
    profile.add_argument("--json", action="store_true", help="print one JSON object")

    served = _command(commands, "mcp", "serve ask, run and profile over the Model Context Protocol (extra `mcp`)")
    _paths(served)
    _model_options(served)

    _add_printing(commands)
    _history(commands)

    for entry in entry_points(group=COMMANDS_OF_OTHERS):
        other = entry.load()
        command = _command(commands, other.name, other.help)
        other.add_arguments(command)
        command.set_defaults(run_other=other.run)
    return top


def _add_printing(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands that print what the model is given."""
    tools = _command(commands, "tools", "list the tools that a plan can call")
    _paths(tools, "*")
    _own_tools(tools)
    tools.add_argument("--json", action="store_true", help="print the contracts as JSON")
    tools.add_argument(
        "--openai", action="store_true", help="print those for the table of FILE as OpenAI's tools, in strict mode"
    )

    schema = _command(commands, "schema", "print the JSON Schema of the answers about these files")
    _file_arguments(schema)
    _tool_choice(schema)
    grammar = _command(commands, "grammar", "print the GBNF grammar of the answers about these files")
    _file_arguments(grammar)
    _tool_choice(grammar)
    grammar.add_argument("--json", action="store_true", help="print one JSON object")
    prompt = _command(commands, "prompt", "print what the model reads")
    _file_arguments(prompt)
    _tool_choice(prompt)
    prompt.add_argument("--request", default="", metavar="TEXT", help="the request")
    prompt.add_argument("--json", action="store_true", help="print the parts as one JSON object")


def _history(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command of accepted answers, which lists them where nothing else is said."""
    history = _command(commands, "history", "list, search, show, run again and delete accepted answers")
    history.add_argument("--json", action="store_true", help="print one JSON object")
    doing = history.add_subparsers(dest="doing", metavar="WHAT")
    search = _command(doing, "search", "list the accepted answers that hold all these words")
    search.add_argument("words", nargs="+", metavar="WORD", help="words of the request, the plan or the columns")
    show = _command(doing, "show", "show one accepted answer: request, tables and plan")
    replay = _command(doing, "replay", "run the plan of an accepted answer on files; needs no model")
    delete = _command(doing, "delete", "delete an accepted answer, or all of them")
    show.add_argument("number", type=_reading, metavar="N", help="its number in the list")
    replay.add_argument("number", type=_reading, metavar="N", help="its number in the list")
    _file_arguments(replay)
    _output_options(replay)
    which = delete.add_mutually_exclusive_group(required=True)
    which.add_argument("number", nargs="?", type=_reading, metavar="N", help="its number in the list")
    which.add_argument("--all", action="store_true", help="delete all of them")
    for each in (search, show, delete):
        each.add_argument("--json", action="store_true", help="print one JSON object")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        arguments = parser().parse_args(argv)
        run = getattr(arguments, "run_other", None) or import_module("engine.commands").run_command
        code: int = run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text[:1].upper() + text[1:] + ".")
    command.add_argument("--settings", type=Path, metavar="FILE", help="a JSON file that overrides single settings")
    command.add_argument("--lang", choices=_LANGUAGES, help="language of the texts; by default that of the request")
    command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return command


def _own_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tools", type=Path, action="append", metavar="FILE.py", help="tools of your own; may be given several times"
    )


def _tool_choice(command: argparse.ArgumentParser) -> None:
    _own_tools(command)
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--tool", metavar="NAME", help="the only tool that a plan may call")
    choice.add_argument("--no-tools", action="store_true", help="let the model only ask back or decline")


def _paths(command: argparse.ArgumentParser, number: str = "+") -> None:
    command.add_argument("files", nargs=number, type=Path, metavar="FILE", help=_FILES)
    command.add_argument(
        "--sheet", metavar="NAME", help="the sheet of a workbook; by default the first one that is not empty"
    )
    _load_options(command)


def _file_arguments(command: argparse.ArgumentParser) -> None:
    _paths(command)
    command.add_argument(
        "--domain", metavar="NAME|FOLDER", help="the words of the business; found by the columns if left out"
    )


def _load_options(command: argparse.ArgumentParser) -> None:
    """Add the options that settle how files are read; what is left out is concluded from each file."""
    command.add_argument("--encoding", metavar="NAME", help="the encoding of text files: utf-8, cp1251, cp866, ...")
    command.add_argument(
        "--delimiter", type=_delimiter, metavar="CHARACTER", help="what stands between cells; tab for a tab"
    )
    command.add_argument(
        "--header",
        type=_header,
        metavar="LINE",
        help="the line of the column names, from 1, or its two lines (3-4); none if there are none",
    )
    command.add_argument(
        "--decimal",
        choices=(*MARKS, ASK),
        help="the decimal mark, the other one separates thousands; ask: forget the answer for these files, ask anew",
    )
    command.add_argument(
        "--dates",
        choices=(*DATE_ORDERS, ASK),
        help="the order of day, month and year; ask: forget the answer for these files, ask anew",
    )
    command.add_argument(
        "--types",
        type=_column_kind,
        action="append",
        metavar="COLUMN=KIND",
        help=f"read a column as {', '.join(COLUMN_KINDS)}; may be given several times",
    )
    command.add_argument("--keep-totals", action="store_true", help="leave total rows and notes in the table")


def _model_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--domain", metavar="NAME|FOLDER", help="the words of the business; found by the columns if left out"
    )
    command.add_argument(
        "--model",
        metavar="PATH|URL",
        help="a GGUF file, or a server such as http://127.0.0.1:8080/v1; by default the weights of the extra `model`",
    )
    command.add_argument("--adapter", type=Path, metavar="PATH", help="a LoRA adapter (GGUF) for the model")
    command.add_argument(
        "--stepwise", action="store_true", help="write one step at a time: the model sees what each step made"
    )


def _output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--rows", type=_row_count, metavar="N", help="print at most N rows")
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="write the table to a new file: .csv, .xlsx, .parquet or .json"
    )
    command.add_argument(
        "--chart", type=Path, metavar="FILE", help="draw the chart of the plan: .png, .svg, .html, or .json (Vega-Lite)"
    )
    command.add_argument("--with-plan", action="store_true", help="write plan and evidence beside each file")


def _row_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= sys.maxsize):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows: give a whole number from 0 up")
    return int(text)


def _reading(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= sys.maxsize):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a reading: give a whole number from 1 up")
    return int(text)


def _header(text: str) -> tuple[int, int]:
    """Return the first and the last line of the column names, 0 and 0 where there are none."""
    first, _, last = ("0" if text.lower() == "none" else text).partition("-")
    lines = [int(each) for each in (first, last or first) if each.isascii() and each.isdigit() and len(each) < 10]
    if len(lines) != 2 or lines[1] - lines[0] not in (0, 1) or (not lines[0] and lines[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no line of names: give LINE, LINE-LINE for two, or none")
    return lines[0], lines[1]


def _delimiter(text: str) -> str:
    character = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(character) != 1 or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is no delimiter: give one character, or tab")
    return character


def _column_kind(text: str) -> tuple[str, str]:
    column, _, kind = text.rpartition("=")
    if not column or kind not in COLUMN_KINDS:
        raise argparse.ArgumentTypeError(f"{text!r}: give COLUMN=KIND, KIND one of {', '.join(COLUMN_KINDS)}")
    return column, kind


if __name__ == "__main__":
    sys.exit(main())
