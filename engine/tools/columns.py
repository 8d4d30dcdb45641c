"""Tools that choose columns."""

from engine import sql

from .registry import ROW, Made, Table, executes, unique_names


@executes("select_columns", lazy="in_order", named=True)
def select_columns(table: Table, *, columns: list[str]) -> Made:
    """Keep only these columns, in the order given."""
    chosen = list(dict.fromkeys(columns))
    parts = [
        f"{ROW}.{sql.name(column)} AS {sql.name(name)}"
        for column, name in zip(chosen, unique_names(chosen), strict=True)
    ]
    if table.carried:
        parts.append(table.carried)
    return Made(f"SELECT {', '.join(parts)} FROM {table.source} AS {ROW}", rows=table.counted)
