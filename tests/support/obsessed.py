"""The real model with a bent will: whatever it has read, it wants some sort of tokens above all others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.draft import Logits

MUCH = 1e4


def _control(model: Any) -> list[int]:
    usable = set(model.vocabulary.usable)
    return [token for token in range(len(model.vocabulary.pieces)) if token not in usable]


def _pieces(wanted: Callable[[bytes], bool]) -> Callable[[Any], list[int]]:
    return lambda model: [token for token, piece in enumerate(model.vocabulary.pieces) if piece and wanted(piece)]


def _is_cut(piece: bytes) -> bool:
    return piece.decode("utf-8", "ignore").encode() != piece


WILLS: dict[str, Callable[[Any], Sequence[int]]] = {
    "white space": _pieces(lambda piece: not piece.strip()),
    "control tokens": _control,
    "parts of letters": _pieces(_is_cut),
    "ends": _pieces(lambda piece: not piece.strip(b'"]}')),
    "escapes": _pieces(lambda piece: b"\\" in piece),
    "long tokens": _pieces(lambda piece: len(piece) > 24),
    "figures": _pieces(lambda piece: piece.isdigit()),
    "plans": _pieces(lambda piece: piece in (b"steps", b'{"steps')),
    "commas": _pieces(lambda piece: piece in (b",", b'",', b'","')),
}


class Obsessed:
    """A model that wants the tokens of one of the WILLS, or whose logits are all "equal" or "no numbers"."""

    def __init__(self, model: Any, will: str) -> None:
        self._model = model
        self._will = will
        self._wanted = list(WILLS[will](model)) if will in WILLS else []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def logits(self) -> Logits:
        found: Logits = self._model.logits().copy()
        if self._will == "equal":
            found[:] = 0
        if self._will == "no numbers":
            found[:] = np.nan
        found[self._wanted] += MUCH
        return found
