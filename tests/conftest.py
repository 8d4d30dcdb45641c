"""How much the property tests try: `dev` while writing code, `check` in `make check`, `soak` in `make soak`."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

for name, examples in {"dev": 50, "check": 200, "soak": 10_000}.items():
    settings.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


# What runs in the background ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything must run (`make tests`), a skipped test is a failed one."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("TEZ_TESTS") == "complete" and skipped and exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"{len(skipped)} tests were skipped and must not be", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
