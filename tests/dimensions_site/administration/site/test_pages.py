"""The pages beside the REST API, and those that are refused or not found."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.dimensions_site.administration.site.people import browser_of, superuser
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


@pytest.mark.django_db
def test_an_address_that_leads_nowhere_keeps_the_navigation():
    response = superuser().get("/admin/nowhere/")
    assert response.status_code == 404
    assert 'id="nav-sidebar"' in response.content.decode()
    assert "Page not found" in response.content.decode()


@pytest.mark.django_db
def test_what_is_not_permitted_keeps_the_navigation(alice: Person):
    """Alice sees what she has access to, and nothing else."""
    response = browser_of(alice).get(reverse("admin:auth_user_changelist"))
    text = response.content.decode()
    assert response.status_code == 403
    assert 'id="nav-sidebar"' in text
    assert reverse("admin:account_account_changelist") in text
    assert reverse("admin:auth_user_changelist") not in text


@pytest.mark.django_db
@pytest.mark.contract("B3")
def test_the_address_of_a_button_says_what_to_do_when_it_is_opened():
    """A browser opens it after the person has had to sign in again."""
    response = superuser().get(reverse("hide_steps"), headers={"Accept": "text/html"})
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert 'id="nav-sidebar"' in response.content.decode()
    assert "press the button again" in response.content.decode()


@pytest.mark.django_db
def test_a_form_that_is_too_large_says_so(settings):
    """It was called a request that is not understood."""
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = superuser().post(reverse("own_mail"), {"email": "x" * 2000}, headers={"Accept": "text/html"})
    assert response.status_code == 413
    assert 'id="nav-sidebar"' in response.content.decode()
    assert "one request cannot take that much" in response.content.decode()


@pytest.mark.django_db
def test_those_who_have_not_signed_in_see_no_navigation(client: Client):
    assert "nav-sidebar" not in client.get("/nowhere").content.decode()
    client.force_login(User.objects.create_user("person"))
    assert "nav-sidebar" not in client.get("/admin/nowhere/", follow=True).content.decode()


@pytest.mark.django_db
def test_browsers_find_the_icon_of_the_service(client: Client):
    """At the address that browsers request by themselves."""
    response = client.get("/favicon.ico", follow=True)
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    assert response.getvalue().startswith(b"<svg")
    response.close()
