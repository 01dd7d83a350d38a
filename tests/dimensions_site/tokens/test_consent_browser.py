"""The page on which people let a program act for them, in a real browser."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser import WIDTHS, Watched, fits
from tests.dimensions_site.tokens.clients import planning_tool
from tests.dimensions_site.tokens.consenting import question
from tests.factories import Person
from tests.readable import keep_still, violations

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db(transaction=True)]


def sign_in(page: Page) -> None:
    expect(page.locator("#login-form")).to_be_visible()
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("alice-password")
    page.get_by_role("button", name="Log in").click()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_a_person_signs_in_reads_the_question_and_comes_back_to_the_program(
    alice: Person,
    browser: Browser,
    browser_thread: ThreadPoolExecutor,
    live_server: LiveServer,
    settings: Any,
    width: int,
) -> None:
    """Everybody can read it, in both schemes; the content security policy lets the form end at another address."""
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    User.objects.filter(pk=alice.user.pk).update(is_staff=True)
    port = urlsplit(live_server.url).port
    address = question(planning_tool(client_type="public", redirect_uris=f"http://127.0.0.1:{port}/health/live"))

    def work() -> tuple[list[str], str]:
        page = browser.new_page(viewport={"width": width, "height": 800}, locale="en")
        try:
            watched = Watched(page)
            page.goto(live_server.url + address)
            sign_in(page)
            expect(page.get_by_role("heading", level=1)).to_have_text("Access for a program")
            assert fits(page)
            keep_still(page)
            found = []
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                found += violations(page)
            watched.check("localhost")
            page.get_by_role("button", name="Allow").click()
            page.wait_for_url("http://127.0.0.1:*/**")
            return found, page.url
        finally:
            page.close()

    found, came_to = browser_thread.submit(work).result()
    assert found == []
    assert "code=" in came_to
    assert "state=s%261" in came_to
