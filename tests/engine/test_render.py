"""Printed tables: binary fractions are shortened for the eye, nothing else is."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import render
from engine.settings import load_settings

SETTINGS = load_settings().output


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (20.077336872666983, 20.0773),
        (-8.924193339147106, -8.9242),
        (0.000123456789, 0.0001235),
        (2 / 3, 0.6667),
        (1e300, 1e300),
        (5.0, 5.0),
        (0.0, 0.0),
    ],
)
def test_a_binary_fraction_is_shortened(value: float, shown: float) -> None:
    assert render.shortened(value, 4) == shown


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 15))
def test_a_shortened_fraction_is_near_and_no_zero_that_it_was_not(value: float, decimals: int) -> None:
    found = render.shortened(value, decimals)
    assert abs(found - value) <= max(10.0**-decimals, abs(value) * 10.0 ** (1 - max(decimals, 1)))
    assert (found == 0) == (value == 0)


def test_exact_numbers_are_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(1234567.123456789, Decimal("1234567.123456789"), 12345678901234567890)]
    render.print_table(["a", "b", "c"], ["number"] * 3, rows, "en", SETTINGS)
    assert capsys.readouterr().out.splitlines()[-1].split() == [
        "1,234,567.1235",
        "│",
        "1,234,567.123456789",
        "│",
        "12,345,678,901,234,567,890",
    ]


def test_the_text_of_a_table_is_no_display_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich would show it in the notebook by itself."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    text, hidden = render.table_text(["a"], ["number"], [(1,)], "en", SETTINGS, width=20)
    assert (text.split(), hidden) == (["a", "━", "1"], [])
