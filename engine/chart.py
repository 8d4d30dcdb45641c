"""Charts as Vega-Lite, made of the artifact that a chart step leaves. The only module that knows Altair.

The fields of the data are called `x`, `y`, `color`, whatever the columns are called: the names that Vega reads as
paths (`a.b[0]`) stand only in titles, where they mean nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from prompt.locales import drawing_locale
from prompt.words import Language, screen_text

from .drawing import Drawn, drawn
from .settings import ChartSettings
from .tools.charts import Measure

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Liberation Sans comes with vl-convert and has the letters of all three alphabets."""

_LIKE_BACKSLASH = "\u29f5"
_LABEL_PIXELS = 7
_SLANTED_FROM = 8
_FIRST_YEAR, _LAST_YEAR = 1500, 2500
_BAR_SHARE = 0.8
_WIDEST_BAR, _NARROWEST_BAR = 60, 1


def vega_lite(artifact: Mapping[str, Any], language: Language, settings: ChartSettings) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, its data inside, its texts and numbers in the language."""
    picture = drawn(artifact, language, settings)
    data = alt.Data(values=picture.rows)
    chart = alt.Chart(data, title=_line(artifact["title"]), width=settings.width, height=settings.height)
    match artifact["mark"]:
        case "histogram":
            chart = _histogram(chart, artifact, language)
        case "pie":
            chart = _pie(chart, artifact, picture)
        case _:
            chart = _axes(chart, artifact, picture, settings)
    chart = chart.configure(font=FONT, locale=alt.Locale(**drawing_locale(language)))
    chart = chart.configure_axis(labelLimit=settings.label_length * _LABEL_PIXELS)
    spec: dict[str, Any] = chart.to_dict()
    return spec


def altair_chart(spec: Mapping[str, Any]) -> Any:
    """Return a specification as a chart of Altair."""
    return alt.Chart.from_dict(dict(spec))


def _histogram(chart: alt.Chart, artifact: Mapping[str, Any], language: Language) -> alt.Chart:
    return chart.mark_bar(aria=False).encode(
        x=alt.X(field="x", type="quantitative", bin="binned", title=_line(artifact["x"]), scale=alt.Scale(zero=False)),
        x2=alt.X2(field="x2"),
        y=alt.Y(field="y", type="quantitative", title=screen_text("row_count", language)),
    )


def _pie(chart: alt.Chart, artifact: Mapping[str, Any], picture: Drawn) -> alt.Chart:
    color = alt.Color(
        field="x", type="nominal", sort=picture.categories["x"], title=_line(artifact["x"]), scale=_scheme(picture, "x")
    )
    return chart.mark_arc(aria=False).encode(
        theta=alt.Theta(field="y", type="quantitative", stack=True, title=_line(artifact["y"])),
        color=color,
        order=alt.Order(field="n", type="quantitative"),
        tooltip=[_tooltip(artifact, "x", "nominal"), _tooltip(artifact, "y", "quantitative")],
    )


def _axes(chart: alt.Chart, artifact: Mapping[str, Any], picture: Drawn, settings: ChartSettings) -> alt.Chart:
    kinds = picture.kinds
    encoding: dict[str, Any] = {
        "x": _x_axis(artifact, picture, _bar_size(picture, settings.width) / 2 if artifact["mark"] == "bar" else 0),
        "y": alt.Y(
            field="y", type="quantitative", title=_line(artifact["y"]), scale=alt.Scale(zero=artifact["mark"] == "bar")
        ),
        "tooltip": [_tooltip(artifact, role, kind) for role, kind in kinds.items()],
    }
    if "color" in kinds:
        encoding["color"] = _color(artifact, picture)
    match artifact["mark"]:
        case "bar":
            size = alt.Undefined if kinds["x"] == "nominal" else _bar_size(picture, settings.width)
            return chart.mark_bar(orient="vertical", aria=False, size=size).encode(order=_in_order(), **encoding)
        case "line":
            if kinds["x"] == "nominal":
                encoding["order"] = _in_order()
            return chart.mark_line(point=alt.OverlayMarkDef(aria=False), aria=False).encode(**encoding)
        case _:
            return chart.mark_point(filled=True, aria=False).encode(**encoding)


def _x_axis(artifact: Mapping[str, Any], picture: Drawn, padding: float) -> alt.X:
    kind = picture.kinds["x"]
    title = _line(artifact["x"])
    if kind == "temporal":
        return alt.X(field="x", type="temporal", title=title, scale=alt.Scale(type="utc", padding=padding))
    if kind == "quantitative":
        scale, ticks = alt.Scale(zero=False, padding=padding), _number_axis([row["x"] for row in picture.rows])
        return alt.X(field="x", type="quantitative", title=title, scale=scale, axis=ticks)
    labels = picture.categories["x"]
    slanted = len(labels) > _SLANTED_FROM or any(len(label) > _SLANTED_FROM for label in labels)
    axis = alt.Axis(labelAngle=-45 if slanted else 0, labelOverlap=False)
    return alt.X(field="x", type="nominal", sort=labels, title=title, axis=axis)


def _number_axis(values: Sequence[float]) -> alt.Axis:
    """Return the axis of numbers: no tick between two whole ones, and no thousands mark in years."""
    if not all(value == int(value) for value in values):
        return alt.Axis()
    years = all(_FIRST_YEAR <= value <= _LAST_YEAR for value in values)
    return alt.Axis(tickMinStep=1, format="d") if years else alt.Axis(tickMinStep=1)


def _color(artifact: Mapping[str, Any], picture: Drawn) -> alt.Color:
    kind, title = picture.kinds["color"], _line(artifact["color"])
    if kind == "nominal":
        sort = picture.categories["color"]
        return alt.Color(field="color", type="nominal", sort=sort, title=title, scale=_scheme(picture, "color"))
    scale = alt.Scale(type="utc") if kind == "temporal" else alt.Scale()
    return alt.Color(field="color", type=kind, title=title, scale=scale)


def _scheme(picture: Drawn, role: str) -> alt.Scale:
    labels = picture.categories[role]
    return alt.Scale(domain=labels, scheme="tableau10" if len(labels) <= 10 else "tableau20")


def _in_order() -> alt.Order:
    return alt.Order(field="n", type="quantitative")


def _bar_size(picture: Drawn, width: int) -> float:
    places = len({row["x"] for row in picture.rows})
    return max(_NARROWEST_BAR, min(_WIDEST_BAR, _BAR_SHARE * width / (places + 1)))


def _tooltip(artifact: Mapping[str, Any], role: str, kind: Measure) -> alt.Tooltip:
    """Return a tooltip; Vega-Lite pastes its title into an expression, where a backslash would be a mark of its own."""
    return alt.Tooltip(field=role, type=kind, title=_line(artifact[role]).replace("\\", _LIKE_BACKSLASH))


def _line(text: str) -> str:
    """Return a name as it can stand in a title: on one line."""
    return " ".join(text.split()) or " "
