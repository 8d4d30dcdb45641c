"""The line that describes a tool to the model, made from its contract."""

from collections.abc import Iterable, Mapping
from typing import Any

from grammar.contracts import Contract, refs


def tool_lines(contracts: Iterable[Contract]) -> str:
    """Return one line a tool: `- NAME(ARGUMENT: TYPE, ...): DESCRIPTION`.

    Enum values are joined by `|`, types by `/`, references by `|`; `?` stands after what may be left out.
    """
    return "\n".join(
        f"- {contract['name']}({_arguments(contract['args'])}): {contract['description']}" for contract in contracts
    )


def _arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}: {_type(argument)}{'?' if argument.get('optional') else ''}{_about(argument)}"
        for name, argument in arguments.items()
    )


def _about(argument: Mapping[str, Any]) -> str:
    return f" ({argument['description']})" if "description" in argument else ""


def _type(argument: Mapping[str, Any]) -> str:
    if "ref" in argument:
        return "/".join(["|".join(refs(argument)), *_plain_types(argument)])
    if "enum" in argument:
        return "|".join(str(value) for value in argument["enum"])
    if "properties" in argument:
        return "{" + _arguments(argument["properties"]) + "}"
    return "/".join(_plain_types(argument))


def _plain_types(argument: Mapping[str, Any]) -> list[str]:
    types = argument.get("type", [])
    return [types] if isinstance(types, str) else list(types)
