"""Errors outside the API come in the form that `Accept` asks for, and the paths above others list them."""

import pytest
from django.test import Client

pytestmark = pytest.mark.contract("B3")

PROBLEM = "application/problem+json"
PAGE = "text/html; charset=utf-8"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("application/json", PROBLEM),
        ("application/problem+json", PROBLEM),
        ("application/json, text/plain, */*", PROBLEM),
        ("application/*", PROBLEM),
        (BROWSER, PAGE),
        ("text/html;q=0.5, application/json;q=0.4", PAGE),
        ("*/*", PAGE),
        (None, PAGE),
        ("image/png", PAGE),
    ],
)
@pytest.mark.parametrize("path", ["/nothing", "/openapi.json", "/docs/nothing", "/admin/nothing/"])
def test_an_unknown_address_is_answered_as_the_client_asks(
    admin_client: Client, path: str, accept: str | None, form: str
):
    """For signed-in users, too."""
    response = admin_client.get(path, headers={} if accept is None else {"Accept": accept})
    assert (response.status_code, response["Content-Type"]) == (404, form)
    if form == PROBLEM:
        assert (response.json()["code"], response.json()["requestId"]) == ("NOT_FOUND", response["X-Request-ID"])


def test_the_api_always_answers_with_problems(client: Client):
    for path in ("/dimensions/v1/x/account/nothing", "/health/nothing", "/version/nothing", "/openapi/nothing"):
        response = client.get(path, headers={"Accept": BROWSER})
        assert (response.status_code, response["Content-Type"]) == (404, PROBLEM)


@pytest.mark.parametrize("accept", ["application/json", BROWSER])
def test_a_form_from_elsewhere_is_refused_as_the_client_asks(accept: str):
    """It has no token of a page."""
    response = Client(enforce_csrf_checks=True).post("/admin/login/", headers={"Accept": accept})
    form = PAGE if accept == BROWSER else PROBLEM
    assert (response.status_code, response["Content-Type"]) == (403, form)
    if form == PROBLEM:
        assert response.json()["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("path", ["/", "/docs/account", "/docs/dimensions", "/admin/start/hide-steps/"])
def test_a_method_that_a_page_does_not_take_is_answered_as_the_client_asks(admin_client: Client, path: str):
    admin_client.handler.enforce_csrf_checks = True
    method = "GET" if path.startswith("/admin") else "POST"
    response = admin_client.generic(method, path, headers={"Accept": "application/json"})
    assert (response.status_code, response["Content-Type"]) == (405, PROBLEM)
    assert (response.json()["code"], method in response["Allow"]) == ("METHOD_NOT_ALLOWED", False)


@pytest.mark.contract("H3")
@pytest.mark.parametrize(
    ("path", "some"),
    [
        ("/docs", {"/docs/account", "/docs/currency"}),
        ("/openapi", {"/openapi/account.json", "/openapi/account.yaml", "/openapi/currency.json"}),
        ("/health", {"/health/live", "/health/ready"}),
    ],
)
def test_a_path_above_others_lists_them(client: Client, db: None, path: str, some: set[str]):
    """For browsers it is the page with links to all of them."""
    for accept in ("application/json", "*/*"):
        response = client.get(path, headers={"Accept": accept})
        found = response.json()["paths"]
        assert some <= set(found)
        assert {client.get(one).status_code for one in found} <= {200, 503}
    response = client.get(path, headers={"Accept": BROWSER})
    assert (response.status_code, response["Content-Type"]) == (200, PAGE)
    assert client.post(path).status_code == 405
