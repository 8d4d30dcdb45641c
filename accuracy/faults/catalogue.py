"""The faults by name, and the set of files: every fault alone, then two and three of them together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from . import row_faults as row
from . import text_faults as text
from . import value_faults as value
from .clean import TABLES, clean_table
from .draft import Draft, UnfitError
from .truth import Truth, truth_of, write_manifest
from .value_faults import Fault
from .writing import file_bytes, file_name

_ALONE: Final = 2
_TOGETHER: Final = {2: 100, 3: 80}


@dataclass(frozen=True)
class NamedFault:
    """A fault: its name, and the group of which a file has one at most."""

    name: str
    group: str
    put: Fault


# In the order in which they are put into a file.
FAULTS: Final = (
    NamedFault("decimal comma", "numbers", value.marks(",", "")),
    NamedFault("thousands: blank", "numbers", value.marks(".", " ")),
    NamedFault("thousands: blank, decimal comma", "numbers", value.marks(",", " ")),
    NamedFault("thousands: no-break space", "numbers", value.marks(",", "\u00a0")),
    NamedFault("thousands: narrow space", "numbers", value.marks(",", "\u202f")),
    NamedFault("thousands: apostrophe", "numbers", value.marks(".", "'")),
    NamedFault("thousands: point, decimal comma", "numbers", value.marks(",", ".")),
    NamedFault("thousands: comma", "numbers", value.marks(".", ",")),
    NamedFault("whole thousands: comma", "numbers", value.whole_groups(",")),
    NamedFault("whole thousands: point", "numbers", value.whole_groups(".")),
    NamedFault("three decimals, comma", "numbers", value.three_decimals),
    NamedFault("dates 25.05.2024", "dates", value.dates(lambda day: f"{day:%d.%m.%Y}")),
    NamedFault("dates 25/05/2024", "dates", value.dates(value.slashes, slashed=True)),
    NamedFault("dates 05/25/2024", "dates", value.dates(lambda day: f"{day:%m/%d/%Y}", slashed=True)),
    NamedFault("dates 25.05.24", "dates", value.dates(lambda day: f"{day:%d.%m.%y}")),
    NamedFault("dates 25/05/24", "dates", value.dates(lambda day: f"{day:%d/%m/%y}", slashed=True)),
    NamedFault("dates 25-05-2024", "dates", value.dates(lambda day: f"{day:%d-%m-%Y}", slashed=True)),
    NamedFault("dates, day or month first", "dates", value.unclear_dates),
    NamedFault("month names", "dates", value.month_names),
    NamedFault("dates with times", "dates", value.times),
    NamedFault("percent signs", "percent", value.percent),
    NamedFault("currency", "money", value.money),
    NamedFault("two currencies", "money", value.two_currencies),
    NamedFault("negative (250)", "negative", value.negative("({})")),
    NamedFault("negative 250-", "negative", value.negative("{}-")),
    NamedFault("negative \u2212250", "negative", value.negative("\u2212{}")),
    NamedFault("nothing: N/A", "nothing", value.nothing("N/A")),
    NamedFault("nothing: a hyphen", "nothing", value.nothing("-")),
    NamedFault("nothing: a dash", "nothing", value.nothing("\u2014")),
    NamedFault("nothing: in words", "nothing", value.nothing(None)),
    NamedFault("blanks around values", "blanks", value.outer_blanks),
    NamedFault("names: two alike", "names", row.same_names),
    NamedFault("names: blanks", "names", row.spaced_names),
    NamedFault("names: one missing", "names", row.missing_name),
    NamedFault("names: none", "names", row.no_names),
    NamedFault("rows: short", "width", row.short_rows),
    NamedFault("rows: one too long", "width", row.long_row),
    NamedFault("rows: blank", "blank rows", row.blank_rows),
    NamedFault("rows: names again", "again", row.names_again),
    NamedFault("rows: subtotals", "again", row.subtotals),
    NamedFault("column: blank, last", "blank column", row.blank_column(-1)),
    NamedFault("column: blank, inside", "blank column", row.blank_column(2)),
    NamedFault("above: a title", "above", row.titles(1, blank=False)),
    NamedFault("above: titles and a blank line", "above", row.titles(2, blank=True)),
    NamedFault("below: notes", "below", row.notes),
    NamedFault("below: totals", "below", row.totals(short=False)),
    NamedFault("below: totals, cut short", "below", row.totals(short=True)),
    NamedFault("tabs", "delimiter", text.delimiter("\t")),
    NamedFault("semicolons", "delimiter", text.delimiter(";")),
    NamedFault("bars", "delimiter", text.delimiter("|")),
    NamedFault("quotes: everywhere", "quotes", text.quote_all),
    NamedFault("quotes: around delimiters", "quotes", text.inner_marks),
    NamedFault("quotes: around line breaks", "quotes", text.inner_lines),
    NamedFault("quotes: doubled", "quotes", text.doubled_quotes),
    NamedFault("quotes: one inside", "quotes", text.inner_quote),
    NamedFault("quotes: opened, not closed", "quotes", text.open_quote),
    NamedFault("line ends CRLF", "line ends", text.line_end("\r\n")),
    NamedFault("line ends CR", "line ends", text.line_end("\r")),
    NamedFault("no last line end", "line ends", text.line_end("\n", at_the_end=False)),
    NamedFault("UTF-8, mark", "bytes", text.encoding("utf-8", text.BOM["utf-8"])),
    NamedFault("UTF-16 LE, mark", "bytes", text.encoding("utf-16-le", text.BOM["utf-16-le"])),
    NamedFault("UTF-16 BE, mark", "bytes", text.encoding("utf-16-be", text.BOM["utf-16-be"])),
    NamedFault("UTF-16 LE", "bytes", text.encoding("utf-16-le")),
    NamedFault("cp1251", "bytes", text.encoding("cp1251")),
    NamedFault("cp866", "bytes", text.encoding("cp866")),
    NamedFault("KOI8-R", "bytes", text.encoding("koi8-r")),
    NamedFault("cp1252", "bytes", text.encoding("cp1252")),
    NamedFault("workbook", "bytes", text.source("xlsx")),
    NamedFault("JSON", "bytes", text.source("json")),
    NamedFault("JSON Lines", "bytes", text.source("jsonl")),
    NamedFault("packed: gz", "packing", text.packed("gz")),
    NamedFault("packed: zip", "packing", text.packed("zip")),
)

# Groups of faults that a source other than delimited text cannot have.
_ONLY_TEXT: Final = frozenset({"delimiter", "quotes", "line ends", "blanks", "width"})
_ONLY_TABLES: Final = _ONLY_TEXT | {"above", "below", "again", "blank rows", "blank column", "names"}
SIZE: Final = len(FAULTS) * _ALONE + sum(_TOGETHER.values())
_WITHOUT: Final = {"workbook": _ONLY_TEXT, "JSON": _ONLY_TABLES, "JSON Lines": _ONLY_TABLES}


def write_files(folder: Path, seed: int, most: int | None = None) -> list[Truth]:
    """Write the set of files into a folder, or `most` of them spread over the set, and what they mean beside them."""
    chosen = list(_combinations(seed))
    if most is not None and most < len(chosen):
        chosen = [chosen[number * len(chosen) // most] for number in range(most)]
    truths = []
    for number, faults in chosen:
        stem = f"{number:03}"
        made = _made(faults, seed, number)
        if made is not None:
            draft, content = made
            name = file_name(draft, stem)
            (folder / name).write_bytes(content)
            truths.append(truth_of(draft, name, (fault.name for fault in faults)))
    write_manifest(folder, truths)
    return truths


def _combinations(seed: int) -> Iterator[tuple[int, tuple[NamedFault, ...]]]:
    """Yield the faults of each file with its number."""
    rng = Random(seed)
    number = 0
    for fault in FAULTS:
        for _ in range(_ALONE):
            number += 1
            yield number, (fault,)
    for size, files in _TOGETHER.items():
        for _ in range(files):
            number += 1
            faults = _together(rng, size)
            while _made(faults, seed, number) is None:
                faults = _together(rng, size)
            yield number, faults


def _together(rng: Random, size: int) -> tuple[NamedFault, ...]:
    """Return faults of different groups that can be in one file."""
    while True:
        faults = sorted(rng.sample(FAULTS, size), key=FAULTS.index)
        groups = {fault.group for fault in faults}
        if len(groups) == size and not any(groups & _WITHOUT.get(fault.name, frozenset()) for fault in faults):
            return tuple(faults)


def _made(faults: Sequence[NamedFault], seed: int, number: int) -> tuple[Draft, bytes] | None:
    """Return a table with these faults and its bytes; None if none of the tables can have them."""
    rng = Random(f"{seed} {number}")
    for name in rng.sample(TABLES, len(TABLES)):
        draft = Draft(clean_table(name, rng), rng)
        try:
            for fault in faults:
                fault.put(draft)
            return draft, file_bytes(draft, "table")
        except UnfitError:
            continue
    return None
