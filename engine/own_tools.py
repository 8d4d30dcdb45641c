"""Tools that a user writes: marking Python functions with their contracts, and checking what was marked.

A marked function runs in the user's own process, with his rights: he wrote it. It is handed the rows of a table as
plain values, never a connection, so it cannot change what was opened by what it is given.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from grammar import Contract, ContractError, check_contracts, openai_contract
from grammar.contracts import OTHER_COLUMN_REF, TABLE_REF, refs
from grammar.openai_function import explained

Function = TypeVar("Function", bound=Callable[..., Any])

_MARK = "tez_tool"
_ROWS = "rows"
_RETURNS = "returns"
_KINDS = ("number", "date", "text", "boolean")
_POSITIONS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class OwnToolError(ContractError):
    """Tools of the user's own cannot be loaded: says in which file, and which tool."""


@dataclass(frozen=True)
class Marked:
    """What stands on a function that is a tool: its contract, not checked yet, or OpenAI's description of it."""

    described: Any
    is_openai: bool = False
    returns: Mapping[str, str] | None = None
    words: Mapping[str, Sequence[str]] | None = None


@dataclass(frozen=True)
class OwnTool:
    """A tool of the user's: its contract, its function, whether that reads the table's rows, and where it stands."""

    contract: Contract
    function: Callable[..., Any]
    reads_rows: bool
    place: str


class Rows(Sequence[tuple[Any, ...]]):
    """The rows of the table that a step reads, as plain values: `columns`, `kinds`, and one tuple a row."""

    def __init__(self, columns: Sequence[str], kinds: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        self.columns = tuple(columns)
        self.kinds = tuple(kinds)
        self._rows = rows

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def dicts(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict from column to value."""
        return (dict(zip(self.columns, row, strict=True)) for row in self._rows)


def tool(contract: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Mark a function as the tool of a contract.

    The contract has the form of those in `prompt/tools.json`; `returns` (a dict from column to `number`, `date`, `text`
    or `boolean`) may stand for `effects`, `explain` may be left out, `words` may say the tool in `uz`, `ru` and `en`.
    The function gets the arguments by name, and the table's rows (`Rows`) if it has a parameter `rows`; it returns
    dicts, or tuples where the columns are declared. Without `returns` and `effects` no step can follow it.
    """
    return lambda function: _marked(function, Marked(contract))


def openai_tool(
    description: Mapping[str, Any],
    *,
    returns: Mapping[str, str] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
) -> Callable[[Function], Function]:
    """Mark a function as the tool that OpenAI's description of a function describes, taken as it is.

    `returns` and `words` as in `tool`: OpenAI's description says nothing of them.
    """
    return lambda function: _marked(function, Marked(description, True, returns, words))


def is_marked(value: Any) -> bool:
    """Return whether a value is a function that is marked as a tool."""
    return inspect.isroutine(value) and isinstance(getattr(value, _MARK, None), Marked)


def own_tool(function: Callable[..., Any], place: str) -> OwnTool:
    """Return the tool of a marked function, checked; OwnToolError says at which place what is wrong."""
    marked: Marked = getattr(function, _MARK)
    try:
        contract = _contract(marked)
        check_contracts([contract])
        _check_refs(contract)
        return OwnTool(contract, function, _check_signature(contract, function), place)
    except ContractError as error:
        named = {"tool": getattr(function, "__name__", "?"), **error.facts}
        raise OwnToolError(error.reason, place=place, **named) from error


def _marked(function: Function, marked: Marked) -> Function:
    setattr(function, _MARK, marked)
    return function


def _contract(marked: Marked) -> dict[str, Any]:
    if marked.is_openai:
        contract = openai_contract(marked.described)
        given: dict[str, Any] = {_RETURNS: marked.returns, "words": marked.words}
        contract |= {key: value for key, value in given.items() if value is not None}
    elif not isinstance(marked.described, Mapping):
        raise ContractError("not_a_contract", found=repr(marked.described))
    else:
        contract = dict(marked.described)
    return completed(contract)


def completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a user's contract with what he may leave out: its effects, and the sentences that explain its calls."""
    contract = dict(given)
    if _RETURNS in contract:
        contract["effects"] = {"columns": _columns(contract.pop(_RETURNS))}
    contract.setdefault("effects", {"open": True})
    if "explain" not in contract and isinstance(contract.get("args"), Mapping):
        contract["explain"] = explained(str(contract.get("name")), contract["args"])
    return contract


def _columns(returns: Any) -> list[dict[str, Any]]:
    """Return the effect of a tool whose table has these columns."""
    right = isinstance(returns, Mapping) and returns and all(isinstance(name, str) and name.strip() for name in returns)
    if not right or any(kind not in _KINDS for kind in returns.values()):
        raise ContractError("own_returns", found=repr(returns), allowed=list(_KINDS))
    return [{"name": name, "kind": kind} for name, kind in returns.items()]


def _check_refs(contract: Contract) -> None:
    for name, argument in contract["args"].items():
        found = [ref for ref in refs(argument) if ref in (TABLE_REF, OTHER_COLUMN_REF)]
        if found:
            raise ContractError("own_other_table", tool=contract["name"], argument=name, found=found[0])


def _check_signature(contract: Contract, function: Callable[..., Any]) -> bool:
    """Return whether the function takes the table's rows; ContractError if it does not take the arguments."""
    tool, args = contract["name"], contract["args"]
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise ContractError("own_signature", tool=tool, found=str(error), wanted=_wanted(args)) from error
    anything = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    named = {name: each for name, each in parameters.items() if each.kind in _POSITIONS}
    needed = {name for name, each in parameters.items() if _is_needed(each)}
    reads_rows = _ROWS in named and _ROWS not in args
    missing = [] if anything else [name for name in args if name not in named]
    unknown = sorted(needed - args.keys() - ({_ROWS} if reads_rows else set()))
    optional = [name for name in needed & args.keys() if args[name].get("optional")]
    if missing or unknown or optional:
        found = f"{getattr(function, '__name__', '?')}{inspect.signature(function)}"
        raise ContractError("own_signature", tool=tool, found=found, wanted=_wanted(args))
    return reads_rows


def _is_needed(parameter: inspect.Parameter) -> bool:
    variadic = parameter.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return not variadic and parameter.default is inspect.Parameter.empty


def _wanted(args: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}=None' if each.get('optional') else name for name, each in args.items())})"
