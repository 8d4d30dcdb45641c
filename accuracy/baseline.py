"""The process of `binding.py` from outside: jobs go in, what they took comes out, its death is an outcome."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.machine import cores, environment_with
from engine.settings import ModelSettings


@dataclass(frozen=True)
class Job:
    """One answer to write; see `binding.answers`."""

    prompt: Sequence[int]
    shared: int
    most: int
    grammar: str | None = None


class Baseline:
    """A model behind the binding's own interface. Use it as a context manager.

    It is started when a job needs it, also again after its death; `deaths` counts those. A job that takes longer than
    `seconds` ends the process, too.
    """

    def __init__(self, path: Path, settings: ModelSettings, seconds: float) -> None:
        self.deaths = 0
        self._seconds = seconds
        values = (path, settings.context, settings.batch, settings.threads or cores())
        self._command = [sys.executable, "-m", "accuracy.binding", *map(str, values)]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._end()

    def do(self, job: Job) -> dict[str, Any] | None:
        """Return what a job took, None where the process died of it."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        guard = threading.Timer(self._seconds, process.kill)
        guard.start()
        try:
            process.stdin.write(json.dumps(vars(job)) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            guard.cancel()
        if not line:
            self.deaths += 1
            self._end()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> subprocess.Popen[str]:
        environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        self._process = subprocess.Popen(
            self._command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
