"""Readers of the URLs of databases, caches and mail servers, for the settings.

Like those in `environment`, they raise ImproperlyConfigured with one sentence. It never shows the URL, which may
contain a password. django-environ parses the URLs of databases and mail servers (design/deployment.md).
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from dimensions_site.environment import has_host

_DATABASES = (
    "postgresql://user:password@host:5432/name (special characters of the password written as %XX) "
    "or sqlite:////absolute/path"
)
_REDIS = "redis://user:password@host:6379/0, or rediss:// for TLS (special characters of the password written as %XX)"
_CACHES = f"locmemcache:// or {_REDIS}"
# The default port of each scheme.
_MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
_MAIL_SERVERS = (
    "smtp+tls://user:password@host:587, smtp+ssl:// or smtp:// without TLS (special characters of user and password "
    "written as %XX), or empty"
)


def database(name: str, *, default: str, options: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return Django's settings of the PostgreSQL or SQLite database at the URL.

    `options` has those of each kind, `postgresql` and `sqlite`. The query of the URL, such as `?sslmode=require`, takes
    precedence; its `options`, of PostgreSQL's command line, are appended.
    """
    address = os.environ.get(name, default)
    scheme = _scheme(name, address, ("postgresql", "postgres", "sqlite"), _DATABASES)
    if scheme == "sqlite" and not address.startswith("sqlite:///") and address != "sqlite://":
        # The part after two slashes is a host, and the database would be in memory.
        raise ImproperlyConfigured(f"{name} has too few slashes for a file; it has to be like {_DATABASES}.")
    try:
        described: dict[str, Any] = environ.Env.db_url_config(address)
    except ValueError:
        raise _unreadable(name, _DATABASES) from None
    if not described["NAME"]:
        raise ImproperlyConfigured(f"{name} names no database; it has to be like {_DATABASES}.")
    kind = "sqlite" if scheme == "sqlite" else "postgresql"
    defaults, configured = options[kind], described.get("OPTIONS", {})
    merged = {**defaults, **configured}
    if "options" in defaults and "options" in configured:
        merged["options"] = f"{defaults['options']} {configured['options']}"
    return {**described, "ENGINE": f"dimensions_site.db.{kind}", "OPTIONS": merged}


def replica(
    name: str, *, default: str, primary: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Return the settings of a replica of the database `primary`, both in PostgreSQL; None for an empty text."""
    address = os.environ.get(name, default)
    if not address:
        return None
    if address.startswith("sqlite:") or primary["ENGINE"].endswith("sqlite"):
        raise ImproperlyConfigured(
            f"{name} names a replica; it has to be one of a PostgreSQL server, and DATABASE_URL its primary."
        )
    return database(name, default=default, options=options)


def cache(name: str, *, default: str) -> dict[str, Any]:
    """Return Django's settings of the cache at the URL: the memory of the process, or Redis."""
    address = os.environ.get(name, default)
    if _scheme(name, address, ("locmemcache", "redis", "rediss"), _CACHES) == "locmemcache":
        # Django's default of 300 entries would drop counters when many clients call.
        return {"BACKEND": "dimensions_site.api.caching.LocalCache", "OPTIONS": {"MAX_ENTRIES": 10_000}}
    if not _is_redis(address):
        raise _unreadable(name, _CACHES)
    serializer = "dimensions_site.api.caching.JsonSerializer"
    return {
        "BACKEND": "dimensions_site.api.caching.OptionalRedisCache",
        # In a list, because Django splits a text at commas, which the password may contain.
        "LOCATION": [address],
        # An unresponsive cache must not delay requests.
        "OPTIONS": {"serializer": serializer, "socket_connect_timeout": 1, "socket_timeout": 1},
    }


def mail_server(name: str, *, default: str) -> dict[str, Any]:
    """Return the arguments of Django's SMTP backend for the server at the URL; none for an empty text.

    `smtp+tls` begins without TLS and switches to it before the password is sent, `smtp+ssl` begins with it.
    """
    address = os.environ.get(name, default)
    if not address:
        return {}
    scheme = _scheme(name, address, tuple(_MAIL_PORTS), _MAIL_SERVERS)
    if not has_host(address) or not re.fullmatch(r"[^:]+://([^:@/?#\s]+:[^:@/?#\s]+@)?[^@/?#\s]+/?", address):
        raise _unreadable(name, _MAIL_SERVERS)
    found = environ.Env.email_url_config(address)
    return {
        "host": found["EMAIL_HOST"],
        "port": found["EMAIL_PORT"] or _MAIL_PORTS[scheme],
        "username": found["EMAIL_HOST_USER"] or "",
        "password": found["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": scheme == "smtp+tls",
        "use_ssl": scheme == "smtp+ssl",
    }


def _scheme(name: str, address: str, known: Sequence[str], right: str) -> str:
    scheme, mark, _ = address.partition("://")
    if not mark or not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
        raise _unreadable(name, right)
    if scheme not in known:
        raise ImproperlyConfigured(f"{name} begins with '{scheme}://'; it has to be like {right}.")
    return scheme


def _is_redis(address: str) -> bool:
    """Return whether the URL has a host, and at most a database number and the file of a certificate authority.

    The client ignores or misreads anything beyond that.
    """
    further = r"(/[0-9]{0,5})?" + (r"(\?ssl_ca_certs=/[A-Za-z0-9._/-]+)?" if address.startswith("rediss:") else "")
    return has_host(address) and bool(re.fullmatch(f"[^?#]+://[^/?#]+{further}", address))


def _unreadable(name: str, right: str) -> ImproperlyConfigured:
    # A part of a malformed URL may be the password, and this sentence is logged.
    return ImproperlyConfigured(
        f"{name} cannot be read as an address (it is not shown here because it may contain a password); "
        f"it has to be like {right}."
    )
