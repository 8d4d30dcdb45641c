"""What other programs may call of Tez: ask, run and profile about the tables that are open, and nothing else.

An argument names a table among those that are open, never a file; nothing is written; every result is bounded.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from threading import Lock
from typing import Any

import jsonschema

from prompt.glossary import column_meanings
from prompt.words import Language, detect_language, note_text

from .chosen_model import chosen_model
from .decoder import silent
from .profile import profile
from .profile_text import table_json
from .render import json_text
from .served import ChosenModel
from .session import RequestError, Workspace, ask, meant_table, run
from .settings import Settings

_TABLE = {"type": "string", "description": "the name of one of the open tables"}
_STEP = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "args": {"type": "object"}},
    "required": ["tool", "args"],
    "additionalProperties": False,
}


class Desk:
    """Takes calls about a workspace, one at a time; `model` is the settings' one, loaded at the first `ask`."""

    def __init__(self, workspace: Workspace, settings: Settings, language: Language) -> None:
        self.tables = [table.name for table in workspace.tables]
        self._workspace = workspace
        self._settings = settings
        self._language = language
        self._lock = Lock()
        self._held = ExitStack()
        self._model: ChosenModel | None = None
        self._calls: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "ask": self._ask,
            "run": self._run,
            "profile": self._profile,
        }

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def offered(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return what can be called: for each name a description and the JSON Schema of the arguments."""
        open_ones = ", ".join(json.dumps(name, ensure_ascii=False) for name in self.tables)
        about = f"Open tables: {open_ones}."
        steps = {"type": "array", "items": _STEP, "minItems": 1, "maxItems": self._settings.max_steps}
        return {
            "ask": (
                f"Answer a request in Uzbek, Russian or English: a local model writes a plan, the plan runs. {about}",
                _arguments({"request": {"type": "string", "minLength": 1}}, "request"),
            ),
            "run": (
                f"Run a plan: steps, each a call of one tool; each reads the table of the one before. {about}",
                _arguments({"steps": steps, "table": _TABLE}, "steps"),
            ),
            "profile": (f"Say what a table holds: columns, kinds, values. {about}", _arguments({"table": _TABLE})),
        }

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a call, of JSON values only. Raises RequestError and what the calls raise."""
        if name not in self._calls:
            raise RequestError("unknown_call", found=name, allowed=list(self._calls))
        schema = self.offered()[name][1]
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(arguments))
        if error is not None:
            raise RequestError("wrong_arguments", found=error.message[: self._settings.mcp.text_length])
        with self._lock:
            return self._bounded(self._calls[name](arguments))

    def _ask(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        request = arguments["request"]
        if self._model is None:
            self._model = self._held.enter_context(chosen_model(self._settings, silent))
        answered = ask(self._workspace, request, self._model, max_rows=self._settings.mcp.rows)
        language = detect_language(request, self._language)
        notes = [note_text(note, language) for note in answered.notes]
        return {"answer": answered.answer, **self._result(answered.result, language, notes)}

    def _run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = {"steps": arguments["steps"]}
        if "table" in arguments:
            answer["table"] = meant_table(arguments["table"], self.tables)
        result = run(self._workspace, [], answer, max_rows=self._settings.mcp.rows)
        return {"answer": answer, **self._result(result, self._language, [])}

    def _profile(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        names = [meant_table(arguments["table"], self.tables)] if "table" in arguments else self.tables
        workspace, found = self._workspace, []
        for table, state in zip(workspace.tables, workspace.scene.tables, strict=True):
            if table.name in names:
                listed = workspace.listed.get(table.name)
                facts = profile(workspace.con, table.name, self._settings, listed, state.columns)
                meanings = column_meanings(workspace.domain.context["glossary"], state)
                found.append({**table_json(table, facts, meanings), "path": table.path.name})
        return {"tables": found}

    def _result(self, result: Mapping[str, Any] | None, language: Language, notes: list[str]) -> dict[str, Any]:
        if result is None:
            return {"notes": notes}
        shown = self._settings.output.shown_options
        said = [f"{note['step']}. {note_text(note, language, shown=shown)}" for note in result["evidence"]]
        kept = {key: result[key] for key in ("columns", "rows", "row_count", "artifacts")}
        return {**kept, "notes": [*notes, *said]}

    def _bounded(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return a result no larger than the settings say: of fewer rows, then without artifacts; `left_out` says so.

        Raises RequestError `result_too_large`.
        """
        most = self._settings.mcp.result_bytes
        left_out: dict[str, int] = {}
        while len(json_text({**found, "left_out": left_out}).encode()) > most:
            if found.get("rows"):
                found["rows"] = found["rows"][: len(found["rows"]) // 2]
                left_out["rows"] = found["row_count"] - len(found["rows"])
            elif found.get("artifacts"):
                left_out["artifacts"] = len(found["artifacts"])
                found["artifacts"] = []
            else:
                raise RequestError("result_too_large", allowed=most)
        plain: dict[str, Any] = json.loads(json_text({**found, "left_out": left_out}))
        return plain


def _arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
