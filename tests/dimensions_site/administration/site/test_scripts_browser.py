"""The scripts of the administration work under a policy that lets no text of a page become a script."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import signed_in
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import Person

# Wide enough for the sidebar beside the page.
LIGHT_DESK = {"viewport": {"width": 1400, "height": 900}, "color_scheme": "light"}
# What the console says of a violation.
POLICY = "Content Security Policy"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "injected",
    [
        "<img src='/nowhere' onerror='document.title = 1'>",
        "<style>body { display: none }</style>",
        "<iframe src='/'></iframe>",
        "<object data='/'></object>",
    ],
    ids=["handler", "style", "frame", "object"],
)
def test_what_somebody_smuggles_into_a_page_does_nothing_and_is_noticed(visit, injected: str) -> None:
    """Each test with a browser fails on a violation; this one shows that it would."""

    def look(page: Page) -> None:
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
