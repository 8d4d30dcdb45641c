"""Ctrl-C and deadlines while native code runs."""

import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_AGAIN = 0.02
_END = b"\0"
_MOST = 64


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


class Stopping:
    """Calls `stop` at Ctrl-C or when a time is over, and again and again until the block ends.

    Native code may wait where no signal reaches Python; then KeyboardInterrupt only comes once `stop` has ended the
    wait. Again, because what is to be stopped may be one of many short things, or not have begun. `passed` tells
    whether the time was over; without `seconds` there is no end. Signals are watched in the main thread alone, and only
    where Ctrl-C means KeyboardInterrupt; who else listens for them hears them, too.
    """

    def __init__(self, seconds: float | None, stop: Callable[[], None]) -> None:
        self.passed = False
        self._seconds = seconds
        self._stop = stop
        self._others = -1
        self._signals = threading.current_thread() is threading.main_thread()
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)
        self._watch = threading.Thread(target=self._wait, daemon=True)

    def __enter__(self) -> Self:
        if self._signals:
            self._others = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        self._watch.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._signals:
            signal.set_wakeup_fd(self._others)
        self._writing.send(_END)
        self._watch.join()
        self._reading.close()
        self._writing.close()

    def check(self) -> None:
        """Raise TimeoutError where the time is over."""
        if self.passed:
            raise TimeoutError

    def _wait(self) -> None:
        self._reading.settimeout(self._seconds)
        stopping = False
        while True:
            try:
                came = self._reading.recv(_MOST)
            except TimeoutError:
                self.passed = self.passed or not stopping
                came = b""
            if _END in came:
                return
            if came and self._others != -1:
                os.write(self._others, came)
            pressed = signal.SIGINT in came and signal.getsignal(signal.SIGINT) is signal.default_int_handler
            if stopping or pressed or self.passed:
                stopping = True
                self._reading.settimeout(_AGAIN)
                self._stop()
