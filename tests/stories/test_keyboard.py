"""People without a mouse do every job of the administration."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.stories.keyboard import fill, focused, follow, go, tab_to

FILE = "id,descriptions.en,nature,type,conversion.conversionType\n0097,Keyed in,BALANCE_SHEET,NORMAL,FINAL\n"
SEARCH = "Search in the id and in all descriptions"
GERMAN = "Description German (de)"


def find(page: Page, text: str) -> None:
    """Search in the list of accounts."""
    go(page, "Accounts")
    fill(page, SEARCH, text)
    follow(page)


def open_account(page: Page, id: str) -> None:
    """Find the account, and open its form."""
    find(page, id)
    follow(page, id)


def choose_action(page: Page, ids: list[str], action: str) -> None:
    """Tick these accounts of the list, the first first, and press the button of the action."""
    for id in ids:
        tab_to(page, f"Select {id}")
        page.keyboard.press("Space")
    follow(page, action, key="Shift+Tab")


def test_he_filters_opens_and_imports(enter, rest):
    """From the start page to the last step of the wizard; only the system's dialog chooses the file."""
    ed = enter("ed")
    follow(ed, "Accounts")
    tab_to(ed, "Filters")
    ed.keyboard.press("Enter")
    expect(ed.locator("#changelist-filter :focus")).to_have_count(1)
    assert focused(ed)
    fill(ed, "By Nature", "Profit and loss")
    follow(ed, "Apply Filters")
    assert "=PROFIT_AND_LOSS" in ed.url
    tab_to(ed, "Select P.60.100")
    follow(ed, "P.60.100")
    tab_to(ed, "General…")
    ed.keyboard.press("ArrowDown")
    expect(ed.get_by_role("tab", name="Restrictions")).to_be_focused()
    follow(ed, "Close")

    follow(ed, "Import", key="Shift+Tab")
    tab_to(ed, "Import into…")
    expect(ed.locator(":focus option:checked")).to_contain_text("account")
    tab_to(ed, "File…")
    ed.locator(":focus").set_input_files({"name": "keyed.csv", "mimeType": "text/csv", "buffer": FILE.encode()})
    follow(ed, "Upload")
    follow(ed, "Check the file")
    expect(ed.get_by_text("The file has no errors.")).to_be_visible()
    follow(ed, "Import")
    expect(ed.get_by_text("The import is complete.")).to_be_visible()
    assert rest("elements/0097")["descriptions"] == {"en": "Keyed in"}


@pytest.mark.contract("D1")
def test_she_sorts_a_list_adds_and_removes_a_condition_and_keeps_a_view(alice):
    """The focus is in the form that opens above the list, and the view is deleted in the end."""
    find(alice, "OLD.000")
    follow(alice, "Description")
    expect(alice.get_by_role("columnheader", name="Description")).to_have_attribute("aria-sort", "ascending")

    tab_to(alice, "Add a condition")
    alice.keyboard.press("Enter")
    expect(alice.get_by_label("Search for a field")).to_be_focused()
    assert focused(alice).startswith("Search for a field")
    alice.keyboard.type("german")
    alice.keyboard.press("Enter")
    expect(alice.get_by_label("Condition", exact=True)).to_be_focused()
    alice.keyboard.type("is missing")
    follow(alice, "Add the condition")
    rows = alice.locator("#result_list tbody tr")
    expect(rows).to_have_count(0)

    tab_to(alice, "Saved view: All")
    alice.keyboard.press("Enter")
    follow(alice, "Save as a view")
    fill(alice, "Name*", "Keys")
    follow(alice, "Save the view")
    expect(rows).to_have_count(0)
    follow(alice, "Remove: Description (de) is missing")
    expect(rows).to_have_count(9)
    tab_to(alice, "Saved view: Keys…")
    alice.keyboard.press("Enter")
    follow(alice, "All views…")
    tab_to(alice, "Delete : Keys")
    alice.keyboard.press("Enter")
    follow(alice, "Delete this view for good…")
    expect(alice.get_by_text("There are no views yet.")).to_be_visible()


@pytest.mark.contract("C16", "C18", "K7", "J2")
def test_she_edits_an_account_decides_a_conflict_and_undoes_it_from_the_activity(alice, stage, rest):
    """On the form, its history, the activity, the plan, and the list of activities."""
    address = "/dimensions/v1/northwind/account/elements/A.25.100"
    before = rest("elements/A.25.100")["descriptions"]
    open_account(alice, "A.25.100")
    fill(alice, GERMAN, "Getippt")
    changed = stage.service.send("PATCH", address, {"descriptions": {"de": "Über REST"}})
    assert changed.status == 200
    follow(alice, "Save and continue editing")
    expect(alice.get_by_role("alert")).to_be_focused()
    focused(alice)
    tab_to(alice, "Stored now…")
    alice.keyboard.press("ArrowDown")
    fill(alice, "Reason", "By keys")
    follow(alice, "Save and continue editing")
    expect(alice.get_by_text("was saved.")).to_be_visible()
    assert rest("elements/A.25.100")["descriptions"]["de"] == "Getippt"

    follow(alice, "History", key="Shift+Tab")
    expect(alice.locator("[data-version]").first).to_contain_text("By keys")
    tab_to(alice, "To A.25.100")
    follow(alice, "20…")
    follow(alice, "Undo…")
    fill(alice, "Reason", "Keys again")
    follow(alice, "Apply")
    expect(alice.get_by_text("The change proposal was applied.")).to_be_visible()
    assert rest("elements/A.25.100")["descriptions"]["de"] == "Über REST"

    go(alice, "Change log")
    fill(alice, "Words of the reason", "Keys again")
    follow(alice)
    follow(alice, "20…")
    expect(alice.get_by_text("Keys again").first).to_be_visible()
    follow(alice, "A.25.100")
    for _latest_first in range(3):
        tab_to(alice, "Restore…")
    follow(alice)
    follow(alice, "Restore")
    assert rest("elements/A.25.100")["descriptions"] == before


@pytest.mark.contract("J2", "K4")
def test_she_goes_back_to_a_moment_which_she_types(alice, stage, rest):
    """A day without a time is pointed out; it counted as now before, without a word."""
    moment = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
    time.sleep((moment - datetime.now(UTC)).total_seconds() + 0.01)  # seconds are typed; the stage was just built
    typed = moment.strftime("%m%d%Y%I%M%S%p").removesuffix("M")
    before = rest("elements/OLD.0009")["descriptions"]
    address = "/dimensions/v1/northwind/account/elements/OLD.0009"
    assert stage.service.send("PATCH", address, {"descriptions": {"de": "Später"}}).status == 200
    go(alice, "Accounts")
    tab_to(alice, "More")
    alice.keyboard.press("Enter")
    follow(alice, "Compare")
    tab_to(alice, "Left: as of")
    alice.keyboard.type("01012020")
    tab_to(alice, "Compare")
    alice.keyboard.press("Enter")
    expect(alice.get_by_label("Left: as of")).to_be_focused()
    alice.keyboard.type(typed)
    follow(alice, "Compare")
    expect(alice.get_by_role("heading", name="Differences: 1")).to_be_visible()
    follow(alice, "Go back to the state of…")
    follow(alice, "Apply")
    expect(alice.get_by_text("The change proposal was applied.")).to_be_visible()
    assert rest("elements/OLD.0009")["descriptions"] == before


@pytest.mark.contract("K4", "K6")
def test_she_edits_as_a_table(alice, rest):
    """The arrows move between the cells, Tab leaves them, and the message leads to the undo."""
    find(alice, "OLD.000")
    follow(alice, "Edit as table", key="Shift+Tab")
    expect(alice.get_by_role("grid", name="Edit as a table")).to_be_visible()
    titles = alice.get_by_role("columnheader").all_inner_texts()
    tab_to(alice, "Edit as a table")
    for _ in range(titles.index("Description (de)") - 1):
        alice.keyboard.press("ArrowRight")
    alice.keyboard.press("ArrowDown")
    alice.keyboard.type("Mit Tasten")
    alice.keyboard.press("Enter")
    expect(alice.get_by_text("Changed cells: 1")).to_be_visible()
    follow(alice, "Check table")
    expect(alice.get_by_text("1 row would be changed,")).to_be_visible()
    fill(alice, "Reason", "By keys")
    follow(alice, "Save")
    expect(alice.get_by_text("1 row was saved.")).to_be_visible()
    assert rest("elements/OLD.0002")["descriptions"]["de"] == "Mit Tasten"
    follow(alice, "See what was changed, or undo it", key="Shift+Tab")
    follow(alice, "Undo…")
    follow(alice, "Apply")
    assert rest("elements/OLD.0002")["descriptions"]["de"] == "Früheres Konto 2"


@pytest.mark.contract("K4", "K6")
def test_she_changes_selected_accounts_and_deletes_them(alice, rest, former):
    """By a plan, and after a question."""
    find(alice, "OLD.000")
    choose_action(alice, ["OLD.0001", "OLD.0003"], "Change")
    fill(alice, "Description German (de)", "Set")
    alice.keyboard.press("Tab")
    alice.keyboard.type("Gesetzt")
    follow(alice, "Show what would change")
    follow(alice, "Apply")
    assert rest("elements/OLD.0003")["descriptions"]["de"] == "Gesetzt"

    find(alice, "OLD.000")
    choose_action(alice, ["OLD.0001", "OLD.0003"], "Delete")
    tab_to(alice, "Keep what is still referred to")
    follow(alice, "Delete them")
    expect(alice.locator("[data-text=status]")).to_have_text("Completed")
    go(alice, "Accounts")
    tab_to(alice, "More")
    alice.keyboard.press("Enter")
    follow(alice, "Deleted accounts")
    fill(alice, "Search in the ids", "OLD.0003")
    follow(alice)
    follow(alice, "OLD.0003")
    follow(alice, "Restore this version")
    assert rest("elements/OLD.0003")["descriptions"]["de"] == "Gesetzt"
