"""What every response instructs browsers and caches to do, on pages and over REST, and which hosts are answered."""

import re
from typing import Any

import pytest
from django.test import Client

from account.models import Account
from dimensions_site.api.middleware.addresses import CALLBACK
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import Person, account

PAGES = [
    "/",
    "/docs/currency",
    "/nowhere",
    "/admin/login/",
    "/admin/",
    "/admin/nowhere/",
    "/admin/account/account/",
    CALLBACK,
]
ANSWERS = ["/openapi/currency.json", "/health/live", "/dimensions/v1/northwind/account/elements", "/auth/nowhere"]
STATIC = ["/static/site/pages.css", "/static/unfold/js/app.js"]


def directives(answer: Any) -> dict[str, list[str]]:
    """The content security policy of the response, by directive."""
    parts = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {name: values for name, *values in parts}


@pytest.mark.parametrize("path", PAGES + ANSWERS + STATIC)
def test_every_answer_carries_the_headers_that_guard_a_browser(alice: Person, path: str) -> None:
    """Whatever it is, also a page that is not there, a refusal and a static file."""
    answer = browser_of(alice).get(path, secure=True)
    answer.close()
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Strict-Transport-Security"] == "max-age=3600"
    policy = directives(answer)
    for name in ("default-src", "base-uri", "frame-ancestors"):
        assert policy[name] == ["'none'"]
    assert "Access-Control-Allow-Origin" not in answer
    # For browsers that do not know the policy.
    assert path in STATIC or answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", PAGES + STATIC)
def test_a_page_may_load_files_of_the_service_only(alice: Person, path: str) -> None:
    answer = browser_of(alice).get(path)
    answer.close()
    policy = directives(answer)
    assert policy["object-src"] == ["'none'"]
    for name in ("script-src", "connect-src", "form-action", "font-src"):
        assert policy[name][0] == "'self'"
    assert "unsafe" not in " ".join(policy["script-src"] + policy["style-src"])


@pytest.mark.parametrize("path", ANSWERS)
def test_what_is_answered_over_rest_may_load_nothing(alice: Person, path: str) -> None:
    answer = alice.get(path)
    answer.close()
    assert set(directives(answer)) == {"default-src", "base-uri", "form-action", "frame-ancestors"}
    assert directives(answer)["form-action"] == ["'none'"]


def test_over_http_no_browser_is_instructed_to_stay_with_https(client: Client) -> None:
    """The specification promises http beside https."""
    assert "Strict-Transport-Security" not in client.get("/")


def test_a_style_inside_of_a_page_has_the_nonce_of_that_answer(db: None) -> None:
    """Nobody knows it before, and no two responses have the same; scripts are files, without exception."""
    root, seen = superuser(), set()
    for address in ("/admin/", "/admin/auth/user/", "/admin/auth/user/add/", "/admin/logout/"):
        answer = root.get(address) if "logout" not in address else root.post(address)
        text = answer.content.decode()
        inside = re.findall(r"<(?:style|script)(?![^>]* src=)[^>]*>", text)
        nonces = re.findall(r'nonce="([^"]+)"', " ".join(inside))
        assert len(inside) == len(nonces) == 1, inside
        assert f"'nonce-{nonces[0]}'" in directives(answer)["style-src"]
        assert not re.search(r"<[^>]+ on[a-z]+=", text)
        seen.add(nonces[0])
    assert len(seen) == 4


# --- What may be cached ------------------------------------------------------------------------


@pytest.mark.contract("C16")
def test_no_answer_of_the_api_is_kept_on_its_way(alice: Person) -> None:
    """Elements, lists, counts and refusals; a client with an element still gets 304."""
    created = alice.send("POST", alice.account(), account("1000"))
    one = alice.get(alice.account("elements/1000"))
    same = alice.get(alice.account("elements/1000"), headers={"If-None-Match": one["ETag"]})
    assert (created.status_code, one.status_code, same.status_code) == (201, 200, 304)
    others = (
        alice.get(alice.account()),
        alice.get(alice.account(), headers={"Accept": "text/csv"}),
        alice.get(alice.account("elements-count")),
        alice.get(alice.account("elements-bulk-delete-async")),
        alice.options(alice.account()),
        alice.get(alice.account("elements/nothing")),
        alice.get(alice.account(db_id="nowhere")),
        alice.delete(alice.account()),
        Client().get(alice.account()),
        Client().get("/dimensions/nowhere"),
        Client().get(f"{alice.account()}?{'a' * 70_000}"),
    )
    for answer in (created, one, same, *others):
        answer.close()
        assert answer["Cache-Control"] == "no-store", answer


def test_pages_of_the_administration_are_kept_by_nobody(db: None) -> None:
    """Whoever uses the browser after the accountant sees nothing with the back button."""
    assert "no-store" in superuser().get("/admin/auth/user/")["Cache-Control"]
    assert "no-store" in Client().get("/admin/login/")["Cache-Control"]


@pytest.mark.contract("H3")
@pytest.mark.django_db
def test_what_is_public_may_be_kept(client: Client) -> None:
    """The documents are revalidated each time and answered 304; static files are cached for a minute."""
    document = client.get("/openapi/currency.json")
    assert document["Cache-Control"] == "public, no-cache"
    again = client.get("/openapi/currency.json", headers={"If-None-Match": document["ETag"]})
    assert again.status_code == 304
    static = client.get("/static/site/pages.css")
    static.close()
    assert static["Cache-Control"] == "max-age=60, public"


# --- Credentials -------------------------------------------------------------------------------


@pytest.mark.contract("G1")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_session_of_the_administration_opens_no_route_of_rest(alice: Person, method: str) -> None:
    """Another site's page cannot call the API as the logged-in accountant: the API ignores cookies."""
    accountant = browser_of(alice)
    assert accountant.get(page(Account)).status_code == 200
    for rest in ("elements", "elements/1000", "elements-bulk", "elements-bulk-delete-async"):
        answer = accountant.generic(method, alice.account(rest), b"{}", content_type="application/json")
        assert answer.status_code == 401, rest
        assert not answer.cookies


@pytest.mark.contract("G1")
def test_no_answer_of_the_api_sets_a_cookie(alice: Person) -> None:
    """There is nothing that a browser would send by itself the next time."""
    assert not alice.get(alice.account("elements-count")).cookies
    assert not alice.send("POST", alice.account(), account("1000")).cookies


@pytest.mark.contract("B1", "B3")
@pytest.mark.parametrize(
    "host", ["evil.example.com", "localhost.evil.example.com", "localhost:80:80", "local host", "a\\b"]
)
def test_a_host_that_is_not_ours_is_refused(alice: Person, host: str) -> None:
    """Otherwise a link in a page or in a `Location` could lead to it; programs get a problem document."""
    answer = alice.get(alice.account(), headers={"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (400, "DISALLOWED_HOST")
    assert Client().get("/admin/login/", headers={"Host": host}).status_code == 400
