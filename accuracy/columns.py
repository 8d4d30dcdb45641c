"""Whether a result holds the wanted columns among others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.settings import Settings

from .compare import same_result


def holds_columns(result: Mapping[str, Any], wanted: Mapping[str, Any], settings: Settings, ordered: bool) -> bool:
    """Return whether some columns of `result`, in some order, are the table `wanted`.

    A column can stand for a wanted one only if the two alone are the same; most often that leaves one choice. Those
    that are left are put together from the left, and a beginning that is not the same is given up.
    """
    if result["row_count"] != wanted["row_count"] or len(result["columns"]) < len(wanted["columns"]):
        return False
    candidates = [
        [place for place in range(len(result["columns"])) if same(result, wanted, [place], [column], settings, ordered)]
        for column in range(len(wanted["columns"]))
    ]
    return any(True for _ in _choices(result, wanted, candidates, settings, ordered))


def same(
    result: Mapping[str, Any],
    wanted: Mapping[str, Any],
    places: Sequence[int],
    columns: Sequence[int],
    settings: Settings,
    ordered: bool,
) -> bool:
    """Return whether these columns of the one are those columns of the other."""
    return same_result(_only(result, places), _only(wanted, columns), settings, ordered)


def _choices(
    result: Mapping[str, Any],
    wanted: Mapping[str, Any],
    candidates: Sequence[Sequence[int]],
    settings: Settings,
    ordered: bool,
    chosen: tuple[int, ...] = (),
) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(candidates):
        yield chosen
        return
    for place in candidates[len(chosen)]:
        if place in chosen:
            continue
        longer = (*chosen, place)
        if len(longer) == 1 or same(result, wanted, longer, range(len(longer)), settings, ordered):
            yield from _choices(result, wanted, candidates, settings, ordered, longer)


def _only(result: Mapping[str, Any], places: Sequence[int]) -> dict[str, Any]:
    rows = [tuple(row[place] for place in places) for row in result["rows"]]
    return {"columns": [result["columns"][place] for place in places], "rows": rows, "row_count": len(rows)}
