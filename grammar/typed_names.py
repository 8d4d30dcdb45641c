"""Names that a person types: which of the names that there are they mean.

The strictest form in which a typed name fits any of them decides: the exact name; then letter case, outer blanks and
apostrophes do not count; then ё and е, inner and invisible blanks; then look-alike letters and alphabets; then the
endings of Uzbek and Russian words. From the second form on a column is also known by its label.
"""

from collections.abc import Iterable, Sequence

from .names import same_name
from .script import fold, plain, word_spans
from .state import Column
from .stems import SOUND, TWIN, likeness, word_keys


def meant_names(typed: str, names: Iterable[str]) -> list[str]:
    """Return the names that a typed one means: one, none, or several between which it does not decide."""
    return _meant(typed, [(name, (name,)) for name in names])


def meant_columns(typed: str, columns: Iterable[Column]) -> list[Column]:
    """Return the columns that a typed name means, by name or label."""
    by_name = {column.name: column for column in columns}
    known = [(name, (name, column.label) if column.label else (name,)) for name, column in by_name.items()]
    return [by_name[name] for name in _meant(typed, known)]


def _meant(typed: str, known: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Return which names are meant of those known, each with the texts that it goes by."""
    if any(name == typed for name, _ in known):
        return [typed]
    for form in (same_name, plain):
        wanted = form(typed)
        alike = [name for name, texts in known if any(form(text) == wanted for text in texts)]
        if alike:
            return alike
    closeness = {name: max(_closeness(typed, text) for text in texts) for name, texts in known}
    written_alike = [name for name, close in closeness.items() if close >= TWIN]
    return written_alike or [name for name, close in closeness.items() if close > SOUND]


def _closeness(typed: str, name: str) -> float:
    """Return how sure it is that two names are one, word by word; 0.0 if they are not."""
    one, other = _words(typed), _words(name)
    if not one or len(one) != len(other):
        return 0.0
    return min(likeness(word_keys(a), word_keys(b)) for a, b in zip(one, other, strict=True))


def _words(text: str) -> list[str]:
    folded = fold(text).text
    return [folded[start:end] for start, end in word_spans(folded)]
