"""The address of a model server, as a user writes it: http://127.0.0.1:8080/v1, with #NAME for one of its models."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from .model_error import ServerError

_SCHEMES = {"http": 80, "https": 443}
_BASE = "/v1"
_CALLS = ("/chat/completions", "/models")


@dataclass(frozen=True)
class Address:
    """Where a model server is; `model` is the one of its models that the address names."""

    secure: bool
    host: str
    port: int
    path: str
    model: str | None

    @property
    def shown(self) -> str:
        """Return the address as a person reads it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.secure else ''}://{host}:{self.port}{self.path}"

    @property
    def on_this_machine(self) -> bool:
        """Return whether what is sent there stays on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def is_address(model: object) -> bool:
    """Return whether the model that a user names is a server and no file."""
    return isinstance(model, str) and model.lower().startswith(("http:", "https:"))


def read_address(text: str) -> Address:
    """Return the address that a text means; a name and a password in it are refused and not repeated.

    Raises ServerError: `address`, `address_with_password`.
    """
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise ServerError("address", found=text.split("@")[-1]) from None
    if "@" in parts.netloc:
        raise ServerError("address_with_password")
    plain = text.isascii() and text.isprintable() and " " not in text
    if parts.scheme not in _SCHEMES or not host or parts.query or not plain or port == 0:
        raise ServerError("address", found=text)
    path = parts.path.rstrip("/")
    for call in _CALLS:
        path = path.removesuffix(call)
    secure = parts.scheme == "https"
    return Address(secure, host, port or _SCHEMES[parts.scheme], path or _BASE, unquote(parts.fragment) or None)
