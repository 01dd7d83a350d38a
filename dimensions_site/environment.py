"""Strict readers of environment variables, for the settings and for gunicorn's configuration.

A malformed value stops the service with one sentence; it never silently means something else. Every reader raises
ImproperlyConfigured, which names the variable, its value and what would be right (design/deployment.md).
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

# A proxy's address or network; one that connects through a unix socket has none.
_Unix: TypeAlias = Literal["unix"]
UNIX: _Unix = "unix"
Proxy: TypeAlias = IPv4Network | IPv6Network | _Unix


_ORIGIN = r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?"
_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True)
class Rate:
    """At most `count` times within each second, minute, hour or day, its `period`."""

    count: int
    period: str

    @property
    def seconds(self) -> int:
        return _SECONDS[self.period]


class SocketAddress(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def required_text(name: str) -> str:
    """Return the text of a variable that has no default."""
    value = os.environ.get(name, "")
    if not value.strip():
        raise ImproperlyConfigured(f"{name} is {'empty' if name in os.environ else 'not set'}; it has no default.")
    return value


def secrets(name: str) -> list[str]:
    """Return the secrets of a list, which may be empty: one per line, or separated by commas on a single line."""
    value = os.environ.get(name, "")
    return [part.strip() for part in value.split("\n" if "\n" in value else ",") if part.strip()]


def boolean(name: str, *, default: bool) -> bool:
    """Return True for `true` and False for `false`, in any case."""
    value = os.environ.get(name, str(default))
    if value.lower() not in ("true", "false"):
        raise _refusal(name, value, "true or false")
    return value.lower() == "true"


def one_of(name: str, choices: Sequence[str], *, default: str) -> str:
    """Return the value, which must be one of `choices`."""
    value = os.environ.get(name, default)
    if value not in choices:
        raise _refusal(name, value, f"one of {', '.join(choices)}")
    return value


def integer(name: str, *, default: int, minimum: int, maximum: int) -> int:
    """Return an integer from `minimum`, which is not negative, to `maximum`, written in digits only."""
    value = os.environ.get(name, str(default))
    # No number here has more than 18 digits, and Python refuses to convert thousands of them.
    if not re.fullmatch("[0-9]{1,18}", value) or not minimum <= int(value) <= maximum:
        raise _refusal(name, value, f"a whole number from {minimum} to {maximum}, in digits alone")
    return int(value)


def rate(name: str, *, default: str) -> Rate | None:
    """Return a rate such as `60/minute`, or None for `off`."""
    value = os.environ.get(name, default)
    match = re.fullmatch(f"([1-9][0-9]{{0,8}})/({'|'.join(_SECONDS)})", value)
    if match is None and value != "off":
        raise _refusal(name, value, "like 60/minute (per second, minute, hour or day), or off")
    return match and Rate(int(match[1]), match[2])


def names(name: str, *, default: list[str], choices: Sequence[str] = ()) -> list[str]:
    """Return the comma-separated parts of the value, stripped, at least one; each one of `choices` if there are any."""
    value = os.environ.get(name, ",".join(default))
    parts = _parts(value)
    if not parts or (choices and not set(parts) <= set(choices)):
        right = f"some of {', '.join(choices)}" if choices else "one or more names"
        raise _refusal(name, value, f"{right}, separated by commas")
    return parts


def text(name: str, *, default: str) -> str:
    """Return the text unchanged; it may be empty."""
    return os.environ.get(name, default)


def web_address(name: str, *, default: str) -> str:
    """Return a URL with https, or with http on the local machine; or an empty text."""
    value = os.environ.get(name, default)
    pattern = r"(https://|http://(127\.0\.0\.1|\[::1\]|localhost)[:/])[!-~]*"
    if value and not (has_host(value) and re.fullmatch(pattern, value)):
        raise _refusal(name, value, "an address like https://idp.example.com/keys; http is for this machine alone")
    return value


def proxies(name: str, *, default: list[str]) -> list[Proxy]:
    """Return the addresses and networks among the comma-separated parts, and `unix` for a unix socket."""
    value = os.environ.get(name, ",".join(default))
    return [UNIX if part == UNIX else _network(name, part) for part in _parts(value)]


def origins(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated origins of the value, each exactly `scheme://host` with or without `:port`."""
    right = "origins like https://app.example.com in lower case, separated by commas"
    return _matching(name, _parts(os.environ.get(name, ",".join(default))), _ORIGIN, right)


def origin(name: str, *, default: str) -> str:
    """Return exactly `scheme://host` with or without `:port`; or an empty text."""
    value = os.environ.get(name, default)
    right = "an origin like https://dimensions.example.com in lower case, without a path"
    return _matching(name, [value], _ORIGIN, right)[0] if value else ""


def mail_address(name: str, *, default: str) -> str:
    """Return a mail address; or an empty text."""
    value = os.environ.get(name, default)
    return _matching(name, [value], r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+", "like name@example.com")[0] if value else ""


def hosts(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated names and addresses; `.example.com` matches all subdomains, `*` every name."""
    pattern = r"\*|\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]"
    right = "names like erp.example.com, without scheme, port and path, separated by commas"
    return _matching(name, names(name, default=default), pattern, f"{right}; IPv6 addresses are in brackets")


def path_prefix(name: str, *, default: str, taken: Collection[str]) -> str:
    """Return a path like `/some/prefix` that begins with none of `taken`, without a trailing slash; or an empty
    text.
    """
    value = os.environ.get(name, default)
    segments = value.split("/")[1:]
    if value and (not re.fullmatch("(/[A-Za-z0-9._~-]+)+", value) or {".", ".."} & set(segments)):
        right = "empty, or a path like /some/prefix: letters, digits, '-', '_', '.' and '~', no slash at the end"
        raise _refusal(name, value, right)
    if value and segments[0] in taken:
        raise _refusal(name, value, f"a path that begins otherwise: /{segments[0]} is an address of the service itself")
    return value


def socket_address(name: str, *, default: str) -> SocketAddress | None:
    """Return the address and port of `host:port`; None for an empty text."""
    value = os.environ.get(name, default)
    address = _socket_address(value)
    if value and address is None:
        raise _refusal(name, value, "an address with a port from 1 to 65535, such as 127.0.0.1:9464")
    return address


def listeners(name: str) -> list[str]:
    """Return the comma-separated parts of the value, each `host:port`, `unix:path` or `fd://number`; there may be
    none.
    """
    value = os.environ.get(name, "")
    found = _parts(value) or ([value] if value else [])
    for listener in found:
        if not (_socket_address(listener) or re.fullmatch("unix:.+|fd://[0-9]{1,9}", listener)):
            right = "an address with a port from 1 to 65535, such as 10.0.0.11:8000, or a socket, unix:/run/web.sock or"
            raise _refusal(name, listener, f"{right} fd://3; several are separated by commas")
    return found


def _parts(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _matching(name: str, parts: list[str], pattern: str, right: str) -> list[str]:
    for part in parts:
        if not re.fullmatch(pattern, part):
            raise _refusal(name, part, right)
    return parts


def _socket_address(text: str) -> SocketAddress | None:
    host, _, port = text.rpartition(":")
    # IPv6 addresses are in brackets.
    if not re.fullmatch(r"[^:\[\]\s/]+|\[[0-9a-fA-F:]+\]", host) or not re.fullmatch("[0-9]{1,5}", port):
        return None
    return SocketAddress(host.strip("[]"), int(port)) if 1 <= int(port) <= 65535 else None


def _network(name: str, text: str) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(text)
    except ValueError as error:
        right = "addresses, networks such as 10.0.0.0/8, and unix, separated by commas"
        raise ImproperlyConfigured(f"{name} has '{text}' in it ({error}); it has to be {right}.") from None
    if network.prefixlen == 0:
        raise ImproperlyConfigured(
            f"{name} has '{text}' in it, which includes every address; it has to name only the proxies."
        )
    return network


def has_host(address: str) -> bool:
    """Return whether the URL has a host, and at most a numeric port."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _refusal(name: str, value: str, right: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is '{value}'; it has to be {right}.")
