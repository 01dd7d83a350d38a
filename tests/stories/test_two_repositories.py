"""Somebody with access to two repositories sees what one of them lacks, and brings it over."""

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.stories.pages import clicks, go, more, search


@pytest.mark.contract("J2", "K4", "K7")
def test_she_compares_two_repositories_and_brings_over_what_is_missing_in_six_clicks(root, rest):
    """Of what the list finds; it took about ten, an export and an import. Then the activity is undone."""
    missing = rest("elements?filter=id=like=OLD.000&sort=id")
    go(root, "Accounts")
    search(root, "OLD.000")
    more(root, "Compare")
    root.get_by_label("Right: repository").select_option("northwind (Northwind group)")
    expect(root.get_by_role("heading", name=f"Differences: {len(missing)}")).to_be_visible()
    # The page is about the left one, and a name that is too long for a line has another.
    expect(root.locator("#switch strong")).to_have_text("Contoso holding")
    expect(root.get_by_label("Right: repository")).to_have_css("white-space-collapse", "collapse")
    follow(root.get_by_role("button", name="Copy from northwind into contoso…"))
    expect(root.get_by_role("link", name="to be created")).to_have_text(f"to be created: {len(missing)}")
    expect(root.get_by_role("link", name="to be deleted")).to_have_text("to be deleted: 0")
    follow(root.get_by_role("button", name="Apply"))
    expect(root.get_by_text("The change proposal was applied.")).to_be_visible()
    assert clicks(root) == 6

    follow(root.get_by_role("link", name="See it in the change log"))
    follow(root.get_by_role("button", name="Undo…"))
    follow(root.get_by_role("button", name="Apply"))
    expect(root.get_by_text("The change proposal was applied.")).to_be_visible()
    go(root, "Accounts")
    expect(root.get_by_role("link", name="contoso")).to_have_count(0)
