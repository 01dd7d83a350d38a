"""The form of an element in a real browser: maps, pickers and tabs, by keyboard, on a desktop and a phone."""

import pytest
from playwright.sync_api import Page, expect

from account.models import Account
from tests.browser import WIDTHS, fits


def stored() -> Account:
    return Account.objects.get(element_id="1000")


def save(shown: Page) -> None:
    shown.get_by_role("button", name="Save", exact=True).click()
    expect(shown.get_by_text("was saved.")).to_be_visible()


@pytest.mark.contract("C3", "C9")
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_entries_are_added_and_removed_and_lose_their_text(form, width):
    """The known languages are offered; the text of an entry without one is greyed out."""

    def look(shown: Page) -> None:
        maps = shown.locator("[data-map]")
        descriptions = maps.nth(0)
        expect(descriptions.locator("[name$=':key']")).to_have_count(3)
        languages = [descriptions.locator("[name$=':key']").nth(row).input_value() for row in range(3)]
        assert languages == ["en", "de", "it"]
        descriptions.get_by_role("button", name="Remove de").click()
        descriptions.locator("textarea[name$=':text']").nth(1).fill("Cassa")
        descriptions.get_by_role("button", name="Add a language").click()
        shown.keyboard.type("fr")
        descriptions.get_by_label("no text").nth(2).check()
        expect(descriptions.locator("textarea[name$=':text']").nth(2)).to_be_disabled()
        alternatives = maps.nth(1)
        expect(alternatives.locator("textarea[name$=':text']").nth(0)).to_be_disabled()
        alternatives.get_by_label("no text").nth(0).uncheck()
        assert fits(shown)
        save(shown)

    form(look, viewport={"width": width, "height": 800})
    assert stored().descriptions == {"en": "Cash", "it": "Cassa", "fr": None}
    assert stored().alternative_descriptions == {"en": ""}


@pytest.mark.contract("C9")
def test_a_map_is_edited_by_keyboard_alone(form):
    """The focus moves to the next useful control."""

    def look(shown: Page) -> None:
        attributes = shown.locator("[data-map]").nth(2)
        attributes.get_by_role("button", name="Add an entry").focus()
        shown.keyboard.press("Enter")
        shown.keyboard.type("Owner")
        shown.keyboard.press("Tab")
        shown.keyboard.type("Treasury")
        for _ in range(2):
            shown.keyboard.press("Tab")
        expect(attributes.get_by_role("button", name="Remove")).to_be_focused()
        shown.keyboard.press("Enter")
        expect(attributes.get_by_role("button", name="Add an entry")).to_be_focused()
        shown.keyboard.press("Enter")
        shown.keyboard.type("Region")
        shown.keyboard.press("Tab")
        shown.keyboard.type("EMEA")
        save(shown)

    form(look)
    assert stored().custom_attributes == {"Region": "EMEA"}


@pytest.mark.contract("C9")
def test_an_entry_that_is_added_after_a_refused_save_replaces_no_other(form):
    """Removed entries leave gaps, which the number of a new one must not hit."""

    def look(shown: Page) -> None:
        descriptions = shown.locator("[data-map]").nth(0)
        descriptions.get_by_role("button", name="Remove de").click()
        descriptions.locator("textarea[name$=':text']").nth(1).fill("Cassa")
        shown.get_by_role("tab", name="Data entry and reporting").click()
        shown.get_by_label("Valid from", exact=True).fill("tomorrow")
        shown.get_by_role("button", name="Save", exact=True).click()
        expect(shown.get_by_role("alert")).to_be_visible()
        shown.get_by_label("Valid from", exact=True).fill("2026-01-31")
        shown.get_by_role("tab", name="General").click()
        descriptions.get_by_role("button", name="Add a language").click()
        shown.keyboard.type("fr")
        shown.keyboard.press("Tab")
        shown.keyboard.type("Caisse")
        save(shown)

    form(look)
    assert stored().descriptions == {"en": "Cash", "it": "Cassa", "fr": "Caisse"}


@pytest.mark.contract("C8")
def test_a_picker_fills_id_and_description_by_keyboard(form):
    """Type, go down, and choose; what is not suggested can be typed as it is."""

    def look(shown: Page) -> None:
        group = shown.locator("[data-path='rules.accrual.debitAccrual.id']")
        field = group.get_by_role("combobox", name="Debit accrual account")
        field.focus()
        shown.keyboard.type("banca")
        expect(group.get_by_role("option", name="2000 Bank")).to_be_visible()
        expect(field).to_have_attribute("aria-expanded", "true")
        shown.keyboard.press("ArrowDown")
        shown.keyboard.press("Enter")
        expect(field).to_have_value("2000")
        expect(group.get_by_role("link", name="Bank")).to_be_visible()
        other = shown.locator("[data-path='rules.accrual.creditAccrual.id']")
        other.get_by_role("combobox", name="Credit accrual account").focus()
        shown.keyboard.type("no such account")
        expect(other.get_by_text("Nothing matches")).to_be_visible()
        save(shown)

    form(look, "#group-rules")
    assert stored().accrual == {
        "debitAccrual": {"id": "2000", "description": "Bank"},
        "creditAccrual": {"id": "no such account", "description": None},
    }


def test_a_picker_is_closed_by_escape_and_used_by_mouse(form):
    """Escape leaves what was typed."""

    def look(shown: Page) -> None:
        field = shown.get_by_role("combobox", name="Reference account for the initial balance")
        field.fill("200")
        options = shown.get_by_role("listbox", name="Suggestions").get_by_role("option")
        expect(options).to_have_count(2)
        shown.keyboard.press("Escape")
        expect(options).to_have_count(0)
        expect(field).to_have_value("200")
        field.fill("2")
        shown.get_by_role("option", name="2001 Bank, old").click()
        expect(field).to_have_value("2001")
        save(shown)

    form(look)
    assert stored().reference_account_for_initial_balance == "2001"


def test_tabs_follow_the_groups_of_the_wire_and_the_arrow_keys(form):
    """One group is shown at a time; a save comes back to the same one, and an error opens its own."""

    def look(shown: Page) -> list[str]:
        tabs = shown.get_by_role("tab")
        tabs.nth(0).focus()
        shown.keyboard.press("ArrowRight")
        expect(shown.get_by_role("tab", name="Restrictions")).to_be_focused()
        expect(shown.get_by_role("tabpanel")).to_have_count(1)
        shown.keyboard.press("End")
        expect(shown.get_by_text("No accounts refer to it.")).to_be_visible()
        shown.get_by_role("tab", name="Data entry and reporting").click()
        shown.get_by_label("Valid from", exact=True).fill("tomorrow")
        shown.get_by_role("tab", name="Rules", exact=True).click()
        shown.get_by_role("button", name="Save and continue editing").click()
        expect(shown.locator(".element-panel").get_by_text("Valid from must be")).to_be_visible()
        shown.get_by_label("Valid from", exact=True).fill("2026-01-31")
        shown.get_by_role("button", name="Save and continue editing").click()
        expect(shown.get_by_text("was saved.")).to_be_visible()
        expect(shown.get_by_label("Valid from", exact=True)).to_have_value("2026-01-31")
        return [tab.partition("\n")[0].strip() for tab in tabs.all_inner_texts()]

    assert form(look) == [
        "General",
        "Restrictions",
        "Data entry and reporting",
        "Rules",
        "Consolidation",
        "Monthly splitting rules",
        "Cash flow planning",
        "About",
    ]
