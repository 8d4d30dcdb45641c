"""The model that settings and options choose, loaded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import model as models
from . import weights
from .decoder import Progress
from .model import LlamaModel
from .prefix_store import PrefixStore, prefix_folder
from .settings import Settings
from .trial import try_model


@contextmanager
def chosen_model(settings: Settings, progress: Progress) -> Iterator[LlamaModel]:
    """Load the chosen weights and adapter for the time of the block.

    Weights that somebody gives by path are tried in a process of their own first. Raises ModelError.
    """
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
