"""SQL in the dialects of other databases: what sqlglot makes of a statement, and what it could not say in one."""

from dataclasses import dataclass

import sqlglot
from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, SqlglotError

from .dialect_error import DialectError

OURS = "duckdb"


@dataclass(frozen=True)
class Transpiled:
    """A statement in a dialect: `unsupported` are sqlglot's words for what is lost, `functions` those it kept as is."""

    text: str
    unsupported: tuple[str, ...]
    functions: tuple[str, ...]


def dialects() -> list[str]:
    """Return the names of the dialects."""
    return sorted(name for name in Dialect.classes if name)


def transpiled(statement: str, dialect: str) -> Transpiled:
    """Return a statement of DuckDB in another dialect; what that cannot express stands in a comment before it.

    Raises DialectError for a name that is none, and where the statement cannot be written at all.
    """
    name = dialect.strip().lower()
    if name not in dialects():
        raise DialectError("unknown_dialect", found=dialect, allowed=dialects())
    try:
        tree = sqlglot.parse_one(statement, read=OURS)
        generator = Dialect.get_or_raise(name).generator(pretty=True, unsupported_level=ErrorLevel.IGNORE)
        text = generator.generate(tree)
    except (SqlglotError, ValueError, RecursionError) as error:
        raise DialectError("not_transpiled", dialect=name, detail=str(error).split("\n", 1)[0]) from error
    unsupported = tuple(dict.fromkeys(generator.unsupported_messages))
    functions = tuple(sorted({each.name.lower() for each in tree.find_all(exp.Anonymous)})) if name != OURS else ()
    said = [*unsupported, *([f"Functions of DuckDB: {', '.join(functions)}"] if functions else [])]
    comment = "".join(f"-- {' '.join(line.split())}\n" for line in said)
    return Transpiled(comment + text, unsupported, functions)
