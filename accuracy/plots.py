"""Plots as SVG, drawn with a few lines of our own: bars with intervals, stacked bars, calibration.

Every value is also written as text, so that a plot needs no colour to be read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH: Final = 860
LEFT: Final = 310
LETTERS: Final = 44
RIGHT: Final = 90
BAR: Final = 14
GAP: Final = 10
TOP: Final = 34
SIDE: Final = 260
COLOURS: Final = ("#2a6f97", "#d17b0f", "#4f8a4b", "#a23b72", "#6b5b95", "#7a7a7a")


@dataclass(frozen=True)
class Bar:
    """One bar: its length, what is written behind it, and the ends of its interval if it has one."""

    value: float
    text: str
    low: float | None = None
    high: float | None = None


def bars(title: str, series: Sequence[str], rows: Sequence[tuple[str, Sequence[Bar | None]]], most: float) -> str:
    """Return groups of horizontal bars, one bar for each of `series`; `most` is the value at the right end."""
    shapes: list[str] = []
    y = TOP
    for label, group in rows:
        shapes.append(_label(y + len(group) * BAR / 2 + 4, label))
        for place, bar in enumerate(group):
            if bar is not None:
                shapes += _bar(bar, y + place * BAR, most, _colour(place))
        y += len(group) * BAR + GAP
    shapes += _legend(series, y)
    return _svg(title, WIDTH, y + 24 if len(series) > 1 else y, shapes)


def stacked(title: str, parts: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Return one bar a row, divided by the counts of `parts`; all bars have the same length."""
    shapes: list[str] = []
    y = TOP
    for label, counts in rows:
        shapes.append(_label(y + 16, label))
        x, total = float(LEFT), sum(counts)
        for place, count in enumerate(counts):
            width = _span() * count / total if total else 0.0
            if count:
                said = f"{parts[place]}: {count}"
                shapes.append(_rectangle(x, y, width, 22, _colour(place), said))
                if width > 24:
                    shapes.append(_text(x + width / 2, y + 16, str(count), "middle", "inside"))
            x += width
        y += 22 + GAP
    shapes += _legend(parts, y)
    return _svg(title, WIDTH, y + 24, shapes)


def calibration(title: str, points: Sequence[tuple[float, float, int]]) -> str:
    """Return the diagram of confidence (to the right) against share right (upwards), with the line where they agree."""
    edge, size = 46, SIDE - 70

    def place(x: float, y: float) -> tuple[float, float]:
        return edge + x * size, TOP + (1 - y) * size

    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    shapes = [f'<rect class="frame" x="{x0:.1f}" y="{y1:.1f}" width="{size}" height="{size}"/>']
    shapes.append(f'<line class="guide" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>')
    for confidence, right, count in points:
        x, y = place(confidence, right)
        said = _tip(f"{100 * confidence:.0f} % sure, {100 * right:.0f} % right, {count} answers")
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{COLOURS[0]}">{said}</circle>')
        shapes.append(_text(x + 8, y + 4, str(count), "start"))
    shapes.append(_text(edge + size / 2, TOP + size + 26, "confidence", "middle"))
    shapes.append(_text(edge - 6, TOP + 10, "right", "end"))
    return _svg(title, SIDE, TOP + size + 36, shapes)


def _bar(bar: Bar, y: float, most: float, colour: str) -> list[str]:
    scale = _span() / most if most else 0.0
    shapes = [_rectangle(LEFT, y, bar.value * scale, BAR - 2, colour, bar.text)]
    end = bar.value
    if bar.low is not None and bar.high is not None:
        middle, end = y + BAR / 2 - 1, max(bar.value, bar.high)
        x1, x2 = LEFT + bar.low * scale, LEFT + bar.high * scale
        shapes.append(f'<line class="interval" x1="{x1:.1f}" y1="{middle:.1f}" x2="{x2:.1f}" y2="{middle:.1f}"/>')
    shapes.append(_text(LEFT + end * scale + 6, y + BAR - 3, bar.text, "start"))
    return shapes


def _legend(names: Sequence[str], y: float) -> list[str]:
    if len(names) < 2:
        return []
    shapes = []
    step = (WIDTH - 20) / len(names)
    for place, name in enumerate(names):
        x = 10 + place * step
        shapes += [_rectangle(x, y + 4, 10, 10, _colour(place), name), _text(x + 15, y + 13, name, "start")]
    return shapes


def _span() -> float:
    return WIDTH - LEFT - RIGHT


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _rectangle(x: float, y: float, width: float, height: float, colour: str, said: str) -> str:
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}">{_tip(said)}</rect>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _label(y: float, label: str) -> str:
    """Return the name of a row, before the bars; a long one is cut, and whole where the pointer rests on it."""
    shown = label if len(label) <= LETTERS else f"{label[: LETTERS - 1]}…"
    text = _text(LEFT - 8, y, shown, "end")
    return text if shown == label else text.replace("</text>", f"{_tip(label)}</text>")


def _tip(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _svg(title: str, width: float, height: float, shapes: Sequence[str]) -> str:
    view = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    heading = f'<text class="title" x="10" y="18">{escape(title)}</text>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {view}>{_tip(title)}{heading}{"".join(shapes)}</svg>'
