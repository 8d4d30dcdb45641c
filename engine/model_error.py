"""What can go wrong with a model: its file, its memory, its answer, its server."""

from grammar.errors import TezError


class ModelError(TezError):
    """The model could not be found, loaded or asked, or its answer could not be finished."""


class ServerError(ModelError):
    """The server that was named as the model could not be asked, or what it sent is no answer."""
