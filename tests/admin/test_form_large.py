"""Elements with more in them than anybody types still go through their form."""

import pytest

from account.models import Account
from tests.admin.pages import filled_in
from tests.admin.people import browser_of, page
from tests.factories import account
from tests.site.storing import store_accounts


@pytest.mark.contract("C9")
def test_an_account_with_thousands_of_entries_is_saved_by_its_form(ed, northwind):
    """Each entry is two fields of the form; Django itself would refuse more than 1,000 of them."""
    attributes = {f"attribute {number:04}": f"value {number}" for number in range(4_000)}
    store_accounts(northwind, account(customAttributes=attributes))
    address = page(Account, "change", Account.objects.get().pk)
    browser = browser_of(ed)
    sent = filled_in(browser.get(address))
    changed = next(name for name, value in sent.items() if value == "value 3999")
    assert len(sent) > 8_000
    assert browser.post(address, {**sent, changed: "another"}).status_code == 302
    assert Account.objects.get().custom_attributes == attributes | {"attribute 3999": "another"}
