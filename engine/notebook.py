"""Answers as HTML, for notebooks: everything from tables is escaped, and looks right on light and on dark pages."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from grammar import Kind
from prompt.words import Language, screen_text

from .render import cell_text, one_line
from .settings import OutputSettings

_STYLE = (
    ".tez{font-size:.9em;overflow-x:auto}"
    ".tez table{border-collapse:collapse;margin:.4em 0}"
    ".tez th,.tez td{padding:.2em .7em;text-align:left;white-space:nowrap;border-bottom:1px solid #8886}"
    ".tez th{border-bottom:2px solid #888a}"
    ".tez .tez-number{text-align:right;font-variant-numeric:tabular-nums}"
    ".tez ol,.tez ul{margin:.2em 0 .2em 1.5em;padding:0}"
    ".tez .tez-scope,.tez .tez-count,.tez .tez-notes{opacity:.75}"
    ".tez img{max-width:100%;background:#fff}"
)
_ELLIPSIS = "…"


def page(*parts: str) -> str:
    """Return parts of HTML as one block with its style; colours are those of the page around it."""
    return f'<div class="tez"><style>{_STYLE}</style>{"".join(parts)}</div>'


def line_html(text: str, sort: str) -> str:
    """Return a line of text; `sort` names its style."""
    return f'<div class="tez-{sort}">{escape(text)}</div>'


def list_html(texts: Iterable[str], *, numbered: bool = False) -> str:
    """Return a list of texts, nothing without any."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    if not items:
        return ""
    return f"<ol>{items}</ol>" if numbered else f'<ul class="tez-notes">{items}</ul>'


def picture_html(png: bytes, about: str) -> str:
    """Return a picture that stands in the page itself."""
    return f'<img alt="{escape(about)}" src="data:image/png;base64,{b64encode(png).decode()}">'


def table_html(
    columns: Sequence[str],
    kinds: Sequence[Kind],
    rows: Sequence[Sequence[Any]],
    language: Language,
    settings: OutputSettings,
) -> str:
    """Return rows as an HTML table of at most `html_columns` columns; long texts are cut, whole in their tooltip."""
    shown = range(min(len(columns), settings.html_columns))
    heads = "".join(f"<th{_sort(kinds[place])}>{_text(columns[place], settings)}</th>" for place in shown)
    lines = "".join(
        "<tr>"
        + "".join(
            f"<td{_sort(kinds[place])}>{_text(cell_text(row[place], language, settings.decimals), settings)}</td>"
            for place in shown
        )
        + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    hidden = columns[len(shown) :]
    if not hidden:
        return table
    names = list(hidden[: settings.shown_options])
    return table + line_html(screen_text("more_columns", language, columns=len(hidden), names=names), "count")


def _sort(kind: Kind) -> str:
    return ' class="tez-number"' if kind == "number" else ""


def _text(text: str, settings: OutputSettings) -> str:
    whole = one_line(text)
    if len(whole) <= settings.text_width:
        return escape(whole)
    return f'<span title="{escape(whole)}">{escape(whole[: settings.text_width - 1])}{_ELLIPSIS}</span>'
