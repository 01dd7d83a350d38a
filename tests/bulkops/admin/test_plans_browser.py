"""People undo, check and apply with the keyboard alone, on a desk and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from account.models import Account
from dimensions_site.changes.models import ChangeSet
from tests.browser import WIDTHS, fits, signed_in
from tests.dimensions_site.site_admin.people import browser_of, page
from tests.factories import Caller, account

pytestmark = [pytest.mark.contract("K6", "K7"), pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_keyboard_alone_undoes_an_activity(visit, alice: Caller, width: str) -> None:
    """From the activity to the plan, and back to an activity when the plan is applied."""
    alice.send("POST", alice.account(), account("1000"))
    alice.send("PATCH", alice.account("elements/1000"), {"descriptions": {"en": "Wrong"}})
    changed = ChangeSet.objects.latest("committed_at", "number")

    def look(tab: Page) -> None:
        tab.get_by_role("button", name="Undo…").press("Enter")
        expect(tab.get_by_role("status")).to_contain_text("Nothing is changed yet.")
        expect(tab.get_by_role("cell", name="Wrong")).to_be_visible()
        assert fits(tab)
        tab.get_by_role("link", name="Changed (1)").press("Enter")
        expect(tab.get_by_text("Changed (1)")).to_have_attribute("aria-current", "page")
        tab.get_by_label("Reason").focus()
        tab.keyboard.type("Typo")
        tab.keyboard.press("Enter")
        expect(tab.get_by_text("The plan was applied.")).to_be_visible()
        assert fits(tab)
        with tab.expect_download() as download:
            tab.get_by_role("link", name="Export to Excel").press("Enter")
        assert download.value.suggested_filename == "northwind-account-plan.xlsx"
        tab.get_by_role("link", name="To the activity").press("Enter")
        expect(tab.get_by_role("link", name="To the plan")).to_be_visible()

    options = {"storage_state": signed_in(browser_of(alice)), "viewport": {"width": WIDTHS[width], "height": 800}}
    visit(page(ChangeSet, "change", changed.pk), look, **options)
    assert Account.objects.get().descriptions["en"] == "Cash"
