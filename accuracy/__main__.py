"""`python -m accuracy`: the same as `tez bench`."""

import argparse
import sys
from collections.abc import Sequence

from .commands import bench


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m accuracy", description=bench.help)
    bench.add_arguments(parser)
    return bench.run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
