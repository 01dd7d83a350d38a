"""People reach past states and comparisons in a browser, with the keyboard alone."""

import pytest
from playwright.sync_api import expect

from account.models import Account
from tests.browser import fits, signed_in
from tests.dimensions_site.elements.admin.dated import store_chart
from tests.dimensions_site.site_admin.people import browser_of, page

pytestmark = [pytest.mark.contract("J1"), pytest.mark.django_db(transaction=True)]

# As a browser in American English takes it; four digits of the year lead on to the hour.
KEYS = "03312026100000PM"


def test_the_keyboard_alone_leads_to_a_past_state_and_back(alice, northwind, visit):
    """The form is closed until it is needed; Enter sends it, but not a day without a time."""
    store_chart(alice, northwind)

    def look(tab):
        moment = tab.get_by_label("As of (UTC)")
        expect(moment).to_be_hidden()
        tab.get_by_text("As of an earlier moment").focus()
        tab.keyboard.press("Enter")
        moment.focus()
        tab.keyboard.type(KEYS[:8])
        tab.keyboard.press("Enter")
        assert "as_of" not in tab.url
        moment.blur()
        moment.focus()
        tab.keyboard.type(KEYS)
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("status")).to_contain_text("as of 2026-03-31 22:00:00 UTC.")
        expect(tab.get_by_role("link", name="Loans")).to_be_visible()
        expect(tab.get_by_role("link", name="Import", exact=True)).to_have_count(0)
        assert fits(tab)
        tab.get_by_role("link", name="Back to now").press("Enter")
        expect(tab.get_by_role("link", name="Petty money")).to_be_visible()
        expect(moment).to_be_hidden()

    visit(page(Account), look, storage_state=signed_in(browser_of(alice)), locale="en-US")


@pytest.mark.contract("J2")
def test_the_keyboard_alone_compares_and_downloads_the_workbook(alice, northwind, visit):
    store_chart(alice, northwind)

    def look(tab):
        tab.get_by_role("link", name="Compare").press("Enter")
        tab.get_by_label("Before: date and time (UTC)").focus()
        tab.keyboard.type(KEYS)
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("heading", name="Differences: 3")).to_be_visible()
        expect(tab.get_by_role("row", name="type NORMAL DETAIL")).to_be_visible()
        with tab.expect_download() as download:
            tab.get_by_role("link", name="Export to Excel").press("Enter")
        return download.value.suggested_filename

    options = {"storage_state": signed_in(browser_of(alice)), "locale": "en-US"}
    assert visit(page(Account), look, **options) == "northwind-account-differences.xlsx"
