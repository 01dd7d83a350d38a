"""People let a program act for them: they are asked on a page, and the program gets a code for a token (RFC 7636)."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from dimensions_site.tokens.oauth2_validator import Validator
from tests.factories import Caller, currency
from tests.tokens.clients import CALLBACK, ask, planning_tool, with_token
from tests.tokens.consenting import (
    PAGE,
    VERIFIER,
    allowed,
    answer_page,
    question,
    redeem,
    renewed,
    signed_in,
    told,
)

pytestmark = pytest.mark.contract("G1")


@pytest.fixture
def browser(alice: Caller) -> Client:
    """Alice's, who may enter the administration and has signed in."""
    return signed_in(alice.user)


@pytest.mark.django_db
def test_whoever_allows_it_gives_the_program_a_token(browser: Client) -> None:
    """It acts as that person, within the scope, and the state comes back as it was sent."""
    client = planning_tool()
    sent_back = told(answer_page(browser, question(client)))
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
def test_whoever_refuses_gives_nothing(browser: Client) -> None:
    """The program is told so."""
    sent_back = told(answer_page(browser, question(planning_tool()), allow=False))
    assert sent_back["error"] == "access_denied"
    assert sent_back["state"] == "s&1"
    assert not Grant.objects.exists()


@pytest.mark.django_db
def test_a_public_program_has_no_secret_and_needs_none(browser: Client) -> None:
    """What proves that the code is its own is the verifier alone."""
    client = planning_tool(client_type="public", redirect_uris=f"{CALLBACK} http://127.0.0.1:8765/")
    code = told(answer_page(browser, question(client)))["code"]
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
def test_a_question_that_cannot_be_meant_goes_back_to_the_program(browser: Client, changed: Any, error: str) -> None:
    """A challenge is required; tokens are never put into an address."""
    sent_back = told(browser.get(question(planning_tool(), **changed)))
    assert (sent_back["error"], sent_back["state"]) == (error, "s&1")


@pytest.mark.django_db
def test_a_challenge_in_plain_text_is_refused(browser: Client) -> None:
    """Whoever sees the address could redeem the code."""
    address = question(planning_tool(), code_challenge_method="plain", code_challenge=VERIFIER)
    assert told(answer_page(browser, address))["error"] == "invalid_request"


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
def test_nobody_is_sent_to_an_address_that_no_program_has(browser: Client, changed: Any) -> None:
    """The page says what is wrong instead."""
    page = browser.get(question(planning_tool(), **changed))
    assert page.status_code == 400
    assert page["Content-Type"].startswith("text/html")


@pytest.mark.django_db
@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "query",
    ["", "x=%zz", "client_id=%ff", "client_id=%00", "scope=" + "x" * 60_000, "client_id=a&client_id=b", "claims={"],
)
def test_a_broken_address_is_answered_with_a_page(browser: Client, query: str) -> None:
    page = browser.get(f"{PAGE}?{query}")
    assert page.status_code == 400
    assert page["Content-Type"].startswith("text/html")


@pytest.mark.django_db
def test_a_form_that_was_tampered_with_does_nothing(browser: Client) -> None:
    """Neither another program nor another address, nor a greater scope than there is, nor NUL."""
    address = question(planning_tool())
    tampered: tuple[dict[str, Any], ...] = (
        {"client_id": "unknown"},
        {"client_id": "\0"},
        {"client_id": ""},
        {"redirect_uri": "https://evil.example/"},
        {"scope": ""},
    )
    for changed in tampered:
        response = answer_page(browser, address, **changed)
        assert response.status_code in (200, 400), changed
    assert told(answer_page(browser, address, scope="admin"))["error"] == "invalid_scope"
    assert not Grant.objects.exists()


@pytest.mark.django_db
@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("on_the_page", "in_the_form"),
    [("https://x.example/", ""), (None, "https://x.example/"), ("https://x.example/", "https://y.example/")],
)
def test_a_form_that_names_another_resource_than_the_page_does_nothing(
    browser: Client, on_the_page: str | None, in_the_form: str
) -> None:
    """What the person was asked is what is granted."""
    address = question(planning_tool(), resource=on_the_page)
    assert answer_page(browser, address, resource=in_the_form).status_code == 400
    assert not Grant.objects.exists()
    assert answer_page(browser, address).status_code == 302
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
def test_what_no_library_can_read_or_keep_is_refused_on_the_page_and_in_its_form(browser: Client, changed: Any) -> None:
    """In PostgreSQL a text that is too long for its column is a fault."""
    client = planning_tool()
    assert browser.get(question(client, **changed)).status_code == 400
    assert answer_page(browser, question(client), **changed).status_code == 400
    assert answer_page(browser, question(client), redirect_uri="https://[::1").status_code == 400
    assert not Grant.objects.exists()


@pytest.mark.django_db
def test_another_site_cannot_press_the_button(browser: Client, alice: Caller) -> None:
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
        assert browser.generic(method, address).status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("way_round", ["approval_prompt=auto", "prompt=none", "prompt=login", "prompt=create"])
def test_people_are_asked_each_time(browser: Client, way_round: str) -> None:
    """Also when they have allowed it before: nobody else can be sure to be the same program."""
    client = planning_tool()
    redeem(client, told(answer_page(browser, question(client)))["code"])
    page = browser.get(f"{question(client)}&{way_round}")
    assert page.status_code == 200
    assert "Planning" in page.content.decode()


@pytest.mark.django_db
def test_who_has_not_signed_in_comes_to_the_login_first(alice: Caller) -> None:
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
def test_who_is_somebody_else_signs_in_and_comes_back_to_the_question(browser: Client) -> None:
    """On a machine that several people share."""
    address = question(planning_tool())
    shown = browser.get(address).content.decode()
    found = re.search(r'name="next" value="([^"]+)"', shown)
    assert found is not None
    signed_out = browser.post("/admin/logout/", {"next": unescape(found[1])})
    assert (signed_out.status_code, signed_out["Location"]) == (302, address)
    assert browser.get(address)["Location"].startswith("/admin/login/")


@pytest.mark.django_db
def test_the_page_tells_what_is_allowed_in_the_language_of_its_reader(browser: Client) -> None:
    """Who wants what, in whose name, and where that leads; the form may end there, and nowhere else."""
    page = browser.get(question(planning_tool(name="<Planning>")), headers={"accept-language": "en"})
    text = page.content.decode()
    assert "&lt;Planning&gt;" in text
    assert "alice" in text
    assert "planning.example" in text
    assert "Read, create, change and replace currencies and accounts" in text
    assert page["Content-Language"] == "en"
    assert "form-action 'self' https://planning.example;" in f"{page['Content-Security-Policy']};"
    assert browser.get(question(planning_tool()), headers={"accept-language": "de"})["Content-Language"] == "de"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": "w" * 64},
        {"code_verifier": ""},
        {"code": "unknown"},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": ""},
    ],
    ids=str,
)
def test_a_code_is_redeemed_by_whom_it_was_given_to(browser: Client, changed: Any) -> None:
    client = planning_tool()
    code = told(answer_page(browser, question(client)))["code"]
    answer = redeem(client, **{"code": code, **changed})
    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_grant", "invalid_request")
    assert not AccessToken.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["redeemed", "expired", "another program", "user not active"])
def test_a_code_is_good_once_and_not_for_long(browser: Client, alice: Caller, end: str) -> None:
    client = planning_tool()
    code = told(answer_page(browser, question(client)))["code"]
    if end == "redeemed":
        assert redeem(client, code).status_code == 200
    elif end == "expired":
        Grant.objects.update(expires=timezone.now())
    elif end == "another program":
        client = planning_tool(name="Other")
    else:
        User.objects.update(is_active=False)
    answer = redeem(client, code)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


@pytest.mark.django_db(transaction=True)
def test_of_many_who_redeem_a_code_at_once_one_gets_a_token(browser: Client) -> None:
    """And none gets a failure."""
    client = planning_tool()
    code = told(answer_page(browser, question(client)))["code"]

    def use(_: int) -> Any:
        try:
            return redeem(client, code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(use, range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


@pytest.mark.django_db
def test_a_code_that_is_redeemed_by_somebody_else_meanwhile_is_refused(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library looks for it several times."""
    look = Validator.validate_code

    def look_and_lose(*given: Any) -> bool:
        found = look(*given)
        Grant.objects.all().delete()
        return found

    client = planning_tool()
    code = told(answer_page(browser, question(client)))["code"]
    monkeypatch.setattr(Validator, "validate_code", look_and_lose)
    answer = redeem(client, code)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


# --- Refresh tokens ----------------------------------------------------------------------------


@pytest.fixture
def held(browser: Client) -> tuple[tuple[Any, str], dict[str, str]]:
    """A program and the tokens that Alice gave it."""
    return allowed(browser)


def status_of(token: str) -> int:
    program = with_token(token)
    status: int = program.get(program.currency("elements-count")).status_code
    return status


@pytest.mark.django_db
def test_a_refresh_token_gets_new_tokens_and_ends_the_old_ones(held: Any) -> None:
    client, tokens = held
    for _ in range(2):
        answer = renewed(client, tokens["refresh_token"])
        assert answer.status_code == 200
        assert status_of(tokens["access_token"]) == 401
        tokens = answer.json()
        assert (tokens["scope"], status_of(tokens["access_token"])) == ("write", 200)


@pytest.mark.django_db
def test_a_refresh_token_that_is_used_twice_ends_all_that_came_of_it(held: Any) -> None:
    """One of its two users has stolen it."""
    client, tokens = held
    good = renewed(client, tokens["refresh_token"]).json()
    assert renewed(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert status_of(good["access_token"]) == 401
    assert renewed(client, good["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.django_db
def test_a_renewal_does_not_widen_the_scope(held: Any) -> None:
    client, tokens = held
    assert renewed(client, tokens["refresh_token"], scope="manage").json()["error"] == "invalid_scope"
    assert renewed(planning_tool(name="Other"), tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "end", ["user not active", "application deleted", "revoked", "access token revoked", "too old"]
)
def test_a_refresh_token_ends_with_what_it_stands_for(held: Any, end: str) -> None:
    client, tokens = held
    if end == "user not active":
        User.objects.update(is_active=False)
        assert status_of(tokens["access_token"]) == 401
    elif end == "application deleted":
        client[0].delete()
    elif end == "too old":
        AccessToken.objects.update(expires=timezone.now() - timedelta(days=15))
    else:
        assert (
            ask("revoke", client, token=tokens["refresh_token" if end == "revoked" else "access_token"]).status_code
            == 200
        )
        assert status_of(tokens["access_token"]) == 401
    assert renewed(client, tokens["refresh_token"]).status_code in (400, 401)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_renew_at_once_one_gets_new_tokens(held: Any) -> None:
    """None gets a failure, or tokens that are empty."""
    client, tokens = held

    def use(_: int) -> Any:
        try:
            return renewed(client, tokens["refresh_token"])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(use, range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
