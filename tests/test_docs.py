"""The pages: generated ones are fresh, and what a page names exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT

from engine import exit_codes
from engine.cli import parser

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
PATH = re.compile(
    r"`((?:engine|prompt|grammar|accuracy|tests|domains|docs)/[\w./<>*-]*|[\w.-]+\.(?:md|json|toml|lock))`"
)
TARGET = re.compile(r"`make ([a-z]+)`|^\s*make ([a-z]+)$", re.MULTILINE)
COMMAND = re.compile(r"^(?:    |\$ |    \$ )tez (.+)$", re.MULTILINE)
OWN_FILES = {"glossary.json", "examples.json", "tables.json", "PLAN.json", "plan.json", "weather.json"}


def test_generated_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "pages.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_paths_exist(page: Path) -> None:
    for path in PATH.findall(page.read_text(encoding="utf-8")):
        if "<" not in path and path not in OWN_FILES:
            assert list(ROOT.glob(path.rstrip("/"))), f"{page.name} names {path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for quoted, alone in TARGET.findall(page.read_text(encoding="utf-8")):
        assert re.search(rf"^{quoted or alone}:", makefile, re.MULTILINE), f"{page.name} names make {quoted or alone}"


def test_the_readme_begins_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 1500


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_can_be_parsed(page: Path) -> None:
    for command in COMMAND.findall(page.read_text(encoding="utf-8")):
        parser().parse_args(shlex.split(re.split(r" > | \| |  +#", command)[0]))


def test_the_readme_has_commands() -> None:
    assert len(COMMAND.findall((ROOT / "README.md").read_text(encoding="utf-8"))) >= 3


def test_the_exit_codes_are_those_that_are_documented() -> None:
    codes = {value for name, value in vars(exit_codes).items() if name.isupper() and isinstance(value, int)}
    assert codes == set(exit_codes.MEANINGS) == {0, 1, 2, 3, 4, 5, 6, 7, 130}
