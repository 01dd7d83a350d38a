"""The form of an element in a real browser: the result of a save is visible, by keyboard, and nothing gets lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from account.models import Account
from dimensions_site.repositories.models import Repository
from tests.browser import WIDTHS, fits, follow, signed_in
from tests.dimensions_site.administration.site.people import page, superuser

# What somebody else saves meanwhile, by the same form.
SAVE_ELSEWHERE = """async (typed) => {
  const [html] = (await (await fetch(location)).text()).match(/<form id="element-form"[^]*?<.form>/);
  const document = new DOMParser().parseFromString(html, "text/html");
  const sent = new URLSearchParams(new FormData(document.forms[0]));
  for (const [name, text] of Object.entries(typed)) sent.set(name, text);
  const { ok } = await fetch(location, { method: "POST", body: sent });
  if (!ok) throw new Error("not saved");
}"""
# A window that is lower than the form.
LOW = {"width": 1280, "height": 600}
ENGLISH, GERMAN = "Description English (en)", "Description German (de)"


def stored() -> Account:
    return Account.objects.get(element_id="1000")


def save(shown: Page) -> None:
    follow(shown.get_by_role("button", name="Save and continue editing"))


def expect_summary(shown: Page, text: str) -> None:
    """The summary says so, is visible and has the focus."""
    summary = shown.get_by_role("alert").filter(has_text=text)
    expect(summary).to_be_in_viewport(ratio=1)
    expect(summary).to_be_focused()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_what_became_of_a_save_is_in_sight(form: Any, width: int) -> None:
    """Errors after a save from the end of a long form, and the success, whatever group was shown."""

    def look(shown: Page) -> None:
        shown.get_by_role("tab", name="Cash flow planning").click()
        shown.evaluate("scrollTo(0, document.body.scrollHeight)")
        shown.get_by_role("tab", name="Data entry and reporting").click()
        shown.get_by_label("Valid from", exact=True).fill("tomorrow")
        shown.get_by_role("tab", name="Cash flow planning").click()
        save(shown)
        expect_summary(shown, "Nothing was saved: there is one error.")
        assert fits(shown)
        shown.get_by_label("Valid from", exact=True).fill("2026-01-31")
        shown.get_by_role("tab", name="General").click()
        save(shown)
        expect(shown.get_by_text("was saved.")).to_be_in_viewport()
        expect(shown.get_by_role("tab", name="General")).to_have_attribute("aria-selected", "true")

    form(look, viewport={"width": width, "height": 600})


@pytest.mark.contract("M6")
def test_the_buttons_and_the_release_below_them_stay_in_view(form: Any) -> None:
    """The buttons are in the same place at both ends of the page, so no click misses them."""

    def look(shown: Page) -> None:
        places = []
        for end in ("0", "document.body.scrollHeight"):
            shown.evaluate(f"scrollTo(0, {end})")
            expect(shown.locator(".release")).to_be_in_viewport(ratio=1)
            places.append(shown.locator("#submit-row").evaluate("row => row.getBoundingClientRect().y"))
        assert places[0] == pytest.approx(places[1], abs=1)

    form(look, viewport=LOW)


def test_links_of_the_summary_lead_to_the_fields_by_keyboard(form: Any) -> None:
    """They open the group of the field, or find the row of the map."""

    def look(shown: Page) -> None:
        shown.get_by_role("button", name="Add a language").first.click()
        shown.get_by_label("Description: Language").fill("no language")
        shown.get_by_role("tab", name="Data entry and reporting").click()
        shown.get_by_label("Valid from", exact=True).fill("tomorrow")
        save(shown)
        expect_summary(shown, "Nothing was saved: there are 2 errors.")
        shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        expect(shown.get_by_label("Description: Language").first).to_be_focused()
        shown.get_by_role("alert").focus()
        for _ in range(2):
            shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        expect(shown.get_by_label("Valid from", exact=True)).to_be_focused()
        expect(shown.get_by_label("Valid from", exact=True)).to_be_in_viewport()

    form(look, viewport=LOW)


@pytest.mark.contract("C16")
def test_what_only_others_changed_is_taken_over_and_said(form: Any) -> None:
    """No question is asked."""

    def look(shown: Page) -> None:
        shown.evaluate(SAVE_ELSEWHERE, {"descriptions:1:text": "Ihres"})
        shown.get_by_label(ENGLISH, exact=True).fill("Mine")
        save(shown)
        expect(shown.get_by_text("These changes are kept: Description (de) by ed.")).to_be_in_viewport()
        expect(shown.get_by_label(GERMAN, exact=True)).to_have_value("Ihres")

    form(look, viewport=LOW)
    assert stored().descriptions == {"en": "Mine", "de": "Ihres"}


@pytest.mark.contract("C8")
def test_an_id_that_no_element_has_is_warned_about_before_and_after_the_save(form: Any) -> None:
    """Beside the field, and read out with it; an id that is right is not. It is saved nevertheless."""

    def look(shown: Page) -> None:
        field = shown.get_by_role("combobox", name="Reference account for the initial balance")
        warning = shown.get_by_text("There is no account with this id.")
        field.fill("trade receivables")
        shown.keyboard.press("Tab")
        expect(warning.filter(visible=True)).to_have_text(
            "There is no account with this id. It can be saved nevertheless."
        )
        expect(field).to_have_accessible_description(re.compile("There is no account with this id"))
        field.fill("2000")
        shown.keyboard.press("Tab")
        expect(warning.filter(visible=True)).to_have_count(0)
        field.fill("20000")
        shown.keyboard.press("Tab")
        expect(warning.filter(visible=True)).to_have_count(1)
        save(shown)
        expect(shown.get_by_text("Reference account for the initial balance '20000'")).to_be_in_viewport()
        # So does the form that is opened again, without a script.
        expect(warning.filter(visible=True)).to_have_count(1)
        field.fill("")
        shown.keyboard.press("Tab")
        expect(warning.filter(visible=True)).to_have_count(0)

    form(look, viewport=LOW)
    assert stored().reference_account_for_initial_balance == "20000"


class Dialogs:
    """What the browser asks before a page is left; it stays."""

    def __init__(self, shown: Page) -> None:
        self.asked: list[str] = []
        self._shown = shown
        shown.on("dialog", self._stay)

    def _stay(self, dialog: Dialog) -> None:
        self.asked.append(dialog.type)
        dialog.dismiss()

    def ask_at(self, link: Locator) -> None:
        """Click the link, and wait until the browser asks."""
        with self._shown.expect_event("dialog"):
            link.click()


def test_nobody_leaves_what_was_typed_unasked(form: Any) -> None:
    """By Close or a link of the menu; not without a change, not when it is taken back, and not after a save."""

    def look(shown: Page) -> None:
        dialogs = Dialogs(shown)
        text = shown.get_by_label(ENGLISH, exact=True)
        text.fill("Petty cash")
        for name in ("Close", "Currencies"):
            dialogs.ask_at(shown.get_by_role("link", name=name).first)
        assert dialogs.asked == ["beforeunload", "beforeunload"]
        expect(text).to_have_value("Petty cash")
        text.fill("Cash")
        follow(shown.get_by_role("link", name="Close"))
        follow(shown.get_by_role("link", name="1000", exact=True))
        text.fill("Petty cash")
        shown.get_by_role("group", name="Custom attributes").get_by_role("button", name="Add an entry").click()
        save(shown)
        expect(shown.get_by_text("was saved.")).to_be_visible()
        follow(shown.get_by_role("link", name="Close"))
        assert dialogs.asked == ["beforeunload", "beforeunload"]

    form(look, viewport=LOW)


def test_forms_of_superusers_ask_too_and_begin_with_their_errors(northwind: Any, visit: Any) -> None:
    """Not when nothing was changed; what was refused is not saved either."""

    def look(shown: Page) -> None:
        dialogs = Dialogs(shown)
        follow(shown.get_by_role("link", name="Repositories").first)
        shown.go_back()
        shown.get_by_label("Name").fill("")
        dialogs.ask_at(shown.get_by_role("link", name="Repositories").first)
        assert dialogs.asked == ["beforeunload"]
        follow(shown.get_by_role("button", name="Save", exact=True))
        expect_summary(shown, "Please correct the error")
        dialogs.ask_at(shown.get_by_role("link", name="Repositories").first)
        assert dialogs.asked == ["beforeunload", "beforeunload"]
        shown.get_by_label("Name").fill("Northwind")
        follow(shown.get_by_role("button", name="Save", exact=True))
        assert dialogs.asked == ["beforeunload", "beforeunload"]

    visit(page(Repository, "change", northwind.pk), look, storage_state=signed_in(superuser()))
