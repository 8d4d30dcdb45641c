"""Models that a program shares: each is loaded when it is first asked, once for all tables, and stays."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TypeAlias

from .chosen_model import chosen_model
from .decoder import silent
from .served import LocalOrServed
from .settings import ModelSettings, Settings, WeightsSettings

_Key: TypeAlias = tuple[ModelSettings, WeightsSettings]


@dataclass
class _Shared:
    """A model that may be loaded; whoever asks it holds the lock."""

    lock: Lock = field(default_factory=Lock)
    model: LocalOrServed | None = None
    held: ExitStack = field(default_factory=ExitStack)


class SharedModels:
    """The models of a process, one for all tables whose settings choose the same."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[_Key, _Shared] = {}

    @contextmanager
    def use(self, settings: Settings) -> Iterator[LocalOrServed]:
        """Lend the model that settings choose, to one thread at a time. Raises ModelError."""
        with self._lock:
            shared = self._known.setdefault((settings.model, settings.weights), _Shared())
        with shared.lock:
            if shared.model is None:
                shared.model = shared.held.enter_context(chosen_model(settings, silent))
            yield shared.model

    def unload(self) -> None:
        """Free the models, each when the answer that it writes is finished; a later request loads it again."""
        with self._lock:
            known = list(self._known.values())
        for shared in known:
            with shared.lock:
                shared.model = None
                shared.held.close()


@cache
def shared_models() -> SharedModels:
    """Return the models of this process."""
    return SharedModels()


def unload_models() -> None:
    """Free the memory of all models that `engine.ask` and open tables have loaded; a later request loads one again."""
    shared_models().unload()
