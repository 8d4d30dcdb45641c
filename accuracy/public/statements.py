"""SQL statements without nesting, as Spider has them, as plans."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from engine.session import Workspace

from .building import (
    COLUMNS_COMPARED,
    FIRST_ROWS,
    NO_COLUMN,
    OR_OF_COLUMNS,
    OTHER_JOIN,
    OTHER_STATEMENT,
    PATTERN,
    SEVERAL_ORDERS,
    SEVERAL_TOTALS,
    TOTAL_OF_CALCULATION,
    CannotSayError,
    PlanBuilder,
)

_AGGREGATES: Final[dict[type[exp.Expr], str]] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}
_OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_BETWEEN: Final[tuple[type[exp.Expr], ...]] = (exp.GTE, exp.LTE)


def plan_of_statement(workspace: Workspace, statement: str) -> Mapping[str, Any]:
    """Return the plan of one SELECT of DuckDB over the opened tables. Raises CannotSayError."""
    try:
        tree = sqlglot.parse_one(statement, read="duckdb")
    except SqlglotError as error:
        raise CannotSayError(OTHER_STATEMENT, str(error)) from error
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Select))) > 1:
        raise CannotSayError(OTHER_STATEMENT, type(tree).__name__)
    return _Statement(workspace, tree).plan()


class _Statement:
    """One SELECT on its way to a plan; knows which column of the current table stands for which of the statement."""

    def __init__(self, workspace: Workspace, tree: exp.Select) -> None:
        self._tree = tree
        self._workspace = workspace
        self._plan, self._columns = self._joined()

    def plan(self) -> Mapping[str, Any]:
        for condition in _all_of(self._tree.args.get("where")):
            self._filter(condition, self._name)
        groups = [self._column(each) for each in _expressions(self._tree, "group")]
        totals = list(dict.fromkeys(self._total_of(each) for each in self._tree.find_all(exp.AggFunc)))
        if len(totals) > 1:
            raise CannotSayError(SEVERAL_TOTALS, ", ".join(f"{agg}({value or '*'})" for agg, value in totals))
        if totals:
            self._totalled(groups, *totals[0])
        else:
            self._listed(distinct=bool(groups) or self._tree.args.get("distinct") is not None)
        return self._plan.answer()

    def _joined(self) -> tuple[PlanBuilder, dict[tuple[str, str], str]]:
        """Start from the first table from which every join finds its key in what stands there already."""
        sources = [self._tree.args["from_"].this, *(join.this for join in self._tree.args.get("joins") or [])]
        for join in self._tree.args.get("joins") or []:
            if join.side or join.kind not in ("", "INNER") or not isinstance(join.args.get("on"), exp.EQ):
                raise CannotSayError(OTHER_JOIN, join.sql())
        failed = CannotSayError(OTHER_JOIN)
        for first in sources:
            try:
                return self._joined_from(first, [each for each in sources if each is not first])
            except CannotSayError as error:
                failed = error
        raise failed

    def _joined_from(self, first: exp.Table, others: list[exp.Table]) -> tuple[PlanBuilder, dict[tuple[str, str], str]]:
        plan = PlanBuilder(self._workspace, first.name)
        columns = {(_alias(first), name.casefold()): name for name in plan.names()}
        conditions = [join.args["on"] for join in self._tree.args.get("joins") or []]
        left = list(others)
        while left:
            joined = [table for table in left if self._join(plan, columns, table, conditions)]
            if not joined:
                raise CannotSayError(OTHER_JOIN, left[0].name)
            left = [table for table in left if table not in joined]
        return plan, columns

    def _join(
        self,
        plan: PlanBuilder,
        columns: dict[tuple[str, str], str],
        table: exp.Table,
        conditions: Sequence[exp.EQ],
    ) -> bool:
        """Join a table whose key is there, and note its columns; return whether it was joined."""
        for condition in conditions:
            for here, there in ((condition.this, condition.expression), (condition.expression, condition.this)):
                own = columns.get((here.table.casefold(), here.name.casefold()))
                if own is None or there.table.casefold() != _alias(table):
                    continue
                other = next(state for state in plan.state.others if state.name.casefold() == table.name.casefold())
                key = next(each.name for each in other.columns if each.name.casefold() == there.name.casefold())
                before = len(plan.names())
                plan.step("join_table", table=other.name, column=own, other_column=key, how="inner")
                added = [each.name for each in other.columns if each.name != key]
                made = dict(zip(added, plan.names()[before:], strict=True)) | {key: own}
                columns |= {(_alias(table), name.casefold()): place for name, place in made.items()}
                return True
        return False

    def _column(self, node: exp.Expr) -> str:
        """Return the current table's column that a column of the statement is."""
        if not isinstance(node, exp.Column):
            raise CannotSayError(TOTAL_OF_CALCULATION, node.sql())
        alias, name = node.table.casefold(), node.name.casefold()
        for (table, column), place in self._columns.items():
            if column == name and alias in ("", table):
                return place
        raise CannotSayError(NO_COLUMN, node.sql())

    _name = _column

    def _total_of(self, node: exp.AggFunc) -> tuple[str, str | None]:
        """Return an aggregate and its column, None for rows."""
        agg, value = _AGGREGATES.get(type(node)), node.this
        if agg is None:
            raise CannotSayError(TOTAL_OF_CALCULATION, node.sql())
        if isinstance(value, exp.Distinct):
            return "count_distinct", self._column(value.expressions[0])
        return agg, None if isinstance(value, exp.Star) else self._column(value)

    def _totalled(self, groups: Sequence[str], agg: str, value: str | None) -> None:
        """Total, then keep groups by their total, order and cut them, and keep the columns that are selected."""
        total = self._plan.total(agg, value, groups)
        place = dict(zip(groups, self._plan.names(), strict=False))

        def after(node: exp.Expr) -> str:
            return total if isinstance(node, exp.AggFunc) else place[self._column(node)]

        for condition in _all_of(self._tree.args.get("having")):
            self._filter(condition, after)
        self._order(after)
        self._plan.only([after(_bare(each)) for each in self._tree.expressions])

    def _listed(self, distinct: bool) -> None:
        """Order and cut the rows, then keep the columns that are selected."""
        self._order(self._column)
        if [type(each) for each in self._tree.expressions] != [exp.Star]:
            self._plan.only([self._column(_bare(each)) for each in self._tree.expressions])
        if distinct:
            self._plan.step("remove_duplicates")

    def _order(self, name: Any) -> None:
        orders = _expressions(self._tree, "order")
        limit = self._tree.args.get("limit")
        if len(orders) > 1:
            raise CannotSayError(SEVERAL_ORDERS, ", ".join(each.sql() for each in orders))
        if not orders and limit is not None:
            raise CannotSayError(FIRST_ROWS)
        for order in orders:
            by, descending = name(order.this), bool(order.args.get("desc"))
            if limit is None:
                self._plan.step("sort", by=by, descending=descending)
            else:
                self._plan.step("top_n", by=by, n=int(limit.expression.name), descending=descending)

    def _filter(self, condition: exp.Expr, name: Any) -> None:
        if isinstance(condition, exp.Between):
            for key, kind in zip(("low", "high"), _BETWEEN, strict=True):
                self._filter(kind(this=condition.this, expression=condition.args[key]), name)
        elif isinstance(condition, exp.Or):
            self._either(condition, name)
        elif isinstance(condition, (exp.Like, exp.ILike)):
            self._plan.step("filter", column=name(condition.this), op="contains", value=_middle(condition))
        elif isinstance(condition, exp.Not) and isinstance(condition.this, (exp.Like, exp.ILike)):
            self._plan.step(
                "remove_rows", column=name(condition.this.this), op="contains", value=_middle(condition.this)
            )
        elif isinstance(condition, exp.In) and condition.expressions:
            values = [_value(each) for each in condition.expressions]
            self._plan.step("filter", column=name(condition.this), op="in", values=values)
        elif type(condition) in _OPERATORS:
            self._plan.step("filter", **_compared(condition, name))
        else:
            raise CannotSayError(OTHER_STATEMENT, condition.sql())

    def _either(self, condition: exp.Or, name: Any) -> None:
        """Say "or" between values of one column, which a list of values says."""
        sides = list(condition.flatten())
        if not all(isinstance(side, exp.EQ) for side in sides):
            raise CannotSayError(OR_OF_COLUMNS, condition.sql())
        compared = [_compared(side, name) for side in sides]
        if len({each["column"] for each in compared}) > 1:
            raise CannotSayError(OR_OF_COLUMNS, condition.sql())
        values = [each["value"] for each in compared]
        self._plan.step("filter", column=compared[0]["column"], op="in", values=values)


def _compared(condition: exp.Expr, name: Any) -> dict[str, Any]:
    """Return the arguments of a comparison with a value."""
    left, right, op = condition.this, condition.expression, _OPERATORS[type(condition)]
    if isinstance(left, exp.Literal):
        left, right, op = right, left, _TURNED[op]
    if isinstance(right, exp.Column):
        raise CannotSayError(COLUMNS_COMPARED, condition.sql())
    return {"column": name(left), "op": op, "value": _value(right)}


def _value(node: exp.Expr) -> str | float:
    """Return the value of a literal."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return -_number(node.this.name)
    if not isinstance(node, exp.Literal):
        raise CannotSayError(TOTAL_OF_CALCULATION, node.sql())
    return str(node.name) if node.is_string else _number(node.name)


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


def _middle(condition: exp.Expr) -> str:
    """Return what stands between the two percent marks of a pattern; a pattern with others is not said by a plan."""
    pattern = str(condition.expression.name)
    middle = pattern.strip("%")
    if pattern != f"%{middle}%" or "%" in middle or "_" in middle:
        raise CannotSayError(PATTERN, pattern)
    return middle


def _alias(table: exp.Table) -> str:
    return str(table.alias_or_name).casefold()


def _bare(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node


def _expressions(tree: exp.Select, part: str) -> list[exp.Expr]:
    found = tree.args.get(part)
    return list(found.expressions) if found is not None else []


def _all_of(clause: exp.Expr | None) -> list[exp.Expr]:
    """Return the conditions that all must hold."""
    if clause is None:
        return []
    return list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]
