"""Makes the made-up tables of the domains: seeded, so that every run writes the same bytes."""
