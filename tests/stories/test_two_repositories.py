"""Somebody with access to two repositories sees what one of them lacks, and brings it over."""

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.stories.pages import clicks, go, more


@pytest.mark.contract("J2", "K4", "K7")
def test_she_compares_two_repositories_and_brings_over_what_is_missing_in_eight_clicks(root, rest):
    """It took about ten, an export and an import. Then the activity is undone."""
    missing = rest("elements?filter=id=like=OLD.000&sort=id")
    go(root, "Accounts")
    more(root, "Compare")
    root.get_by_label("Right: repository").select_option("northwind (Northwind group)")
    follow(root.get_by_role("button", name="Add a condition"))
    root.get_by_label("Search for a field").fill("id")
    root.keyboard.press("Enter")
    root.get_by_label("Value", exact=True).fill("OLD.000")
    follow(root.get_by_role("button", name="Add the condition"))
    expect(root.get_by_role("heading", name=f"Differences: {len(missing)}")).to_be_visible()
    follow(root.get_by_role("button", name="Copy from northwind into contoso…"))
    expect(root.get_by_role("link", name="to be created")).to_have_text(f"to be created: {len(missing)}")
    expect(root.get_by_role("link", name="to be deleted")).to_have_text("to be deleted: 0")
    follow(root.get_by_role("button", name="Apply"))
    expect(root.get_by_text("The change proposal was applied.")).to_be_visible()
    assert clicks(root) == 8

    follow(root.get_by_role("link", name="See it in the change log"))
    follow(root.get_by_role("button", name="Undo…"))
    follow(root.get_by_role("button", name="Apply"))
    expect(root.get_by_text("The change proposal was applied.")).to_be_visible()
    go(root, "Accounts")
    expect(root.get_by_role("link", name="contoso")).to_have_count(0)
