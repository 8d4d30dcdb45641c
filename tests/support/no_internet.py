"""Runs a Python module in a process that the kernel ends when it, or a child of it, opens an internet socket.

`python no_internet.py MODULE ARGUMENTS`: a seccomp filter, which also sees what native code does and which children
inherit, ends the process (SIGSYS) at socket(AF_INET or AF_INET6, ...).
"""

import ctypes
import os
import platform
import runpy
import struct
import sys

SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
KILL, ALLOW = 0x80000000, 0x7FFF0000
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
AF_INET, AF_INET6 = 2, 10


class Program(ctypes.Structure):
    """The kernel's `sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def available() -> bool:
    """Return whether this system has such filters."""
    return sys.platform == "linux" and platform.machine() in SOCKET


def forbid() -> None:
    """End this process, and those that it starts, at the first internet socket."""
    architecture, number = SOCKET[platform.machine()]
    lines = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 0, 5, architecture),
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 3, number),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 2, 0, AF_INET),
        (EQUAL, 1, 0, AF_INET6),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, KILL),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = Program(len(lines), ctypes.cast(code, ctypes.c_void_p))
    kernel = ctypes.CDLL(None, use_errno=True)
    for call in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SECCOMP, FILTER, ctypes.byref(program), 0, 0)):
        if kernel.prctl(*call):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    forbid()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
