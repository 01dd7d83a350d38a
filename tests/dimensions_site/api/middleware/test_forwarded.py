"""What proxies say about the client counts only if the operator has named them."""

from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from dimensions_site.api import handlers
from dimensions_site.environment import UNIX


def seen(request: HttpRequest) -> HttpResponse:
    """Return what is behind the middleware."""
    left = [name for name in request.headers if "Forwarded" in name or name == "X-Real-Ip"]
    text = f"{request.META['REMOTE_ADDR']} {request.scheme} {request.get_host()} {left}"
    return HttpResponse(text, content_type="text/plain")


urlpatterns = [path("", seen, name="landing"), path("api/seen", seen)]
handler400 = handlers.handler400

pytestmark = pytest.mark.urls("tests.dimensions_site.api.middleware.test_forwarded")

NGINX, BALANCER = "10.0.0.1", "10.9.9.9"
CLIENT = "192.0.2.7"
EVERYTHING = {
    "X-Forwarded-For": CLIENT,
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "erp.example.com",
    "X-Forwarded-Port": "8443",
    "X-Forwarded-Prefix": "/elsewhere",
    "X-Real-IP": CLIENT,
    "Forwarded": f"for={CLIENT};proto=https;host=erp.example.com",
}


@pytest.fixture
def call(settings: Any) -> Callable[..., Any]:
    """Sends a request through that peer; `trusted` says which peers are proxies."""
    settings.ALLOWED_HOSTS = ["localhost", "erp.example.com"]

    def call(peer: str, trusted: list[str], **headers: str) -> Any:
        settings.TRUSTED_PROXIES = [name if name == UNIX else ip_network(name) for name in trusted]
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(SERVER_NAME="localhost").get("/", headers=sent, REMOTE_ADDR=peer)

    return call


def test_a_trusted_proxy_names_the_client_and_the_scheme(call: Callable[..., Any]) -> None:
    """Address, scheme and host become the client's; the headers are removed."""
    answer = call(NGINX, [NGINX], **EVERYTHING)
    assert answer.content.decode() == f"{CLIENT} https erp.example.com []"


@pytest.mark.parametrize("trusted", [[], [BALANCER], ["10.0.0.2/31"], [UNIX]], ids=str)
def test_from_anybody_else_no_header_counts(call: Callable[..., Any], trusted: list[str]) -> None:
    """No client can claim another address, or make plain http look safe."""
    answer = call(NGINX, trusted, **EVERYTHING)
    assert answer.content.decode() == f"{NGINX} http localhost []"
    assert "Strict-Transport-Security" not in answer


def test_a_scheme_from_a_trusted_proxy_makes_the_request_secure(call: Callable[..., Any]) -> None:
    """The browser is instructed to stay with https."""
    assert call(NGINX, [NGINX], X_Forwarded_Proto="https")["Strict-Transport-Security"] == "max-age=3600"
    assert "Strict-Transport-Security" not in call(NGINX, [NGINX], X_Forwarded_Proto="http")


@pytest.mark.parametrize(
    ("hops", "address"),
    [
        (CLIENT, CLIENT),
        (f"{CLIENT}, {BALANCER}", CLIENT),
        # What the client has written itself is on the left.
        (f"127.0.0.1, {CLIENT}, {BALANCER}", CLIENT),
        (f"{BALANCER},203.0.113.9,{CLIENT}", CLIENT),
        (f"{CLIENT}:4711", CLIENT),
        ("[2001:db8::7]:4711", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("::ffff:192.0.2.7", CLIENT),
        (f"{BALANCER}, 10.9.9.8", BALANCER),
        # A proxy that names nobody, on purpose or in words that are not understood.
        (f"unknown, {BALANCER}", BALANCER),
        ("_hidden", NGINX),
        ("", NGINX),
        (",", NGINX),
        (f"{CLIENT}, ' OR 1=1", NGINX),
    ],
)
def test_the_client_is_the_nearest_address_that_is_not_a_proxy(
    call: Callable[..., Any], hops: str, address: str
) -> None:
    """From right to left, as the proxies have added them."""
    answer = call(NGINX, [NGINX, "10.9.9.0/24"], X_Forwarded_For=hops)
    assert answer.content.decode().split()[0] == address


@pytest.mark.parametrize(
    ("peer", "trusted"), [("::ffff:10.0.0.1", NGINX), ("2001:db8::1", "2001:db8::/64"), ("", UNIX)], ids=str
)
def test_a_proxy_is_known_by_address_by_network_and_by_its_unix_socket(
    call: Callable[..., Any], peer: str, trusted: str
) -> None:
    """Also where a socket for both families shows an IPv4 address as one of IPv6."""
    assert call(peer, [trusted], X_Forwarded_For=CLIENT).content.decode().split()[0] == CLIENT


def test_a_proxy_that_sends_nothing_leaves_everything_as_it_is(call: Callable[..., Any]) -> None:
    """Its own address is then the client's."""
    assert call(NGINX, [NGINX]).content.decode() == f"{NGINX} http localhost []"
    assert call("", [UNIX], X_Forwarded_For="unknown").content.decode() == " http localhost []"


@pytest.mark.contract("B1")
@pytest.mark.parametrize("scheme", ["ftp", "https,http", "", "https\t;"])
def test_an_invalid_scheme_is_400(settings: Any, scheme: str) -> None:
    """A misconfigured proxy is noticed at once; programs get a problem document."""
    settings.TRUSTED_PROXIES = [ip_network(NGINX)]
    answer = Client().get("/api/seen", headers={"X-Forwarded-Proto": scheme}, REMOTE_ADDR=NGINX)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["requestId"] == answer["X-Request-ID"]


@pytest.mark.parametrize("host", ["evil.example.com", "erp.example.com, localhost", "erp.example.com/x", ""])
def test_a_host_that_is_not_allowed_is_refused_from_a_proxy_too(call: Callable[..., Any], host: str) -> None:
    """ALLOWED_HOSTS applies to hosts from a proxy as to those from a client."""
    assert call(NGINX, [NGINX], X_Forwarded_Host=host).status_code == 400
