"""Strict readers of environment variables, for the settings and for gunicorn's configuration.

A misspelled value stops the service with a sentence; it never silently means something else. Values are taken as they
stand: django-environ's own readers take every unknown word for false, and a text that begins with "$", as a secret key
may, for the name of another variable. Only its translation of addresses is used. Every reader raises
ImproperlyConfigured, naming the variable, its value and what would be right.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from dimensions_site.api import rates
from dimensions_site.api.rates import Rate

_DATABASES = (
    "postgresql://user:password@host:5432/name (special characters of the password written as %XX) "
    "or sqlite:////absolute/path"
)
_QUEUES = "database, or redis://host:6379/0 with the number of one of Redis's databases"
_REDIS_CACHE = "dimensions_site.api.caching.DispensableRedisCache"
_CACHES = "locmemcache:// or redis://host:6379"

# A proxy is named by its address or network; one that comes through a unix socket has none.
_Unix: TypeAlias = Literal["unix"]
UNIX: _Unix = "unix"
Proxy: TypeAlias = IPv4Network | IPv6Network | _Unix


class SocketAddress(NamedTuple):
    """Where somebody listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def required(name: str) -> str:
    """Return the text of a variable that has no default."""
    value = os.environ.get(name, "")
    if not value.strip():
        raise ImproperlyConfigured(f"{name} is {'empty' if name in os.environ else 'not set'}; it has no default.")
    return value


def boolean(name: str, *, default: bool) -> bool:
    """Return True for `true` and False for `false`, in capital or small letters."""
    value = os.environ.get(name, str(default))
    if value.lower() not in ("true", "false"):
        raise _refusal(name, value, "true or false")
    return value.lower() == "true"


def one_of(name: str, choices: Sequence[str], *, default: str) -> str:
    """Return the value, which is one of `choices`."""
    value = os.environ.get(name, default)
    if value not in choices:
        raise _refusal(name, value, f"one of {', '.join(choices)}")
    return value


def integer(name: str, *, default: int, minimum: int, maximum: int) -> int:
    """Return a whole number from `minimum`, which is not negative, to `maximum`, written in digits alone."""
    value = os.environ.get(name, str(default))
    # No number here has more than 18 digits, and Python refuses to convert thousands of them.
    if not re.fullmatch("[0-9]{1,18}", value) or not minimum <= int(value) <= maximum:
        raise _refusal(name, value, f"a whole number from {minimum} to {maximum}, in digits alone")
    return int(value)


def rate(name: str, *, default: str) -> Rate | None:
    """Return the rate that is written like `60/minute`, or None for `off`."""
    value = os.environ.get(name, default)
    if value == "off":
        return None
    try:
        return rates.parse(value)
    except ValueError:
        raise _refusal(name, value, "like 60/minute (per second, minute, hour or day), or off") from None


def names(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated parts of the value, without the spaces around them; there is at least one."""
    value = os.environ.get(name, ",".join(default))
    parts = _parts(value)
    if not parts:
        raise _refusal(name, value, "one or more names, separated by commas")
    return parts


def names_of(name: str, choices: Sequence[str], *, default: list[str]) -> list[str]:
    """Return the comma-separated parts of the value, each of them one of `choices`; there is at least one."""
    found = names(name, default=default)
    for part in found:
        if part not in choices:
            raise _refusal(name, ",".join(found), f"some of {', '.join(choices)}, separated by commas")
    return found


def text(name: str, *, default: str) -> str:
    """Return the text as it stands, which may be empty."""
    return os.environ.get(name, default)


def web_address(name: str, *, default: str) -> str:
    """Return an address with https, or with http on this machine itself; or an empty text."""
    value = os.environ.get(name, default)
    pattern = r"(https://|http://(127\.0\.0\.1|\[::1\]|localhost)[:/])[!-~]*"
    if value and not (_has_host(value) and re.fullmatch(pattern, value)):
        raise _refusal(name, value, "an address like https://idp.example.com/keys; http is for this machine alone")
    return value


def proxies(name: str, *, default: list[str]) -> list[Proxy]:
    """Return the addresses and networks among the comma-separated parts of the value, and `unix` for a unix socket."""
    value = os.environ.get(name, ",".join(default))
    return [UNIX if part == UNIX else _network(name, part) for part in _parts(value)]


def origins(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated origins of the value, each `scheme://host` with or without `:port`, and no more."""
    found = _parts(os.environ.get(name, ",".join(default)))
    for origin in found:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", origin):
            raise _refusal(name, origin, "origins like https://app.example.com in small letters, separated by commas")
    return found


def hosts(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated names and addresses; a dot before a name is for all below it, `*` for every name."""
    found = names(name, default=default)
    for host in found:
        if not re.fullmatch(r"\*|\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]", host):
            right = "names like erp.example.com, without scheme, port and path, separated by commas"
            raise _refusal(name, host, f"{right}; an address of IPv6 stands in brackets")
    return found


def path_prefix(name: str, *, default: str, taken: Collection[str]) -> str:
    """Return a path like `/some/prefix` that begins with none of `taken`, or an empty text; no slash is at its end."""
    value = os.environ.get(name, default)
    segments = value.split("/")[1:]
    if value and (not re.fullmatch("(/[A-Za-z0-9._~-]+)+", value) or {".", ".."} & set(segments)):
        right = "empty, or a path like /some/prefix: letters, digits, '-', '_', '.' and '~', no slash at the end"
        raise _refusal(name, value, right)
    if value and segments[0] in taken:
        raise _refusal(name, value, f"a path that begins otherwise: /{segments[0]} is an address of the service itself")
    return value


def readable_file(name: str, *, default: str) -> str:
    """Return the name of a file that can be read, or an empty text."""
    value = os.environ.get(name, default)
    if value:
        try:
            Path(value).open("rb").close()
        except OSError as error:
            raise ImproperlyConfigured(f"{name} is '{value}', which cannot be read: {error.strerror}.") from None
    return value


def socket_address(name: str, *, default: str) -> SocketAddress | None:
    """Return the address and the port of `host:port`, and None for an empty text."""
    value = os.environ.get(name, default)
    address = _socket_address(value)
    if value and address is None:
        raise _refusal(name, value, "an address with a port from 1 to 65535, such as 127.0.0.1:9464")
    return address


def listeners(name: str) -> list[str]:
    """Return the comma-separated parts of the value, each `host:port`, `unix:path` or `fd://number`; none if empty."""
    value = os.environ.get(name, "")
    found = _parts(value) or ([value] if value else [])
    for listener in found:
        if not (_socket_address(listener) or re.fullmatch("unix:.+|fd://[0-9]{1,9}", listener)):
            right = "an address with a port from 1 to 65535, such as 0.0.0.0:8000, or a socket, unix:/run/web.sock or"
            raise _refusal(name, listener, f"{right} fd://3; several are separated by commas")
    return found


def database(name: str, *, default: str) -> dict[str, Any]:
    """Return Django's description of the database at the address, which is in PostgreSQL or SQLite."""
    address = os.environ.get(name, default)
    scheme = _scheme(name, address, ("postgresql", "postgres", "sqlite"), _DATABASES)
    if scheme == "sqlite" and not address.startswith("sqlite:///") and address != "sqlite://":
        # The part behind two slashes is a host, and the database would be in memory.
        raise ImproperlyConfigured(f"{name} has too few slashes for a file; it has to be like {_DATABASES}.")
    try:
        described: dict[str, Any] = environ.Env.db_url_config(address)
    except ValueError:
        raise _unreadable(name, _DATABASES) from None
    if not described["NAME"]:
        raise ImproperlyConfigured(f"{name} names no database; it has to be like {_DATABASES}.")
    return described


def replica(name: str, *, default: str, primary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the description of a replica of the database `primary`, both in PostgreSQL; None for an empty text."""
    if not os.environ.get(name, default):
        return None
    described = database(name, default=default)
    if described["ENGINE"].endswith("sqlite3") or primary["ENGINE"].endswith("sqlite3"):
        raise ImproperlyConfigured(
            f"{name} names a replica; it has to be one of a PostgreSQL server, and DATABASE_URL its primary."
        )
    return described


def cache(name: str, *, default: str) -> dict[str, Any]:
    """Return Django's description of the cache at the address, which is in the process's memory or in Redis."""
    address = os.environ.get(name, default)
    if _scheme(name, address, ("locmemcache", "redis", "rediss"), _CACHES) != "locmemcache":
        if not _has_host(address):
            raise _unreadable(name, _CACHES)
        # Nobody has to wait for a cache that does not answer.
        options = {"socket_connect_timeout": 1, "socket_timeout": 1}
        return {"BACKEND": _REDIS_CACHE, "LOCATION": address, "OPTIONS": options}
    described: dict[str, Any] = environ.Env.cache_url_config(address)
    # Django keeps 300, which would drop what is counted when many call.
    return {**described, "OPTIONS": {"MAX_ENTRIES": 10_000}}


def queue(name: str, *, default: str) -> str:
    """Return `database`, or the address of one of Redis's databases."""
    address = os.environ.get(name, default)
    if address == "database":
        return address
    _scheme(name, address, ("redis", "rediss"), _QUEUES)
    # What the address says beyond that, the client would take for something else or for nothing.
    if not _has_host(address) or not re.fullmatch("[^?#]+://[^/?#]+(/[0-9]{0,5})?", address):
        raise _unreadable(name, _QUEUES)
    return address


def _parts(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _socket_address(text: str) -> SocketAddress | None:
    host, _, port = text.rpartition(":")
    # An address of IPv6 stands in brackets.
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
        raise ImproperlyConfigured(f"{name} has '{text}' in it, which is everybody; it has to name the proxies alone.")
    return network


def _scheme(name: str, address: str, known: Sequence[str], right: str) -> str:
    scheme, mark, _ = address.partition("://")
    if not mark or not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
        raise _unreadable(name, right)
    if scheme not in known:
        raise ImproperlyConfigured(f"{name} begins with '{scheme}://'; it has to be like {right}.")
    return scheme


def _has_host(address: str) -> bool:
    """Tell whether the address has a host, and a port that is a number if any."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _unreadable(name: str, right: str) -> ImproperlyConfigured:
    # A part of a malformed address may be the password, and this sentence goes into logs.
    return ImproperlyConfigured(
        f"{name} cannot be read as an address (it is not shown here, for it may hold a password); "
        f"it has to be like {right}."
    )


def _refusal(name: str, value: str, right: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is '{value}'; it has to be {right}.")
