"""Rows from many places of a text file, by which is foreseen what its columns are before it is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .encoding import UTF8
from .layout import Layout
from .records import records
from .settings import FileSettings


class FileSample(NamedTuple):
    """The first rows below the column names, in their order, and rows of other places, the end among them.

    All rows have as many cells as there are columns. A row of another place may be a piece of a longer one.
    """

    first: list[list[str]]
    others: list[list[str]]


def file_sample(path: Path, layout: Layout, settings: FileSettings) -> FileSample:
    """Return rows of a UTF-8 file with this layout."""
    width = len(layout.labels)
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = file.readlines(settings.sample_bytes)
        whole = len(lines) <= settings.sample_lines and not file.read(1)
    read = records(lines[: settings.sample_lines], layout.delimiter, settings.quoted_lines, layout.quoting)
    first = [row.cells for row in read if row.line >= layout.data and len(row.cells) == width]
    others = [] if whole else [cells for cells in _others(path, layout, settings) if len(cells) == width]
    return FileSample(first, others)


def _others(path: Path, layout: Layout, settings: FileSettings) -> Iterator[list[str]]:
    for text in _places(path, settings.sample_places, settings.place_bytes):
        for row in records(text.splitlines(), layout.delimiter, settings.quoted_lines, layout.quoting):
            yield row.cells


def _places(path: Path, count: int, length: int) -> Iterator[str]:
    """Yield whole lines from places all over a file, those at its end last; none of its beginning."""
    size = path.stat().st_size
    length = min(length, size // 2)
    with path.open("rb") as file:
        for number in range(1, count + 1):
            file.seek((size - length) * number // count)
            text = file.read(length).partition(b"\n")[2]
            yield (text if number == count else text.rpartition(b"\n")[0]).decode(UTF8, "replace")
