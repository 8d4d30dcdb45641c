"""Errors for programs that use Tez as a library: with their sentence in the language that was chosen."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from grammar import TezError
from prompt.words import Language, error_text


@contextmanager
def told_in(language: Language, shown: int | None, lock: AbstractContextManager[Any] | None = None) -> Iterator[None]:
    """Give an error that leaves the block its sentence; hold the `lock`, where there is one, for the time.

    At most `shown` items of a list are named in it; all are in the facts of the error.
    """
    with lock or nullcontext():
        try:
            yield
        except TezError as error:
            error.said = None
            error.said = error_text(error, language, shown=shown)
            raise
