"""Ctrl-C while native code runs."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


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
