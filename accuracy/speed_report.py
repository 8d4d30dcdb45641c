"""The speed measure in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from .report import number, percent, table
from .speed import BATCH_GOAL, CHANGE_GOAL, CONSTRAINT_GOAL, FLAT, GOALS, OWN, PLAIN, READ_GOAL

_WAYS = (OWN, FLAT, PLAIN)


def summary(found: Mapping[str, Any]) -> str:
    """Return what was measured, and with what."""
    change = found["grammar"]
    parts = [part for model in found["models"] for part in _model(model, found["requests"])]
    wide = (
        f"Grammar of 200 columns and 5,000 listed values: {number(change['grammar'])} ms; the change after a step, "
        f"up to the next step's arguments: {number(change['change'])} ms (goal: under {CHANGE_GOAL})."
    )
    return "\n\n".join([*parts, wide, f"Measured on {found['cores']} cores."])


def _model(found: Mapping[str, Any], requests: int) -> list[str]:
    tables: Sequence[Mapping[str, Any]] = found["tables"]
    same = [f"{way}, same answer" for way in (OWN, FLAT)]
    head = ["listed values", "ours s", *(f"{way} / ours" for way in _WAYS), *same, "binding died"]
    rows = [
        [
            each["values"],
            number(each["seconds"]["ours"]),
            *(_or_none(each["ratios"].get(way)) for way in _WAYS),
            *(_alike(each, way) for way in (OWN, FLAT)),
            sum(each["died"].values()),
        ]
        for each in tables
    ]
    rows.append(["goal", "", *(number(GOALS[way]) for way in _WAYS), number(GOALS[OWN]), number(GOALS[FLAT]), ""])
    parts = [
        "listed values",
        "prompt tokens",
        "answer tokens",
        "forced",
        "passes",
        "constraint us a token",
        "grammar ms",
    ]
    inner = [
        [
            each["values"],
            each["prompt_tokens"],
            number(each["answer_tokens"]),
            percent(each["forced"]),
            number(each["passes"]),
            f"{each['constraint_microseconds']:.0f}",
            number(each["grammar_milliseconds"]),
        ]
        for each in tables
    ]
    inner.append(["goal", "", "", "", "", f"under {CONSTRAINT_GOAL}", ""])
    fresh, batch = found["fresh"], found["batch"]
    lines = [
        [part, number(seconds["without"]), number(seconds["with"]), number(ratio), goal]
        for part, seconds, ratio, goal in (
            ("reading the prompt", fresh["read_seconds"], fresh["read_ratio"], READ_GOAL),
            ("whole process", fresh["process_seconds"], fresh["process_ratio"], ""),
        )
    ]
    return [
        f"## {found['model']}",
        f"Time per plan, medians of the ratios of {requests} requests about each table; both keep the beginning of "
        f"the prompts. `{PLAIN}` writes as many tokens as ours under no grammar. Answers differ where a text has other "
        "tokens or a batch rounds otherwise; `same answer` is of the requests where they do not (how many).",
        table(head, rows),
        table(parts, inner),
        "A process for each request:\n\n"
        + table(["part", "nothing stored s", "stored beginning s", "ratio", "goal"], lines),
        f"{batch['together']} requests together: {number(batch['many'])} plans a second, one at a time "
        f"{number(batch['one'])}; ratio {number(batch['many'] / batch['one'])} (goal {BATCH_GOAL}). "
        f"{percent(batch['same'])} of the answers agree.",
    ]


def _alike(found: Mapping[str, Any], way: str) -> str:
    ratio = found["same_ratios"].get(way)
    return "" if ratio is None else f"{number(ratio)} ({found['same'][way]})"


def _or_none(value: float | None) -> str:
    return "" if value is None else number(value)
