"""The tables that say how often a model is right: read strictly, followed in proportion, known by the model's files."""

import json
from pathlib import Path

import pytest

from engine.calibration import Calibration, as_json, read_calibrations
from engine.model_error import ModelError
from engine.model_key import model_key
from engine.settings import SettingsError

TABLE = Calibration("product", (0.2, 0.6, 0.8), (0.1, 0.5, 0.9), 50, {"cases": 50})


@pytest.mark.parametrize(
    ("sure", "right"), [(0.0, 0.1), (0.2, 0.1), (0.4, 0.3), (0.6, 0.5), (0.7, 0.7), (0.8, 0.9), (1.0, 0.9)]
)
def test_between_two_points_it_goes_in_proportion(sure: float, right: float) -> None:
    assert TABLE.at(sure) == pytest.approx(right)


def test_one_point_holds_for_all() -> None:
    table = Calibration("least", (0.5,), (0.3,), 1, {})
    assert [table.at(sure) for sure in (0.0, 0.5, 1.0)] == [0.3] * 3


def test_tables_are_read_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(as_json({"key": TABLE})))
    assert read_calibrations(path) == {"key": TABLE}


def test_the_tables_that_come_along_are_whole() -> None:
    for table in read_calibrations().values():
        assert table.cases > 0
        assert table.checked["cases"] > 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sure": [0.6, 0.2, 0.8]}, "file_not_json"),
        ({"right": [0.5, 0.1, 0.9]}, "file_not_json"),
        ({"right": [0.5]}, "file_not_json"),
        ({"sure": [], "right": []}, "file_not_json"),
        ({"measure": "mean"}, "file_not_json"),
        ({"right": [0.1, 0.5, 1.5]}, "file_not_json"),
        ({"more": 1}, "file_not_json"),
    ],
)
def test_a_broken_table_is_an_error(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    path = tmp_path / "tables.json"
    content = as_json({"key": TABLE})
    content["models"]["key"] |= change
    path.write_text(json.dumps(content))
    with pytest.raises(SettingsError) as caught:
        read_calibrations(path)
    assert caught.value.reason == reason
    with pytest.raises(SettingsError) as caught:
        read_calibrations(tmp_path / "none.json")
    assert caught.value.reason == "file_unreadable"


def test_a_model_is_known_wherever_its_file_lies(tmp_path: Path) -> None:
    one, same, other, longer = (tmp_path / name for name in "abcd")
    one.write_bytes(b"x" * 100)
    same.write_bytes(b"x" * 100)
    other.write_bytes(b"x" * 99 + b"y")
    longer.write_bytes(b"x" * 101)
    assert model_key(one) == model_key(same)
    assert len({model_key(one), model_key(other), model_key(longer), model_key(one, other), model_key(other, one)}) == 5
    with pytest.raises(ModelError) as caught:
        model_key(tmp_path / "none")
    assert caught.value.reason == "model_missing"
