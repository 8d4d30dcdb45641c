"""Training examples for small planners: random tables, plans that run on them, and requests written from the plans."""
