"""How much the property tests try: `dev` while writing code, `check` in `make check`, `soak` in `make soak`."""

import os

from hypothesis import HealthCheck, settings

for name, examples in {"dev": 50, "check": 1000, "soak": 10_000}.items():
    settings.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
