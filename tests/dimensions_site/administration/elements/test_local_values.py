"""Days and decimals are shown and typed as in the language of the page."""

import pytest

from currency.models import Currency
from tests.dimensions_site.administration.site.pages import change, errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import currency, read
from tests.storing import store_currencies

START = "dataEntryAndReporting.validity.startDate"


def in_language(person, language):
    browser = browser_of(person)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return browser


def test_a_day_with_two_meanings_is_not_guessed(ed, cash):
    """Only English has both orders; what was typed stays in the form."""
    answer = change(browser_of(ed), cash, **{START: "01/02/2026"})
    assert errors(answer) == {START: ["01/02/2026 may be 2026-02-01 or 2026-01-02. Write one of these."]}
    assert filled_in(answer)[START] == "01/02/2026"


@pytest.mark.contract("C10")
@pytest.mark.parametrize("language", ["de", "fr", "it", "es"])
def test_a_number_with_two_readings_is_not_guessed(ed, northwind, language):
    """The form opened and saved unchanged stays right, even if what it shows could mean something else, too."""
    store_currencies(northwind, currency(percentageDifference="25.000"))
    browser = in_language(ed, language)
    address = page(Currency, "change", Currency.objects.get().pk)
    form = filled_in(browser.get(address))
    for same in ("25,000", "25.000"):
        assert browser.post(address, {**form, "percentageDifference": same}).status_code == 302
        assert read(ed.get(ed.currency("elements/EUR")))["percentageDifference"] == "25.000"
    answer = browser.post(address, {**filled_in(browser.get(address)), "percentageDifference": "1.936"})
    assert [("1,9360" in error, "1936" in error) for error in errors(answer)["percentageDifference"]] == [(True, True)]
    assert filled_in(answer)["percentageDifference"] == "1.936"
