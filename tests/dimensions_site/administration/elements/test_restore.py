"""Old versions, and deleted elements, come back exactly as they were."""

import pytest
from django.utils.html import strip_tags

from account.models import Account, AccountVersion, CalculationLogic
from currency.models import Currency
from tests.bulkops.save.bulk import element, without
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency
from tests.random_elements import RandomElements

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("C18")]


def versions(model):
    """The rows of the history, the oldest first."""
    return list(model.version_model.objects.order_by("number"))


def restore(browser, model, version, **form):
    return browser.post(page(model, "restore", version.pk), form, follow=True)


@pytest.mark.parametrize("dimension", MODELS)
def test_a_restored_element_is_exactly_the_old_one(alice, ed, dimension):
    """Random elements, replaced by others and restored: the same wire JSON, under the name of the user who restored."""
    source = RandomElements(WIRES[dimension], seed=11)
    browser = browser_of(ed)
    model = MODELS[dimension]
    for old in source.many(12):
        address = alice.elements(dimension, f"elements/{old['id']}")
        assert alice.send("PUT", address, old).status_code == 201
        before = element(alice, dimension, old["id"])
        new = {**source.one(), "id": old["id"]}
        new.pop("oid", None)
        assert alice.send("PUT", address, new).status_code == 200

        first = model.version_model.objects.filter(element_id=old["id"]).earliest("number")
        assert restore(browser, model, first).status_code == 200

        after = element(alice, dimension, old["id"])
        assert without(after) == without(before)
        assert (after["updateInfo"]["user"], after["updateInfo"]["origin"]) == ("ed", "INPUT_WEB")


@pytest.mark.contract("C17")
def test_the_generated_logic_is_restored_with_the_account(alice):
    """It follows from the values, however they are saved."""
    alice.send("POST", alice.account(), account(rules={"grossAmountEqualICSum": True}))
    alice.send("PUT", alice.account("elements/1000"), account())
    assert not CalculationLogic.objects.exists()
    restore(browser_of(alice), Account, versions(Account)[0])
    assert CalculationLogic.objects.get().account.element_id == "1000"


def test_a_restore_that_changes_nothing_writes_nothing_and_says_so(alice):
    """The values were restored in another way."""
    alice.send("POST", alice.currency(), currency())
    alice.send("PATCH", alice.currency("elements/EUR"), {"decimalNumbers": 3})
    alice.send("PATCH", alice.currency("elements/EUR"), {"decimalNumbers": 2})
    [message] = messages_of(restore(browser_of(alice), Currency, versions(Currency)[0]))
    assert "nothing to restore" in message
    assert len(versions(Currency)) == 3


def test_values_that_are_no_longer_valid_are_refused_with_a_message(alice):
    """By the rules of every other save; nothing is written."""
    alice.send("POST", alice.account(), account())
    alice.send("PATCH", alice.account("elements/1000"), {"type": "DETAIL"})
    AccountVersion.objects.filter(change="+").update(nature="BYGONE", conversion_type="BYGONE")
    messages = messages_of(restore(browser_of(alice), Account, versions(Account)[0]))
    assert len(messages) == 2
    assert messages[0].startswith("Not restored: nature must be one of BALANCE_SHEET")
    assert len(versions(Account)) == 2


@pytest.fixture
def changed_twice(alice, ed):
    """The account 1000, of which Alice changed the English text, and Ed the German one and the type."""
    alice.send("POST", alice.account(), account())
    alice.send("PATCH", alice.account("elements/1000"), {"descriptions": {"en": "Money", "fr": "Caisse"}})
    ed.send("PATCH", ed.account("elements/1000"), {"descriptions": {"de": "Geld"}, "type": "DETAIL"})
    return page(Account, "restore", versions(Account)[0].pk)


def test_fields_are_chosen_from_what_would_change(alice, changed_twice):
    """What a colleague changed in another field stays; an entry that was not there is removed."""
    browser = browser_of(alice)
    shown = browser.get(changed_twice)
    assert sorted(
        (difference.path, strip_tags(difference.before), strip_tags(difference.after))
        for difference, _ in shown.context["differences"]
    ) == [
        ("descriptions.de", "Geld", "Kasse"),
        ("descriptions.en", "Money", "Cash"),
        ("descriptions.fr", "Caisse", "not set"),
        ("type", "Detail", "Normal"),
    ]
    form = {"_etag": shown.context["etag"], "field": ["descriptions.en", "descriptions.fr"]}
    browser.post(changed_twice, form)
    stored = element(alice, "account", "1000")
    assert (stored["descriptions"], stored["type"]) == ({"en": "Cash", "de": "Geld"}, "DETAIL")


def test_what_is_saved_meanwhile_is_shown_before_anything_is_restored(alice, ed, changed_twice):
    """What would change is no longer what one saw."""
    browser = browser_of(alice)
    form = {"_etag": browser.get(changed_twice).context["etag"], "field": ["type"]}
    ed.send("PATCH", ed.account("elements/1000"), {"descriptions": {"de": "Bargeld"}})
    answer = browser.post(changed_twice, form, follow=True)
    assert messages_of(answer) == ["Not restored: It was saved meanwhile; check what would change now."]
    assert answer.redirect_chain[0][0] == changed_twice
    assert element(alice, "account", "1000")["type"] == "DETAIL"


def test_without_a_chosen_field_nothing_is_restored(alice, changed_twice):
    """The page says so; a field that the version has not is none."""
    browser = browser_of(alice)
    form = {"_etag": browser.get(changed_twice).context["etag"]}
    answer = browser.post(changed_twice, form)
    assert messages_of(answer) == ["Nothing was restored: choose at least one field."]
    [message] = messages_of(browser.post(changed_twice, {**form, "field": "nature"}, follow=True))
    assert "nothing to restore" in message
    assert len(versions(Account)) == 3


def test_readers_see_no_button_and_restore_nothing(alice, rita):
    """Restoring is editing."""
    alice.send("POST", alice.currency(), currency())
    alice.send("PATCH", alice.currency("elements/EUR"), {"decimalNumbers": 3})
    browser = browser_of(rita)
    text = browser.get(page(Currency, "history", Currency.objects.get().pk)).content.decode()
    assert "Restore…" not in text
    assert browser.get(page(Currency, "restore", versions(Currency)[0].pk)).status_code == 403
    assert restore(browser, Currency, versions(Currency)[0]).status_code == 403
    assert len(versions(Currency)) == 2
