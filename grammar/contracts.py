"""Contracts: reading them from a file and checking that they follow the rules.

A contract is a plain dict of the form of `contract.schema.json`. What the schema cannot say is checked here:
the arguments that variants and effects name exist, and one call names at most one table column to take values from.
"""

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from .errors import ContractError

Contract = Mapping[str, Any]

TABLE_REF = "table"
OTHER_COLUMN_REF = "other_column"
SINGLE_COLUMN_REFS = frozenset({"column", "number_column", "text_column", "date_column"})
LANGUAGES = ("uz", "ru", "en")
_EFFECT_PATHS = ("of", "total_of", "agg", "argument", "named_by", "each_value_of", "columns_of", "without", "appended")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def load_contracts(path: Path) -> list[dict[str, Any]]:
    """Read and check a file of contracts; ContractError says which contract is wrong and how."""
    try:
        contracts: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ContractError("file_unreadable", path=str(path), found=error.strerror) from error
    except ValueError as error:
        raise ContractError("file_not_json", path=str(path), found=str(error)) from error
    check_contracts(contracts)
    return contracts


def by_name(contracts: Iterable[Contract]) -> dict[str, Contract]:
    """Index contracts by tool name."""
    return {contract["name"]: contract for contract in contracts}


def refs(argument: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the references of an argument node as a tuple, empty if it has none."""
    ref = argument.get("ref", ())
    return (ref,) if isinstance(ref, str) else tuple(ref)


def own_column(contract: Contract) -> str | None:
    """Return the argument whose column the values of a call belong to: the first one that names a single column."""
    for name, argument in contract["args"].items():
        if set(refs(argument)) & SINGLE_COLUMN_REFS:
            return str(name)
    return None


def table_argument(contract: Contract) -> str | None:
    """Return the argument that names another opened table, None if the tool reads no other."""
    return next((str(name) for name, argument in contract["args"].items() if TABLE_REF in refs(argument)), None)


def pivoted_argument(contract: Contract) -> str | None:
    """Return the argument whose column becomes columns, one for each of its values; None if the tool makes none."""
    parts = contract["effects"].get("columns", ())
    return next((str(part["each_value_of"]) for part in parts if "each_value_of" in part), None)


def must_be_last(contract: Contract) -> bool:
    """Return whether the columns of a tool's table are known only once it has run, so that no step can follow it."""
    return bool(contract["effects"].get("open"))


def has_exclusions(contract: Contract) -> bool:
    """Return whether an argument excludes columns of a kind that it takes."""
    return any("excludes" in argument for argument in contract["args"].values())


def at_path(args: Mapping[str, Any], path: str) -> Any:
    """Return the argument at a dotted path (`group.columns`), None if it is not given."""
    value: Any = args
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def check_contracts(contracts: Any) -> None:
    """Raise ContractError unless this is a list of right contracts with different names."""
    schema = json.loads(files(__package__).joinpath("contract.schema.json").read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(contracts))
    if error is not None:
        where = "/".join(str(part) for part in error.absolute_path)
        if isinstance(contracts, list) and error.absolute_path:
            broken = contracts[int(error.absolute_path[0])]
            where = f"{broken.get('name', '?') if isinstance(broken, dict) else '?'}: {where}"
        raise ContractError("not_a_contract", where=where, found=error.message)
    names = [contract["name"] for contract in contracts]
    for name in names:
        if names.count(name) > 1:
            raise ContractError("duplicate_tool", tool=name)
    for contract in contracts:
        _check_names(contract)


def _check_names(contract: Contract) -> None:
    tool, args = contract["name"], contract["args"]
    for variant in contract.get("variants", ()):
        for name in variant:
            _require(name in args, tool, f"variants: {name}", list(args))
    paths = set(_argument_paths(args))
    effects = contract["effects"]
    named = [effects["when"]] if "when" in effects else []
    for effect in ("groups", "makes_numbers", "makes_dates", "changes_values"):
        named += effects.get(effect, [])
    for column in effects.get("columns", ()):
        named += [column[key] for key in _EFFECT_PATHS if key in column]
    for kept in effects.get("keeps_values", ()):
        named += [kept["column"], kept["of"], *kept["when"]]
    for path in named:
        _require(path in paths, tool, f"effects: {path}", sorted(paths))
    for language in LANGUAGES:
        for path in _PLACEHOLDER.findall(contract["explain"][language]):
            _require(path in paths, tool, f"explain.{language}: {path}", sorted(paths))


def _argument_paths(args: Mapping[str, Any], prefix: str = "") -> Iterable[str]:
    for name, argument in args.items():
        yield prefix + name
        yield from _argument_paths(argument.get("properties", {}), f"{prefix}{name}.")


def _require(holds: bool, tool: str, found: str, allowed: list[str]) -> None:
    if not holds:
        raise ContractError("unknown_argument_name", tool=tool, found=found, allowed=allowed)
