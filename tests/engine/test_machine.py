"""What a container leaves to the process."""

import os
from pathlib import Path

import psutil
import pytest

from engine.machine import cores, memory_available, prepare_native_code

MEGABYTE = 1 << 20


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_the_real_machine() -> None:
    assert 1 <= cores() <= len(os.sched_getaffinity(0))
    assert 0 < memory_available() <= psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "100000 100000"}, 1),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/docker/x\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "90000",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            1,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            None,
        ),
    ],
)
def test_a_quota_of_cores_counts(tmp_path: Path, files: dict[str, str], expected: int | None) -> None:
    assert cores(tree(tmp_path, files)) == (expected or len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"memory.max": "max", "memory.current": "5"}, None),
        ({"memory.max": str(9 * MEGABYTE), "memory.current": str(4 * MEGABYTE)}, 5),
        (
            {
                "memory.max": str(9 * MEGABYTE),
                "memory.current": str(8 * MEGABYTE),
                "memory.stat": f"anon 7\nactive_file {MEGABYTE}\ninactive_file {2 * MEGABYTE}\n",
            },
            4,
        ),
        ({"memory.max": str(MEGABYTE), "memory.current": str(2 * MEGABYTE)}, 0),
    ],
)
def test_a_limit_of_memory_counts(tmp_path: Path, files: dict[str, str], expected: int | None) -> None:
    tree(
        tmp_path,
        {"proc/self/cgroup": "0::/job\n"} | {f"sys/fs/cgroup/job/{name}": text for name, text in files.items()},
    )
    found = memory_available(tmp_path)
    if expected is None:
        assert found > 100 * MEGABYTE
    else:
        assert found == expected * MEGABYTE


def test_a_limit_of_memory_of_version_one_counts(tmp_path: Path) -> None:
    base = "sys/fs/cgroup/memory/memory."
    files = {base + "limit_in_bytes": str(3 * MEGABYTE), base + "usage_in_bytes": str(MEGABYTE)}
    tree(tmp_path, {"proc/self/cgroup": "5:memory:/gone\n", **files})
    assert memory_available(tmp_path) == 2 * MEGABYTE


def test_what_the_user_has_set_for_native_code_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "GGML_NO_BACKTRACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    prepare_native_code()
    assert "GOMP_SPINCOUNT" not in os.environ
    monkeypatch.delenv("OMP_WAIT_POLICY")
    prepare_native_code()
    assert os.environ["GOMP_SPINCOUNT"].isdigit()
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    prepare_native_code()
    assert os.environ["GOMP_SPINCOUNT"] == "7"
