"""Strict readers of environment variables, for the settings and for gunicorn's configuration.

A misspelled value stops the service with a sentence; it never silently means something else. Values are taken as they
stand: django-environ's own readers take every unknown word for false, and a text that begins with "$", as a secret key
may, for the name of another variable. Only its translation of addresses is used. Every reader raises
ImproperlyConfigured, naming the variable, its value and what would be right.
"""

import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

_DATABASES = (
    "postgresql://user:password@host:5432/name (special characters of the password written as %XX) "
    "or sqlite:////absolute/path"
)
_CACHES = "locmemcache:// or redis://host:6379"


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


def names(name: str, *, default: list[str]) -> list[str]:
    """Return the comma-separated parts of the value, without the spaces around them; there is at least one."""
    value = os.environ.get(name, ",".join(default))
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if not parts:
        raise _refusal(name, value, "one or more names, separated by commas")
    return parts


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


def cache(name: str, *, default: str) -> dict[str, Any]:
    """Return Django's description of the cache at the address, which is in the process's memory or in Redis."""
    address = os.environ.get(name, default)
    if _scheme(name, address, ("locmemcache", "redis", "rediss"), _CACHES) != "locmemcache":
        if not _has_host(address):
            raise _unreadable(name, _CACHES)
        if find_spec("redis") is None:
            raise ImproperlyConfigured(f"{name} names Redis, for which the Python package 'redis' is not installed.")
    described: dict[str, Any] = environ.Env.cache_url_config(address)
    return described


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
