"""A person signs in to the running service at a running OpenID provider, in a real browser, until they leave."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, Page, expect

from tests.browser import Watched, chromium, fits, skip_without_browser
from tests.readable import violations
from tests.services.clerk import errand
from tests.services.openid_provider import CLIENT_ID, PASSWORD, SECRET, issuer
from tests.services.service import PROJECT, Service, free_port, serving, stop, wait_for_port

pytestmark = [pytest.mark.contract("N1", "N2", "N3", "N4")]

_GROUP = """
from django.contrib.auth.models import Group
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.tokens.models import ProviderGroup
for group, name, role in [("Accountants", "accounting", Role.EDITOR), ("Auditors", "audit", Role.READER)]:
    group = Group.objects.create(name=group)
    ProviderGroup.objects.create(group=group, name=name)
    AccessGrant.objects.create(group=group, repository=Repository.objects.get(), role=role, dimension="all")
"""

_KEY = "from django.core.management import call_command; call_command('create_api_key', 'mara', name='own')"

_DUE = """
from django.db.models import F
from dimensions_site.tokens.models import ProviderSession
ProviderSession.objects.update(due_at=F("checked_at"))
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    """The port of the provider, a separate process."""
    port = free_port()
    command = [sys.executable, "-m", "tests.services.openid_provider", str(port)]
    with subprocess.Popen(command, cwd=PROJECT) as process:
        try:
            wait_for_port(port, process)
            yield port
        finally:
            stop(process)


@pytest.fixture(scope="module")
def company_service(
    untouched: tuple[str, str], provider: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The service, which the provider knows."""
    settings = {
        "OIDC_ISSUER": issuer(provider),
        "OIDC_CLIENT_ID": CLIENT_ID,
        "OIDC_CLIENT_SECRET": SECRET,
        "SECURE_COOKIES": "false",
    }
    errand(untouched[0], _GROUP)
    with serving(*untouched, tmp_path_factory.mktemp("company"), **settings) as service:
        ask(provider, f"client?address={service.address}")
        yield service


def ask(port: int, what: str) -> None:
    requests.get(f"http://127.0.0.1:{port}/set/{what}", timeout=30).raise_for_status()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    skip_without_browser()
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    watched = Watched(page)
    yield page
    context.close()
    watched.check("127.0.0.1")


def enter(page: Page, name: str) -> None:
    """Sign in on the provider's page."""
    expect(page.get_by_role("heading", name="Company")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Enter").click()


def test_a_person_signs_in_works_and_leaves(
    company_service: Service, untouched: tuple[str, str], provider: int, page: Page
) -> None:
    """What was typed survives a sign-in in between, and a leaver is out at the next check."""
    accounts = f"{company_service.address}/admin/account/account/"
    page.goto(accounts)
    page.get_by_role("link", name="Sign in with your company's account").click()
    enter(page, "nora")
    page.wait_for_url(accounts)

    page.get_by_role("link", name=re.compile("^Add")).first.click()
    page.locator("[name=id]").fill("4711")
    errand(untouched[0], "from django.contrib.sessions.models import Session; Session.objects.all().delete()")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("the form comes back with what you typed")
    page.get_by_role("button", name="Sign in with your company's account").click()
    expect(page.locator("[name=id]")).to_have_value("4711")

    errand(untouched[0], _DUE)
    page.goto(accounts)
    expect(page).to_have_url(accounts)  # the provider has confirmed the session with its refresh token
    ask(provider, "leave")
    errand(untouched[0], _DUE)
    page.goto(accounts)
    expect(page.get_by_role("link", name="Sign in with your company's account")).to_be_visible()


def test_a_person_who_moves_has_the_new_groups_from_the_next_sign_in_on_with_their_key_too(
    company_service: Service, untouched: tuple[str, str], provider: int, page: Page
) -> None:
    sign_in = f"{company_service.address}/admin/sign-in/?next=/admin/account/account/"
    page.goto(sign_in)
    enter(page, "mara")
    add = page.locator("a[href*='/account/account/add/']").first
    expect(add).to_be_visible()
    key = errand(untouched[0], _KEY).split()[-1]

    def status_of_post(id: str) -> int:
        address = f"{company_service.address}/api/aih/dimensions/v1/northwind/currency/elements"
        sent: Any = {"id": id, "descriptions": {"en": "Mara"}, "decimalNumbers": 2, "percentageDifference": "0"}
        return requests.post(address, json=sent, headers={"X-API-Key": key}, timeout=30).status_code

    assert status_of_post("MARA-1") == 201
    ask(provider, "move")
    assert status_of_post("MARA-2") == 201  # as before, until they sign in again
    page.evaluate("document.querySelector('form[action$=\"/admin/logout/\"]').submit()")
    page.wait_for_url(f"{company_service.address}/admin/login/*")
    page.goto(sign_in)
    enter(page, "mara")
    page.wait_for_url(f"{company_service.address}/admin/account/account/")
    expect(add).to_be_hidden()
    assert status_of_post("MARA-3") == 403


def test_a_person_without_a_group_here_reads_whom_to_ask(company_service: Service, page: Page) -> None:
    """On a phone, too."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{company_service.address}/admin/")
    assert fits(page)
    assert violations(page) == []
    page.get_by_role("link", name="Sign in with your company's account").click()
    enter(page, "zoe")
    expect(page.get_by_role("alert")).to_contain_text("Ask the administrator of this service")
    assert fits(page)
    assert violations(page) == []
    page.get_by_role("link", name="Back to the sign-in page").click()
    expect(page.get_by_label("Password")).to_be_visible()


@pytest.fixture
def linked(untouched: tuple[str, str], provider: int) -> Iterator[None]:
    """Zoe has a user here, whom an administrator has linked, until the test ends."""
    errand(
        untouched[0],
        "from django.contrib.auth.models import User; from dimensions_site.tokens.models import ProviderAccount;"
        "user = User.objects.create_user('zoe', is_staff=True);"
        f"ProviderAccount.objects.create(user=user, issuer={issuer(provider)!r}, subject='2')",
    )
    yield
    errand(untouched[0], "from django.contrib.auth.models import User; User.objects.get(username='zoe').delete()")


@pytest.mark.usefixtures("linked")
def test_signing_out_ends_the_session_at_the_provider(company_service: Service, page: Page) -> None:
    """The next sign-in asks for the password, and what was typed in forms is gone from the browser."""
    start = f"{company_service.address}/admin/sign-in/"
    page.goto(start)
    enter(page, "zoe")
    page.wait_for_url(f"{company_service.address}/admin/")
    page.evaluate("localStorage.setItem('draft:zoe', 'typed')")
    page.evaluate("document.querySelector('form[action$=\"/admin/logout/\"]').submit()")
    page.wait_for_url(f"{company_service.address}/admin/login/*")
    assert page.evaluate("localStorage.getItem('draft:zoe')") is None
    page.goto(start)
    expect(page.get_by_role("heading", name="Company")).to_be_visible()
