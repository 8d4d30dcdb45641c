"""The tools of a session: those that Tez brings along and those of the user's own, and which of them may be used.

The user's own come from files (`--tools FILE.py`) and from installed packages, through the entry-point group
`tez.tools`: a module, or a function, that holds or is marked with `engine.tool` or `engine.openai_tool`.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from grammar import Contract, Scene, ToolError, by_name, same_name
from grammar.calls import offered
from prompt.lexicon import Lexicon
from prompt.tool_choice import ToolIndex

from .own_calls import FunctionError, OwnThread, executor_of
from .own_tools import OwnTool, OwnToolError, is_marked, own_tool
from .plan import shipped_contracts
from .settings import ToolSettings
from .tools import EXECUTORS, Executor

TOOLS_OF_OTHERS = "tez.tools"


@dataclass(frozen=True)
class Toolset:
    """Tools by contract and executor. `named` is the only tool that a request may use; with `none` it may use none."""

    contracts: tuple[Contract, ...] = field(default_factory=lambda: tuple(shipped_contracts()))
    executors: Mapping[str, Executor] = field(default_factory=lambda: EXECUTORS)
    named: str | None = None
    none: bool = False

    @cached_property
    def _indexes(self) -> dict[Lexicon | None, ToolIndex]:
        """What was made for earlier requests."""
        return {}

    @property
    def allowed(self) -> tuple[Contract, ...]:
        """The contracts that requests may use."""
        if self.none:
            return ()
        return tuple(each for each in self.contracts if self.named in (None, each["name"]))

    def for_request(
        self, request: str, meanings: Iterable[str], settings: ToolSettings, lexicon: Lexicon | None = None
    ) -> tuple[Contract, ...]:
        """Return the contracts that a request may use: of more than `most_in_prompt`, those that match it best.

        `meanings` say in English what words of the request mean.
        """
        if len(self.allowed) <= settings.most_in_prompt:
            return self.allowed
        if lexicon not in self._indexes:
            self._indexes[lexicon] = ToolIndex(self.allowed, lexicon)
        return tuple(self._indexes[lexicon].best(request, meanings, settings.most_in_prompt))

    def choosing(self, named: str | None, none: bool) -> "Toolset":
        """Return the same tools, of which requests may use only one, or none. ToolError for an unknown name."""
        known = by_name(self.contracts)
        if named is not None and named not in known:
            raise ToolError("unknown_tool", found=named, allowed=list(known))
        return replace(self, named=named, none=none)

    def check_named(self, scene: Scene) -> None:
        """Raise ToolError where no opened table allows the only tool that a request may use."""
        if self.named is not None and not any(offered(self.allowed, state) for state in scene.tables):
            raise ToolError("tool_not_offered", found=self.named)


def load_tools(paths: Sequence[Path], settings: ToolSettings, *, installed: bool = True) -> Toolset:
    """Return the shipped tools with those of these files and, if wanted, of installed packages.

    Raises OwnToolError for a file that cannot be loaded, a wrong contract, and a name that is taken.
    """
    thread = OwnThread()
    found: list[OwnTool] = []
    for path in paths:
        found += _marked_in(_module(path, thread, settings.own_seconds), str(path.resolve()))
    for entry in entry_points(group=TOOLS_OF_OTHERS) if installed else ():
        found += _marked_in(_loaded(entry, thread, settings.own_seconds), f"{TOOLS_OF_OTHERS}: {entry.value}")
    shipped = Toolset()
    if not found:
        return shipped
    taken = {same_name(contract["name"]): "Tez" for contract in shipped.contracts}
    for own in found:
        name = own.contract["name"]
        if same_name(name) in taken:
            raise OwnToolError("own_name_is_taken", place=own.place, tool=name, found=taken[same_name(name)])
        taken[same_name(name)] = own.place
    executors = {own.contract["name"]: executor_of(own, thread) for own in found}
    return Toolset((*shipped.contracts, *(own.contract for own in found)), {**shipped.executors, **executors})


def _module(path: Path, thread: OwnThread, seconds: float) -> ModuleType:
    """Return the module of a file, which may import what stands beside it."""
    whole = path.resolve()
    spec = spec_from_file_location(f"tez_tools_{whole.stem}", whole) if whole.suffix == ".py" else None
    if spec is None or spec.loader is None or not whole.is_file():
        raise OwnToolError("own_no_file", place=str(path))
    module, loader, beside = module_from_spec(spec), spec.loader, str(whole.parent)
    if beside not in sys.path:
        sys.path.append(beside)
    sys.modules[module.__name__] = module

    def load() -> ModuleType:
        loader.exec_module(module)
        return module

    loaded: ModuleType = _in_thread(load, thread, seconds, str(whole))
    return loaded


def _loaded(entry: EntryPoint, thread: OwnThread, seconds: float) -> Any:
    return _in_thread(entry.load, thread, seconds, f"{TOOLS_OF_OTHERS}: {entry.value}")


def _in_thread(load: Callable[[], Any], thread: OwnThread, seconds: float, place: str) -> Any:
    try:
        return thread.call(load, seconds, place)
    except FunctionError as error:
        raise OwnToolError("own_file_fails", place=place, line=error.line, found=error.said) from error
    except TimeoutError as error:
        raise OwnToolError("own_file_too_long", place=place, seconds=seconds) from error


def _marked_in(loaded: Any, place: str) -> list[OwnTool]:
    values = list(vars(loaded).values()) if isinstance(loaded, ModuleType) else [loaded]
    functions = list({id(value): value for value in values if is_marked(value)}.values())
    if not functions:
        raise OwnToolError("own_none", place=place)
    return [own_tool(function, place) for function in functions]
