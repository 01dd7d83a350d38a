"""Elements larger than anybody types still fit into their form."""

import pytest

from account.models import Account
from tests.dimensions_site.administration.site.pages import filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts


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
