"""The scripts of the administration work under a policy that lets no text of a page become a script."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, follow, signed_in
from tests.dimensions_site.administration.site.people import browser_of, superuser
from tests.factories import Person

# Wide enough for the sidebar beside the page.
LIGHT_DESK = {"viewport": {"width": 1400, "height": 900}, "color_scheme": "light"}
# What the console says of a violation.
POLICY = "Content Security Policy"
INJECTED = (
    "<img src='/nowhere' onerror='document.title = 1'>",
    "<style>body { display: none }</style>",
    "<iframe src='/'></iframe>",
    "<object data='/'></object>",
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_somebody_smuggles_into_a_page_does_nothing_and_is_noticed(visit) -> None:
    """Each test with a browser fails on a violation; this one shows that it would."""

    def look(page: Page) -> None:
        for injected in INJECTED:
            with page.expect_console_message(lambda message: POLICY in message.text):
                page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", injected)
        page.wait_for_timeout(500)
        assert page.title() != "1"
        expect(page.get_by_role("heading", level=1)).to_be_visible()

    with pytest.raises(AssertionError, match=POLICY):
        visit("/", look)


def test_the_sidebar_stays_as_it_was_left(visit, rita: Person) -> None:
    """It is hidden, and still is on the next page."""

    def look(page: Page) -> None:
        link = page.get_by_role("navigation").get_by_text("Accounts", exact=True)
        expect(link).to_be_visible()
        page.get_by_role("button", name="Navigation", exact=True).click()
        expect(link).to_be_hidden()
        page.reload()
        expect(page.get_by_role("heading", name="Start page")).to_be_visible()
        expect(link).to_be_hidden()
        page.get_by_role("button", name="Navigation", exact=True).click()
        expect(link).to_be_visible()

    visit("/admin/", look, storage_state=signed_in(browser_of(rita)), **LIGHT_DESK)


# --- A key that is shown once is copied by keyboard, or selected where copying is not permitted ---------

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


def open_the_form(visit: Any, root: Client, work: Any, **options: Any) -> Any:
    size = {"width": WIDTHS["phone"], "height": 800}
    address = reverse("admin:repositories_apikey_add")
    return visit(address, work, viewport=size, storage_state=signed_in(root), **options)


@pytest.mark.contract("G1")
def test_the_button_copies_and_says_so(visit: Any, root: Client):
    """Screen readers hear it: the words appear in a status."""

    def work(page: Page) -> None:
        key = make_key(page)
        expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == key

    open_the_form(visit, root, work, permissions=["clipboard-read", "clipboard-write"])


@pytest.mark.contract("G1")
def test_without_permission_the_key_is_selected_and_the_page_says_what_to_press(visit: Any, root: Client):
    def work(page: Page) -> None:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        key = make_key(page)
        expect(page.get_by_role("status").filter(has_text="Selected: copy it with Ctrl+C")).to_be_visible()
        assert page.evaluate(SELECTED) == key

    open_the_form(visit, root, work)
