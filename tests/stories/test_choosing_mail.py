"""People choose when they get mail, in which language, and where."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import follow
from tests.stories.pages import clicks

pytestmark = pytest.mark.contract("O6")


def open_own_mail(page: Page) -> None:
    """Open the page from the menu of the user."""
    page.locator("[aria-controls=user-menu]").click()
    follow(page.get_by_role("link", name="My mail", exact=True))


def test_she_chooses_one_mail_a_day_in_german_with_five_clicks(alice: Page):
    """A wrong address is named at its place, and what she chose stays; it is there when she comes back."""
    open_own_mail(alice)
    alice.get_by_label("Mail address").fill("alice@")
    alice.get_by_label("When").select_option("once a day, all in one mail")
    alice.get_by_label("Language").select_option("Deutsch")
    follow(alice.get_by_role("button", name="Save", exact=True))
    assert clicks(alice) == 5
    expect(alice.get_by_text("This is no mail address; one is like name@example.com.")).to_be_visible()
    expect(alice.get_by_label("When")).to_have_value("DAILY")

    alice.get_by_label("Mail address").fill("alice@example.com")
    follow(alice.get_by_role("button", name="Save", exact=True))
    expect(alice.get_by_text("Your choice was saved.")).to_be_visible()
    open_own_mail(alice)
    expect(alice.get_by_label("Mail address")).to_have_value("alice@example.com")
    expect(alice.get_by_label("Language")).to_have_value("de")
