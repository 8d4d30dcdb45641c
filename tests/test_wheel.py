"""The wheel: exactly its packages and their data, and a command that works outside the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from command_line import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_packages_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {
        "accuracy",
        "engine",
        "grammar",
        "prompt",
    }
    for name in (
        "prompt/tools.json",
        "prompt/words/errors.json",
        "prompt/texts/instructions.txt",
        "grammar/contract.schema.json",
        "engine/settings.schema.json",
        "engine/data/settings.json",
        "engine/data/domains/bank_loans/glossary.json",
        "engine/data/domains/common/lexicon.index.json",
        "engine/data/domains/bank_loans/loans.csv",
    ):
        assert name in names
    assert not [name for name in names if name.endswith((".gguf", ".pyc")) or "/tests/" in name]


def test_tez_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    home, work = tmp_path / "installed", tmp_path / "work"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(home), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    work.mkdir()
    (work / "t.csv").write_text("a,b\nx,1\ny,2\n")
    (work / "p.json").write_text('[{"tool": "group_and_total", "args": {"value_column": "b", "agg": "sum"}}]')
    code = (
        "import sys, engine\nfrom engine.cli import main\n"
        f"assert engine.__file__.startswith({str(home)!r}), engine.__file__\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "t.csv", "--plan", "p.json", "--json"],
        check=False,
        capture_output=True,
        text=True,
        cwd=work,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == [[3]]
    found = subprocess.run(
        [sys.executable, "-c", code, "profile", str(home / "engine/data/domains/bank_loans/loans.csv"), "--json"],
        check=True,
        capture_output=True,
        text=True,
        cwd=work,
        env=environment,
    )
    assert json.loads(found.stdout)["domain"] == "bank_loans"
