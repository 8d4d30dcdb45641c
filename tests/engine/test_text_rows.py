"""The short way to read a text file gives the same table and the same report as the careful one."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from effort import FEWER
from hypothesis import given
from hypothesis import strategies as st
from tables_in_files import SETTINGS, written

from engine import database, text_rows
from engine.database import DatabaseError
from engine.load_options import AS_FOUND, LoadOptions
from engine.paths import FileError
from engine.text_file import load_text

Cell = Callable[[Random], str]


def _grouped(random: Random, space: str) -> str:
    return f"{random.randrange(-(10**9), 10**9):,}".replace(",", space)


WRITTEN: dict[str, Cell] = {
    "whole": lambda random: str(random.randrange(-50, 10**6)),
    "point": lambda random: f"{random.random() * 1000:.{random.randrange(1, 5)}f}",
    "point or none": lambda random: random.choice(["12", "0.5", "-7", "1234.25", "1.250"]),
    "comma": lambda random: f"{random.random() * 9000:.2f}".replace(".", ","),
    "comma or none": lambda random: random.choice(["12", "0,5", "-7", "1234,25"]),
    "thousands": lambda random: f"{random.randrange(1, 1000)},{random.randrange(1000):03}",
    "three behind a comma": lambda random: f"{random.random() * 90:.3f}".replace(".", ","),
    "spaces": lambda random: _grouped(random, " "),
    "spaces and comma": lambda random: f"{_grouped(random, ' ')},{random.randrange(10, 100)}",
    "hard spaces and comma": lambda random: f"{_grouped(random, chr(160))},{random.randrange(10, 100)}",
    "narrow spaces and point": lambda random: f"{_grouped(random, chr(0x202F))}.{random.randrange(10, 100)}",
    "commas and point": lambda random: f"{_grouped(random, ',')}.{random.randrange(10, 100)}",
    "commas": lambda random: _grouped(random, ","),
    "commas or none": lambda random: f"{random.randrange(1, 10**6):,}",
    "points or none": lambda random: f"{random.randrange(1, 10**6):,}".replace(",", "."),
    "three behind a point": lambda random: f"{random.randrange(1, 90)}.{random.randrange(1000):03}",
    "percent": lambda random: f"{random.randrange(100)}%",
    "sums": lambda random: f"{random.randrange(10**6)} so'm",
    "long": lambda random: str(random.randrange(10**14, 10**17)),
    "zeros": lambda random: f"{random.randrange(1000):05}",
    "iso": lambda random: f"{random.randrange(1950, 2030)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}",
    "day 31": lambda random: f"2020-{random.randrange(1, 13):02}-{random.choice([28, 31])}",
    "points": lambda random: (
        f"{random.randrange(1, 29):02}.{random.randrange(1, 13):02}.{random.randrange(1950, 2030)}"
    ),
    "points, month first": lambda random: f"{random.randrange(1, 13):02}.{random.randrange(1, 29):02}.2020",
    "slashes": lambda random: f"{random.randrange(1, 32)}/{random.randrange(1, 13)}/2020",
    "time": lambda random: f"2024-05-{random.randrange(1, 32):02} {random.randrange(25):02}:30:00",
    "time or day": lambda random: f"2024-05-{random.randrange(1, 32):02}{random.choice(['', 'T08:15'])}",
    "truth": lambda random: random.choice(["true", "False"]),
    "yes": lambda random: random.choice(["ha", "yo'q"]),
    "Yes": lambda random: random.choice(["Ha", "Yo\u2018q", "ha"]),
    "да": lambda random: random.choice(["Да", "нет"]),
    "only yes": lambda random: "ha",
    "text": lambda random: random.choice(["Toshkent", "Buxoro", "Go'sht 1 kg", "Итого", "Jami joy", "x y"]),
    "quotes": lambda random: random.choice(['15" monitor', 'a "b" c', "x", '"', "qator\nikki", "n\n\nn", 'a" "b']),
    "blanks": lambda random: random.choice([" 12", "13 ", " ", "14"]),
}
ODD = ("N/A", "-", "Jami", "x", "31.02.2020", "2021-02-30", "1 000", "1,5", "1.5", "007", " 5", "", "Итого:", "true")
NAMES = ("Hudud", "Sana", "Summa, so'm", "STIR", "Tug'ilgan kuni", "2021", "kod", "Izoh", "")
OPTIONS = (AS_FOUND, AS_FOUND, LoadOptions(decimal=","), LoadOptions(dates="mdy"), LoadOptions(keep_totals=True))


def file_of(seed: int) -> tuple[str, LoadOptions]:
    """Return the text of a file, mostly plain, and options to open it with."""
    random = Random(seed)
    kinds = [random.choice(sorted(WRITTEN)) for _ in range(random.randrange(1, 6))]
    names = [random.choice(NAMES) + (str(place) if random.random() < 0.9 else "") for place in range(len(kinds))]
    empty = random.choice([0, 0, 0.2, 0.9])
    rows = [
        ["" if random.random() < empty else WRITTEN[kind](random) for kind in kinds]
        for _ in range(random.choice([5, 60, 130, 500]))
    ]
    for _ in range(random.choice([0, 0, 0, 1, 3])):
        random.choice(rows)[random.randrange(len(kinds))] = random.choice(ODD)
    for _ in range(random.choice([0, 0, 1, 2])):
        rows.insert(random.randrange(len(rows) + 1), random.choice(_rows_apart(random, names)))
    if random.random() < 0.3:
        rows.append(random.choice(_rows_apart(random, names)))
    lines = io.StringIO()
    delimiter = random.choice(";,\t|")
    csv.writer(lines, delimiter=delimiter, lineterminator=random.choice(["\n", "\n", "\r\n"])).writerows([names, *rows])
    text = lines.getvalue()
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        place = random.randrange(len(text) + 1)
        text = (
            text[:place]
            + random.choice(["\n", '"', delimiter, "\n\n", "\r", " ", "\0", '" "', "\ufeff"])
            + text[place:]
        )
    if random.random() < 0.2:
        text = text.rstrip("\r\n")
    return text, random.choice(OPTIONS)


def _rows_apart(random: Random, names: list[str]) -> list[list[str]]:
    """Return rows that are no data, or look like such."""
    empty = [""] * (len(names) - 1)
    return [
        ["Jami", *[str(random.randrange(1000)) for _ in empty]],
        [*empty, "Итого"],
        ["Jami:", *empty],
        ["Izoh: QQSsiz hisoblangan", *empty],
        ["", *empty],
        names,
        ["TotalEnergies", *empty],
        ["1"] * (len(names) + 1),
        ["1"] * max(1, len(names) - 1),
    ]


def _read(path: Path, options: LoadOptions, *, careful: bool) -> tuple[Any, ...]:
    """Return all that comes of a file, or the error."""
    con = database.connect(SETTINGS.database)
    try:
        labels, report = load_text(con, path, "base", SETTINGS.files, options, careful=careful)
    except (FileError, DatabaseError) as error:
        return (type(error).__name__, error.reason)
    assert database.tables(con) == ["base"]
    return labels, report, database.describe(con, '"base"'), database.query(con, "SELECT * FROM base")


def _held_together(path: Path, options: LoadOptions = AS_FOUND) -> tuple[Any, ...]:
    short, careful = _read(path, options, careful=False), _read(path, options, careful=True)
    assert short == careful
    return careful


@FEWER
@given(st.integers(0, 2**32))
def test_the_short_way_reads_what_the_careful_one_reads(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    text, options = file_of(seed)
    _held_together(written(tmp_path_factory.mktemp("read"), text), options)


QUICK = {
    "whole": "BIGINT",
    "point": "DOUBLE",
    "comma": "DOUBLE",
    "spaces": "BIGINT",
    "spaces and comma": "DOUBLE",
    "hard spaces and comma": "DOUBLE",
    "narrow spaces and point": "DOUBLE",
    "commas and point": "DOUBLE",
    "iso": "DATE",
    "points": "DATE",
    "time or day": "TIMESTAMP",
    "truth": "BOOLEAN",
    "yes": "BOOLEAN",
    "Yes": "BOOLEAN",
    "да": "BOOLEAN",
}


def _column(kind: str, rows: int = 200, seed: int = 5) -> list[str]:
    random = Random(seed)
    return [WRITTEN[kind](random) for _ in range(rows)]


def _read_at_once(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Return a list that gets the types of the columns that are settled while a file is read."""
    read: list[dict[str, str]] = []
    copied = text_rows._copied

    def noted(*arguments: Any) -> Any:
        forms = copied(*arguments)
        read.append({column: form.type for column, form in forms.items()})
        return forms

    monkeypatch.setattr(text_rows, "_copied", noted)
    return read


@pytest.mark.parametrize("kind", QUICK)
def test_a_plain_column_is_settled_while_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = written(tmp_path, "a\tb\n" + "".join(f"x\t{cell}\n" for cell in _column(kind)))
    assert ("b", QUICK[kind]) in _held_together(path)[2]
    read = _read_at_once(monkeypatch)
    _read(path, AS_FOUND, careful=False)
    assert read == [{"b": QUICK[kind]}]


@pytest.mark.parametrize("kind", QUICK)
@pytest.mark.parametrize("odd", ["31.02.2020", "1,234"])
def test_one_cell_in_doubt_far_below_changes_nothing(tmp_path: Path, kind: str, odd: str) -> None:
    cells = _column(kind, 3000)
    cells[2000] = odd
    path = written(tmp_path, "a\tb\n" + "".join(f"x\t{cell}\n" for cell in cells))
    _held_together(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "\n", ' x;"a\nb";1,5\n'])
def test_rows_set_aside_are_reported_as_they_are_written(tmp_path: Path, before: str, end: str) -> None:
    """The cells of a total row are those of the file, though its columns are numbers by then."""
    rows = [f"Hudud {place};x;{place},50\n" for place in range(300)]
    text = (
        "Hudud;Tur;Summa\n" + before + "".join(rows[:150]) + "Jami;;11 175,00\n" + "".join(rows[150:]) + "Всего;;1,00\n"
    )
    _, report, columns, _ = _held_together(written(tmp_path, text.replace("\n", end)))
    assert columns[2] == ("Summa", "DOUBLE")
    assert [(row.why, row.cells) for row in report.set_aside] == [
        ("total", ("Jami", "", "11 175,00")),
        ("total", ("Всего", "", "1,00")),
    ]
    assert report.set_aside[0].line == 152 + before.count("\n")


def test_a_file_name_is_never_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_text("a,b\n" + "1,2\n" * 100, encoding="utf-8")
    (tmp_path / "a1.csv").write_text("a,b\n" + "7,7\n" * 100, encoding="utf-8")
    assert set(_held_together(tmp_path / "a[1].csv")[3]) == {(1, 2)}


def test_long_files_are_looked_at_in_many_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that are words from the middle of the file on are foreseen: the file is read once."""
    cells = [str(place) if place < 20_000 else "yo'q" for place in range(40_000)]
    path = written(tmp_path, "a,b\n" + "".join(f"{place},{cell}\n" for place, cell in enumerate(cells)))
    read = _read_at_once(monkeypatch)
    _read(path, AS_FOUND, careful=False)
    assert read == [{"a": "BIGINT"}]
    _held_together(path)
