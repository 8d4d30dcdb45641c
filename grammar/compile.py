"""From shapes to rules: the canonical texts of the values of a shape, left-factored.

A shape is first unrolled into the sequences of literal text and values that its texts are made of. These are then
factored by their beginnings: texts that begin alike share a path (a trie), and sequences that go on alike share a
rule. So the cost of a choice does not grow with the number of things to choose from.
"""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as SequenceOf

from .rules import EMPTY, Chars, Choice, Expression, Later, Literal, Repeat, Rule, joined, one_of
from .shapes import AnyOf, Date, Integer, Items, Number, Object, OneOf, Shape, Text

Leaf = OneOf | Text | Number | Integer | Date | Items
Piece = str | Leaf | Later
Pieces = tuple[Piece, ...]

_JSON = json.JSONEncoder(ensure_ascii=False)
_DIGIT = Chars(((0x30, 0x39),))
_DIGIT_1_9 = Chars(((0x31, 0x39),))
_PLAIN_CHARS = Chars(((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF)))


LARGE = 16
"""A trie of so many texts is made when it is reached, a smaller one at once."""


def json_text(value: str | bool | None) -> str:
    """Return the canonical text of a string, a boolean or null."""
    return _JSON.encode(value)


def compile_shape(shape: Shape) -> Expression:
    """Return rules that accept exactly the canonical texts of the values of this shape."""
    return compile_sequences(sequences(shape))


def compile_sequences(alternatives: Iterable[Pieces]) -> Expression:
    """Return rules that accept the texts of any of these sequences."""
    return _Factoring().expression(alternatives)


def sequences(shape: Shape) -> list[Pieces]:
    """Return the alternative sequences of literal text and leaf values of which the texts of a shape consist."""
    match shape:
        case AnyOf(shapes):
            return [pieces for each in shapes for pieces in sequences(each)]
        case Object(fields):
            written: list[tuple[Pieces, bool]] = [(("{",), True)]
            for field in fields:
                values = sequences(field.shape)
                longer = [
                    (appended(pieces, (("" if first else ",") + json_text(field.key) + ":", *value)), False)
                    for pieces, first in written
                    for value in values
                ]
                written = longer if field.required else longer + written
            return [appended(pieces, ("}",)) for pieces, _ in written]
        case OneOf(values) if len(values) == 1:
            return [(json_text(values[0]),)]
        case _:
            return [(shape,)]


def appended(pieces: Pieces, more: Pieces) -> Pieces:
    """Return the pieces of both, neighbouring literals made one."""
    result = list(pieces)
    for piece in more:
        if isinstance(piece, str) and result and isinstance(result[-1], str):
            result[-1] += piece
        else:
            result.append(piece)
    return tuple(result)


class _Factoring:
    """One run of factoring; remembers the rule of every set of sequences and of every leaf.

    Rules are made when somebody asks for them, so a grammar that is only followed costs what is written with it.
    """

    def __init__(self) -> None:
        self._rules: dict[frozenset[Pieces], Expression] = {}
        self._leaves: dict[Leaf, Expression] = {}

    def expression(self, alternatives: Iterable[Pieces]) -> Expression:
        """Return the rule of these alternatives, in the order in which they are given first."""
        distinct = tuple(dict.fromkeys(alternatives))
        key = frozenset(distinct)
        if key not in self._rules:
            plain = len(distinct) == 1 and len(distinct[0]) <= 1
            made = self._factored(distinct) if plain else Rule("part", Later(lambda: self._factored(distinct)))
            self._rules[key] = made
        return self._rules[key]

    def _factored(self, alternatives: SequenceOf[Pieces]) -> Expression:
        """Group the sequences by their first piece: texts into a trie, each other leaf before what follows it."""
        heads: dict[Piece, list[Pieces]] = {}
        for pieces in alternatives:
            if pieces:
                heads.setdefault(pieces[0], []).append(pieces[1:])
        texts: dict[str, list[Pieces]] = {}
        options: list[Expression] = []
        literal_heads = [head for head in heads if isinstance(head, str | OneOf)]
        for head, rests in heads.items():
            if isinstance(head, str):
                texts.setdefault(head, []).extend(rests)
            elif isinstance(head, OneOf) and len(literal_heads) > 1:
                for value in head.values:
                    texts.setdefault(json_text(value), []).extend(rests)
            else:
                first = head if isinstance(head, Later) else self._leaf(head)
                options.append(joined(first, self.expression(rests)))
        if texts:
            options.append(self._trie(texts))
        if () in alternatives:
            options.append(EMPTY)
        return one_of(*options)

    def _trie(self, texts: Mapping[str, SequenceOf[Pieces]]) -> Expression:
        groups: dict[str, dict[str, SequenceOf[Pieces]]] = {}
        for text, rests in texts.items():
            groups.setdefault(text[:1], {})[text] = rests
        options = []
        for first, group in groups.items():
            if not first:
                options.append(self.expression(group[""]))
                continue
            shared = _shared_beginning(group)
            ends = {text[len(shared) :]: rests for text, rests in group.items()}
            options.append(joined(Literal(shared), self._after(ends)))
        return one_of(*options)

    def _after(self, ends: Mapping[str, SequenceOf[Pieces]]) -> Expression:
        """Return what follows a shared beginning: the only way on, or a trie of the ways."""
        if len(ends) == 1:
            return self.expression(ends[""])
        return self._trie(ends) if len(ends) < LARGE else Later(lambda: self._trie(ends))

    def _leaf(self, leaf: Leaf) -> Expression:
        if leaf not in self._leaves:
            self._leaves[leaf] = self._leaf_rule(leaf)
        return self._leaves[leaf]

    def _leaf_rule(self, leaf: Leaf) -> Expression:
        match leaf:
            case OneOf(values):
                end: list[Pieces] = [()]
                return Rule("values", Later(lambda: self._trie(dict.fromkeys(map(json_text, values), end))))
            case Text(max_length):
                char = Rule("char", one_of(_PLAIN_CHARS, Literal('\\"'), Literal("\\\\")))
                return Rule("text", joined(Literal('"'), Repeat(char, 1, max_length), Literal('"')))
            case Number(digits, decimals):
                return Rule("number", _number(digits, decimals))
            case Integer(minimum, digits):
                positive = joined(_DIGIT_1_9, Repeat(_DIGIT, 0, digits - 1))
                return Rule("integer", one_of(positive, Literal("0")) if minimum == 0 else positive)
            case Date():
                return Rule("date", _date())
            case Items():
                return Rule("list", self._list(leaf))

    def _list(self, items: Items) -> Expression:
        if items.maximum == 0:
            return Literal("[]")
        item = self.expression(sequences(items.item))
        first = item if items.first is None else self.expression(sequences(items.first))
        more = Repeat(joined(Literal(","), item), max(items.minimum - 1, 0), items.maximum - 1)
        some = joined(first, more, Literal("]")) if items.maximum > 1 else joined(first, Literal("]"))
        return joined(Literal("["), some if items.minimum else one_of(Literal("]"), some))


def _shared_beginning(texts: Iterable[str]) -> str:
    """Return the longest text that all of these begin with: where the first and the last of them part."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((place for place, (one, other) in pairs if one != other), len(first))]


def _number(digits: int, decimals: int) -> Expression:
    """Return the texts of decimal numbers: no leading zeros, no trailing zeros after the point, no `-0`."""

    fractions: dict[int, Rule] = {}
    for most in range(1, min(decimals, digits) + 1):
        fraction: Expression = _DIGIT_1_9
        if most > 1:
            shorter = fractions[most - 1]
            fraction = Choice((joined(_DIGIT_1_9, Choice((shorter, EMPTY))), joined(Literal("0"), shorter)))
        fractions[most] = Rule("fraction", fraction)

    def after(written: int) -> Expression:
        options: list[Expression] = []
        if written < digits:
            options.append(joined(_DIGIT, after(written + 1)))
        most = min(decimals, digits - written)
        if most > 0:
            options.append(joined(Literal("."), fractions[most]))
        return Choice((*options, EMPTY)) if options else EMPTY

    positive = Rule("positive", joined(_DIGIT_1_9, after(1)))
    if not fractions:
        return Choice((positive, Literal("0"), joined(Literal("-"), positive)))
    below_one = joined(Literal("."), fractions[max(fractions)])
    zero = joined(Literal("0"), Choice((below_one, EMPTY)))
    negative = joined(Literal("-"), Choice((positive, joined(Literal("0"), below_one))))
    return Choice((positive, zero, negative))


def _date() -> Expression:
    """Return the texts of the days from 1900-01-01 to 2099-12-31 in quotes."""

    def digits(low: str, high: str) -> Chars:
        return Chars(((ord(low), ord(high)),))

    def any_of(*texts: str) -> Choice:
        return Choice(tuple(Literal(text) for text in texts))

    days_28 = Choice(
        (
            joined(Literal("0"), _DIGIT_1_9),
            joined(Literal("1"), _DIGIT),
            joined(Literal("2"), digits("0", "8")),
        )
    )
    days_30 = Rule("days-30", Choice((days_28, any_of("29", "30"))))
    month_days = Choice(
        (
            joined(any_of("01-", "03-", "05-", "07-", "08-", "10-", "12-"), Choice((days_30, Literal("31")))),
            joined(any_of("04-", "06-", "09-", "11-"), days_30),
            joined(Literal("02-"), days_28),
        )
    )
    years = joined(any_of("19", "20"), _DIGIT, _DIGIT, Literal("-"), month_days)
    fours = tuple(f"{year:02}" for year in range(4, 100, 4))
    leap_days = joined(
        Choice((joined(Literal("19"), any_of(*fours)), joined(Literal("20"), any_of("00", *fours)))),
        Literal("-02-29"),
    )
    return joined(Literal('"'), Choice((years, leap_days)), Literal('"'))
