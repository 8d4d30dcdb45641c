"""The report as one HTML page that needs nothing else: plots, tables, and every answer that is not right."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from engine.settings import AccuracySettings

from . import plots
from .outcomes import MEANINGS, OUTCOMES, RIGHT
from .plots import Bar
from .report import groups_of, interval, method, number, percent, repeat_facts
from .stats import Share
from .summary import SECONDS, TOKENS, VIEWS, Run, Spread, Summary, summarise

STYLE: Final = "page.css"
MOST_KINDS: Final = 25


def page(runs: Sequence[Run], settings: AccuracySettings) -> str:
    """Return the whole page of these runs."""
    summaries = [summarise(run, settings) for run in runs]
    style = Path(__file__).with_name(STYLE).read_text(encoding="utf-8")
    body = [
        "<h1>Accuracy</h1>",
        _overview(summaries),
        *(_unfinished(run) for run in runs if len(run.lines) < run.asked),
        plots.stacked("Outcomes", OUTCOMES, [(each.name, list(each.outcomes.values())) for each in summaries]),
        *(_view_plot(summaries, view) for view in VIEWS),
        _failure_plot(summaries),
        _spread_plot("Seconds a case: p50 and p95", summaries, "seconds", SECONDS),
        _spread_plot("Tokens a case: p50 and p95", summaries, "tokens", TOKENS),
        *(_calibration(each) for each in summaries if each.calibration),
        "<h2>How it was measured</h2>",
        f"<p>{escape(method(settings))}</p>",
        _listed((outcome.replace("_", " "), meaning) for outcome, meaning in MEANINGS.items()),
        *(_about(run) for run in runs),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Accuracy</title>\n'
        f"<style>\n{style}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _overview(summaries: Sequence[Summary]) -> str:
    rows = [
        [
            each.name,
            each.right.count,
            f"{each.right.hits} ({percent(each.right.share)}, {interval(each.right)})",
            *(each.outcomes[outcome] for outcome in OUTCOMES[1:]),
        ]
        for each in summaries
    ]
    return _table(["model", "cases", *(outcome.replace("_", " ") for outcome in OUTCOMES)], rows)


def _view_plot(summaries: Sequence[Summary], view: str) -> str:
    rows = [
        (group, [_share_bar(each.shares[view].get(group)) for each in summaries])
        for group in groups_of(summaries, view)
    ]
    return plots.bars(f"Right by {view}", [each.name for each in summaries], rows, 1.0)


def _share_bar(share: Share | None) -> Bar | None:
    if share is None:
        return None
    return Bar(share.share, f"{share.hits} of {share.count}", share.low, share.high)


def _failure_plot(summaries: Sequence[Summary]) -> str:
    kinds = sorted({kind for each in summaries for kind in each.failures})
    kinds.sort(key=lambda kind: -sum(each.failures.get(kind, 0) for each in summaries))
    counts = [(kind, [each.failures.get(kind, 0) for each in summaries]) for kind in kinds[:MOST_KINDS]]
    rows = [(kind, [Bar(count, str(count)) for count in group]) for kind, group in counts]
    most = max((count for _, group in counts for count in group), default=0)
    return plots.bars("Kinds of failure", [each.name for each in summaries], rows, most)


def _spread_plot(title: str, summaries: Sequence[Summary], part: str, keys: Sequence[str]) -> str:
    rows: list[tuple[str, list[Bar | None]]] = []
    for key in keys:
        for label in ("p50", "p95"):
            values = [_end(getattr(each, part)[key], label) for each in summaries]
            rows.append((f"{key} {label}", [None if each is None else Bar(each, number(each)) for each in values]))
    most = max((bar.value for _, group in rows for bar in group if bar is not None), default=0.0)
    return plots.bars(title, [each.name for each in summaries], rows, most)


def _end(spread: Spread, label: str) -> float | None:
    return spread.p50 if label == "p50" else spread.p95


def _calibration(summary: Summary) -> str:
    points = [(each.confidence, each.right, each.count) for each in summary.calibration]
    return plots.calibration(f"Calibration of {summary.name}", points)


def _about(run: Run) -> str:
    values = json.dumps(run.predictions["settings"]["values"], indent=1)
    rows = [
        [line["case"], line["request"], line["outcome"], line["failure"], _Code(line["wanted"]), _Code(line["answer"])]
        for line in run.lines
        if line["outcome"] != RIGHT
    ]
    return (
        f"<h2>{escape(run.name)}</h2>{_listed(repeat_facts(run).items())}"
        f"<details><summary>Settings</summary><pre>{escape(values)}</pre></details>"
        f"<details><summary>Not right: {len(rows)}</summary>"
        f"{_table(['case', 'request', 'outcome', 'failure', 'wanted', 'answer'], rows)}</details>"
    )


def _unfinished(run: Run) -> str:
    return f"<p><strong>{escape(run.name)}: {len(run.lines)} of {run.asked} cases were asked.</strong></p>"


class _Code:
    """A JSON value in a cell."""

    def __init__(self, value: Any) -> None:
        self.text = json.dumps(value, ensure_ascii=False)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{escape(each)}</th>" for each in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{lines}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, _Code):
        return f"<td><code>{escape(value.text)}</code></td>"
    if isinstance(value, int):
        return f'<td class="number">{value}</td>'
    return f"<td>{escape(str(value))}</td>"


def _listed(facts: Iterable[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f"<li>{escape(name)}: {escape(fact)}</li>" for name, fact in facts) + "</ul>"
