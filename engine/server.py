"""A model behind a server that speaks OpenAI's protocol: the whole prompt in, the text of an answer out.

llama-server and llama-cpp-python's own server take our grammar, others the JSON Schema as response format; which of
them, says the setting `server.format`, or what the server calls itself and what it refuses. Whatever it promises, its
text is checked like any other answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import machine
from .decoder import Progress
from .http_json import Wire
from .model_address import read_address
from .model_error import ServerError
from .settings import Settings

# How llama-server and llama-cpp-python's server call the owner of their models: both take a field `grammar`.
_TAKE_GRAMMAR = ("llamacpp", "me")
_ORDER = ("json_schema", "json_object", "none")
_NOT_TAKEN = (400, 415, 422, 501)
# What servers call a prompt that does not fit, in any form.
_TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")
_NOT_FOUND = 404
_FINE = 200
_SHOWN_MODELS = 50


@dataclass(frozen=True)
class Language:
    """What an answer may look like: `schema` and `grammar` make the JSON Schema and the GBNF when they are needed."""

    schema: Callable[[], Mapping[str, Any]]
    grammar: Callable[[], str]


@dataclass(frozen=True)
class Text:
    """The text of an answer, the tokens that the server counted, and whether it took a form that binds the model."""

    text: str
    tokens: Mapping[str, int]
    bound: bool


class ServerModel:
    """A model of a server; `name` is the server's name for it. Raises ServerError, also where it is made."""

    def __init__(self, address: str, settings: Settings, progress: Progress) -> None:
        progress("load", 0, 1)
        server = settings.server
        place = read_address(address)
        key = None
        if server.key_variable is not None:
            key = machine.variable(server.key_variable)
            if not key or not (key.isascii() and key.isprintable()):
                raise ServerError("no_key", name=server.key_variable)
        self._settings = settings
        self._wire = Wire(place, key, server.connect_seconds, server.answer_bytes)
        listed = self._listed()
        wanted = place.model or server.name
        self.name = self._chosen(list(listed), wanted)
        self.key = f"server:{self.name}"
        self.owner = listed.get(self.name, "")
        first = "grammar" if self.owner in _TAKE_GRAMMAR else _ORDER[0]
        self._forms = [server.format] if server.format != "auto" else list(dict.fromkeys((first, *_ORDER)))
        progress("load", 1, 1)

    @property
    def form(self) -> str:
        """Return how the server is told what an answer may look like, as far as it is known."""
        return self._forms[0]

    def write(self, prompt: str, language: Language, progress: Progress) -> Text:
        """Let the model write an answer; a form that the server refuses is not tried again.

        Raises ServerError: those of the wire, `failed`, `cut`, `no_text`, `strange`, `unknown_model`.
        """
        limits = self._settings.model
        while True:
            body = {
                "model": self.name,
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": limits.answer_tokens,
                "temperature": 0,
                "stream": False,
                **_form(self._forms[0], language),
            }
            progress("write", 0, limits.answer_tokens)
            status, said = self._wire.call("/chat/completions", body, seconds=limits.seconds)
            if status not in _NOT_TAKEN or len(self._forms) == 1 or _too_long(said):
                break
            del self._forms[0]
        if status != _FINE:
            raise self._failed(status, said)
        return self._text(said)

    def _text(self, said: Any) -> Text:
        try:
            choice = said["choices"][0]
            text, reason = choice["message"]["content"], choice.get("finish_reason")
        except (TypeError, LookupError, AttributeError):
            raise ServerError("strange", address=self._wire.address.shown, found=self._wire.shown(said)) from None
        if reason == "length":
            raise ServerError("cut", allowed=self._settings.model.answer_tokens)
        if not isinstance(text, str) or not text.strip():
            raise ServerError("no_text", found=self._wire.shown(reason))
        counted = said.get("usage") if isinstance(said.get("usage"), dict) else {}
        tokens = {
            "prompt": _count(counted.get("prompt_tokens")),
            "reused": 0,
            "answer": _count(counted.get("completion_tokens")),
            "forced": 0,
        }
        return Text(text, tokens, self._forms[0] != "none")

    def _listed(self) -> dict[str, str]:
        """Return the models of the server, each with its owner. Raises ServerError."""
        status, said = self._wire.call("/models", seconds=self._settings.model.seconds)
        if status not in (_FINE, _NOT_FOUND):
            raise self._failed(status, said)
        try:
            return {each["id"] + "": self._wire.shown(each.get("owned_by")) for each in said["data"]}
        except (TypeError, LookupError, AttributeError):
            found = status if said is None else self._wire.shown(said)
            raise ServerError("strange", address=self._wire.address.shown, found=str(found)) from None

    def _chosen(self, listed: list[str], wanted: str | None) -> str:
        shown = [self._wire.shown(each) for each in listed[:_SHOWN_MODELS]]
        if wanted is None:
            if len(listed) == 1:
                return listed[0]
            raise ServerError("which_model", address=self._wire.address.shown, allowed=shown or None)
        if wanted not in listed:
            raise ServerError("unknown_model", found=wanted, allowed=shown or None)
        return wanted

    def _failed(self, status: int, said: Any) -> ServerError:
        """Return the error for a response that is none: the server's own words, where they can be found."""
        found = said
        for key in ("error", "message"):
            found = found.get(key, found) if isinstance(found, dict) else found
        text = "" if found is None else self._wire.shown(found)
        return ServerError("failed", address=self._wire.address.shown, status=str(status), found=text or None)


def _too_long(said: Any) -> bool:
    """Return whether a server refuses the prompt for its length, not the form."""
    error = said.get("error") if isinstance(said, dict) else None
    return isinstance(error, dict) and any(error.get(key) in _TOO_LONG for key in ("code", "type"))


def _form(form: str, language: Language) -> dict[str, Any]:
    """Return the fields of a request that say what an answer may look like."""
    if form == "grammar":
        return {"grammar": language.grammar()}
    if form == "json_schema":
        schema = {"name": "answer", "strict": True, "schema": language.schema()}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if form == "json_object":
        return {"response_format": {"type": "json_object", "schema": language.schema()}}
    return {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
