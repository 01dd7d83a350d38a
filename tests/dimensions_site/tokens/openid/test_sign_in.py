"""A person signs in with the company's account, and comes back to the page that they wanted."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.test import Client

from dimensions_site.environment import Rate
from dimensions_site.repositories.models import AccessChange, Repository
from dimensions_site.tokens.openid import provider
from tests.dimensions_site.tokens.openid.company import (
    CLIENT_ID,
    START,
    Company,
    asked_for,
    come_back,
    is_signed_in,
    parameters_of,
    sign_in,
)

pytestmark = [pytest.mark.contract("N1"), pytest.mark.django_db]


def test_a_person_signs_in_and_comes_back_to_the_page_they_wanted(company: Company, accountants: Group) -> None:
    """By discovery, with PKCE, state and nonce; the session has another key than before."""
    browser = Client()
    parameters = asked_for(browser, "/admin/account/account/?q=a%26b")
    before = browser.session.session_key
    expected = {"client_id": CLIENT_ID, "response_type": "code", "scope": "openid profile"}
    assert expected.items() <= parameters.items()
    assert parameters["code_challenge_method"] == "S256"
    assert {len(parameters[name]) >= 20 for name in ("state", "nonce", "code_challenge")} == {True}
    assert parameters["redirect_uri"] == "http://testserver/admin/sign-in/done/"
    back = come_back(browser, parameters, company.code(parameters))
    assert (back.status_code, back["Location"]) == (302, "/admin/account/account/?q=a%26b")
    assert is_signed_in(browser)
    assert browser.session.session_key != before
    assert company.asked == ["/.well-known/openid-configuration", "/token", "/keys"]


@pytest.mark.contract("N4")
def test_a_sign_in_is_recorded_with_what_it_changed(company: Company, accountants: Group) -> None:
    sign_in(company, Client())
    events = [(change.event, change.subject["user"]) for change in AccessChange.objects.filter(subject__user="nora")]
    assert events == [
        ("sign_in_accepted", "nora"),
        ("user_changed", "nora"),
        ("provider_account_created", "nora"),
        ("user_created", "nora"),
    ]


def test_the_sign_in_page_offers_the_company_first(company: Company, client: Client) -> None:
    page = client.get("/admin/login/?next=/admin/currency/currency/%3Fq%3Da").content.decode()
    assert '/admin/sign-in/?next=%2Fadmin%2Fcurrency%2Fcurrency%2F%3Fq%3Da"' in page
    assert page.index(START) < page.index('name="password"')


def test_without_a_provider_nothing_of_it_exists(client: Client) -> None:
    """Neither its pages nor a word on the sign-in page."""
    assert START not in client.get("/admin/login/").content.decode()
    assert [client.get(path).status_code for path in (START, f"{START}done/")] == [404, 404]
    assert client.post("/auth/openid/logout").status_code == 404


@pytest.mark.parametrize(
    ("setting", "name", "is_in"),
    [
        ("all", "alice", True),
        ("superusers", "alice", False),
        ("superusers", "root", True),
        ("none", "root", False),
        ("none", "alice", False),
    ],
)
def test_who_signs_in_with_a_password_is_a_setting(
    company: Company, settings: Any, setting: str, name: str, is_in: bool
) -> None:
    settings.LOCAL_SIGN_IN = setting
    User.objects.create_superuser("root", password="root-password")
    User.objects.create_user("alice", password="alice-password", is_staff=True)
    browser = Client()
    answer = browser.post("/admin/login/", {"username": name, "password": f"{name}-password"})
    assert is_signed_in(browser) is is_in
    assert is_in or "Sign in with your company" in answer.content.decode()


def test_the_page_has_no_password_field_where_nobody_signs_in_with_one(
    company: Company, settings: Any, client: Client
) -> None:
    settings.LOCAL_SIGN_IN = "none"
    page = client.get("/admin/login/").content.decode()
    assert 'name="password"' not in page
    assert START in page


def test_what_was_typed_survives_the_sign_in(company: Company, accountants: Group, northwind: Repository) -> None:
    """A form whose session has ended comes back filled in, after the way through the provider."""
    sign_in(company, Client())
    browser = Client()
    address = f"/admin/account/account/add/?repository={northwind.pk}"
    page = browser.post(address, {"_user": "nora", "id": "typed-before"})
    typed = page.context["pending"]
    assert "typed-before" in typed
    sent = browser.post(f"{START}?{urlencode({'next': address})}", {"pending": typed})
    assert sent.status_code == 200
    parameters = parameters_of(sent.context["address"])
    back = come_back(browser, parameters, company.code(parameters))
    assert back["Location"] == address
    assert b"typed-before" in browser.get(address).content


def test_too_much_text_is_refused_and_not_lost_silently(company: Company, client: Client) -> None:
    """Anybody can send it, so a session without a user takes less than one with."""
    answer = client.post(START, {"pending": "x" * (64 * 1024 + 1)})
    assert answer.status_code == 413
    assert "too long to be kept" in answer.content.decode()


def test_what_a_browser_without_a_user_stores_is_counted_by_address(
    company: Company, client: Client, settings: Any
) -> None:
    """Text as refused credentials are, and each way to the provider as pages are."""
    settings.THROTTLE_REFUSED = Rate(2, "hour")
    assert [client.post(START, {"pending": "x"}).status_code for _ in range(4)] == [200, 200, 429, 429]
    cache.clear()
    settings.THROTTLE_ADMIN = Rate(2, "hour")
    assert [client.get(START).status_code for _ in range(4)] == [302, 302, 429, 429]


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "/\t/evil.example",
        "admin/",
        "/" + "a" * 5_000,
        "",
    ],
)
def test_a_sign_in_ends_on_a_page_of_this_service(company: Company, accountants: Group, wanted: str) -> None:
    back = sign_in(company, Client(), wanted)
    assert (back.status_code, back["Location"]) == (302, "/admin/")


def test_a_browser_keeps_a_few_open_sign_ins(company: Company, accountants: Group) -> None:
    """Several tabs may sign in at once; a session does not grow with each start."""
    browser = Client()
    started = [asked_for(browser) for _ in range(7)]
    assert len([key for key, _ in browser.session.items() if key.startswith("_state_")]) == 5
    assert come_back(browser, started[0], company.code(started[0])).status_code == 400
    assert come_back(browser, started[2], company.code(started[2])).status_code == 302


def test_signing_out_ends_the_session_at_the_provider_too(company: Company, accountants: Group) -> None:
    browser = Client()
    sign_in(company, browser)
    left = browser.post("/admin/logout/")
    assert left.context["address"].startswith(f"{company.issuer}/end?id_token_hint=")
    assert "post_logout_redirect_uri=http%3A%2F%2Ftestserver%2Fadmin%2Flogin%2F" in left.context["address"]
    assert not is_signed_in(browser)
    company.metadata = {"end_session_endpoint": None}
    provider._client_of.cache_clear()
    sign_in(company, browser)
    assert b"logged out" in browser.post("/admin/logout/").content
    assert not is_signed_in(browser)


@pytest.mark.parametrize("status", [500, 302, 404])
def test_a_provider_that_is_down_is_named_and_superusers_still_come_in(
    company: Company, client: Client, status: int
) -> None:
    """It is not asked again at once."""
    company.status = status
    User.objects.create_superuser("root", password="root-password")
    for _ in range(3):
        page = client.get(START)
        assert (page.status_code, "does not answer" in page.content.decode()) == (503, True)
    assert company.asked == ["/.well-known/openid-configuration"]
    failed = client.get(f"{START}?next=/admin/account/account/").content.decode()
    assert 'href="/admin/login/?next=%2Fadmin%2Faccount%2Faccount%2F"' in failed
    client.post("/admin/login/", {"username": "root", "password": "root-password"})
    assert is_signed_in(client)


def test_a_silent_provider_holds_nobody_for_longer_than_a_moment(
    company: Company, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer comes byte by byte and never ends."""
    monkeypatch.setattr(provider, "_TIMEOUT", 0.3)
    company.is_slow = True
    assert [client.get(START).status_code for _ in range(3)] == [503, 503, 503]
    assert len(company.asked) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"issuer": "https://other.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"token_endpoint": "ftp://127.0.0.1/token"},
        {"jwks_uri": None},
        {"end_session_endpoint": "javascript:alert(1)"},
        {"id_token_signing_alg_values_supported": ["none", "HS256"]},
    ],
    ids=str,
)
def test_an_unusable_discovery_document_is_refused(company: Company, client: Client, changed: dict[str, Any]) -> None:
    company.metadata = changed
    assert client.get(START).status_code == 503


def test_a_discovery_document_sets_addresses_only(company: Company, accountants: Group) -> None:
    """Authlib would take other members as options of its session, such as one that stops checking certificates."""
    company.metadata = {"verify": False, "default_timeout": 0, "proxies": {"http": "http://127.0.0.1:1"}, "hooks": 1}
    assert sign_in(company, Client()).status_code == 302


def test_an_endless_answer_is_cut_off(company: Company, client: Client) -> None:
    company.metadata = {"padding": "x" * 1_100_000}
    assert client.get(START).status_code == 503
