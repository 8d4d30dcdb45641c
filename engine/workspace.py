"""What a request is about: opened tables with all that is known of them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from grammar import Contract, Matchers, Scene

from . import sql
from .database import Connection, connect, stop
from .described import with_descriptions
from .domain import Domain, find_domain
from .files import OpenedTable
from .interrupt import Stopping
from .join_keys import with_join_keys
from .load_options import AS_FOUND, LoadOptions
from .profile import opened_scene, table_state
from .settings import Settings
from .settling import UNATTENDED, Settling, orders_of, settled
from .sources import open_sources
from .toolset import Toolset
from .value_counts import Listed, listed_values


@dataclass(frozen=True)
class Workspace:
    """Opened tables with all that a request about them needs; `listed` are, for each, the values of its columns."""

    con: Connection
    tables: tuple[OpenedTable, ...]
    scene: Scene
    domain: Domain
    tools: Toolset
    settings: Settings
    listed: Mapping[str, Listed] = field(default_factory=dict)
    matchers: Matchers = field(default_factory=Matchers)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts of all tools that plans can call."""
        return self.tools.contracts


Watching: TypeAlias = Callable[[Connection], AbstractContextManager[None]]
"""Stands around the reading of files into a connection, to show how far it is."""


def unwatched(con: Connection) -> AbstractContextManager[None]:
    """Show nothing."""
    return nullcontext()


def open_workspace(
    paths: Sequence[Path],
    settings: Settings,
    domain: str | None = None,
    options: LoadOptions = AS_FOUND,
    sheet: str | None = None,
    settling: Settling = UNATTENDED,
    watching: Watching = unwatched,
    tools: Toolset | None = None,
) -> Workspace:
    """Open the files and find their domain; `options` settles how they are read, `sheet` names that of a workbook.

    `settling` is where answers come from to what a file leaves open; the files are read inside `watching`. `tools` are
    those that plans can call, by default the shipped ones. Raises FileError, DatabaseError, DomainError,
    prompt.build.ContextError.
    """
    con = connect(settings.database)
    with watching(con), Stopping(None, lambda: stop(con)):
        tables = open_sources(con, paths, settings.files, sheet, options)
    tables = [settled(con, table, options, settling) for table in tables]
    listed = {table.name: listed_values(con, sql.name(table.name), settings.profile) for table in tables}
    states = [
        table_state(
            con,
            table.name,
            settings,
            table.labels,
            orders=orders_of(table.report.columns),
            listed=listed[table.name],
        )
        for table in tables
    ]
    states = with_join_keys(con, states, settings)
    found = find_domain(domain, states, settings.prompt.domain_match)
    found = with_descriptions(con, found, tables, states, settings)
    return Workspace(con, tuple(tables), opened_scene(states), found, tools or Toolset(), settings, listed)
