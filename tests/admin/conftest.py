"""The browser and an account, for the tests of this folder."""

import pytest

from account.models import Account
from tests.browser import browser, browser_thread, visit
from tests.factories import account
from tests.site.storing import store_accounts

__all__ = ["browser", "browser_thread", "visit"]


@pytest.fixture
def cash(northwind):
    """The account 1000 of Northwind."""
    store_accounts(northwind, account())
    return Account.objects.get()
