"""The model that settings and options choose: weights that are loaded, or a server that is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import model as models
from . import weights
from .decoder import Progress
from .model_address import is_address
from .model_error import ServerError
from .prefix_store import PrefixStore, prefix_folder
from .served import ChosenModel, TextModel
from .settings import Settings
from .trial import try_model


@contextmanager
def chosen_model(settings: Settings, progress: Progress) -> Iterator[ChosenModel]:
    """Load the chosen weights and adapter for the time of the block, or see whether the chosen server is there.

    Weights that somebody gives by path are tried in a process of their own first. Raises ModelError.
    """
    if settings.model.path is not None and is_address(settings.model.path):
        yield server_model(settings, progress)
        return
    adapter = Path(settings.model.adapter) if settings.model.adapter else None
    if settings.model.path is None:
        path = weights.default_weights(settings.weights)
    else:
        path = Path(settings.model.path)
        try_model(path, settings.model, adapter)
    stored = settings.model.stored_bytes
    store = PrefixStore(prefix_folder(), stored) if stored else None
    with models.LlamaModel(path, settings.model, adapter, store=store, progress=progress) as model:
        yield model


def server_model(settings: Settings, progress: Progress) -> TextModel:
    """Return the model of the server that the settings choose; what speaks to the network is loaded only here.

    Raises ServerError.
    """
    from .server import ServerModel

    if settings.model.adapter is not None:
        raise ServerError("with_adapter")
    return ServerModel(str(settings.model.path), settings, progress)
