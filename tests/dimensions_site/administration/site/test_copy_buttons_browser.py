"""A key that is shown once is copied by keyboard, or selected where copying is not permitted."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, follow, signed_in
from tests.dimensions_site.administration.site.people import superuser

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db(transaction=True)]

SELECTED = "getSelection().toString()"


@pytest.fixture
def root(transactional_db: None) -> Client:
    User.objects.create_user("nina")
    return superuser()


def make_key(page: Page) -> str:
    """Make a key, and press its button by keyboard; return the key."""
    page.get_by_label("Name").fill("Data warehouse")
    page.locator(".field-user .select2-selection").click()
    page.get_by_role("searchbox").last.fill("nina")
    page.get_by_role("option", name="nina").click()
    follow(page.get_by_role("button", name="Save", exact=True))
    page.get_by_role("button", name="Copy the API key").focus()
    page.keyboard.press("Enter")
    return page.locator("[data-copy]").inner_text()


def look(visit: Any, root: Client, work: Any, **options: Any) -> Any:
    size = {"width": WIDTHS["phone"], "height": 800}
    address = reverse("admin:repositories_apikey_add")
    return visit(address, work, viewport=size, storage_state=signed_in(root), **options)


def test_the_button_copies_and_says_so(visit: Any, root: Client):
    """Screen readers hear it: the words appear in a status."""

    def work(page: Page) -> None:
        key = make_key(page)
        expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == key

    look(visit, root, work, permissions=["clipboard-read", "clipboard-write"])


def test_without_permission_the_key_is_selected_and_the_page_says_what_to_press(visit: Any, root: Client):
    def work(page: Page) -> None:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        key = make_key(page)
        expect(page.get_by_role("status").filter(has_text="Selected: copy it with Ctrl+C")).to_be_visible()
        assert page.evaluate(SELECTED) == key

    look(visit, root, work)
