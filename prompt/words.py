"""What a person is told, in Uzbek (Latin), Russian and English: patterns from `words/*.json`, filled with facts.

A pattern holds `{fact}`; `{fact|form|form|form}`, the number with the form of the word that it takes in this
language; and `[optional part]`, dropped where a fact in it is absent, or `[one|other]`, the first alternative
whose facts are all there.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal

from grammar.contracts import Contract, at_path, refs
from grammar.errors import TezError

from .language import Language, detect_language
from .resolve import nearest
from .wordfiles import word_file

__all__ = [
    "Language",
    "detect_language",
    "error_text",
    "explain",
    "note_text",
    "number_text",
    "question_text",
    "screen_text",
]

_PLURAL_FORMS = {"uz": ("other",), "ru": ("one", "few", "many"), "en": ("one", "other")}
_FORM_OF_FRACTIONS = {"uz": "other", "ru": "few", "en": "other"}
_PIECE = re.compile(r"\[(?P<optional>(?:[^\[\]{}]|\{[^{}]*\})*)\]|\{(?P<fact>[^{}]*)\}")
_ALTERNATIVES = re.compile(r"((?:[^|{}]|\{[^{}]*\})*)(?:\||$)")
_FACT = re.compile(r"\{([^{}]*)\}")
_ABSENT = "?"
_FOUND = "found"
_MOST_DIGITS = 1000
_SIMPLE = re.compile(r"[\w'ʻʼ‘’.%+-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")

_Say = Callable[[str], str | None]
_Fact = Callable[[str], Any]


def error_text(error: TezError, language: Language, *, shown: int | None = None) -> str:
    """Return the sentences for an error: where, what was found, what is allowed, what to do.

    At most `shown` items of a list are named; of what is allowed, those most like what was found. An error
    without words of its own says its reason in English.
    """
    words = word_file("errors")
    name = _word_class(error)
    own = words.get(f"{name}.{error.reason}")
    if own is None:
        return str(error)
    place = words.get(name, {}).get(language, "")
    facts = dict(error.facts)
    found, allowed = facts.get("found"), facts.get("allowed")
    if shown is not None and isinstance(found, str) and isinstance(allowed, list | tuple) and len(allowed) > shown:
        facts["allowed"] = nearest(found, [str(each) for each in allowed], len(allowed))

    def say(value: Any) -> str:
        return json.dumps(value) if isinstance(value, bool) else _said(value, language, shown)

    return _filled(place + own[language], facts.get, say, language)


def note_text(note: Mapping[str, Any], language: Language, *, shown: int | None = None) -> str:
    """Return the sentence for one item of the evidence of a run; at most `shown` items of a list are named."""
    words = word_file("evidence")[note["note"]]
    return _filled(words[language], note.get, lambda value: _said(value, language, shown), language)


def question_text(question: Mapping[str, Any], language: Language) -> str:
    """Return the words of a question that an answer asks: `{"kind": ..., "options": [...]}`."""
    words = word_file("questions")[question["kind"]]
    options = [_in_quotes(str(option)) for option in dict.fromkeys(question.get("options", ()))]
    return _filled(words[language], {"options": ", ".join(options)}.get, str, language)


def screen_text(key: str, language: Language, **facts: Any) -> str:
    """Return a heading or message of the command line."""
    return _filled(word_file("screen")[key][language], facts.get, lambda value: _said(value, language, None), language)


def explain(contract: Contract, args: Mapping[str, Any], language: Language) -> str:
    """Return the sentence that says what a call of this tool with these arguments does."""
    facts = {path: _argument_text(contract, path, args, language) for path in _paths(contract["args"])}
    return _filled(contract["explain"][language], facts.get, str, language)


def day_text(day: date, language: Language) -> str:
    """Return a day as the language writes it, with the name of its month."""
    return format_date(day, "d MMMM y", locale=Locale.parse(language))


def number_text(number: float | Decimal, language: Language) -> str:
    """Return a number as the language writes it, all its digits kept."""
    with localcontext(prec=_MOST_DIGITS):
        return str(format_decimal(number, locale=language, decimal_quantization=False))


def _word_class(error: TezError) -> str:
    """Return the class of the error under which its words stand: its own, or the first base that has them."""
    words = word_file("errors")
    names = [each.__name__ for each in type(error).__mro__ if issubclass(each, TezError)]
    return next((name for name in names if f"{name}.{error.reason}" in words), names[0])


def _filled(pattern: str, fact: _Fact, say: Callable[[Any], str], language: Language) -> str:
    """Fill a pattern; it begins with a capital letter unless a fact stands first."""

    def said(placeholder: str) -> str | None:
        name, *forms = placeholder.split("|")
        value = fact(name)
        if value is None or (value in ([], ()) and name != _FOUND):
            return None
        return f"{say(value)} {forms[_plural_place(value, language)]}" if forms else say(value)

    pieces = [piece for piece in _pieces(pattern, said) if piece[0]]
    if pieces and pieces[0][1]:
        pieces[0] = (pieces[0][0][:1].upper() + pieces[0][0][1:], True)
    return "".join(text for text, _ in pieces)


def _pieces(pattern: str, said: _Say) -> list[tuple[str, bool]]:
    """Return the texts that a pattern is made of, each with whether it is the pattern's own."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for match in _PIECE.finditer(pattern):
        pieces.append((pattern[at : match.start()], True))
        at = match.end()
        if match["fact"] is not None:
            text = said(match["fact"])
            pieces.append((_ABSENT if text is None else text, False))
            continue
        for alternative in _ALTERNATIVES.findall(match["optional"]):
            if all(said(placeholder) for placeholder in _FACT.findall(alternative)):
                pieces += _pieces(alternative, said)
                break
    return [*pieces, (pattern[at:], True)]


def _plural_place(value: Any, language: Language) -> int:
    """Return which of the pattern's forms goes with the number."""
    forms = _PLURAL_FORMS[language]
    form = Locale.parse(language).plural_form(value) if isinstance(value, int | float | Decimal) else forms[-1]
    return forms.index(form if form in forms else _FORM_OF_FRACTIONS[language])


def _said(value: Any, language: Language, shown: int | None) -> str:
    """Return a fact as a person reads it: numbers in the language's way, lists named one by one."""
    match value:
        case bool():
            return str(word_file("terms")["boolean"][str(value).lower()][language])
        case int() | float() | Decimal():
            return number_text(value, language)
        case str():
            return _one_line(value)
        case date():
            return value.isoformat()
        case TezError():
            return error_text(value, language, shown=shown)
        case list() | tuple():
            return _listed(value, language, shown) or "[]"
        case _:
            return _one_line(json.dumps(value, ensure_ascii=False, default=str))


def _listed(values: Sequence[Any], language: Language, shown: int | None) -> str:
    texts = [_item(value, language) for value in values[:shown]]
    rest = len(values) - len(texts)
    listed = ("; " if any("," in text for text in texts) else ", ").join(texts)
    if not rest:
        return listed
    more = str(word_file("terms")["list"]["more"][language]).replace("{rest}", number_text(rest, language))
    return f"{listed} {more}"


def _item(value: Any, language: Language) -> str:
    """Return an item of a list; a pair is what something was and what it became."""
    if isinstance(value, list | tuple):
        return " → ".join(_item(each, language) for each in value)
    if isinstance(value, str):
        return _name_text(value)
    return "—" if value is None else _said(value, language, None)


def _paths(arguments: Mapping[str, Any], prefix: str = "") -> list[str]:
    paths = []
    for name, argument in arguments.items():
        paths += [prefix + name, *_paths(argument.get("properties", {}), f"{prefix}{name}.")]
    return paths


def _argument_text(contract: Contract, path: str, args: Mapping[str, Any], language: Language) -> str | None:
    """Return an argument of a call in words: columns by name, enum values in the language, texts in quotes."""
    value = at_path(args, path)
    if value is None or isinstance(value, Mapping):
        return None
    argument: Mapping[str, Any] = {"properties": contract["args"]}
    for part in path.split("."):
        argument = argument["properties"][part]
    terms = word_file("terms").get(path.rpartition(".")[2], {})
    is_name = bool(refs(argument)) and "column_value" not in refs(argument)
    texts = []
    for each in value if isinstance(value, list | tuple) else (value,):
        key = str(each).lower() if isinstance(each, bool) else str(each)
        if key in terms and ("enum" in argument or isinstance(each, bool)):
            texts.append(str(terms[key][language]))
        elif isinstance(each, str):
            texts.append(_name_text(each) if is_name or _ISO_DATE.fullmatch(each) else _in_quotes(each))
        else:
            texts.append(_said(each, language, None))
    return ", ".join(texts)


def _name_text(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else _in_quotes(name)


def _in_quotes(text: str) -> str:
    return f'"{_one_line(text)}"'


def _one_line(text: str) -> str:
    """Return the text with its control characters written out, so that it cannot break a line or a terminal."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
