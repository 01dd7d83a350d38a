"""Each field of the form has a sentence that says what it means, in the language of the page."""

import pytest
from django.utils.translation import override

from account.models import Account
from currency.models import Currency
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.messages import LANGUAGES


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
