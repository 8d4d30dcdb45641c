"""How often answers of which a model is about equally sure are right: a small table for each model, measured.

`python -m accuracy calibrate` makes the table of a model; those of `calibration.json` come with Tez. A model without a
table is not calibrated: how sure it is says nothing about how often it is right.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from .confidence import Decision, least, probability
from .settings import Settings, SettingsError

FILE_NAME = "calibration.json"
Measure = Literal["product", "least"]


@dataclass(frozen=True)
class Calibration:
    """A model's table: how often answers were right (`right`) of which it was so sure (`sure`, ascending), both 0 to 1.

    `measure` is what `sure` means: the product of the decisions' probabilities, or the least of them. `cases` is the
    number of answers that the table was made of, `checked` what other answers showed.
    """

    measure: Measure
    sure: tuple[float, ...]
    right: tuple[float, ...]
    cases: int
    checked: Mapping[str, Any]

    def confidence(self, made: Sequence[Decision]) -> float:
        """Return how likely an answer with these decisions is to be right."""
        return self.at(sureness(made, self.measure))

    def at(self, sure: float) -> float:
        """Return how likely an answer is to be right of which the model is so sure, in proportion between points."""
        place = bisect_right(self.sure, sure)
        if place == 0 or place == len(self.sure):
            return self.right[min(place, len(self.sure) - 1)]
        low, high = self.sure[place - 1], self.sure[place]
        share = (sure - low) / (high - low)
        return self.right[place - 1] + share * (self.right[place] - self.right[place - 1])


def sureness(made: Sequence[Decision], measure: Measure) -> float:
    """Return how sure the model was of an answer with these decisions."""
    return probability(made) if measure == "product" else least(made)


def read_calibrations(path: Path | None = None) -> dict[str, Calibration]:
    """Return the tables of a file by model key; without a file, those that Tez brings along. Raises SettingsError."""
    source = files(__package__).joinpath(FILE_NAME) if path is None else path
    try:
        models = json.loads(source.read_text(encoding="utf-8"))["models"]
        return {key: _table(record) for key, record in models.items()}
    except OSError as error:
        raise SettingsError("file_unreadable", path=str(source), found=error.strerror) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SettingsError("file_not_json", path=str(source), found=str(error)) from error


def calibration_of(settings: Settings, key: str) -> Calibration | None:
    """Return the table of the model of this key; None for a model that is not calibrated. Raises SettingsError."""
    path = settings.readings.calibration
    return read_calibrations(None if path is None else Path(path)).get(key)


def as_json(tables: Mapping[str, Calibration]) -> dict[str, Any]:
    """Return the content of a file of tables."""
    return {"models": {key: asdict(table) for key, table in sorted(tables.items())}}


def _table(record: Mapping[str, Any]) -> Calibration:
    table = Calibration(**{**record, "sure": tuple(record["sure"]), "right": tuple(record["right"])})
    ascending = list(table.sure) == sorted(set(table.sure)) and list(table.right) == sorted(table.right)
    if len(table.sure) != len(table.right) or not table.sure or not ascending:
        raise ValueError("sure and right must be ascending and equally long")
    if table.measure not in ("product", "least") or not all(0 <= each <= 1 for each in (*table.sure, *table.right)):
        raise ValueError("measure must be product or least, shares from 0 to 1")
    return table
