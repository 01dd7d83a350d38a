"""The form of an element explains its fields, sums up its errors, and takes the largest element."""

import pytest
from django.utils.translation import override

from account.models import Account
from currency.models import Currency
from tests.dimensions_site.administration.site.pages import change, filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.messages import LANGUAGES
from tests.storing import store_accounts


@pytest.mark.parametrize("model", [Account, Currency])
def test_every_field_has_a_sentence(ed, northwind, model):
    """It says more than how long a text may be, which only errors say."""
    form = browser_of(ed).get(page(model, "add")).context["form"]
    texts = {path: str(control.help) for path, control in form.controls.items()}
    assert [path for path, text in texts.items() if len(text.split()) < 4 or not text.endswith(".")] == []
    assert not any("characters" in text for text in texts.values())
    for language in LANGUAGES:
        with override(language):
            meanings = {path: str(control.leaf.help_text) for path, control in form.controls.items()}
        assert [path for path, text in meanings.items() if texts[path].startswith(text)] == []


def test_a_group_that_only_some_need_is_explained_and_folded(ed, cash):
    """It says who leaves it empty; once it has a value, it is open."""
    browser, address = browser_of(ed), page(Account, "change", cash.pk)
    text = browser.get(address).content.decode()
    assert "Other companies leave them empty." in text
    assert 'aria-labelledby="section-consolidation.bankingData">' in text
    cash.banking_data = {"bankitReportingMItem": {"id": "M1", "description": None, "changeSign": None}}
    cash.save(update_fields=["banking_data"])
    assert 'aria-labelledby="section-consolidation.bankingData" open>' in browser.get(address).content.decode()


START = "dataEntryAndReporting.validity.startDate"


@pytest.mark.parametrize(
    ("language", "rest"), [("en", ": 2026-02-30 does not exist."), ("de", ": 2026-02-30 gibt es nicht.")]
)
def test_the_name_of_a_field_stands_in_its_link_and_not_behind_it_once_more(ed, cash: Account, language, rest):
    """Also where the message separates the name by a colon, and where the field is a row of a map."""
    browser = browser_of(ed)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    answer = change(browser, cash, **{START: "2026-02-30", "descriptions:1:key": "no language"})
    start, entry = (
        ("Valid from", "Description (no language)") if language == "en" else ("Gültig ab", "Beschreibung (no language)")
    )
    assert f'<li><a href="#id_{START}">{start}</a>{rest}' in answer.content.decode()
    assert f'<li><a href="#id_descriptions:1:key">{entry}</a>' in answer.content.decode()
    with override(language):
        linked = {name: text for _, name, text in answer.context["form"].linked_errors}
    assert linked[start] == rest
    assert linked[entry].startswith(": ")
    assert entry.partition(" ")[0] not in linked[entry]


@pytest.mark.contract("C9")
def test_an_account_with_as_many_entries_as_it_may_have_is_saved_by_its_form(ed, northwind):
    """Each entry is two fields of the form or more; Django itself would refuse more than 1,000 of them."""
    attributes = {f"attribute {number:04}": f"value {number}" for number in range(200)}
    texts = {f"en-x{number:03}": f"text {number}" for number in range(200)}
    store_accounts(northwind, account(customAttributes=attributes, descriptions=texts, alternativeDescriptions=texts))
    address = page(Account, "change", Account.objects.get().pk)
    browser = browser_of(ed)
    sent = filled_in(browser.get(address))
    changed = next(name for name, value in sent.items() if value == "value 199")
    assert len(sent) > 1_000
    assert browser.post(address, {**sent, changed: "another"}).status_code == 302
    assert Account.objects.get().custom_attributes == attributes | {"attribute 0199": "another"}
