"""The opened tables of the cases."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.database import Connection, describe, query
from engine.files import open_file
from engine.session import Workspace, open_workspace
from engine.settings import Settings, home

from .cases import Case
from .data import open_data
from .records import BenchError

GLOSSARY = "glossary.json"
DOMAINS = "domains"


def stepwise(settings: Settings, *, on: bool) -> Settings:
    """Return the settings under which answers are written one step at a time, if that is `on` or they say so."""
    return replace(settings, stepwise=replace(settings.stepwise, on=on or settings.stepwise.on))


@dataclass
class Tables:
    """Opens the tables of cases, those of one set of files once. Use it as a context manager.

    A domain that Tez brings along has its tables in its own folder. Any other has them in `folder`, together with its
    glossary and examples if there are any.
    """

    settings: Settings
    folder: Path | None = None
    _open: dict[tuple[str, tuple[str, ...]], Workspace] = field(default_factory=dict)
    _for_sql: dict[tuple[str, tuple[str, ...]], Connection] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for con in [*(workspace.con for workspace in self._open.values()), *self._for_sql.values()]:
            con.close()
        self._open.clear()
        self._for_sql.clear()

    def files(self, case: Case) -> tuple[Path, ...]:
        """Return the files of a case's tables; BenchError `no_data` where it is not known where they are."""
        return tuple(self._home(case) / name for name in case.tables)

    def workspace(self, case: Case) -> Workspace:
        """Return the opened tables of a case; raises what `open_workspace` raises, BenchError `no_data`."""
        key = (case.domain, case.tables)
        if key not in self._open:
            folder = self._home(case)
            words = str(folder) if (folder / GLOSSARY).exists() else None
            self._open[key] = open_workspace(self.files(case), self.settings, words)
        return self._open[key]

    def sql_result(self, case: Case, statement: str) -> dict[str, Any]:
        """Return the table of a statement that calls the case's first table `base`; DatabaseError."""
        key = (case.domain, case.tables)
        if key not in self._for_sql:
            first, *others = self.workspace(case).tables
            self._for_sql[key] = open_data(first.path)
            for other in others:
                open_file(self._for_sql[key], other.path, other.name, self.settings.files)
        con = self._for_sql[key]
        columns = [name for name, _ in describe(con, f"({statement})")]
        rows = query(con, statement)
        return {"columns": columns, "rows": rows, "row_count": len(rows)}

    def _home(self, case: Case) -> Path:
        own = home(DOMAINS) / case.domain
        if own.is_dir():
            return own
        if self.folder is None:
            raise BenchError("no_data", case=case.id, found=case.domain)
        return self.folder
