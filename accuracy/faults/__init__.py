"""How well files with faults are opened: clean tables, faults put into them, and what Tez and DuckDB make of that."""
