"""The header Accept: what is served, and what is refused."""

import pytest
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.test import APIClient, APIRequestFactory

from dimensions_site.api.rendering import HeaderNegotiation, JSONRenderer


class TableRenderer(BaseRenderer):
    media_type = "text/csv"
    format = "csv"


def chosen(accept: str | None) -> str:
    headers = {} if accept is None else {"Accept": accept}
    request = Request(APIRequestFactory().get("/", headers=headers))
    renderer, media_type = HeaderNegotiation().select_renderer(request, [JSONRenderer(), TableRenderer()])
    assert renderer.media_type == media_type
    return media_type


@pytest.mark.contract("B1", "H4")
@pytest.mark.parametrize(
    ("accept", "served"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("*", "application/json"),
        ("application/json;q=0, *;q=0.1", "text/csv"),
        ("application/*", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("application/json; indent=4", "application/json"),
        ("APPLICATION/JSON", "application/json"),
        ("text/csv", "text/csv"),
        ("text/*, application/json;q=0.5", "text/csv"),
        ("application/json;q=0.5, text/csv;q=0.6", "text/csv"),
        ("text/csv, application/json", "application/json"),
        ("application/json;q=0, */*", "text/csv"),
        ("text/html, image/gif, *; q=.2, */*; q=.2", "application/json"),
        ("application/json;q=nan, text/csv;q=high", "application/json"),
        (",,;q=1,application/json", "application/json"),
    ],
)
def test_the_type_that_the_client_prefers_is_served(accept, served):
    """Quality decides, then the order in which the view offers its types; the more specific range counts."""
    assert chosen(accept) == served


@pytest.mark.contract("B1")
@pytest.mark.urls("tests.dimensions_site.api.echo")
@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml;q=1", "application/json;q=0", "application/problem+json", "json", "text/*"]
)
def test_what_cannot_be_served_is_406_in_the_form_of_errors(accept):
    """The errors themselves are problem documents whatever Accept says; to accept only errors is to refuse JSON."""
    response = APIClient(headers={"X-Name": "alice"}).get("/dimensions/v1/r/echo/x", headers={"Accept": accept})
    assert response.status_code == 406
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "NOT_ACCEPTABLE"
    assert "application/json" in response.json()["detail"]


def test_json_is_compact_and_not_escaped():
    """Parameters of Accept change nothing."""
    rendered = JSONRenderer().render({"name": "Zürich", "n": [1, None]}, "application/json; indent=4")
    assert rendered == '{"name":"Zürich","n":[1,null]}'.encode()


def test_a_response_without_content_has_no_body():
    """Not the word null."""
    assert JSONRenderer().render(None) == b""
