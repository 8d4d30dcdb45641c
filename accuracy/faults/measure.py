"""The benchmark of opening files: every file of a folder with every reader, and what that gives in figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from accuracy.report import table
from engine.settings import Settings

from .judge import Verdict, judge
from .readers import READERS, opened
from .truth import Truth

Tick = Callable[[str], None]

METHOD: Final = """\
Made by `{command}`. A shape is right if the rows, the columns and their names are. Values are right if every cell is,
in every column whose meaning the file tells. Where it does not tell (day or month first, `1,250`, two currencies) a
column has to stay text and be reported. Rows lost are rows of data that are neither in the opened table nor reported;
lost without a word are such rows, and cells and lines (titles, notes, totals) too. DuckDB is asked as it comes, without
extensions that it would have to download; it gives no report."""


@dataclass(frozen=True)
class Figures:
    """What a reader made of several files, in counts of files, cells, columns and rows; see Verdict."""

    files: int
    opened: int
    shape: int
    values: int
    cells: int
    right_cells: int
    unclear: int
    asked: int
    rows_lost: int
    silent: int


def measure(folder: Path, truths: Iterable[Truth], settings: Settings, each: Tick) -> list[Verdict]:
    """Return what every reader made of every file of the folder; `each` is told the name of every file."""
    verdicts = []
    for truth in truths:
        each(truth.file)
        verdicts += [judge(truth, reader, opened(reader, folder / truth.file, settings)) for reader in READERS]
    each("")
    return verdicts


def figures(verdicts: Iterable[Verdict]) -> Figures:
    """Return the counts over these verdicts."""
    found = list(verdicts)
    return Figures(
        len(found),
        sum(each.opened for each in found),
        sum(each.shape for each in found),
        sum(each.values for each in found),
        sum(each.cells for each in found),
        sum(each.right_cells for each in found),
        sum(each.unclear for each in found),
        sum(each.asked for each in found),
        sum(each.rows_lost for each in found),
        sum(len(each.silent) for each in found),
    )


def as_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the whole measurement as JSON has it."""
    total = {reader: asdict(figures(_of(reader, verdicts))) for reader in READERS}
    return {"total": total, "files": [asdict(verdict) for verdict in verdicts]}


def markdown(verdicts: Sequence[Verdict], command: str) -> str:
    """Return the report; `command` is what made it."""
    sizes = sorted({len(each.faults) for each in verdicts})
    names = dict.fromkeys(name for each in verdicts for name in each.faults)
    parts = [
        "# Files with faults",
        overview(verdicts),
        METHOD.format(command=command),
        "## By the number of faults",
        _grouped("faults", {str(size): [each for each in verdicts if len(each.faults) == size] for size in sizes}),
        "## By fault",
        _grouped("fault", {name: [each for each in verdicts if name in each.faults] for name in names}),
    ]
    return "\n\n".join(parts) + "\n"


def overview(verdicts: Iterable[Verdict]) -> str:
    """Return the table of totals, a line a reader."""
    found = list(verdicts)
    head = ["reader", "files", "opened", "right shape", "right values", "unclear columns asked about", "rows lost"]
    rows = []
    for reader in READERS:
        counts = figures(_of(reader, found))
        shares = (_share(count, counts.files) for count in (counts.opened, counts.shape, counts.values))
        asked = f"{counts.asked} of {counts.unclear}"
        rows.append([reader, counts.files, *shares, asked, counts.rows_lost, counts.silent])
    return table([*head, "lost without a word"], rows)


def _grouped(word: str, groups: Mapping[str, Sequence[Verdict]]) -> str:
    """Return a table with a line a group: how many files each reader opened, in the right shape, with right values."""
    head = [word, "files", *(f"{reader}: {what}" for reader in READERS for what in ("opened", "shape", "values"))]
    rows = []
    for name, verdicts in groups.items():
        counts = [figures(_of(reader, verdicts)) for reader in READERS]
        cells = (number for each in counts for number in (each.opened, each.shape, each.values))
        rows.append([name, counts[0].files, *cells])
    return table(head, rows)


def _of(reader: str, verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [each for each in verdicts if each.reader == reader]


def _share(count: int, files: int) -> str:
    return f"{count} ({100 * count / max(files, 1):.1f} %)"
