"""Charts as lines of text, for the terminal: bars of blocks, a small line for each series, a grid of points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rich.cells import cell_len, set_cell_size

from prompt.words import Language, number_text, screen_text

from .drawing import Drawn, drawn
from .settings import ChartSettings

_BLOCKS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_HEIGHTS = "▁▂▃▄▅▆▇█"
_DENSITY = "·•●"
_FIGURES = 6
_LARGE = 1000
_LABEL_SHARE = 2
_LEAST_BAR = 10


@dataclass(frozen=True)
class _Marks:
    full: str
    parts: Sequence[str]
    heights: str
    density: str
    edge: str


_UNICODE = _Marks("█", _BLOCKS, _HEIGHTS, _DENSITY, "│")
_ASCII = _Marks("#", ("",), "_.-~=+*#", ".o@", "|")


def text_chart(
    artifact: Mapping[str, Any], language: Language, settings: ChartSettings, *, width: int, plain: bool = False
) -> list[str]:
    """Return a chart as lines of at most `width` characters, or few more where numbers are long; `plain`: in ASCII."""
    picture = drawn(artifact, language, settings)
    marks = _ASCII if plain else _UNICODE
    lines = [_one_line(artifact["title"])]
    match artifact["mark"]:
        case "histogram":
            between = "-" if plain else "–"
            bars = [
                (f"{_number(row['x'], language)} {between} {_number(row['x2'], language)}", float(row["y"]))
                for row in picture.rows
            ]
            lines += _bars(bars, language, marks, width)
        case "pie":
            lines += _some_bars(_with_shares(_totals(picture), language), language, settings, marks, width)
        case "scatter":
            lines += _grid(picture, language, settings, marks, width)
        case "line":
            lines += _small_lines(picture, language, marks, width)
        case _:
            lines += _some_bars(_totals(picture), language, settings, marks, width)
    return lines


def _totals(picture: Drawn) -> list[tuple[str, float]]:
    """Return label and value of each bar: what stands on one place added up, as in the drawing."""
    sums: dict[str, float] = {}
    for row in picture.rows:
        label = _one_line(str(row["x"])) + (f" / {_one_line(str(row['color']))}" if "color" in row else "")
        sums[label] = sums.get(label, 0.0) + row["y"]
    return list(sums.items())


def _with_shares(bars: Sequence[tuple[str, float]], language: Language) -> list[tuple[str, float]]:
    whole = sum(value for _, value in bars)
    return [(f"{label} {number_text(round(100 * value / whole, 1), language)} %", value) for label, value in bars]


def _some_bars(
    bars: Sequence[tuple[str, float]], language: Language, settings: ChartSettings, marks: _Marks, width: int
) -> list[str]:
    lines = _bars(bars[: settings.text_rows], language, marks, width)
    rest = len(bars) - settings.text_rows
    return [*lines, screen_text("more_bars", language, rows=rest)] if rest > 0 else lines


def _bars(bars: Sequence[tuple[str, float]], language: Language, marks: _Marks, width: int) -> list[str]:
    """Return a line for each bar: its label, the bar to the right or left of a common zero, its value."""
    labels = min(max(cell_len(label) for label, _ in bars), width // _LABEL_SHARE)
    values = [_number(value, language) for _, value in bars]
    space = max(_LEAST_BAR, width - labels - max(map(len, values)) - 3)
    low, high = min(0.0, *(value for _, value in bars)), max(0.0, *(value for _, value in bars))
    unit = high / space - low / space or 1.0
    zero = math.ceil(-low / unit)
    lines = []
    for (label, value), said in zip(bars, values, strict=True):
        length = abs(value) / unit
        if value < 0:
            drawn_part = (marks.full * max(1, round(length))).rjust(zero) + marks.edge
        else:
            drawn_part = " " * zero + marks.edge + _bar(length, marks)
        lines.append(f"{_fitted(label, labels)} {drawn_part} {said}")
    return lines


def _bar(length: float, marks: _Marks) -> str:
    whole, part = divmod(round(length * len(marks.parts)), len(marks.parts))
    return marks.full * whole + marks.parts[part]


def _small_lines(picture: Drawn, language: Language, marks: _Marks, width: int) -> list[str]:
    """Return for each series its small line and what it goes from and to; all on one scale of values."""
    series: dict[str, list[tuple[Any, float]]] = {}
    for row in picture.rows:
        series.setdefault(_one_line(str(row.get("color", ""))), []).append((row["x"], row["y"]))
    if picture.kinds["x"] != "nominal":
        series = {name: sorted(points, key=lambda point: point[0]) for name, points in series.items()}
    values = [row["y"] for row in picture.rows]
    low, high = min(values), max(values)
    labels = min(max(map(cell_len, series)), width // _LABEL_SHARE)
    lines = []
    for name, points in series.items():
        path = "".join(_height(value, low, high, marks) for value in _sampled(points, width // 2))
        (first, start), (last, end) = points[0], points[-1]
        said = (
            f"{_place(first, language)}: {_number(start, language)}  {_place(last, language)}: {_number(end, language)}"
        )
        lines.append(f"{_fitted(name, labels)} {path}  {said}".lstrip())
    return [*lines, f"{_number(low, language)} .. {_number(high, language)}"]


def _sampled(points: Sequence[tuple[Any, float]], most: int) -> list[float]:
    """Return the values of at most so many points, evenly chosen, the last one among them."""
    every = math.ceil(len(points) / most)
    return [value for _, value in points[::-1][::every]][::-1]


def _height(value: float, low: float, high: float, marks: _Marks) -> str:
    share = _share(value, low, high)
    return marks.heights[min(len(marks.heights) - 1, int(share * len(marks.heights)))]


def _grid(picture: Drawn, language: Language, settings: ChartSettings, marks: _Marks, width: int) -> list[str]:
    """Return points on a grid of characters, denser ones darker, with the ends of both axes."""
    xs = [_as_number(row["x"]) for row in picture.rows]
    ys = [row["y"] for row in picture.rows]
    tops = [_number(max(ys), language), _number(min(ys), language)]
    margin = max(map(len, tops))
    columns, height = max(_LEAST_BAR, width - margin - 2), settings.text_height
    hits: dict[tuple[int, int], int] = {}
    for x, y in zip(xs, ys, strict=True):
        column = min(columns - 1, int(_share(x, min(xs), max(xs)) * columns))
        row = height - 1 - min(height - 1, int(_share(y, min(ys), max(ys)) * height))
        hits[row, column] = hits.get((row, column), 0) + 1
    lines = []
    for row in range(height):
        said = tops[0] if row == 0 else tops[1] if row == height - 1 else ""
        cells = "".join(_dot(hits.get((row, column), 0), marks) for column in range(columns))
        lines.append(f"{said.rjust(margin)} {marks.edge}{cells}".rstrip())
    ends = [_place(end(row["x"] for row in picture.rows), language) for end in (min, max)]
    gap = max(1, columns - sum(map(len, ends)))
    return [*lines, f"{' ' * (margin + 2)}{ends[0]}{' ' * gap}{ends[1]}"]


def _dot(hits: int, marks: _Marks) -> str:
    return marks.density[min(len(marks.density), hits.bit_length()) - 1] if hits else " "


def _share(value: float, low: float, high: float) -> float:
    """Return where a value stands between two, from 0 to 1; halves keep the span of extreme numbers finite."""
    span = high / 2 - low / 2
    return (value / 2 - low / 2) / span if span else 0.5


def _as_number(value: Any) -> float:
    """Return a place on the x axis as a number; a moment as seconds."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def _place(value: Any, language: Language) -> str:
    if isinstance(value, str):
        return _one_line(value.removesuffix("Z").replace("T", " ", 1) if value[:4].isdigit() else value)
    return _number(value, language)


def _number(value: float, language: Language) -> str:
    """Return a number with a few figures, its whole part always with all."""
    if value == int(value):
        return number_text(int(value), language)
    short = round(value, 2) if abs(value) >= _LARGE else float(f"{value:.{_FIGURES}g}")
    return number_text(short, language)


def _fitted(label: str, width: int) -> str:
    if cell_len(label) <= width:
        return label + " " * (width - cell_len(label))
    return set_cell_size(label, max(1, width - 1)) + "…"


def _one_line(text: str) -> str:
    """Return the text with control characters made visible, so that a label cannot move the cursor."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
