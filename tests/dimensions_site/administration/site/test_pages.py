"""The pages beside the REST API."""

import pytest
from django.test import Client

from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import Person, content


@pytest.mark.contract("H3")
@pytest.mark.parametrize("path", ["/", "/docs/currency", "/docs/account"])
def test_a_page_is_public_and_holds_no_script_or_style_of_its_own(path: str) -> None:
    """A content security policy may forbid inline scripts and styles; no database is asked."""
    page = Client().get(path)

    text = page.content.decode()
    assert page.status_code == 200
    assert "<style" not in text
    assert " style=" not in text
    assert text.count("<script") == text.count("<script src=")


@pytest.mark.contract("H3")
@pytest.mark.parametrize(
    "path",
    [
        "/static/site/pages.css",
        "/static/site/swagger_ui.js",
        "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js",
    ],
)
def test_what_the_pages_need_is_served_by_the_service_itself(path: str) -> None:
    """No web server in front of the service is needed for static files."""
    response = Client().get(path)

    assert response.status_code == 200
    assert content(response)


@pytest.mark.parametrize(
    ("path", "status", "way"),
    [
        ("/admin/nowhere/", 404, '"/admin/">To the start page of the administration'),
        ("/admin/auth/user/", 403, '"/admin/">To the start page of the administration'),
        ("/nowhere", 404, '"/">To the start page'),
    ],
)
def test_a_page_that_cannot_be_shown_leads_back_to_where_its_reader_came_from(
    rita: Person, path: str, status: int, way: str
) -> None:
    """An accountant is not sent to the page for programs."""
    answer = browser_of(rita).get(path)
    assert answer.status_code == status
    assert way in answer.content.decode()
