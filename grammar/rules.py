"""Rules: the grammar as small immutable values, printed as GBNF (`gbnf.py`) or followed byte by byte (`matcher.py`).

An expression never contains itself, so every language here is finite in depth. Expressions are compared by identity.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=False)
class Literal:
    """Exactly this text."""

    text: str


@dataclass(frozen=True, eq=False)
class Chars:
    """One character in one of these ranges of code points, both ends included."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Sequence:
    """These parts, one after the other."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, eq=False)
class Choice:
    """One of these options."""

    options: tuple["Expression", ...]


@dataclass(frozen=True, eq=False)
class Repeat:
    """The part, `minimum` to `maximum` times."""

    part: "Expression"
    minimum: int
    maximum: int


@dataclass(frozen=True, eq=False)
class Later:
    """An expression that is made when it is first asked for: who follows a text needs few of a grammar's rules."""

    make: Callable[[], "Expression"]

    @cached_property
    def expression(self) -> "Expression":
        """The expression itself; never a `Later`."""
        made = self.make()
        return made.expression if isinstance(made, Later) else made


@dataclass(frozen=True, eq=False)
class Rule:
    """An expression with a name, so that it is written once and used in several places."""

    name: str
    body: "Expression"


Expression = Literal | Chars | Sequence | Choice | Repeat | Rule | Later

EMPTY = Sequence(())


def joined(*parts: Expression) -> Expression:
    """Return the sequence of these parts without empty ones, flat, with neighbouring literals made one."""
    flat: list[Expression] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Sequence) else (part,):
            if isinstance(piece, Literal) and flat and isinstance(flat[-1], Literal):
                flat[-1] = Literal(flat[-1].text + piece.text)
            else:
                flat.append(piece)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def one_of(*options: Expression) -> Expression:
    """Return the choice between these options, or the only one."""
    return options[0] if len(options) == 1 else Choice(options)


def rules_of(root: Expression) -> Iterator[Rule]:
    """Yield every named rule that the expression uses, each once, the used before their users."""
    seen: set[int] = set()

    def visit(expression: Expression) -> Iterator[Rule]:
        if id(expression) in seen:
            return
        seen.add(id(expression))
        match expression:
            case Sequence(parts):
                for part in parts:
                    yield from visit(part)
            case Choice(options):
                for option in options:
                    yield from visit(option)
            case Repeat(part):
                yield from visit(part)
            case Rule(_, body):
                yield from visit(body)
                yield expression
            case Later():
                yield from visit(expression.expression)

    yield from visit(root)
