"""Ctrl-C and deadlines while native code runs."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_AGAIN = 0.02


class HeldInterrupt:
    """Holds Ctrl-C back while native code calls Python, where an exception would be lost; raises it at the end.

    `came` tells whether it was pressed. Outside the main thread nothing is held, since signals do not arrive there.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None
        self._mine = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        if self._mine:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._mine:
            signal.signal(signal.SIGINT, self._before if self._before is not None else signal.default_int_handler)
        if self.came:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True


class Deadline:
    """Calls `stop` when a time is over, and again and again until the block ends.

    Again, because what is to be stopped may be one of many short things, or not have begun. `passed` tells whether the
    time was over. Without `seconds` there is no end.
    """

    def __init__(self, seconds: float | None, stop: Callable[[], None]) -> None:
        self.passed = False
        self._seconds = seconds
        self._stop = stop
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._wait, daemon=True)

    def __enter__(self) -> Self:
        if self._seconds is not None:
            self._watch.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()
        if self._seconds is not None:
            self._watch.join()

    def _wait(self) -> None:
        if not self._ended.wait(self._seconds):
            self.passed = True
            while not self._ended.wait(_AGAIN):
                self._stop()
