"""Writes the generated pages of the documentation: `python docs/pages.py`, or `--check` to see whether they are fresh.

The tools page comes from the contracts, the settings page from the schema of the settings and `settings.json`, the
command-line page from the parser and the table of exit codes.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine import exit_codes
from engine.cli import parser
from engine.plan import shipped_contracts
from engine.settings import home, settings_schema
from prompt.build import tool_lines
from prompt.lexicon_index import index_text

ROOT = Path(__file__).parents[1]
NOTE = "<!-- Written by `make docs`; do not edit. -->\n\n"


def tools_page() -> str:
    """Return the page of the tools, one section a tool."""
    sections = []
    for contract in shipped_contracts():
        line = tool_lines([contract]).strip().removeprefix("- ")
        call = line[: line.index("): ") + 1] if "): " in line else line
        explained = "\n".join(f"- {language}: {text}" for language, text in contract["explain"].items())
        sections.append(
            f"## {contract['name']}\n\n{contract['description']}.\n\n    {call}\n\nExplained as:\n\n{explained}\n"
        )
    return f"{NOTE}# The tools\n\nWhat a step of a plan can call. `?` marks what may be left out.\n\n" + "\n".join(
        sections
    )


def settings_page() -> str:
    """Return the page of the settings, one row a key."""
    values = json.loads(home("settings.json").read_text(encoding="utf-8"))
    rows = "\n".join(
        f"| `{key}` | `{json.dumps(value)}` | {meaning} |" for key, value, meaning in _keys(settings_schema(), values)
    )
    return (
        f"{NOTE}# The settings\n\n`--settings FILE` overrides single keys with a JSON file of the same form.\n\n"
        f"| key | value | meaning |\n|---|---|---|\n{rows}\n"
    )


def _keys(schema: dict[str, Any], values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    for key, value in values.items():
        part = schema["properties"][key]
        if isinstance(value, dict):
            yield from _keys(part, value, f"{prefix}{key}.")
        else:
            yield prefix + key, value, part["description"]


def command_line_page() -> str:
    """Return the page of the commands, their arguments and the exit codes."""
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in exit_codes.MEANINGS.items())
    return (
        f"{NOTE}# The command line\n\nStandard output carries data, standard error everything else.\n\n"
        + "\n".join(_commands(parser(), "tez"))
        + f"\n## Exit codes\n\n| code | meaning |\n|---|---|\n{codes}\n"
    )


def _commands(command: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """Yield a section for each command below this one, the commands of a command too."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below, each in action.choices.items():
                shown = [part for part in each._actions if not isinstance(part, argparse._HelpAction)]
                rows = "\n".join(_argument(part) for part in shown)
                head = f"## {name} {below}\n\n{each.description}\n\n"
                yield f"{head}| argument | meaning |\n|---|---|\n{rows}\n"
                yield from _commands(each, f"{name} {below}")


def _argument(action: argparse.Action) -> str:
    if isinstance(action, argparse._SubParsersAction):
        return f"| `{action.metavar}` | one of {', '.join(action.choices)} |"
    metavar = action.metavar or ("|".join(action.choices) if action.choices else "")
    shown = " ".join([*action.option_strings, str(metavar)] if action.nargs != 0 else action.option_strings).strip()
    repeated = "..." if action.nargs == "+" else ""
    return f"| `{shown.replace('|', chr(92) + '|')}{repeated}` | {(action.help or '').replace('|', chr(92) + '|')} |"


ACCURACY = re.compile(r"(?<=<!-- accuracy -->\n).*?(?=<!-- end of accuracy -->)", re.DOTALL)


FILES = re.compile(r"(?<=<!-- files -->\n).*?(?=<!-- end of files -->)", re.DOTALL)


def readme() -> str:
    """Return the README with the tables of the committed reports: accuracy, and files with faults."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = FILES.sub(lambda _: "\n" + _first_tables([ROOT / "accuracy" / "faults" / "report.md"]) + "\n", text)
    return ACCURACY.sub(
        lambda _: "\n" + _first_tables(sorted((ROOT / "accuracy" / "reports").glob("*.md"))) + "\n", text
    )


def _first_tables(reports: Iterable[Path]) -> str:
    """Return the first table of each report as one table."""
    lines: list[str] = []
    for path in reports:
        table = [line for line in path.read_text(encoding="utf-8").split("\n## ")[0].splitlines() if line[:1] == "|"]
        lines += table if not lines else table[len(HEAD) :]
    return "\n".join(lines) + "\n"


LEXICON = ROOT / "domains" / "common" / "lexicon.json"


def lexicon_index() -> str:
    """Return the index of the common lexicon."""
    return index_text(LEXICON.read_text(encoding="utf-8"))


HEAD = ("names of the columns", "line below them")
PAGES = {
    "docs/tools.md": tools_page,
    "docs/settings.md": settings_page,
    "docs/command-line.md": command_line_page,
    "README.md": readme,
    "domains/common/lexicon.index.json": lexicon_index,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` return 1 if one of them is stale."""
    stale = []
    for name, page in PAGES.items():
        path, text = ROOT / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in arguments:
        sys.stderr.write(f"stale pages: {', '.join(stale)}; run: make docs\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
