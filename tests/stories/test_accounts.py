"""An accountant finds accounts, edits them in her languages, and undoes what was wrong."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.stories.pages import clicks, go, open_account, press, save


@pytest.mark.contract("C3", "C9")
def test_she_edits_texts_in_four_languages_and_reads_at_its_field_what_is_wrong(alice, rest):
    """Once it is corrected, REST returns what she typed; a day may be typed as she is used to."""
    open_account(alice, "A.24.100")
    texts = {"en": "Cash in hand", "de": "Barkasse", "it": "Denaro in cassa", "fr": "Espèces"}
    for language, text in texts.items():
        alice.get_by_label(re.compile(rf"^Description \w+ \({language}\)$")).fill(text)
    alice.get_by_role("tab", name="Data entry and reporting").click()
    alice.get_by_label("Valid from", exact=True).fill("31.02.2026")
    follow(alice.get_by_role("button", name="Save and continue editing"))

    field = alice.locator("[data-path='dataEntryAndReporting.validity.startDate']")
    expect(field).to_contain_text(
        'Valid from must be a date or time such as 2026-01-31 or 2026-01-31 10:00:00; got "31.02.2026".'
    )
    expect(alice.get_by_role("alert")).to_contain_text("Nothing was saved: there is one error.")
    assert rest("elements/A.24.100")["descriptions"]["de"] == "Kassenbestand"

    alice.get_by_label("Valid from", exact=True).fill("31.01.2026")
    save(alice)
    stored = rest("elements/A.24.100")
    assert stored["descriptions"] == texts
    assert stored["dataEntryAndReporting"]["validity"]["startDate"].startswith("2026-01-31")
    assert stored["updateInfo"]["user"] == "alice"


@pytest.mark.contract("C3", "C9")
def test_she_creates_an_account_in_four_languages_in_seven_clicks(alice, rest, stage):
    """The fields are where she looks for them, and a day is typed as she is used to, which was refused before."""
    texts = {"en": "Petty cash", "de": "Portokasse", "it": "Piccola cassa", "fr": "Petite caisse"}
    go(alice, "Accounts")
    follow(alice.get_by_role("link", name="Add account"))
    alice.get_by_role("textbox", name="Id required").fill("A.24.105")
    for language, text in texts.items():
        alice.get_by_label(re.compile(rf"^Description \w+ \({language}\)$")).fill(text)
    alice.get_by_role("combobox", name="Nature required").select_option("Balance sheet")
    alice.get_by_role("combobox", name="Type required", exact=True).select_option("Normal")
    alice.get_by_label("Conversion type").select_option("Closing rate")
    alice.get_by_role("tab", name="Data entry and reporting").click()
    alice.get_by_label("Valid to", exact=True).fill("31.12.2026")
    follow(alice.get_by_role("button", name="Save", exact=True))
    expect(alice.get_by_text("was created.")).to_be_visible()
    assert clicks(alice) == 7
    stored = rest("elements/A.24.105")
    assert stored["descriptions"] == texts
    assert stored["dataEntryAndReporting"]["validity"]["endDate"].startswith("2026-12-31")
    stage.service.send("DELETE", "/dimensions/v1/northwind/account/elements/A.24.105")


@pytest.mark.contract("C18")
def test_she_reads_what_a_colleague_changed_and_takes_it_back_in_five_clicks(alice, enter, rest):
    """One more than before, because she sees first what it would change. The old and new value of each field are side
    by side; the restored element is exactly the old one.
    """
    before = rest("elements/A.10.100")
    ed = enter("ed")
    open_account(ed, "A.10.100")
    ed.get_by_label("Description German (de)", exact=True).fill("Firmenwert")
    ed.get_by_role("group", name="Description").first.get_by_role("button", name="Remove it").click()
    ed.get_by_role("combobox", name="Type required", exact=True).select_option("DETAIL")
    save(ed)

    open_account(alice, "A.10.100")
    press(alice, "History")

    latest, oldest = (alice.locator("[data-version]").nth(number) for number in range(2))
    changed = {
        "descriptions.de": (before["descriptions"]["de"], "Firmenwert"),
        "descriptions.it": (before["descriptions"]["it"], "not set"),
        "type": ("Normal", "Detail"),
    }
    expect(latest.locator("tbody tr")).to_have_count(len(changed))
    for path, (old, new) in changed.items():
        cells = latest.locator(f"tr:has([title='{path}']) td")
        assert cells.all_inner_texts() == [old, new]
    expect(latest).to_contain_text("by ed")

    follow(oldest.get_by_role("link", name="Restore…"))
    expect(alice.locator("tbody tr")).to_have_count(len(changed))
    follow(alice.get_by_role("button", name="Restore", exact=True))
    expect(alice.get_by_text("A.10.100 was restored to the version of")).to_be_visible()
    assert clicks(alice) == 5
    after = rest("elements/A.10.100")
    assert {**after, "updateInfo": None} == {**before, "updateInfo": None}
    assert after["updateInfo"]["user"] == "alice"
