"""Files with faults: what is written is what the truth says, and no file loses anything without a word."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from accuracy.__main__ import main
from accuracy.faults.catalogue import FAULTS, SIZE, write_files
from accuracy.faults.clean import TABLES, clean_table
from accuracy.faults.judge import Verdict, judge
from accuracy.faults.measure import figures, measure
from accuracy.faults.readers import Opened, opened
from accuracy.faults.truth import Truth, read_manifest
from engine.load_report import ColumnReport, LoadReport
from engine.settings import load_settings

SETTINGS = load_settings()
SEED = SETTINGS.accuracy.seed
SAMPLE = 40
# What share of the files has the right shape and right values at least.
LEAST_SHAPE, LEAST_VALUES = 0.98, 0.95


def of_tez(folder: Path, truths: list[Truth]) -> list[Verdict]:
    return [judge(truth, "Tez", opened("Tez", folder / truth.file, SETTINGS)) for truth in truths]


def silent(verdicts: list[Verdict]) -> dict[str, tuple[str, ...]]:
    return {verdict.file: verdict.silent for verdict in verdicts if verdict.silent}


def test_a_sample_is_opened_and_loses_nothing_without_a_word(tmp_path: Path) -> None:
    truths = write_files(tmp_path, SEED, SAMPLE)
    verdicts = of_tez(tmp_path, truths)
    assert len(truths) == SAMPLE
    assert silent(verdicts) == {}
    assert [verdict.refused for verdict in verdicts if not verdict.opened] == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_the_whole_set_reaches_its_goals(tmp_path: Path, seed: int) -> None:
    verdicts = of_tez(tmp_path, write_files(tmp_path, seed))
    found = figures(verdicts)
    assert silent(verdicts) == {}
    assert found.files == SIZE
    assert found.shape >= LEAST_SHAPE * found.files
    assert found.values >= LEAST_VALUES * found.files
    assert found.asked == found.unclear


def test_the_set_has_every_fault_alone_and_with_others(tmp_path: Path) -> None:
    truths = write_files(tmp_path, SEED)
    assert len(truths) == SIZE >= 150
    assert Counter(len(truth.faults) for truth in truths).keys() == {1, 2, 3}
    assert {name for truth in truths if len(truth.faults) == 1 for name in truth.faults} == {
        fault.name for fault in FAULTS
    }
    assert {truth.table for truth in truths} == set(TABLES)
    assert any(not column.decidable for truth in truths for column in truth.columns)
    assert read_manifest(tmp_path) == truths


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        write_files(folder, SEED, 30)
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert first == second


@pytest.mark.parametrize("name", TABLES)
def test_a_clean_table_has_a_key(name: str) -> None:
    table = clean_table(name, Random(SEED))
    assert len({row[table.key] for row in table.rows}) == len(table.rows)
    assert all(len(row) == len(table.columns) for row in table.rows)


TRUTH = Truth(
    "x.csv",
    "x",
    ("decimal comma",),
    (),
    (("a1", 1.5, "2024-05-25"), ("a2", 20.0, None)),
    0,
    (("Jami", "21,5"),),
)


def truth(*, decidable: bool = True) -> Truth:
    from accuracy.faults.truth import TrueColumn

    columns = (TrueColumn("id", "text", True), TrueColumn("n", "decimal", decidable), TrueColumn("d", "date", True))
    return replace(TRUTH, columns=columns)


def table(*rows: tuple[object, ...], kind: str = "DOUBLE", said: str = '"Jami", "21,5"', **facts: object) -> Opened:
    from datetime import date

    cells = tuple(tuple(date(2024, 5, 25) if cell == "day" else cell for cell in row) for row in rows)
    report = ColumnReport("n", "text", kind, (), len(rows), **facts)  # type: ignore[arg-type]
    loaded = LoadReport(rows_in=len(rows) + 1, rows=len(rows), counts={"total": 1})
    return Opened((("id", "VARCHAR"), ("n", kind), ("d", "DATE")), cells, said, {"n": report}, loaded)


def test_a_right_table_is_right() -> None:
    found = judge(truth(), "Tez", table(("a1", 1.5, "day"), ("a2", 20, None)))
    assert (found.shape, found.values, found.right_cells, found.rows_lost, found.silent) == (True, True, 6, 0, ())


def test_what_is_gone_without_a_word_is_seen() -> None:
    rows = ("a1", 1.5, "day"), ("a2", 20, None)
    assert judge(truth(), "Tez", table(rows[0])).silent == ("row a2",)
    assert judge(truth(), "Tez", table(rows[0])).rows_lost == 1
    assert judge(truth(), "Tez", table(rows[0], said='"Jami", "21,5", "a2;20"')).silent == ()
    assert judge(truth(), "Tez", table(*rows, said="")).silent == ("line ['Jami', '21,5']",)
    assert judge(truth(), "Tez", table(rows[0], ("a2", None, None))).silent == ("cells of n: 1",)
    assert judge(truth(), "Tez", table(rows[0], ("a2", None, None), unreadable=1)).silent == ()
    uncounted = replace(table(*rows), report=LoadReport(rows_in=9, rows=2))
    assert judge(truth(), "Tez", uncounted).silent == ("rows: 9 in, 2 loaded, {} set aside",)


def test_wrong_shapes_and_values_are_seen() -> None:
    rows = ("a1", 1.5, "day"), ("a2", 20, None)
    assert not judge(truth(), "Tez", table(*rows, ("Jami", 21.5, None))).shape
    assert judge(truth(), "Tez", table(rows[0], ("a2", 2, None))).right_cells == 5
    assert judge(truth(), "Tez", table(("a1", "1,5", "day"), ("a2", "20,0", None))).right_cells == 4
    collapsed = Opened((("id;n;d", "VARCHAR"),), (("a1;1,5;25.05.2024",), ("a2;20,0;",), ("Jami;21,5",)))
    found = judge(truth(), "DuckDB", collapsed)
    assert (found.shape, found.rows_lost, found.right_cells) == (False, 0, 0)


def test_an_unclear_column_has_to_be_asked_about() -> None:
    rows = ("a1", "1,500", "day"), ("a2", "20,000", None)
    assert judge(truth(decidable=False), "Tez", table(*rows, kind="VARCHAR", settle="--decimal")).asked == 1
    assert judge(truth(decidable=False), "Tez", table(*rows, kind="VARCHAR")).asked == 0
    guessed = judge(truth(decidable=False), "Tez", table(("a1", 1500, "day"), ("a2", 20000, None)))
    assert (guessed.asked, guessed.unclear, guessed.values) == (0, 1, True)


def test_the_command_keeps_measures_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, report = tmp_path / "kept", tmp_path / "report.md"
    assert main(["files", "--keep", str(kept), "--sample", "3", "--out", str(report)]) == 0
    assert "| DuckDB | 3 |" in capsys.readouterr().out
    assert "## By fault" in report.read_text(encoding="utf-8")
    assert main(["files", str(kept), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [line["reader"] for line in printed["files"]] == ["Tez", "DuckDB"] * 3
    assert printed["total"]["Tez"]["files"] == 3


def test_wrong_folders_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["files", str(tmp_path)]) != 0
    assert "truth.jsonl" in capsys.readouterr().err
    (tmp_path / "x").write_text("x")
    assert main(["files", "--keep", str(tmp_path)]) != 0
    assert "not empty" in capsys.readouterr().err
    assert main(["files", "--sample", "0"]) != 0
    assert f"1 to {SIZE}" in capsys.readouterr().err


def test_both_readers_are_asked(tmp_path: Path) -> None:
    named: list[str] = []
    truths = write_files(tmp_path, SEED, 2)
    verdicts = measure(tmp_path, truths, SETTINGS, named.append)
    assert Counter(verdict.reader for verdict in verdicts) == {"Tez": 2, "DuckDB": 2}
    assert named == [*(truth.file for truth in truths), ""]
