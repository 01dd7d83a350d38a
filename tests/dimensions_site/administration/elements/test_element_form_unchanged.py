"""An element that is opened and saved as it is stays as it is, whatever its values are."""

import pytest

from account.models import Account
from currency.models import Currency
from tests.account.samples import FULL, MINIMAL
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.site.pages import errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency
from tests.lengths import tries
from tests.random_elements import RandomElements
from tests.storing import store_accounts, store_currencies

STORE = {"account": store_accounts, "currency": store_currencies}
NOTHING = "Nothing was changed, so the {} {} was not saved again."


NOTHING_ELSEWHERE = {
    "de": {
        Account: "Es wurde nichts geändert, daher wurde Konto {} nicht neu gespeichert.",
        Currency: "Es wurde nichts geändert, daher wurde Währung {} nicht neu gespeichert.",
    },
    "it": {
        Account: "Nulla è cambiato, quindi non è stato salvato di nuovo: conto {}.",
        Currency: "Nulla è cambiato, quindi non è stato salvato di nuovo: valuta {}.",
    },
}


def save_untouched(browser, element):
    """Send the page of the element as it came; return what the next page says."""
    address = page(type(element), "change", element.pk)
    answer = browser.post(address, filled_in(browser.get(address)), follow=True)
    assert answer.redirect_chain, errors(answer)
    return messages_of(answer)


@pytest.mark.contract("C19")
@pytest.mark.parametrize("dimension", MODELS)
def test_opening_and_saving_any_element_writes_nothing_and_says_so(alice, northwind, dimension):
    """Random elements of every shape: nulls, empty texts, line breaks, every script, instants of milliseconds."""
    model = MODELS[dimension]
    STORE[dimension](northwind, *RandomElements(WIRES[dimension], seed=5).many(tries(10, long=100)))
    before, versions = list(model.objects.order_by("pk").values()), model.version_model.objects.count()
    browser = browser_of(alice)
    for element in model.objects.order_by("pk"):
        assert save_untouched(browser, element) == [NOTHING.format(dimension, element.element_id)]
    assert list(model.objects.order_by("pk").values()) == before
    assert model.version_model.objects.count() == versions


@pytest.mark.contract("C3", "C8", "C19")
@pytest.mark.parametrize(
    "body",
    [
        MINIMAL,
        FULL,
        account(alternativeDescriptions={}, customAttributes={}),
        account(descriptions={"en": "\n\nline\r\nline\rline\n", "de": "", "fr": None, "it": " "}),
        account(customAttributes={"a\nb": "1", "a\rb": "2", "a\r\nb": "3", "<b>&amp;\"'": "</textarea>", " ": "\t"}),
        account(documentationLink="", conversion={"conversionType": "NONE", "referenceAccountForInitialBalance": ""}),
        account(
            restrictions={
                "customDimension1": {"dimensionName": "a\r\nb"},
                "ctpRestriction": {"id": "", "description": ""},
            }
        ),
        account(
            dataEntryAndReporting={
                "class": None,
                "validity": {"startDate": "0001-01-01", "endDate": "9999-12-31T23:59:59.999Z"},
            }
        ),
        account(rules={"grossAmountEqualICSum": None}),
    ],
    ids=["minimal", "full", "empty maps", "lines", "keys", "empty texts", "empty bundle", "first and last", "cleared"],
)
def test_what_html_cannot_carry_is_kept(ed, northwind, body):
    """Line breaks of all kinds in texts and keys, empty texts beside nulls, empty maps, a default that was cleared."""
    store_accounts(northwind, body)
    element = Account.objects.get()
    before = Account.objects.values().get()
    assert save_untouched(browser_of(ed), element) == [NOTHING.format("account", element.element_id)]
    assert Account.objects.values().get() == before


@pytest.mark.parametrize(("language", "nothing"), NOTHING_ELSEWHERE.items())
def test_numbers_and_moments_are_kept_in_every_language(ed, northwind, language, nothing):
    """Numbers and dates have the wire's form, whatever the language's own form is."""
    moment = {"validity": {"startDate": "2026-01-31T10:20:30.456Z", "endDate": "2031-12-01"}}
    store_accounts(northwind, {**FULL, "dataEntryAndReporting": {**FULL["dataEntryAndReporting"], **moment}})
    numbers = {"percentageDifference": "1234567.8900", "decimalNumbers": 12}
    reference = {"id": "EUR", "coefficient": "1000.50"}
    store_currencies(northwind, currency("USD", referenceCurrency=reference, **numbers))
    browser = browser_of(ed)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    for model in MODELS.values():
        before = model.objects.values().get()
        assert save_untouched(browser, model.objects.get()) == [nothing[model].format(before["element_id"])]
        assert model.objects.values().get() == before
