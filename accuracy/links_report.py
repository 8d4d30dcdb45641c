"""What the measurement of links found, as Markdown."""

from collections.abc import Sequence

from .links import HALVES, TOTAL, TUNING, Tallies, Tally
from .report import NOTHING, table


def summary(tallies: Tallies, mistakes: int) -> str:
    """Return the tables of precision and recall, and of each way at most so many of its commonest mistakes."""
    groups = list(dict.fromkeys(group for each in tallies.values() for group in each))
    groups.sort(key=lambda group: (group != TOTAL, group not in HALVES, len(group), group))
    first = next(iter(tallies.values()))
    head = ["cases", *tallies]
    rows = [
        [f"{group} ({first[group].cases})", *(_shares(tallies[way].get(group, Tally())) for way in tallies)]
        for group in groups
    ]
    parts = [
        "Links of the resolver against what the gold plans use: precision / recall, in percent. Tuned on "
        f"{', '.join(TUNING)}; the other tables check.",
        table(head, rows),
    ]
    for way, found in tallies.items():
        if TOTAL in found:
            parts += _mistakes(way, found[TOTAL], mistakes)
    return "\n\n".join(parts)


def _shares(tally: Tally) -> str:
    return f"{_percent(tally.precision)} / {_percent(tally.recall)}"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"


def _mistakes(way: str, tally: Tally, most: int) -> list[str]:
    parts = [f"{way}: {tally.right} of {tally.made} links right, {tally.found} of {tally.wanted} wanted things linked."]
    for title, counted in (("wrong", tally.wrong), ("missing", tally.missing)):
        rows: Sequence[Sequence[object]] = [
            [mistake, count, tally.asked[mistake]] for mistake, count in counted.most_common(most)
        ]
        if rows:
            parts.append(table([f"{title} links", "cases", "one request"], rows))
    return parts
