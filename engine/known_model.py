"""A model that says which one it is."""

from typing import Protocol

from .decoder import TokenModel


class KnownModel(TokenModel, Protocol):
    """A model that says which one it is."""

    @property
    def key(self) -> str:
        """Return what its calibration is found by."""
