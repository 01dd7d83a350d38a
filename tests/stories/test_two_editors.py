"""Two accountants at their browsers change the same account, and one of them is signed out before she saves."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import follow
from tests.stories.pages import log_in, open_account, save

ENGLISH, GERMAN = "Description English (en)", "Description German (de)"


@pytest.fixture
def ed(enter) -> Page:
    """The browser of an editor of Northwind."""
    page: Page = enter("ed")
    return page


@pytest.mark.contract("C16", "C18")
def test_what_each_of_two_changed_by_themselves_is_kept_for_both(alice, ed, rest):
    """One changes the German text, the other the English one; the second save is merged with the first."""
    open_account(alice, "A.23.110")
    open_account(ed, "A.23.110")
    alice.get_by_label(GERMAN, exact=True).fill("Bankguthaben der Gruppe")
    save(alice)
    ed.get_by_label(ENGLISH, exact=True).fill("Group bank balances")
    save(ed)
    expect(ed.get_by_text("Others saved here, too")).to_contain_text("kept: Description (de) by alice.")
    expect(ed.get_by_label(GERMAN, exact=True)).to_have_value("Bankguthaben der Gruppe")
    stored = rest("elements/A.23.110")["descriptions"]
    assert (stored["en"], stored["de"]) == ("Group bank balances", "Bankguthaben der Gruppe")


@pytest.mark.contract("C16")
def test_who_saves_second_sees_what_the_first_wrote_and_decides(alice, ed, rest):
    """The page is at its summary. Pressing Save again stores nothing, and the chosen text is stored."""
    before = rest("elements/A.23.100")["descriptions"]["en"]
    open_account(alice, "A.23.100")
    open_account(ed, "A.23.100")
    alice.get_by_label(ENGLISH, exact=True).fill("Text of Alice")
    save(alice)
    ed.get_by_label(ENGLISH, exact=True).fill("Text of Ed")
    for _ in range(2):
        follow(ed.get_by_role("button", name="Save", exact=True))
        summary = ed.get_by_role("alert")
        expect(summary).to_contain_text("Nothing was saved: alice saved on")
        expect(summary).to_be_in_viewport(ratio=1)
        expect(summary).to_be_focused()
        conflict = ed.get_by_role("group", name="Description (en)")
        for text in (before, "Text of Alice", "Text of Ed"):
            expect(conflict).to_contain_text(text)
        assert rest("elements/A.23.100")["descriptions"]["en"] == "Text of Alice"
    conflict.get_by_role("radio", name="Text of Alice").check()
    follow(ed.get_by_role("button", name="Save", exact=True))
    expect(ed.get_by_role("heading", name="Accounts").or_(ed.locator("#result_list")).first).to_be_visible()
    assert rest("elements/A.23.100")["descriptions"]["en"] == "Text of Alice"


def sign_out_and_in(browser: BrowserContext, page: Page, name: str) -> None:
    """In a second tab."""
    other = browser.new_page()
    other.goto(page.url)
    with other.expect_navigation():
        other.evaluate("document.querySelector(\"form[action$='/logout/']\").submit()")
    other.goto(page.url)
    log_in(other, name)
    expect(other.get_by_role("heading", name=" · ")).to_be_visible()
    other.close()


def test_she_signs_out_and_in_in_a_second_tab_and_saves_in_the_first(alice, rest):
    """The form comes back with what she typed; she saves it once more."""
    open_account(alice, "A.23.210")
    alice.get_by_label(GERMAN, exact=True).fill("Guthaben, zweimal angemeldet")
    sign_out_and_in(alice.context, alice, "alice")
    follow(alice.get_by_role("button", name="Save and continue editing"))
    summary = alice.get_by_role("alert")
    expect(summary).to_contain_text("Nothing was saved, because you signed in again.")
    expect(summary).to_be_focused()
    expect(alice.get_by_label(GERMAN, exact=True)).to_have_value("Guthaben, zweimal angemeldet")
    assert rest("elements/A.23.210")["descriptions"]["de"] != "Guthaben, zweimal angemeldet"
    save(alice)
    assert rest("elements/A.23.210")["descriptions"]["de"] == "Guthaben, zweimal angemeldet"
