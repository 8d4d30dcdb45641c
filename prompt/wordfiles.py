"""The files of words and texts that this package carries, each read once."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Any


@cache
def word_file(name: str) -> Mapping[str, Any]:
    """Return the content of `words/NAME.json`, read-only at its top level."""
    text = files("prompt").joinpath("words", f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return MappingProxyType(content)


@cache
def text_file(name: str) -> Template:
    """Return the text of `texts/NAME.txt` with its `$placeholders`."""
    return Template(files("prompt").joinpath("texts", f"{name}.txt").read_text(encoding="utf-8"))


def meanings() -> Mapping[str, str]:
    """Return the words of any request about a table (how many, largest, sort) with their meaning, as a glossary."""
    return word_file("meanings")


def function_words(language: str) -> list[str]:
    """Return words that show the language of a text and name nothing in a table; Uzbek in Latin letters."""
    words: list[str] = word_file("languages")[language]["words"]
    return words
