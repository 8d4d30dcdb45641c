"""How a statement that was put together is written for a person: lines and indents, quotes only where they are needed.

Only the white space and the quotes of names change; literals stay as they are.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_LITERAL = r"'(?:[^']|'')*'"
_QUOTED = r'"(?:[^"]|"")*"'
_WORD = r"[^\W\d]\w*"
_TOKEN = re.compile(rf"{_LITERAL}|{_QUOTED}|{_WORD}|\d[\w.]*|\s+|::|:=|->|<=|>=|<>|!=|\|\||.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that DuckDB reads as the call of a function, without being keywords.
_CALLS = re.compile(r"current_.*|local.*|session_.*|user|today|now")
_QUERIES = ("SELECT", "WITH")
_CLAUSES = frozenset({"SELECT", "FROM", "WHERE", "HAVING", "LIMIT", "UNION", "JOIN", "LEFT", "GROUP", "ORDER", "WITH"})
_WIDTH = 100
_INDENT = "  "


@dataclass
class _Bracket:
    """What stands between two brackets."""

    opening: str = "("
    parts: "list[str | _Bracket]" = field(default_factory=list)


_Part = str | _Bracket
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def replaced(statement: str, sources: Mapping[str, str]) -> str:
    """Return the statement with full quoted names of tables replaced; text inside literals and names stays."""
    if not sources:
        return statement
    names = "|".join(re.escape(name) for name in sorted(sources, key=len, reverse=True))
    pattern = re.compile(rf"{_LITERAL}|(?P<source>{names})|{_QUOTED}|{_WORD}", re.DOTALL)
    return pattern.sub(lambda found: sources[found["source"]] if found["source"] else found[0], statement)


def bare_words(statement: str) -> set[str]:
    """Return the words of a statement that stand outside literals and quotes, in lower case."""
    return {token.lower() for token in _TOKEN.findall(statement) if re.fullmatch(_WORD, token)}


def laid_out(statement: str, keywords: Collection[str], indent: int = 0) -> str:
    """Return the statement in lines; names stay quoted that are keywords or more than letters and digits of ASCII."""
    return _query(_parsed(statement, lambda token: _unquoted(token, keywords)), _INDENT * indent)


def _unquoted(token: str, keywords: Collection[str]) -> str:
    name = token[1:-1]
    low = name.lower()
    if token[0] == '"' and _PLAIN.fullmatch(name) and low not in keywords and not _CALLS.fullmatch(low):
        return name
    return token


def _parsed(statement: str, written: Callable[[str], str]) -> list[_Part]:
    open_brackets = [_Bracket()]
    for token in _TOKEN.findall(statement):
        if token in _CLOSING:
            open_brackets.append(_Bracket(token))
        elif token in _CLOSING.values():
            inner = open_brackets.pop()
            open_brackets[-1].parts.append(inner)
        elif token.isspace():
            open_brackets[-1].parts.append(" ")
        else:
            open_brackets[-1].parts.append(written(token))
    return open_brackets[0].parts


def _query(parts: Sequence[_Part], indent: str) -> str:
    return "\n".join(indent + _clause(clause, indent) for clause in _clauses(parts))


def _clauses(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """Yield the clauses of a query, without blanks around them."""
    clause: list[_Part] = []
    words = [part for part in parts if part != " "]
    before = 0
    for part in parts:
        if part != " ":
            before += 1
        inside = _stripped(clause) == ["LEFT"] or _stripped(clause)[-1:] == ["DISTINCT"]
        if not inside and _begins(part, words[before : before + 1]):
            if _stripped(clause):
                yield _stripped(clause)
            clause = []
        clause.append(part)
    if _stripped(clause):
        yield _stripped(clause)


def _begins(part: _Part, following: Sequence[_Part]) -> bool:
    """Return whether a part is the first word of a clause."""
    if not isinstance(part, str) or part not in _CLAUSES:
        return False
    wanted = {"LEFT": ["JOIN"], "GROUP": ["BY"], "ORDER": ["BY"], "UNION": ["ALL"]}.get(part)
    return wanted is None or list(following) == wanted


def _stripped(parts: Sequence[_Part]) -> list[_Part]:
    start, end = 0, len(parts)
    while start < end and parts[start] == " ":
        start += 1
    while end > start and parts[end - 1] == " ":
        end -= 1
    return list(parts[start:end])


def _clause(parts: list[_Part], indent: str) -> str:
    """Return a clause in one line if it fits, else its items in a line each."""
    flat = _flat(parts)
    if len(indent) + len(flat) <= _WIDTH:
        return flat
    items = _items(parts)
    if len(items) == 1:
        return "".join(_part(part, indent) for part in parts)
    first = items[0]
    words = 2 if first[0] in ("GROUP", "ORDER") else 1
    head, rest = _flat(first[: 2 * words - 1]), _stripped(first[2 * words - 1 :])
    if head == "WITH":
        lines = ["".join(_part(part, indent) for part in item) for item in [rest, *items[1:]]]
        return f"{head} " + f",\n{indent}".join(lines)
    inner = indent + _INDENT
    lines = ["".join(_part(part, inner) for part in item) for item in [rest, *items[1:]]]
    return f"{head}\n{inner}" + f",\n{inner}".join(lines)


def _items(parts: Sequence[_Part]) -> list[list[_Part]]:
    items: list[list[_Part]] = [[]]
    for part in parts:
        if part == ",":
            items.append([])
        else:
            items[-1].append(part)
    return [_stripped(item) for item in items]


def _part(part: _Part, indent: str) -> str:
    if isinstance(part, str):
        return part
    flat = _flat([part])
    if len(indent) + len(flat) <= _WIDTH:
        return flat
    closing = _CLOSING[part.opening]
    if _is_query(part):
        return f"{part.opening}\n{_query(part.parts, indent + _INDENT)}\n{indent}{closing}"
    return part.opening + "".join(_part(each, indent) for each in part.parts) + closing


def _is_query(bracket: _Bracket) -> bool:
    words = _stripped(bracket.parts)
    return bool(words) and words[0] in _QUERIES


def _flat(parts: Sequence[_Part]) -> str:
    return "".join(
        part if isinstance(part, str) else f"{part.opening}{_flat(part.parts)}{_CLOSING[part.opening]}"
        for part in parts
    )
