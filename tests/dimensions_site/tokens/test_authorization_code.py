"""People let a program act for them: a page asks for consent, and the program gets a code for a token (RFC 7636)."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from tests.dimensions_site.tokens.clients import CALLBACK, ask, planning_tool, with_token
from tests.dimensions_site.tokens.consenting import VERIFIER, answer_page, question, redeem, redirect_parameters
from tests.factories import Person, currency

pytestmark = pytest.mark.contract("G1")


@pytest.mark.django_db
def test_whoever_allows_it_gives_the_program_a_token(alices_browser: Client) -> None:
    """It acts as that person, within the scope, and the state comes back as it was sent."""
    client = planning_tool()
    sent_back = redirect_parameters(answer_page(alices_browser, question(client)))
    assert (sent_back["state"], sent_back["iss"]) == ("s&1", "http://testserver")
    answer = redeem(client, sent_back["code"])
    assert answer.status_code == 200
    token = answer.json()
    assert (token["scope"], token["token_type"]) == ("write", "Bearer")
    program = with_token(token["access_token"])
    assert program.send("POST", program.currency(), currency()).status_code == 201
    assert program.get(program.currency("elements/EUR")).json()["updateInfo"]["user"] == "alice"
    assert [row.token for row in (*AccessToken.objects.all(), *RefreshToken.objects.all())] == ["", ""]


@pytest.mark.django_db
def test_whoever_refuses_gives_nothing(alices_browser: Client) -> None:
    """The program gets an error that says so."""
    sent_back = redirect_parameters(answer_page(alices_browser, question(planning_tool()), allow=False))
    assert sent_back["error"] == "access_denied"
    assert sent_back["state"] == "s&1"
    assert not Grant.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [
        (CALLBACK.replace("planning", "Planning"), 200),
        (CALLBACK.replace("callback", "Callback"), 400),
        (f"{CALLBACK}/", 400),
        (f"{CALLBACK}?a=b", 400),
    ],
)
def test_a_redirect_address_is_the_registered_one(alices_browser: Client, address: str, status: int) -> None:
    """But for the letter case of its host, in which names are equal."""
    assert alices_browser.get(question(planning_tool(), redirect_uri=address)).status_code == status


@pytest.mark.django_db
def test_a_public_program_has_no_secret_and_needs_none(alices_browser: Client) -> None:
    """What proves that the code is its own is the verifier alone."""
    client = planning_tool(client_type="public", redirect_uris=f"{CALLBACK} http://127.0.0.1:8765/")
    code = redirect_parameters(answer_page(alices_browser, question(client)))["code"]
    parameters = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
    public = {**parameters, "client_id": client[0].client_id}
    assert ask("token", None, **public).json()["error"] in ("invalid_grant", "invalid_request")
    assert ask("token", None, **public, code_verifier=VERIFIER).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "S512"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "everywhere"}, "invalid_target"),
    ],
    ids=str,
)
def test_a_question_that_cannot_be_meant_goes_back_to_the_program(
    alices_browser: Client, changed: Any, error: str
) -> None:
    """A challenge is required; tokens are never part of an address."""
    sent_back = redirect_parameters(alices_browser.get(question(planning_tool(), **changed)))
    assert (sent_back["error"], sent_back["state"]) == (error, "s&1")


@pytest.mark.django_db
def test_a_challenge_in_plain_text_is_refused(alices_browser: Client) -> None:
    """Whoever sees the address could redeem the code."""
    address = question(planning_tool(), code_challenge_method="plain", code_challenge=VERIFIER)
    assert redirect_parameters(answer_page(alices_browser, address))["error"] == "invalid_request"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "unknown"},
        {"client_id": None},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": f"{CALLBACK}/"},
        {"redirect_uri": f"{CALLBACK}?x=1"},
        {"redirect_uri": f"{CALLBACK}#x"},
        {"redirect_uri": "https://x@planning.example/callback"},
        {"redirect_uri": "https://planning.example.evil/callback"},
        {"redirect_uri": "http://planning.example/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "//planning.example/callback"},
        {"redirect_uri": "https://[planning.example/callback"},
        {"redirect_uri": "https://planning.example:99999/callback"},
    ],
    ids=str,
)
def test_nobody_is_sent_to_an_address_that_no_program_has(alices_browser: Client, changed: Any) -> None:
    """The page says what is wrong instead."""
    page = alices_browser.get(question(planning_tool(), **changed))
    assert page.status_code == 400
    assert page["Content-Type"].startswith("text/html")


@pytest.mark.django_db
def test_a_form_that_was_tampered_with_does_nothing(alices_browser: Client) -> None:
    """Neither another program nor another address, nor an unknown scope, nor NUL."""
    address = question(planning_tool())
    tampered: tuple[dict[str, Any], ...] = (
        {"client_id": "unknown"},
        {"client_id": "\0"},
        {"client_id": ""},
        {"redirect_uri": "https://evil.example/"},
        {"scope": ""},
    )
    for changed in tampered:
        response = answer_page(alices_browser, address, **changed)
        assert response.status_code in (200, 400), changed
    assert redirect_parameters(answer_page(alices_browser, address, scope="admin"))["error"] == "invalid_scope"
    assert not Grant.objects.exists()


@pytest.mark.django_db
@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("on_the_page", "in_the_form"),
    [("https://x.example/", ""), (None, "https://x.example/"), ("https://x.example/", "https://y.example/")],
)
def test_a_form_that_names_another_resource_than_the_page_does_nothing(
    alices_browser: Client, on_the_page: str | None, in_the_form: str
) -> None:
    """What the consent page showed is what is granted."""
    address = question(planning_tool(), resource=on_the_page)
    assert answer_page(alices_browser, address, resource=in_the_form).status_code == 400
    assert not Grant.objects.exists()
    assert answer_page(alices_browser, address).status_code == 302
    assert [grant.resource for grant in Grant.objects.all()] == [[on_the_page] if on_the_page else []]


@pytest.mark.django_db
@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "changed",
    [
        {"resource": "https://[::1"},
        {"resource": "https://\u2100/"},
        {"code_challenge": "c" * 200},
        {"code_challenge_method": "S256" * 10},
        {"nonce": "n" * 300},
    ],
    ids=str,
)
def test_what_no_library_can_read_or_keep_is_refused_on_the_page_and_in_its_form(
    alices_browser: Client, changed: Any
) -> None:
    """In PostgreSQL a text that is too long for its column is an error."""
    client = planning_tool()
    assert alices_browser.get(question(client, **changed)).status_code == 400
    assert answer_page(alices_browser, question(client), **changed).status_code == 400
    assert answer_page(alices_browser, question(client), redirect_uri="https://[::1").status_code == 400
    assert not Grant.objects.exists()


@pytest.mark.django_db
def test_another_site_cannot_press_the_button(alices_browser: Client, alice: Person) -> None:
    """The form needs the token of the page, and no other site may show the page in a frame."""
    address = question(planning_tool())
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(alice.user)
    page = careful.get(address)
    form = {name: value or "" for name, value in page.context["form"].initial.items()}
    assert careful.post(address, {**form, "allow": "on"}).status_code == 403
    assert page["X-Frame-Options"] == "DENY"
    assert "no-store" in page["Cache-Control"]
    for method in ("PUT", "PATCH", "DELETE"):
        assert alices_browser.generic(method, address).status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("way_round", ["approval_prompt=auto", "prompt=none", "prompt=login", "prompt=create"])
def test_people_are_asked_each_time(alices_browser: Client, way_round: str) -> None:
    """Also when they have consented before: nothing else proves that it is the same program."""
    client = planning_tool()
    redeem(client, redirect_parameters(answer_page(alices_browser, question(client)))["code"])
    page = alices_browser.get(f"{question(client)}&{way_round}")
    assert page.status_code == 200
    assert "Planning" in page.content.decode()


@pytest.mark.django_db
def test_who_has_not_signed_in_comes_to_the_login_first(alice: Person) -> None:
    """And then back to the question."""
    address = question(planning_tool())
    sent = Client().get(address)
    assert (sent.status_code, urlsplit(sent["Location"]).path) == (302, "/admin/login/")
    User.objects.filter(pk=alice.user.pk).update(is_staff=True)
    browser = Client()
    signed_in = browser.post(sent["Location"], {"username": "alice", "password": "alice-password"})
    assert signed_in["Location"] == address
    assert browser.get(address).status_code == 200


@pytest.mark.django_db
def test_who_is_somebody_else_signs_in_and_comes_back_to_the_question(alices_browser: Client) -> None:
    """On a machine that several people share."""
    address = question(planning_tool())
    shown = alices_browser.get(address).content.decode()
    found = re.search(r'name="next" value="([^"]+)"', shown)
    assert found is not None
    signed_out = alices_browser.post("/admin/logout/", {"next": unescape(found[1])})
    assert (signed_out.status_code, signed_out["Location"]) == (302, address)
    assert alices_browser.get(address)["Location"].startswith("/admin/login/")


@pytest.mark.django_db
def test_the_page_shows_what_is_allowed_in_the_language_of_its_reader(alices_browser: Client) -> None:
    """The program, the user, the rights and the target; the form may end there, and nowhere else."""
    page = alices_browser.get(question(planning_tool(name="<Planning>")), headers={"accept-language": "en"})
    text = page.content.decode()
    assert "&lt;Planning&gt;" in text
    assert "alice" in text
    assert "planning.example" in text
    assert "Read, create, change and replace accounts and currencies" in text
    assert page["Content-Language"] == "en"
    assert "form-action 'self' https://planning.example;" in f"{page['Content-Security-Policy']};"
    assert alices_browser.get(question(planning_tool()), headers={"accept-language": "de"})["Content-Language"] == "de"
