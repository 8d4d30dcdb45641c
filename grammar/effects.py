"""The table state after a step, computed from the contract and the state before it, without running anything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .contracts import Contract, at_path, must_be_last
from .names import clean_name, find_column, free_name, same_name, same_names
from .state import Column, TableState

_COUNTS = frozenset({"count", "count_distinct"})
_KEEPS_KIND = frozenset({"min", "max"})
COUNT_NAME = "count"
NAMELESS = "column"


def state_after(contract: Contract, state: TableState, args: Mapping[str, Any]) -> TableState:
    """Return the state of the table that this call makes from a table in `state`.

    `args` are checked arguments: exact column names, nothing None.
    """
    effects = contract["effects"]
    if must_be_last(contract):
        return replace(state, columns=(), groups=())
    changed = _changed_columns(effects, state.columns, args)
    if "columns" not in effects or ("when" in effects and at_path(args, effects["when"]) is None):
        return replace(state, columns=changed)
    columns, by_argument = _made_columns(effects["columns"], replace(state, columns=changed), args)
    if "groups" in effects:
        groups = tuple(name for path in effects["groups"] for name in by_argument.get(path, ()))
        columns = [replace(column, repeated=False) for column in columns]
    else:
        names = {column.name for column in columns}
        groups = tuple(name for name in state.groups if name in names)
    return replace(state, columns=tuple(columns), groups=groups)


def names_of(value: Any) -> list[str]:
    """Return the column names that an argument gives, each once, in their order."""
    if value is None:
        return []
    return list(dict.fromkeys([value] if isinstance(value, str) else value))


def _changed_columns(
    effects: Mapping[str, Any], columns: tuple[Column, ...], args: Mapping[str, Any]
) -> tuple[Column, ...]:
    def touched(effect: str) -> set[str]:
        return {name for path in effects.get(effect, ()) for name in names_of(at_path(args, path))}

    numbers, dates, revalued = touched("makes_numbers"), touched("makes_dates"), touched("changes_values")
    changed = []
    for column in columns:
        if column.name in numbers:
            column = replace(column, kind="number", day_order=None, decimal=None, joins=None)
        if column.name in dates:
            column = replace(column, kind="date", day_order=None, decimal=None, joins=None)
        if column.name in revalued:
            column = replace(column, values=None, joins=None)
        changed.append(column)
    return tuple(_kept_values(effects.get("keeps_values", ()), changed, args))


def _kept_values(
    rules: Iterable[Mapping[str, Any]], columns: list[Column], args: Mapping[str, Any]
) -> Iterable[Column]:
    """Yield the columns, one that a rule speaks of with only those of its values that the call keeps.

    A rule holds where the arguments that it names have one of the values that it lists.
    """
    kept: dict[str, set[str]] = {}
    for rule in rules:
        if all(at_path(args, path) in values for path, values in rule["when"].items()):
            given = at_path(args, rule["of"])
            kept[at_path(args, rule["column"])] = {
                same_name(str(value)) for value in (given if isinstance(given, list | tuple) else [given])
            }
    for column in columns:
        if column.name in kept and column.values is not None:
            forms = same_names(column.values)
            values = tuple(value for value, form in zip(column.values, forms, strict=True) if form in kept[column.name])
            column = replace(column, values=values)
        yield column


def _made_columns(
    parts: list[Mapping[str, Any]], state: TableState, args: Mapping[str, Any]
) -> tuple[list[Column], dict[str, list[str]]]:
    """Return the made columns, and for each argument path the names of the columns that came from it."""
    made: list[Column] = []
    forms: set[str] = set()
    by_argument: dict[str, list[str]] = {}
    for part in parts:
        path = part.get("of") or part.get("argument")
        for column in _columns_of_part(part, state, args):
            named = replace(column, name=free_name(column.name, forms))
            forms.add(same_name(named.name))
            made.append(named)
            if path is not None:
                by_argument.setdefault(path, []).append(named.name)
    return made, by_argument


def _columns_of_part(part: Mapping[str, Any], state: TableState, args: Mapping[str, Any]) -> Iterable[Column]:
    """Return the columns that one part of the effect `columns` stands for, before clashes of names are settled."""
    if "all" in part:
        return state.columns
    if "of" in part:
        return [state.column(name) for name in names_of(at_path(args, part["of"]))]
    if "total_of" in part:
        name = at_path(args, part["total_of"])
        total = _total(at_path(args, part["agg"]), None if name is None else state.column(name))
        if "each_value_of" not in part:
            return [total]
        pivoted = state.column(at_path(args, part["each_value_of"]))
        return [Column(value, total.kind, day_order=total.day_order) for value in pivoted.all_values() or ()]
    if "columns_of" in part:
        key = at_path(args, part["without"])
        return [column for column in state.other(at_path(args, part["columns_of"])).columns if column.name != key]
    if "appended" in part:
        return _appended(state.columns, state.other(at_path(args, part["appended"])).columns)
    if "named_by" in part:
        return [Column(clean_name(at_path(args, part["named_by"]), NAMELESS), part["kind"])]
    return [Column(part["name"], part["kind"])]


def paired_columns(above: Sequence[Column], below: Sequence[Column]) -> list[tuple[Column | None, Column | None]]:
    """Pair the columns of two tables put below each other: by exact name, else by the same name; each only once.

    The columns above come first, in their order, then those that are only below.
    """
    exact = {column.name for column in above} & {column.name for column in below}
    left = {column.name: column for column in below}
    pairs: list[tuple[Column | None, Column | None]] = []
    for column in above:
        if column.name in exact:
            pairs.append((column, left.pop(column.name)))
        else:
            other = find_column(column.name, [each for each in left.values() if each.name not in exact])
            pairs.append((column, None if other is None else left.pop(other.name)))
    return [*pairs, *((None, column) for column in left.values())]


def _appended(above: tuple[Column, ...], below: tuple[Column, ...]) -> Iterable[Column]:
    """Yield the columns of two tables put below each other; one of two kinds, or that no tool handles, becomes text."""
    for column, other in paired_columns(above, below):
        if column is None or other is None:
            alone = other if column is None else column
            if alone is not None:
                yield alone
        elif column.kind != other.kind or column.kind == "other":
            yield Column(column.name, "text", label=column.label, day_order=column.day_order or other.day_order)
        else:
            values = None
            if column.values is not None and other.values is not None:
                values = tuple(dict.fromkeys((*column.values, *other.values)))
            yield replace(
                column,
                values=values,
                complete=column.complete and other.complete,
                day_order=column.day_order if column.day_order == other.day_order else "unclear",
                decimal=column.decimal if column.decimal == other.decimal else None,
                joins=_joins_of_both(column, other),
            )


def _joins_of_both(column: Column, other: Column) -> tuple[tuple[str, str], ...] | None:
    """Return the columns that one of two columns, put below each other, has values in common with."""
    if column.joins is None or other.joins is None:
        return None
    return tuple(dict.fromkeys((*column.joins, *other.joins)))


def _total(agg: str, column: Column | None) -> Column:
    if agg in _COUNTS or column is None:
        return Column(COUNT_NAME, "number")
    if agg in _KEEPS_KIND:
        return replace(column, label="")
    return Column(column.name, "number")


def made_names(contract: Contract) -> list[Column]:
    """Return the columns with names of their own that calls of this tool may make, whatever the table."""
    made: dict[str, Column] = {}
    for part in contract["effects"].get("columns", ()):
        if "name" in part:
            made[same_name(part["name"])] = Column(part["name"], part["kind"])
        elif "total_of" in part:
            made[COUNT_NAME] = Column(COUNT_NAME, "number")
    return list(made.values())
