"""The error of the library, apart from the modules that need the database."""

from grammar.errors import TezError


class LibraryError(TezError):
    """An answer or an open table cannot do what a program asks of it."""
