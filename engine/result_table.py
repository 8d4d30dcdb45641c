"""A table that an answer made, as a program reads it: rows, data frames, text and HTML."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from shutil import get_terminal_size
from threading import RLock
from typing import Any

from grammar import Kind
from prompt.words import Language, screen_text

from . import database
from .database import Connection, Row
from .library_error import LibraryError
from .notebook import line_html, page, table_html
from .render import table_text
from .settings import OutputSettings
from .told import told_in


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table of an answer: `columns` are its names, `kinds` what they hold (number, date, text, boolean, other).

    It can be read as long as its answer is open, from one thread at a time (others wait).
    """

    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    _con: Connection
    _source: str
    _lock: RLock
    _language: Language
    _settings: OutputSettings
    _wanted: frozenset[str] = frozenset()

    def __len__(self) -> int:
        with self._reading():
            return int(database.query(self._con, f"SELECT count(*) FROM {self._source}")[0][0])

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def rows(self, most: int | None = None) -> list[Row]:
        """Return the rows as tuples, all of them or at most so many. Raises DatabaseError."""
        with self._reading():
            return database.query(self._con, self._statement(most))

    def dicts(self, most: int | None = None) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, column by name; raises as `rows`."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows(most)]

    def df(self) -> Any:
        """Return the table as a pandas data frame. LibraryError `no_package` without pandas, DatabaseError."""
        with self._reading():
            _needed("pandas", "pandas")
            return database.fetch_frame(self._con, self._statement())

    def arrow(self) -> Any:
        """Return the table as a pyarrow table. LibraryError `no_package` without pyarrow, DatabaseError."""
        with self._reading():
            _needed("pyarrow", "arrow")
            return database.fetch_arrow(self._con, self._statement())

    def text(self, width: int | None = None) -> str:
        """Return the first rows in columns, lines as wide as the terminal or `width`, and how many there are."""
        rows, count = self._first()
        drawn, hidden = table_text(
            self.columns,
            self.kinds,
            rows,
            self._language,
            self._settings,
            self._wanted,
            width=width or get_terminal_size().columns,
        )
        lines = [line.rstrip() for line in drawn.splitlines()]
        if hidden:
            names = hidden[: self._settings.shown_options]
            lines.append(screen_text("more_columns", self._language, columns=len(hidden), names=names))
        return "\n".join([*lines, self._counts(len(rows), count)])

    def html(self) -> str:
        """Return the first rows as an HTML table, and how many there are."""
        rows, count = self._first()
        table = table_html(self.columns, self.kinds, rows, self._language, self._settings)
        return table + line_html(self._counts(len(rows), count), "count")

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return page(self.html())

    def _first(self) -> tuple[Sequence[Row], int]:
        with self._lock:
            return self.rows(self._settings.shown_rows), len(self)

    def _counts(self, shown: int, count: int) -> str:
        return screen_text("rows", self._language, rows=count, shown=shown if shown < count else None)

    def _statement(self, most: int | None = None) -> str:
        return f"SELECT * FROM {self._source}" + ("" if most is None else f" LIMIT {max(0, most)}")

    def _reading(self) -> AbstractContextManager[Any]:
        return told_in(self._language, self._settings.shown_options, self._lock)


def _needed(package: str, extra: str) -> None:
    """Raise LibraryError where a package that Tez can do without is not installed."""
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        raise LibraryError("no_package", package=package, install=f"tez-analyst[{extra}]") from error
