"""The error of statements in other dialects, apart from the module that needs sqlglot."""

from grammar.errors import TezError


class DialectError(TezError):
    """The statement cannot be written in a dialect."""
