"""Rules printed as GBNF, the grammar notation of llama.cpp: the only place that knows that notation."""

from .rules import EMPTY, Chars, Choice, Expression, Later, Literal, Repeat, Rule, Sequence, rules_of

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CLASS_ESCAPES = {"]": "\\]", "[": "\\[", "-": "\\x2D", "^": "\\x5E", "\\": "\\\\"}
_LAST_BMP = 0xFFFF


_Names = dict[int, str]


def gbnf_text(root: Expression) -> str:
    """Return a GBNF grammar that accepts the texts of this expression; rules of one name are numbered."""
    names: _Names = {}
    counts: dict[str, int] = {}
    rules = list(rules_of(root))
    for rule in rules:
        counts[rule.name] = counts.get(rule.name, 0) + 1
        names[id(rule)] = f"{rule.name}-{counts[rule.name]}"
    lines = [f"root ::= {_printed(root, names)}"]
    lines += [f"{names[id(rule)]} ::= {_printed(rule.body, names)}" for rule in rules]
    return "\n".join(lines) + "\n"


def _printed(expression: Expression, names: _Names) -> str:
    match expression:
        case Literal(text):
            return '"' + "".join(_escaped(char) for char in text) + '"'
        case Chars(ranges):
            return "[" + "".join(_range(low, high) for low, high in ranges) + "]"
        case Sequence(parts):
            return " ".join(_grouped(part, names) for part in parts) if parts else '""'
        case Choice(options):
            filled = [option for option in options if option is not EMPTY]
            printed = " | ".join(_printed(option, names) for option in filled)
            return printed if len(filled) == len(options) else f"({printed})?"
        case Repeat(part, minimum, maximum):
            return f"{_grouped(part, names)}{{{minimum},{maximum}}}"
        case Rule():
            return names[id(expression)]
        case Later():
            return _printed(expression.expression, names)


def _grouped(expression: Expression, names: _Names) -> str:
    if isinstance(expression, Later):
        expression = expression.expression
    printed = _printed(expression, names)
    return f"({printed})" if isinstance(expression, Choice | Sequence) and not printed.endswith(")?") else printed


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else _code(ord(char))


def _range(low: int, high: int) -> str:
    return _class_char(low) if low == high else f"{_class_char(low)}-{_class_char(high)}"


def _class_char(code: int) -> str:
    char = chr(code)
    if char in _CLASS_ESCAPES:
        return _CLASS_ESCAPES[char]
    return char if char.isascii() and char.isprintable() and char != " " else _code(code)


def _code(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= _LAST_BMP else f"\\U{code:08X}"
