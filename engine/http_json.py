"""One request to a model server, JSON in and out. The only module that opens a connection to the network.

It is imported only where a user named a server. Each request has a connection of its own, a deadline for all of it
however slowly the bytes come, and a bound on what is read. Redirections are not followed, proxies of the environment
not used: what is sent goes to the address that was given, or nowhere.
"""

import json
import socket
from http.client import BadStatusLine, HTTPConnection, HTTPException, HTTPSConnection, RemoteDisconnected
from typing import Any

from .interrupt import Stopping
from .model_address import Address
from .model_error import ServerError

SHOWN = 300
_REDIRECTS = range(300, 400)
_KEY_REFUSED = (401, 403)


class Wire:
    """A server at an address; `key` is sent as a bearer token and shown nowhere."""

    def __init__(self, address: Address, key: str | None, connect_seconds: float, most_bytes: int) -> None:
        self.address = address
        self._key = key
        self._connect_seconds = connect_seconds
        self._most_bytes = most_bytes

    def call(self, path: str, body: Any = None, *, seconds: float) -> tuple[int, Any]:
        """Send one request, POST where it has a body; return the status and the JSON of the response.

        The JSON of a response that is none is None where the status says that something failed. Raises ServerError:
        `absent`, `closed`, `slow`, `large`, `strange`, `redirects`, `key_refused`.
        """
        connection = self._connected(min(self._connect_seconds, seconds))
        try:
            with Stopping(seconds, lambda: _cut(connection)) as stopping:
                try:
                    status, location, data = self._exchanged(connection, path, body)
                except (OSError, HTTPException) as error:
                    if not stopping.passed:
                        raise self._broken(error) from error
                if stopping.passed:
                    raise ServerError("slow", address=self.address.shown, seconds=seconds)
        finally:
            connection.close()
        if status in _REDIRECTS:
            raise ServerError("redirects", address=self.address.shown, found=self.shown(location))
        if status in _KEY_REFUSED:
            raise ServerError("key_refused", address=self.address.shown, status=str(status))
        return status, self._read(status, data)

    def shown(self, text: object) -> str:
        """Return what a server sent as a person may see it: one short line, no control characters, never the key."""
        line = str(text).replace(self._key, "***") if self._key else str(text)
        line = " ".join("".join(each if each.isprintable() else " " for each in line[: SHOWN * 4]).split())
        return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"

    def _connected(self, seconds: float) -> HTTPConnection:
        kind = HTTPSConnection if self.address.secure else HTTPConnection
        connection = kind(self.address.host, self.address.port, timeout=seconds)
        try:
            connection.connect()
        except (OSError, ValueError) as error:
            connection.close()
            found = "" if isinstance(error, TimeoutError) else getattr(error, "strerror", None) or str(error)
            raise ServerError("absent", address=self.address.shown, found=self.shown(found) or None) from error
        connection.sock.settimeout(None)
        return connection

    def _exchanged(self, connection: HTTPConnection, path: str, body: Any) -> tuple[int, str, bytes]:
        headers = {"Accept": "application/json", "Connection": "close"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=True).encode()
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection.request("GET" if body is None else "POST", self.address.path + path, data, headers)
        response = connection.getresponse()
        data = response.read(self._most_bytes + 1)
        if len(data) > self._most_bytes:
            raise ServerError("large", address=self.address.shown, allowed=self._most_bytes)
        if response.length:
            raise RemoteDisconnected("")
        return response.status, response.getheader("Location", ""), data

    def _broken(self, error: Exception) -> ServerError:
        """Return what a connection that broke means: one that was closed, or one to no web server at all."""
        strange = isinstance(error, HTTPException) and type(error) in (BadStatusLine, HTTPException)
        if strange or type(error).__name__ in ("LineTooLong", "UnknownProtocol"):
            return ServerError("strange", address=self.address.shown, found=self.shown(error))
        return ServerError("closed", address=self.address.shown)

    def _read(self, status: int, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            if status >= _REDIRECTS.stop:
                return None
            text = self.shown(data[: SHOWN * 4].decode("utf-8", "replace"))
            raise ServerError("strange", address=self.address.shown, found=text) from error


def _cut(connection: HTTPConnection) -> None:
    """End what waits for the connection, in whatever thread."""
    try:
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):
        return
