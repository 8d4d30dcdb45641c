"""Rules that hold for the whole tree: single owners, budgets, exported names, the layout of the tests."""

import ast
import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("grammar", "prompt", "engine", "accuracy")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
# The benchmark measures against the library itself, in a process of its own, and reads the gold SQL of public sets.
MEASURED_AGAINST = ("accuracy/binding.py", "accuracy/public/statements.py")
LONGEST_FILE = 400
LONGEST_FUNCTION = 60


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_there_are_sources() -> None:
    assert len(SOURCES) > 40


@pytest.mark.parametrize(
    ("library", "owner"),
    [
        ("duckdb", "engine/database.py"),
        ("llama_cpp", "engine/model/"),
        ("python_calamine", "engine/workbook.py"),
        ("sqlite3", "engine/sqlite_file.py"),
        ("altair", "engine/chart.py"),
        ("prompt_toolkit", "engine/line_input.py"),
        ("vl_convert", "engine/picture.py"),
        ("xlsxwriter", "engine/xlsx_file.py"),
        ("sqlglot", "engine/dialect_sql.py"),
        ("http", "engine/http_json.py"),
        ("mcp", "engine/mcp_server.py"),
    ],
)
def test_one_module_owns_each_outside_thing(library: str, owner: str) -> None:
    owners = [name(path) for path in SOURCES if library in imported(path) and name(path) not in MEASURED_AGAINST]
    assert owners
    assert owners == [owner] or (owner.endswith("/") and all(each.startswith(owner) for each in owners))


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ('"settings.json"', ["engine/settings.py"]),
        ("sys.stdout", ["engine/render.py"]),
        ("sys.stderr", ["engine/terminal.py"]),
        ("os.environ", ["engine/machine.py"]),
        ("os.getenv", []),
    ],
)
def test_one_module_speaks_to_each_outside_thing(text: str, owners: list[str]) -> None:
    assert [name(path) for path in SOURCES if text in path.read_text(encoding="utf-8")] == owners


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("package", PACKAGES)
def test_exported_names_exist_and_are_sorted(package: str) -> None:
    module = importlib.import_module(package)
    exported = getattr(module, "__all__", [])
    assert exported == sorted(exported)
    for each in exported:
        assert getattr(module, each) is not None


def test_no_name_of_a_table_or_value_is_pasted_into_sql_by_hand() -> None:
    """Quotes around a placeholder in a statement would be quoting outside `engine/sql.py`."""
    pasted = re.compile(r"""f["'].*(SELECT|FROM|WHERE|CREATE|DROP).*(?<!f)(\\"|'|")\{""")
    for path in SOURCES:
        if name(path) != "engine/sql.py":
            for line in path.read_text(encoding="utf-8").splitlines():
                assert not pasted.search(line), f"{name(path)}: {line}"


def test_no_module_keeps_state_between_calls() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Global), name(path)


def test_test_folders_are_no_packages() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))


def test_every_tool_has_a_case_file_and_every_case_file_a_tool() -> None:
    tools = {contract["name"] for contract in json.loads((ROOT / "prompt" / "tools.json").read_text(encoding="utf-8"))}
    assert {path.stem for path in (ROOT / "tests" / "cases" / "tools").iterdir()} == tools
