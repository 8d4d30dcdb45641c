"""Fewer examples for properties of which one example runs many statements or reads whole files."""

from hypothesis import settings

FEWER = settings(max_examples=max(10, settings().max_examples // 5))
