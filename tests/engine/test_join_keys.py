"""Columns are offered as keys of a join where kinds fit and values were found in common."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import ROOT

from engine.session import current_result, open_workspace, prepare
from engine.settings import Settings, as_settings, load_settings
from grammar import TableState, by_name, state_after
from grammar.calls import call_shapes
from grammar.shapes import OneOf

SETTINGS = load_settings()
Files = Mapping[str, str]


def keys_of(
    tmp_path: Path, files: Files, settings: Settings = SETTINGS
) -> dict[str, tuple[tuple[str, str], ...] | None]:
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    states = open_workspace([tmp_path / f"{name}.csv" for name in files], settings).scene.tables
    return {f"{state.name}.{column.name}": column.joins for state in states for column in state.columns}


CASES: list[tuple[str, Files, dict[str, tuple[tuple[str, str], ...]]]] = [
    (
        "values in common, of three tables",
        {"a": "ism,shahar\nAli,Xiva\nVali,Buxoro\n", "b": "kim,izoh\nAli,x\nSoli,y\n", "c": "shahar,soni\nXiva,5\n"},
        {
            "a.ism": (("b", "kim"),),
            "a.shahar": (("c", "shahar"),),
            "b.kim": (("a", "ism"),),
            "b.izoh": (),
            "c.shahar": (("a", "shahar"),),
            "c.soni": (),
        },
    ),
    (
        "letter case, blanks and apostrophes do not count",
        {"a": "k\nYo'ldosh\nOY \n", "b": "k\nYOʻLDOSH\noy\n"},
        {"a.k": (("b", "k"),), "b.k": (("a", "k"),)},
    ),
    (
        "codes meet numbers, dates meet dates, not numbers",
        {"a": "kod,kun\n001,2024-01-01\n002,2024-01-02\n", "b": "id,sana\n1,2024-01-01\n7,2024-01-09\n"},
        {
            "a.kod": (("b", "id"),),
            "a.kun": (("b", "sana"),),
            "b.id": (("a", "kod"),),
            "b.sana": (("a", "kun"),),
        },
    ),
    (
        "too few values in common",
        {"a": "k\n" + "".join(f"v{n}\n" for n in range(20)), "b": "k\nv1\n" + "".join(f"w{n}\n" for n in range(20))},
        {"a.k": (), "b.k": ()},
    ),
    (
        "a short list of a long one",
        {"a": "k\n" + "".join(f"v{n}\n" for n in range(3000)), "b": "k\nv7\nv2999\n"},
        {"a.k": (("b", "k"),), "b.k": (("a", "k"),)},
    ),
    (
        "a column without values fits those of its kind",
        {"a": "k,n\nx,1\n", "b": "k,n\n,1\n"},
        {"a.k": (("b", "k"),), "a.n": (("b", "n"),), "b.k": (("a", "k"),), "b.n": (("a", "n"),)},
    ),
]


@pytest.mark.parametrize(("files", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_measured_keys(tmp_path: Path, files: Files, wanted: dict[str, tuple[tuple[str, str], ...]]) -> None:
    assert keys_of(tmp_path, files) == wanted


def test_one_table_is_not_measured(tmp_path: Path) -> None:
    assert keys_of(tmp_path, {"a": "k\nx\n"}) == {"a.k": None}


def test_what_a_sample_cannot_tell_fits(tmp_path: Path) -> None:
    raw = json.loads((ROOT / "settings.json").read_text())
    raw["profile"]["exact_rows"] = 2
    found = keys_of(tmp_path, {"a": "k\nx\ny\nz\n", "b": "k\nu\n"}, as_settings(raw))
    assert found == {"a.k": (("b", "k"),), "b.k": (("a", "k"),)}


def test_the_grammar_offers_the_measured_keys_and_a_cleaned_column_by_its_kind(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ism,shahar\nAli,Xiva\nVali,Buxoro\n")
    (tmp_path / "b.csv").write_text("kim,izoh\nAli,x\nSoli,y\n")
    workspace = open_workspace([tmp_path / "a.csv", tmp_path / "b.csv"], SETTINGS)
    known = by_name(workspace.contracts)

    def offered(state: TableState) -> set[tuple[str, str]]:
        pairs = set()
        for shape in call_shapes(known["join_table"], state):
            fields = {field.key: field.shape for field in shape.fields}
            own, other = fields["column"], fields["other_column"]
            assert isinstance(own, OneOf)
            assert isinstance(other, OneOf)
            pairs |= {(str(one), str(two)) for one in own.values for two in other.values}
        return pairs

    first = prepare(workspace, "ism").scene.tables[0]
    assert offered(first) == {("ism", "kim")}
    kept = state_after(known["filter"], first, {"column": "ism", "op": "=", "value": "Ali"})
    assert offered(kept) == {("ism", "kim")}
    cleaned = current_result(
        workspace, [{"table": "a", "steps": [{"tool": "unify_spelling", "args": {"column": "shahar"}}]}]
    )
    assert cleaned is not None
    assert offered(cleaned) == {("ism", "kim"), ("shahar", "kim"), ("shahar", "izoh")}
