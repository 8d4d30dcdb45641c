"""Rows of text: regular ones as Python's csv writes them, and ones whose quotes are out of order."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.records import records

MOST = 1000
CELLS = st.lists(st.text("ab ,;\"'\n"), min_size=2, max_size=4)


@given(st.lists(CELLS, max_size=6), st.sampled_from(",;\t"))
def test_what_was_written_is_read(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    found = list(records(io.StringIO(out.getvalue(), newline="\n"), delimiter, MOST))
    assert [row.cells for row in found] == rows
    assert sum(row.lines for row in found) == out.getvalue().count("\n")
    assert not any(row.mended for row in found)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('1,"15" monitor",10\n', [["1", '15" monitor', "10"]]),
        ('1,"15"",10\n2,x,3\n', [["1", '15"', "10"], ["2", "x", "3"]]),
        ('1,5" disk,10\n', [["1", '5" disk', "10"]]),
        ('1,"open\n2,"def"\n3,x\n', [["1", '"open'], ["2", "def"], ["3", "x"]]),
        ('1,"never closed\n2,x\n', [["1", '"never closed'], ["2", "x"]]),
        ('1,"a\nb"\n\n2,c', [["1", "a\nb"], [], ["2", "c"]]),
        ('1, "x,y"\n', [["1", "x,y"]]),
        ('a,"",""""\n', [["a", "", '"']]),
        ("a,b\r1,2\r\n3,4", [["a", "b"], ["1", "2"], ["3", "4"]]),
    ],
)
def test_quotes_out_of_order_lose_nothing(text: str, rows: list[list[str]]) -> None:
    found = list(records(io.StringIO(text, newline=""), ",", MOST))
    assert [row.cells for row in found] == rows


@given(st.text('ab,"\n', max_size=60))
def test_every_line_belongs_to_one_row(text: str) -> None:
    found = list(records(io.StringIO(text, newline=""), ",", MOST))
    assert sum(row.lines for row in found) == len(text.splitlines())
    at = 1
    for row in found:
        assert row.line == at
        at += row.lines
