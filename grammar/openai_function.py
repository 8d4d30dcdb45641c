"""From a function as OpenAI describes it to a contract.

The description is taken as it is: `{"type": "function", "function": {...}}`, what stands inside it, or the flat form.
What the language of plans cannot promise to keep (a pattern, a bound, alternatives) is an error, not ignored.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from .contracts import LANGUAGES
from .errors import ContractError

_SAID: Final = frozenset({"title", "description", "examples", "default", "$schema", "$comment"})
_KNOWN: Final = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "integer": frozenset({"minimum"}),
    "string": frozenset({"enum"}),
    "number": frozenset[str](),
    "boolean": frozenset[str](),
}
_FUNCTION_KEYS: Final = ("type", "name", "description", "parameters", "strict")
_LEAST: Final = (0, 1)
_CALLED: Final = {"uz": "Chaqirilgan funksiya: {tool}", "ru": "Вызвана функция {tool}", "en": "Called {tool}"}


def openai_contract(description: Any) -> dict[str, Any]:
    """Return the contract of a function, without effects: what its table holds no description of OpenAI's tells.

    Raises ContractError `openai_description` or `openai_keyword`, which say where, what was found and what is allowed.
    """
    function = _function(description)
    name, about = function.get("name"), function.get("description")
    if not isinstance(name, str):
        _refuse("?", "name", name, ["text"])
    if not isinstance(about, str) or not about.strip():
        _refuse(name, "description", about, ["text"])
    parameters = function.get("parameters", {"type": "object", "properties": {}})
    if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
        _refuse(name, "parameters", parameters, ['{"type": "object", "properties": {...}}'])
    args = _properties(name, "parameters", parameters)
    return {"name": name, "description": _line(about), "args": args, "explain": explained(name, args)}


def explained(tool: str, args: Mapping[str, Any]) -> dict[str, str]:
    """Return sentences that say what a call did, in three languages: the tool, and the arguments that were given."""
    shown = "".join(f"[, {path} = {{{path}}}]" for path in _paths(args))
    return {language: _CALLED[language].format(tool=tool) + shown for language in LANGUAGES}


def _paths(args: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, argument in args.items():
        if "properties" in argument:
            yield from _paths(argument["properties"], f"{prefix}{name}.")
        else:
            yield prefix + name


def _function(description: Any) -> Mapping[str, Any]:
    if not isinstance(description, Mapping):
        _refuse("?", "", description, ['{"type": "function", "function": {...}}'])
    if description.get("type", "function") != "function":
        _refuse(str(description.get("name", "?")), "type", description["type"], ["function"])
    function = description.get("function", description)
    if not isinstance(function, Mapping):
        _refuse("?", "function", function, ["{...}"])
    for key in function:
        if key not in _FUNCTION_KEYS:
            _refuse(str(function.get("name", "?")), str(key), function[key], list(_FUNCTION_KEYS))
    return function


def _properties(tool: str, where: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that an object schema describes; what it does not require may be left out."""
    properties, required = schema.get("properties", {}), schema.get("required", ())
    if not isinstance(properties, Mapping):
        _refuse(tool, f"{where}.properties", properties, ["{...}"])
    if not isinstance(required, list | tuple) or any(name not in properties for name in required):
        _refuse(tool, f"{where}.required", required, [str(name) for name in properties])
    if schema.get("additionalProperties", False) is not False:
        _refuse(tool, f"{where}.additionalProperties", schema["additionalProperties"], ["false"])
    _check_keywords(tool, where, schema, _KNOWN["object"])
    made = {}
    for name, each in properties.items():
        argument = _argument(tool, f"{where}.{name}", each)
        if name not in required:
            argument["optional"] = True
        made[str(name)] = argument
    return made


def _argument(tool: str, where: str, schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        _refuse(tool, where, schema, ["{...}"])
    types, nullable = _types(schema)
    if len(types) != 1 or types[0] not in _KNOWN:
        _refuse(tool, f"{where}.type", schema.get("type"), list(_KNOWN))
    kind = types[0]
    _check_keywords(tool, where, schema, _KNOWN[kind])
    argument = _of_kind(tool, where, kind, schema)
    if nullable:
        argument["optional"] = True
    about = schema.get("description")
    if isinstance(about, str) and about.strip():
        argument["description"] = _line(about)
    return argument


def _types(schema: Mapping[str, Any]) -> tuple[list[Any], bool]:
    """Return the types of a schema without null, and whether null is one; an enum of texts needs no type."""
    written = schema.get("type", "string" if "enum" in schema else None)
    types = list(written) if isinstance(written, list | tuple) else [written]
    values = schema.get("enum", ())
    nullable = "null" in types or (isinstance(values, list | tuple) and None in values)
    return [each for each in types if each != "null"], nullable


def _of_kind(tool: str, where: str, kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        values = schema["enum"]
        if not isinstance(values, list | tuple):
            _refuse(tool, f"{where}.enum", values, ["[...]"])
        values = [value for value in values if value is not None]
        if not values or not all(isinstance(value, str) and value for value in values):
            _refuse(tool, f"{where}.enum", values, ["text"])
        return {"enum": list(dict.fromkeys(values))}
    if kind == "object":
        return {"type": "object", "properties": _properties(tool, where, schema)}
    made: dict[str, Any] = {"type": kind}
    if kind == "array":
        made["items"] = _argument(tool, f"{where}.items", schema.get("items"))
        made["items"].pop("description", None)
        bounds = {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
        for key, bound in bounds.items():
            if not isinstance(bound, int) or isinstance(bound, bool) or bound < 0:
                _refuse(tool, f"{where}.{key}", bound, ["0, 1, 2, ..."])
        made |= bounds
    elif "minimum" in schema:
        if schema["minimum"] not in _LEAST:
            _refuse(tool, f"{where}.minimum", schema["minimum"], [str(each) for each in _LEAST])
        made["minimum"] = int(schema["minimum"])
    return made


def _check_keywords(tool: str, where: str, schema: Mapping[str, Any], known: frozenset[str]) -> None:
    for key in schema:
        if key not in known | _SAID | {"type"}:
            allowed = sorted(known | {"type", "description"})
            raise ContractError("openai_keyword", tool=tool, where=where, found=str(key), allowed=allowed)


def _refuse(tool: str, where: str, found: Any, allowed: list[str]) -> NoReturn:
    shown = found if isinstance(found, str) else repr(found)
    raise ContractError("openai_description", tool=tool, where=where or "?", found=shown, allowed=allowed)


def _line(text: str) -> str:
    return " ".join(text.split())
