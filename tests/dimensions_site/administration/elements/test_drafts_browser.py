"""What was typed in a form stays in the browser until it is saved."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from account.models import Account
from dimensions_site.repositories.models import Repository
from tests.browser import follow
from tests.dimensions_site.administration.site.people import page
from tests.services.worker import wait_until

ENGLISH = "Description English (en)"
STORED = "Object.keys(localStorage).some((name) => name.startsWith('draft:'))"


def type_and_lose(shown: Page) -> None:
    """Type a text, and lose the page without saving it."""
    shown.get_by_label(ENGLISH, exact=True).fill("Typed and lost")
    wait_until(lambda: shown.evaluate(STORED), "no draft was stored")
    shown.once("dialog", lambda dialog: dialog.accept())
    shown.reload()


def test_what_was_typed_and_lost_is_offered_and_can_be_saved(form: Any) -> None:
    """Nothing is saved until then; afterwards nothing is offered any more."""

    def look(shown: Page) -> None:
        type_and_lose(shown)
        expect(shown.get_by_label(ENGLISH, exact=True)).to_have_value("Cash")
        follow(shown.get_by_role("button", name="Show it"))
        expect(shown.get_by_role("alert")).to_contain_text("This is what you typed earlier and did not save.")
        expect(shown.get_by_label(ENGLISH, exact=True)).to_have_value("Typed and lost")
        follow(shown.get_by_role("button", name="Save and continue editing"))
        expect(shown.get_by_text("was saved.")).to_be_visible()
        expect(shown.get_by_text("This browser kept")).to_be_hidden()
        assert not shown.evaluate(STORED)

    form(look)
    assert Account.objects.get(element_id="1000").descriptions["en"] == "Typed and lost"


def test_the_start_page_leads_to_what_was_typed_and_lost(form: Any) -> None:
    """In this browser, for this user."""

    def look(shown: Page) -> None:
        type_and_lose(shown)
        shown.goto(shown.url.partition("/admin/")[0] + "/admin/")
        waiting = shown.locator("#waiting")
        expect(waiting).not_to_contain_text("Nothing waits for you.")
        follow(waiting.get_by_role("link", name="1000"))
        expect(shown.get_by_role("button", name="Show it")).to_be_visible()

    form(look)


def test_the_start_page_offers_no_new_account_of_a_repository_that_is_gone(form: Any, northwind: Repository) -> None:
    """Its page would be missing."""
    draft = "{ id: title, time: Date.now(), title, fields: [] }"

    def look(shown: Page) -> None:
        for title, repository in (("Here", northwind.pk), ("Gone", northwind.pk + 1)):
            kept = f"([key, title]) => localStorage.setItem(key, JSON.stringify({draft}))"
            shown.evaluate(kept, [f"draft:ed:{page(Account, 'add')}?{repository}", title])
        shown.goto(shown.url.partition("/admin/")[0] + "/admin/")
        expect(shown.locator("#waiting").get_by_role("link", name="Here")).to_be_visible()
        expect(shown.locator("#waiting")).not_to_contain_text("Gone")
        follow(shown.locator("#waiting").get_by_role("link", name="Here"))
        expect(shown.get_by_role("button", name="Show it")).to_be_visible()

    form(look)


def test_the_start_page_names_nothing_that_was_saved(form: Any) -> None:
    """Also if two tabs saved, one after the other, and the forms were not opened again."""

    def look(shown: Page) -> None:
        with shown.expect_popup() as opened:
            shown.evaluate("window.open('../../add/')")
        other = opened.value
        for tab, text in ((shown, "Petty cash"), (other, "Bank")):
            tab.get_by_label(ENGLISH, exact=True).fill(text)
        other.locator("[name='id']").fill("3000")
        for name, value in (("nature", "BALANCE_SHEET"), ("conversion.conversionType", "FINAL")):
            other.locator(f"select[name='{name}']").select_option(value)
        wait_until(lambda: shown.evaluate(STORED), "no draft was stored")
        for tab in (shown, other):
            follow(tab.get_by_role("button", name="Save", exact=True))
        other.goto(other.url.partition("/admin/")[0] + "/admin/")
        expect(other.locator("#waiting")).to_contain_text("Nothing waits for you.")
        assert not other.evaluate(STORED)

    form(look)


def test_a_draft_is_discarded_by_a_click(form: Any) -> None:
    """It is not offered again."""

    def look(shown: Page) -> None:
        type_and_lose(shown)
        shown.get_by_role("button", name="Discard it").click()
        assert not shown.evaluate(STORED)
        shown.reload()
        expect(shown.get_by_text("This browser kept")).to_be_hidden()

    form(look)
    assert Account.objects.get(element_id="1000").descriptions["en"] == "Cash"


def test_signing_out_removes_what_was_typed(form: Any) -> None:
    """Also the last words, which are stored while the page goes away: somebody else may use the browser next."""

    def look(shown: Page) -> None:
        type_and_lose(shown)
        shown.get_by_label(ENGLISH, exact=True).fill("The last words")
        shown.once("dialog", lambda dialog: dialog.accept())
        with shown.expect_navigation():
            shown.evaluate("document.getElementById('logout-form').requestSubmit()")
        expect(shown).to_have_url(re.compile("/logout/$"))
        wait_until(lambda: not shown.evaluate(STORED), "a draft stayed")

    form(look)


def test_a_form_that_nobody_typed_in_leaves_no_draft(form: Any) -> None:
    """Nobody who leaves it is asked."""

    def look(shown: Page) -> None:
        follow(shown.get_by_role("link", name="Close"))
        assert not shown.evaluate(STORED)

    form(look)


def test_the_calendar_writes_a_day_in_the_format_of_the_page(form: Any) -> None:
    """The browser draws the calendar; what it chose arrives in the field."""

    def look(shown: Page) -> None:
        shown.get_by_role("tab", name="Data entry and reporting").click()
        box = shown.locator("[data-date-format]").first
        expect(box.get_by_role("button", name="Valid from: Choose a day")).to_be_visible()
        box.locator("input[type=date]").evaluate(
            "(input) => { input.value = '2026-12-31'; input.dispatchEvent(new Event('change')); }"
        )
        expect(shown.get_by_label("Valid from", exact=True)).to_have_value("2026-12-31")
        expect(shown.get_by_label("Valid from", exact=True)).to_be_focused()

    form(look)
