"""A manager deletes a chart that nobody needs any more, has second thoughts, and brings back one account, or all."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import follow
from tests.stories.pages import choose_all_found, clicks, go
from tests.stories.stage import FORMER


def delete_all_found(page: Page) -> None:
    """Have all that the search finds deleted."""
    choose_all_found(page, "Former account")
    expect(page.get_by_text(f"{FORMER} will be deleted from the repository Northwind group.")).to_be_visible()
    follow(page.get_by_role("button", name="Delete them"))
    expect(page.get_by_role("heading", name="Deletion in Northwind group")).to_be_visible()


@pytest.mark.contract("F3")
def test_she_lets_a_deletion_run_to_its_end_and_brings_back_one_account(alice, rest, former):
    """The page counts as it progresses; what is gone can be restored."""
    all_accounts = rest("elements-count")
    delete_all_found(alice)
    status, counts = (alice.locator(f"[data-text={name}]") for name in ("status", "counts"))
    expect(status).to_have_text("Completed")
    expect(counts).to_have_text(f"{FORMER} of {FORMER} processed, {FORMER} deleted")
    expect(alice.get_by_role("progressbar")).to_have_attribute("value", "100")
    expect(alice.get_by_role("button", name="Undo…")).to_be_visible()
    assert rest("elements-count") == all_accounts - FORMER

    go(alice, "Deleted accounts")
    alice.get_by_label("Search in the ids").fill("OLD.0042")
    follow(alice.locator("#content").get_by_role("button", name="Search", exact=True))
    follow(alice.get_by_role("link", name="OLD.0042"))
    deleted = alice.locator("[data-version]").first
    expect(deleted).to_contain_text("Deleted")
    follow(deleted.get_by_role("button", name="Restore this version"))
    expect(alice.get_by_text("OLD.0042 was restored to the version of")).to_be_visible()
    assert rest("elements/OLD.0042")["descriptions"] == {"en": "Former account 42", "de": "Früheres Konto 42"}
    assert rest("elements-count") == all_accounts - FORMER + 1


@pytest.mark.contract("F5", "K7")
def test_she_stops_a_deletion_half_way_and_undoes_it_in_eight_clicks(alice, rest, stage, former):
    """The plan brings back what was deleted; it was possible for one account at a time only."""
    all_accounts = rest("elements-count")
    with stage.slow_worker():
        delete_all_found(alice)
        alice.evaluate("window.isTheSamePage = true")
        expect(alice.locator("[data-text=counts]")).not_to_have_text(f"0 of {FORMER} processed, 0 deleted")
        assert alice.evaluate("window.isTheSamePage")
        follow(alice.get_by_role("button", name="Stop the deletion"))
        expect(alice.locator("[data-text=status]")).to_have_text("Stopped; what is deleted stays deleted")
        deleted = all_accounts - rest("elements-count")
        assert 0 < deleted < FORMER
        follow(alice.get_by_role("button", name="Undo…"))
        expect(alice.get_by_role("link", name="to be created")).to_have_text(f"to be created: {deleted}")
        follow(alice.get_by_role("button", name="Apply"))
    expect(alice.get_by_text("The change proposal was applied.")).to_be_visible()
    assert clicks(alice) == 8
    assert rest("elements-count") == all_accounts
