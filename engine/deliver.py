"""What the caller makes of the artifacts of a run: files where the user chose, pictures, charts as text.

A step only describes its file or chart. Files are written for the last answer alone: what earlier answers of a
conversation asked for was written when they were answered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from prompt.words import Language

from . import database
from .export import FORMATS, write_table
from .history import Answer, starting_table
from .new_file import ExportError, check_free, free_path, new_file
from .paths import STEP_PREFIX
from .render import json_text
from .unchanged import unchanged
from .workspace import Workspace

PICTURES = ("png", "svg", "html", "json")
PLAN_SUFFIX = ".plan.json"

File = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """Where the user wants what: the table in `out`, the chart in `chart`, and plan and evidence beside each file."""

    out: Path | None = None
    chart: Path | None = None
    with_plan: bool = False


def check_wanted(wanted: Wanted, sources: Sequence[Path]) -> None:
    """Raise ExportError for a file that could not be written, before anything runs."""
    planned = []
    for path, allowed in ((wanted.out, FORMATS), (wanted.chart, PICTURES)):
        if path is not None:
            form_of(path, allowed)
            planned += [path, plan_path(path)] if wanted.with_plan else [path]
    for number, path in enumerate(planned):
        check_free(path, sources)
        if path.absolute() in [other.absolute() for other in planned[:number]]:
            raise ExportError("exists", path=str(path))


def form_of(path: Path, allowed: Sequence[str]) -> str:
    """Return the format that a file name ends in; ExportError if it is none of those allowed."""
    form = path.suffix.lower().removeprefix(".")
    if form not in allowed:
        raise ExportError("unknown_format", path=str(path), allowed=[f".{each}" for each in allowed])
    return form


def plan_path(path: Path) -> Path:
    """Return the path of the file of plan and evidence beside a file."""
    return path.with_name(path.stem + PLAN_SUFFIX)


@dataclass(frozen=True)
class Delivery:
    """A result with what is needed to make files and charts of it; its run must have kept the tables of its steps.

    `history` are the answers before this one.
    """

    workspace: Workspace
    result: Mapping[str, Any]
    answer: Answer
    language: Language
    request: str | None = None
    history: Sequence[Answer] = ()

    def own(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the artifacts of one kind that the answer's own steps left."""
        replayed = len(self.result["steps"]) - len(self.answer["steps"])
        return [each for each in self.result["artifacts"] if each["step"] > replayed and each.get("kind") == kind]

    def artifacts(self) -> list[Mapping[str, Any]]:
        """Return all artifacts, each chart with its Vega-Lite specification."""
        from .chart import vega_lite

        settings = self.workspace.settings.chart
        return [
            {**each, "vega_lite": vega_lite(each, self.language, settings)} if each.get("kind") == "chart" else each
            for each in self.result["artifacts"]
        ]

    def text_charts(self, width: int, *, plain: bool) -> list[list[str]]:
        """Return the charts of the answer as lines of text no wider than `width`; `plain`: in ASCII."""
        charts = self.own("chart")
        if not charts:
            return []
        from .text_chart import text_chart

        settings = self.workspace.settings.chart
        width = min(width, settings.text_width)
        return [text_chart(each, self.language, settings, width=width, plain=plain) for each in charts]

    def files(self, wanted: Wanted) -> Iterator[File]:
        """Write the files and yield each: `path`, `format`, `step`, `rows` of a table, and `notes` on what it holds.

        The last export step goes to `wanted.out`, as does the result of an answer without one; any other to a free
        name in the current folder. Raises ExportError, PictureError, DatabaseError, FileError if a source has changed.
        """
        for step, form, path in self._tables(wanted):
            yield from self._with_plan(self._write_table(step, form, path), wanted)
        if wanted.chart is not None:
            for file in self._write_chart(wanted.chart):
                yield from self._with_plan(file, wanted)

    def wanted_only(self, wanted: Wanted) -> Iterator[File]:
        """Write the files that the user names and yield each as `files` does, none that the plan asks for."""
        if wanted.out is not None:
            form = form_of(wanted.out, FORMATS)
            yield from self._with_plan(self._write_table(len(self.result["steps"]), form, wanted.out), wanted)
        if wanted.chart is not None:
            for file in self._write_chart(wanted.chart):
                yield from self._with_plan(file, wanted)

    @property
    def _table(self) -> str:
        return starting_table(self.history, self.answer) or self.workspace.tables[0].name

    def _tables(self, wanted: Wanted) -> list[tuple[int, str, Path | None]]:
        """Return for each table to write its step, its format, and its path where the user chose one."""
        found: list[tuple[int, str, Path | None]] = [(each["step"], each["format"], None) for each in self.own("file")]
        if wanted.out is not None:
            step = found.pop()[0] if found else len(self.result["steps"])
            found.append((step, form_of(wanted.out, FORMATS), wanted.out))
        return found

    def _write_table(self, step: int, form: str, path: Path | None) -> File:
        if path is None:
            path = free_path(Path.cwd(), f"{self._table}_result", [f".{form}", PLAN_SUFFIX])
        con, settings = self.workspace.con, self.workspace.settings.export
        source = database.temporary(f"{STEP_PREFIX}{step}")
        rows = int(database.query(con, f"SELECT count(*) FROM {source}")[0][0])
        with unchanged(table.left for table in self.workspace.tables):
            notes = write_table(con, source, path, form, self.language, settings, title=self._table)
        return {"path": str(path), "format": form, "step": step, "rows": rows, "notes": notes}

    def _write_chart(self, path: Path) -> list[File]:
        """Draw the last chart; nothing where there was nothing to draw, ExportError without a chart step."""
        charts = self.own("chart")
        if not charts:
            if any(step["tool"] == "chart" for step in self.answer["steps"]):
                return []
            raise ExportError("no_chart", path=str(path))
        from .chart import vega_lite
        from .picture import picture

        form, settings = form_of(path, PICTURES), self.workspace.settings.chart
        content = picture(vega_lite(charts[-1], self.language, settings), form, settings.scale)
        with new_file(path) as growing:
            growing.write_bytes(content)
        return [{"path": str(path), "format": form, "step": charts[-1]["step"], "notes": []}]

    def _with_plan(self, file: File, wanted: Wanted) -> Iterator[File]:
        """Yield a file, and after it the one beside it that says what it came from, where that is wanted."""
        yield file
        if not wanted.with_plan:
            return
        steps = self.result["steps"][: file["step"]]
        several = len(self.workspace.tables) > 1
        content = {
            "file": Path(file["path"]).name,
            "request": self.request,
            "plan": {"table": self._table, "steps": steps} if several else {"steps": steps},
            "evidence": [note for note in self.result["evidence"] if note["step"] <= file["step"]],
            "notes": file["notes"],
            "rows": file.get("rows"),
            "sources": [str(table.path) for table in self.workspace.tables],
            "tez": version("tez-analyst"),
        }
        path = plan_path(Path(file["path"]))
        with new_file(path) as growing:
            growing.write_text(json_text(content, indent=2) + "\n", encoding="utf-8")
        yield {"path": str(path), "format": "plan", "step": file["step"], "notes": []}
