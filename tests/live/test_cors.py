"""Pages of other sites call the REST API from a browser only where an operator has named their origin."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.services.service import PROJECT, Service, serving

ORIGIN = "https://app.example.com"
ELEMENTS = "/dimensions/v1/northwind/account/elements"
QUESTION = {"Access_Control_Request_Method": "PUT", "Access_Control_Request_Headers": "x-api-key,if-match"}
# Without the service's key, as a browser asks before it sends the request itself.
NOBODY = {"X_API_Key": ""}


@pytest.fixture(scope="module")
def open_service(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose operator has named two origins."""
    named = f"{ORIGIN}, http://localhost:3000"
    folder = tmp_path_factory.mktemp("cors")
    with serving(*prepared, folder, CORS_ALLOWED_ORIGINS=named, WEB_CONCURRENCY="1") as running:
        yield running


def permissions(answer: Any) -> dict[str, str]:
    """The permissions in the response, by header."""
    return {name: value for name, value in answer.headers.items() if name.lower().startswith("access-control-")}


def documented(part: Any) -> set[str]:
    """The headers of the answers in a `part` of an OpenAPI document."""
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = part.get("headers", {}) if isinstance(part, dict) and "description" in part else {}
    return set(own).union(*map(documented, parts))


@pytest.mark.contract("A4", "A6")
def test_nobody_is_named_and_nothing_is_permitted(service: Service):
    """The browser's preflight request is a request like any other: without credentials it is 401."""
    answer = service.send("OPTIONS", ELEMENTS, Origin=ORIGIN, **QUESTION, **NOBODY)
    assert (answer.status, permissions(answer)) == (401, {})
    answer = service.send("GET", ELEMENTS, Origin=ORIGIN)
    assert (answer.status, permissions(answer)) == (200, {})


@pytest.mark.contract("A4")
def test_a_browser_asks_before_it_has_credentials(open_service: Service):
    """It learns which methods and headers a page of that origin may use, and that cookies are not among them."""
    answer = open_service.send("OPTIONS", ELEMENTS, Origin=ORIGIN, **QUESTION, **NOBODY)
    permitted = {name.lower(): value for name, value in permissions(answer).items()}
    assert (answer.status, permitted["access-control-allow-origin"]) == (200, ORIGIN)
    assert permitted["access-control-allow-methods"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    headers = permitted["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "x-api-key", "content-type", "if-match", "if-none-match", "idempotency-key"} <= set(
        headers
    )
    assert "access-control-allow-credentials" not in permitted


@pytest.mark.contract("A4", "B2", "C13", "D7")
def test_a_page_of_a_named_origin_reads_answers_and_their_headers(open_service: Service):
    """Refusals too, so that the page can show its user what is wrong."""
    for status, headers in ((200, {}), (401, NOBODY)):
        answer = open_service.send("GET", ELEMENTS, Origin=ORIGIN, **headers)
        permitted = {name.lower(): value for name, value in permissions(answer).items()}
        assert (answer.status, permitted["access-control-allow-origin"]) == (status, ORIGIN)
        shown = permitted["access-control-expose-headers"].split(", ")
        described = yaml.safe_load((PROJECT / "tests/openapi/dimensions.yml").read_text(encoding="utf-8"))
        assert {"ETag", "X-Deleted", "Sync-Token"} <= documented(described) <= set(shown)
        assert "origin" in answer.headers["Vary"].lower()


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example.com",
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com.evil.example.com",
        "null",
        "https://localhost:3000",
    ],
)
def test_no_other_origin_is_permitted_anything(open_service: Service, origin: str):
    """The name, the scheme and the port have to be those that are named."""
    for method, headers in (("OPTIONS", QUESTION | NOBODY), ("GET", {})):
        assert permissions(open_service.send(method, ELEMENTS, Origin=origin, **headers)) == {}


@pytest.mark.parametrize("path", ["/", "/admin/login/", "/docs/account", "/static/site/pages.css"])
def test_pages_are_for_nobody_else(open_service: Service, path: str):
    """Only the addresses that programs call are open to it."""
    assert permissions(open_service.send("GET", path, Origin=ORIGIN)) == {}


@pytest.mark.contract("G1")
def test_a_page_of_a_named_origin_finds_the_endpoints_of_oauth2(open_service: Service):
    """Clients in a browser read the metadata as any other."""
    answer = open_service.send("GET", "/.well-known/oauth-authorization-server", Origin=ORIGIN, **NOBODY)
    permitted = {name.lower(): value for name, value in permissions(answer).items()}
    assert (answer.status, permitted["access-control-allow-origin"]) == (200, ORIGIN)
