"""Two who change the same element in the administration: nothing that either of them wrote is lost."""

import pytest

from account.models import Account
from tests.admin.pages import filled_in
from tests.admin.people import browser_of, page


@pytest.mark.contract("C16")
def test_who_saved_in_between_is_named_and_nothing_that_was_typed_is_lost(alice, ed, cash):
    """Refused with a comparison; after it has been seen, saving again stores what stands in the form."""
    browser = browser_of(ed)
    address = page(Account, "change", cash.pk)
    form = filled_in(browser.get(address)) | {"documentationLink": "ed.example"}
    alice.send("PATCH", alice.account("elements/1000"), {"descriptions": {"de": "Bargeld"}, "type": "DETAIL"})
    answer = browser.post(address, form)
    text = answer.content.decode()
    assert "alice saved this element on 20" in text
    shown = [(told.path, told.before, told.after) for told in answer.context["conflict"]]
    assert sorted(shown) == [
        ("descriptions.de", "Kasse", "Bargeld"),
        ("documentationLink", "ed.example", "not set"),
        ("type", "NORMAL", "DETAIL"),
    ]
    cash.refresh_from_db()
    assert (cash.type, cash.documentation_link) == ("DETAIL", None)
    again = filled_in(answer)
    assert again["documentationLink"] == "ed.example"
    assert browser.post(address, again).status_code == 302
    cash.refresh_from_db()
    assert (cash.type, cash.documentation_link, cash.descriptions["de"]) == ("NORMAL", "ed.example", "Kasse")


@pytest.mark.contract("C16")
def test_an_element_that_was_deleted_in_between_can_be_created_anew(alice, ed, bob, cash):
    """With all that was typed; whoever has no grant is told nothing."""
    browser, address = browser_of(ed), page(Account, "change", cash.pk)
    form = filled_in(browser.get(address)) | {"documentationLink": "ed.example"}
    browser_of(alice).post(page(Account, "delete", cash.pk), {"post": "yes"})
    assert browser_of(bob).post(address, form).status_code == 404
    answer = browser.post(address, form)
    assert "alice deleted 1000 on 20" in answer.content.decode()
    again = filled_in(answer)
    assert (again["documentationLink"], again["id"]) == ("ed.example", "1000")
    assert browser.post(f"{page(Account, 'add')}?repository={cash.repository.pk}", again).status_code == 302
    assert Account.objects.get().documentation_link == "ed.example"
