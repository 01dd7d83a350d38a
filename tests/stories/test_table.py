"""An accountant corrects thirty accounts in one go, partly pasted from a spreadsheet, and takes it back."""

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.stories.pages import clicks, go, search


@pytest.mark.contract("K4", "K6", "K7")
def test_she_corrects_thirty_accounts_in_eight_clicks_with_a_pasted_column_and_undoes_it(alice, rest):
    """Leading zeros, an error at its cell, the counts, one change set with a reason; Undo brings all back.

    By an export, a spreadsheet and an import it took about twenty, and a file.
    """
    before = {id: rest(f"elements/{id}") for id in ("OLD.0001", "OLD.0030", "OLD.0039")}
    alice.context.grant_permissions(["clipboard-read", "clipboard-write"])
    go(alice, "Accounts")
    search(alice, "OLD.00")
    follow(alice.get_by_role("link", name="Edit as table"))
    expect(alice.get_by_role("grid", name="Edit as a table")).to_be_visible()
    rows = alice.get_by_role("row").filter(has=alice.get_by_role("gridcell"))
    titles = alice.get_by_role("columnheader").all_inner_texts()
    german, type, conversion = (titles.index(title) for title in ("Description (de)", "Type", "Conversion type"))

    texts = "".join(f"{number:04}\r\n" for number in range(1, 31))
    alice.evaluate("text => navigator.clipboard.writeText(text)", texts)
    # The first cell is selected already.
    alice.keyboard.press("ArrowRight")
    alice.keyboard.press("Control+v")
    expect(rows.nth(29).get_by_role("gridcell").nth(german)).to_have_text("0030")
    rows.nth(0).get_by_role("gridcell").nth(type).click()
    alice.keyboard.type("Detail")
    alice.keyboard.press("Enter")
    alice.keyboard.press("ArrowUp")
    for _ in range(29):
        alice.keyboard.press("Shift+ArrowDown")
    alice.keyboard.press("Control+d")
    rows.nth(4).get_by_role("gridcell").nth(conversion).click()
    alice.keyboard.type("Finally")
    alice.keyboard.press("Enter")
    expect(alice.get_by_text("Changed cells: 61")).to_be_visible()

    follow(alice.get_by_role("button", name="Check table", exact=True))
    expect(alice.get_by_role("alert")).to_contain_text("there is 1 error")
    alice.get_by_role("button", name="OLD.0005", exact=True).click()
    alice.keyboard.type("Final")
    alice.keyboard.press("Enter")
    follow(alice.get_by_role("button", name="Check table", exact=True))
    expect(alice.get_by_text("30 rows would be changed,")).to_be_visible()
    assert rest("elements/OLD.0001") == before["OLD.0001"]

    alice.get_by_label("Reason").fill("Numbers from the manual")
    follow(alice.get_by_role("button", name="Save", exact=True))
    expect(alice.get_by_text("30 rows were saved.")).to_be_visible()
    found = rest("elements/OLD.0030")
    assert (found["descriptions"]["de"], found["type"]) == ("0030", "DETAIL")
    assert rest("elements/OLD.0039") == before["OLD.0039"]
    assert clicks(alice) == 8

    follow(alice.get_by_role("link", name="See what was changed, or undo it"))
    expect(alice.get_by_text("Numbers from the manual").first).to_be_visible()
    follow(alice.get_by_role("button", name="Undo"))
    follow(alice.get_by_role("button", name="Apply"))
    expect(alice.get_by_text("The change proposal was applied.")).to_be_visible()
    for id in ("OLD.0001", "OLD.0030"):
        assert rest(f"elements/{id}")["descriptions"] == before[id]["descriptions"]
        assert rest(f"elements/{id}")["type"] == "NORMAL"
