"""llama.cpp's messages: none reaches the terminal, the last errors are kept for our own."""

import ctypes
from collections import deque
from typing import Final

import llama_cpp

ERROR_LEVEL: Final = 4
SAME_MESSAGE: Final = 5


class NativeLog:
    """Takes llama.cpp's messages, so that none reaches the terminal, and keeps the last errors."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=4)
        self._level = 0
        # The native side keeps a bare pointer to this object: it must live as long as the process.
        self._callback = llama_cpp.llama_log_callback(self._take)

    def install(self) -> None:
        """Become the receiver of the messages and forget earlier ones."""
        self._lines.clear()
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

    def last(self) -> str | None:
        """Return the last errors as one text; None without any."""
        return "; ".join(self._lines) or None

    def _take(self, level: int, text: bytes, _: object) -> None:
        if level != SAME_MESSAGE:
            self._level = level
        line = text.decode("utf-8", "replace").strip()
        if self._level == ERROR_LEVEL and line:
            self._lines.append(line)


# llama.cpp has one receiver of messages for the whole process.
LOG: Final = NativeLog()
