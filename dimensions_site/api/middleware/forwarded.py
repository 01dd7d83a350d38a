"""The client's address, scheme and host behind reverse proxies (design/http.md).

Forwarding headers are accepted only from the proxies in `TRUSTED_PROXIES`, since any client can send them. They are
removed from the request; the rest of the service reads `REMOTE_ADDR`.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dimensions_site.api.middleware.requests import GetResponse
from dimensions_site.environment import UNIX

_Address: TypeAlias = IPv4Address | IPv6Address

# X-Forwarded-For, -Proto, -Host, -Prefix and others; Forwarded (RFC 7239), which proxies rarely send; X-Real-IP.
_FORWARDING = ("HTTP_X_FORWARDED", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


def apply_forwarding_headers(get_response: GetResponse) -> GetResponse:
    """Apply the forwarding headers of a trusted proxy to the request, and remove them in any case.

    X-Forwarded-For becomes `REMOTE_ADDR`, X-Forwarded-Proto the scheme, X-Forwarded-Host the host, which must still
    be in ALLOWED_HOSTS. A scheme other than http or https is 400: the proxy is misconfigured, and all URLs and cookies
    of the service would be wrong.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        headers = {name: request.META.pop(name) for name in list(request.META) if name.startswith(_FORWARDING)}
        peer = _read(request.META.get("REMOTE_ADDR", ""))
        if _is_trusted(peer):
            _apply(request, peer, headers)
        return get_response(request)

    return middleware


def _apply(request: HttpRequest, peer: _Address | None, headers: dict[str, str]) -> None:
    meta = request.META
    if "HTTP_X_FORWARDED_FOR" in headers:
        client = _client_address(peer, headers["HTTP_X_FORWARDED_FOR"])
        if client != peer:
            meta["REMOTE_ADDR"] = str(client)
            meta.pop("REMOTE_PORT", None)  # the proxy's
    scheme = headers.get("HTTP_X_FORWARDED_PROTO", meta["wsgi.url_scheme"]).strip().lower()
    if scheme not in ("http", "https"):
        raise SuspiciousOperation(f"A proxy sent X-Forwarded-Proto: {scheme!r}; it must be http or https.")
    meta["wsgi.url_scheme"] = scheme
    if "HTTP_X_FORWARDED_HOST" in headers:
        meta["HTTP_HOST"] = headers["HTTP_X_FORWARDED_HOST"].strip()


def _client_address(peer: _Address | None, hops: str) -> _Address | None:
    """Return the last address that is not a trusted proxy's: a client may have forged the entries before it.

    If a proxy sends no address, which it may do on purpose (`unknown`), return that of the proxy.
    """
    nearest = peer
    for hop in reversed(hops.split(",")):
        address = _read(_without_port(hop.strip()))
        if address is None:
            break
        nearest = address
        if not _is_trusted(address):
            break
    return nearest


def _is_trusted(peer: _Address | None) -> bool:
    """Return whether the peer is a trusted proxy; None is the peer of a unix socket, which has no address."""
    proxies = settings.TRUSTED_PROXIES
    if peer is None:
        return UNIX in proxies
    return any(peer in network for network in proxies if not isinstance(network, str))


def _read(text: str) -> _Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # A dual-stack socket reports IPv4 addresses in this form.
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(hop: str) -> str:
    """Strip the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
