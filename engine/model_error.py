"""What can go wrong with a model: its file, its memory, its answer."""

from grammar.errors import TezError


class ModelError(TezError):
    """The model could not be found, loaded or asked, or its answer could not be finished."""
