"""What this process may use of the machine: cores and memory, with the limits of a container counted in."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil

SPINS = 2000


def prepare_native_code() -> None:
    """Set what llama.cpp and OpenMP read from the environment; call it before they are loaded.

    OpenMP threads that wait for each other spin by default, and where another process works on a core, two threads
    then write 2 tokens a second instead of 20: let them sleep soon. When ggml gives up it would start a debugger on
    the user's terminal. What the user has set stays.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", str(SPINS))
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")


def environment_with(**changes: str) -> dict[str, str]:
    """Return the environment variables for a child process, some of them changed."""
    return {**os.environ, **changes}


def variable(name: str) -> str | None:
    """Return the value of an environment variable that a setting names; None where it is not set."""
    return os.environ.get(name)


def cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may really use: its affinity, cut by the quota of its control group.

    `root` is where proc and sys are found. At least 1.
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _groups(root, "cpu"):
        words = _text(folder / "cpu.max").split()
        if not words:
            words = [_text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")]
        if len(words) == 2 and all(word.isdigit() for word in words) and int(words[1]):
            count = min(count, -(-int(words[0]) // int(words[1])))
    return max(count, 1)


def memory_available(root: Path = Path("/")) -> int:
    """Return the bytes of memory that this process can still take, by the machine and by its control group."""
    found = int(psutil.virtual_memory().available)
    for folder in _groups(root, "memory"):
        for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            allowed, taken = _text(folder / limit), _text(folder / used)
            if allowed.isdigit() and taken.isdigit():
                found = min(found, int(allowed) - int(taken) + _page_cache(folder))
    return max(found, 0)


def peak_memory() -> int:
    """Return the most bytes of memory that this process has taken so far."""
    found = psutil.Process().memory_info()
    peak = getattr(found, "peak_wset", None)
    if peak is not None:
        return int(peak)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _page_cache(folder: Path) -> int:
    """Return the bytes of file pages counted as used that the kernel gives back on demand."""
    lines = (line.split() for line in _text(folder / "memory.stat").splitlines())
    kept = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
    return kept.get("inactive_file", 0) + kept.get("active_file", 0)


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the control group folders of this process and their parents, for version 2 and version 1."""
    mount = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            base = mount
        elif controller in names.split(","):
            base = mount / controller
        else:
            continue
        folder = base / path.lstrip("/")
        yield folder
        yield from (parent for parent in folder.parents if parent == base or base in parent.parents)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
