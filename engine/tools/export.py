"""The tool that exports: it only describes the file, which the caller writes where the user chose."""

from .registry import Made, Table, executes


@executes("export", lazy="in_order", named=True)
def export(table: Table, *, format: str) -> Made:
    """Leave the table as it is and describe a file of it."""
    return Made(
        f"SELECT {table.select_list()} FROM {table.source} AS t",
        [],
        [{"kind": "file", "format": format}],
        table.counted,
    )
