"""Who calls, by which scheme and under which name, where proxies stand between the caller and the service.

Everybody can send headers that speak of this. They are believed from the proxies that `TRUSTED_PROXIES` names, and
nothing behind this module sees them: what asks for the address of the caller reads `REMOTE_ADDR`.
"""

from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dimensions_site.api.middleware import GetResponse
from dimensions_site.environment import UNIX, Proxy

_Address: TypeAlias = IPv4Address | IPv6Address

# X-Forwarded-For, -Proto, -Host, -Prefix and their kin; Forwarded (RFC 7239), which proxies rarely write; X-Real-IP.
_FORWARDING = ("HTTP_X_FORWARDED", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


def forwarded(get_response: GetResponse) -> GetResponse:
    """Put what a trusted proxy tells in the place of what the connection tells, and take the headers away.

    X-Forwarded-For becomes `REMOTE_ADDR`, X-Forwarded-Proto the scheme, X-Forwarded-Host the host, which still has to
    stand in ALLOWED_HOSTS. A trusted proxy that names another scheme than http or https is answered 400: it is set up
    wrongly, and every address and cookie that the service sends would be wrong with it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        told = {name: request.META.pop(name) for name in list(request.META) if name.startswith(_FORWARDING)}
        peer = _read(request.META.get("REMOTE_ADDR", ""))
        if _is_trusted(peer, settings.TRUSTED_PROXIES):
            _believe(request, peer, told)
        return get_response(request)

    return middleware


def _believe(request: HttpRequest, peer: _Address | None, told: dict[str, str]) -> None:
    meta = request.META
    if "HTTP_X_FORWARDED_FOR" in told:
        caller = _caller(peer, told["HTTP_X_FORWARDED_FOR"], settings.TRUSTED_PROXIES)
        if caller != peer:
            meta["REMOTE_ADDR"] = str(caller)
            meta.pop("REMOTE_PORT", None)  # it belongs to the proxy
    scheme = told.get("HTTP_X_FORWARDED_PROTO", meta["wsgi.url_scheme"]).strip().lower()
    if scheme not in ("http", "https"):
        raise SuspiciousOperation(f"A proxy sent X-Forwarded-Proto: {scheme!r}; it has to be http or https.")
    meta["wsgi.url_scheme"] = scheme
    if "HTTP_X_FORWARDED_HOST" in told:
        meta["HTTP_HOST"] = told["HTTP_X_FORWARDED_HOST"].strip()


def _caller(peer: _Address | None, hops: str, proxies: Collection[Proxy]) -> _Address | None:
    """The address nearest to the service that is no trusted proxy's: what stands left of it anybody may have written.

    Where a proxy names no address, which it may do on purpose (`unknown`), the caller is the proxy itself.
    """
    nearest = peer
    for hop in reversed(hops.split(",")):
        address = _read(_without_port(hop.strip()))
        if address is None:
            break
        nearest = address
        if not _is_trusted(address, proxies):
            break
    return nearest


def _is_trusted(peer: _Address | None, proxies: Collection[Proxy]) -> bool:
    """Tell whether the peer is one of the proxies; None, which is no address, is a unix socket's."""
    if peer is None:
        return UNIX in proxies
    return any(peer in network for network in proxies if not isinstance(network, str))


def _read(text: str) -> _Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # How a socket for both families shows an address of the older one.
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(hop: str) -> str:
    """Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
