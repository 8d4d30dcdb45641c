"""New files only: what is there is never written over, and nothing stays behind."""

from pathlib import Path

import pytest

from engine.new_file import ExportError, check_free, free_path, new_file


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with new_file(path) as growing:
        growing.write_text("whole")
        assert not path.exists()
        assert growing.parent == path.parent
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with new_file(tmp_path / "a.txt") as growing:
            growing.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_appears_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    def write() -> None:
        with new_file(path) as growing:
            growing.write_text("new")
            path.write_text("theirs")

    with pytest.raises(ExportError, match="exists"):
        write()
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    source = tmp_path / "data.csv"
    source.write_text("a")
    (tmp_path / "link.csv").symlink_to(source)
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone")
    reasons = {
        source: "is source",
        tmp_path / "link.csv": "is source",
        tmp_path / "dangling.csv": "exists",
        tmp_path: "exists",
        tmp_path / "no" / "a.csv": "no folder",
    }
    for path, reason in reasons.items():
        with pytest.raises(ExportError, match=reason):
            check_free(path, [source])
    check_free(tmp_path / "free.csv", [source])


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("loans_result", "loans_result.csv"),
        ("../../etc/passwd", "_.._etc_passwd.csv"),
        ("Қарзлар ҳисоби", "Қарзлар ҳисоби.csv"),
        ("a\x00b\nc", "a_b_c.csv"),
        ("CON", "table_CON.csv"),
        ("...", "table.csv"),
        ("x" * 300, "x" * 60 + ".csv"),
    ],
)
def test_names_from_tables_are_only_names(stem: str, name: str, tmp_path: Path) -> None:
    assert free_path(tmp_path, stem, [".csv"]) == tmp_path / name


def test_a_free_name_is_free_with_every_ending(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    (tmp_path / "a_2.plan.json").touch()
    assert free_path(tmp_path, "a", [".csv", ".plan.json"]) == tmp_path / "a_3.csv"
