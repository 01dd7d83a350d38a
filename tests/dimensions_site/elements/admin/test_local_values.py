"""Days and decimals are shown and typed as in the language of the page."""

import pytest

from account.models import Account
from currency.models import Currency
from tests.dimensions_site.site_admin.pages import change, errors, filled_in
from tests.dimensions_site.site_admin.people import browser_of, page
from tests.factories import currency, read
from tests.storing import store_currencies

START = "dataEntryAndReporting.validity.startDate"


def in_language(person, language):
    browser = browser_of(person)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return browser


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("language", "typed", "shown", "stored"),
    [
        ("de", "31.12.2026", "31.12.2026", "2026-12-31T00:00:00.000+0000"),
        ("de", "1.2.2027 10:30", "01.02.2027 10:30:00", "2027-02-01T10:30:00.000+0000"),
        ("de", "2026-12-31", "31.12.2026", "2026-12-31T00:00:00.000+0000"),
        ("fr", "01/02/2027", "01/02/2027", "2027-02-01T00:00:00.000+0000"),
        ("en", "31/12/2026", "2026-12-31", "2026-12-31T00:00:00.000+0000"),
        ("en", "12/31/2026", "2026-12-31", "2026-12-31T00:00:00.000+0000"),
        ("it", "2026-12-31T10:00:00.123+0100", "31/12/2026 09:00:00.123", "2026-12-31T09:00:00.123+0000"),
    ],
)
def test_a_day_is_typed_as_people_of_the_language_write_it(ed, cash, language, typed, shown, stored):
    """And shown so, with the time where there is one; saving it once more changes nothing."""
    browser = in_language(ed, language)
    assert change(browser, cash, **{START: typed}).status_code == 302
    address = page(Account, "change", cash.pk)
    form = filled_in(browser.get(address))
    assert form[START] == shown
    assert browser.post(address, form).status_code == 302
    element = read(ed.get(ed.account("elements/1000")))
    assert element["dataEntryAndReporting"]["validity"]["startDate"] == stored


def test_a_day_with_two_meanings_is_not_guessed(ed, cash):
    """Only English has both orders; what was typed stays in the form."""
    answer = change(browser_of(ed), cash, **{START: "01/02/2026"})
    assert errors(answer) == {START: ["01/02/2026 may be 2026-02-01 or 2026-01-02. Write one of these."]}
    assert filled_in(answer)[START] == "01/02/2026"


@pytest.mark.contract("C10")
@pytest.mark.parametrize(
    ("language", "typed", "stored"), [("de", "0,125", "0.125"), ("de", "0.125", "0.125"), ("en", "0.125", "0.125")]
)
def test_a_decimal_has_the_separator_of_the_language(ed, northwind, language, typed, stored):
    """The digits stay as they were typed."""
    store_currencies(northwind, currency(percentageDifference="1.50"))
    browser = in_language(ed, language)
    address = page(Currency, "change", Currency.objects.get().pk)
    form = filled_in(browser.get(address))
    assert form["percentageDifference"] == ("1,50" if language == "de" else "1.50")
    assert browser.post(address, {**form, "percentageDifference": typed}).status_code == 302
    assert read(ed.get(ed.currency("elements/EUR")))["percentageDifference"] == stored


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
