"""The form of an account in the browser, for the tests of this folder."""

from collections.abc import Callable
from typing import Any

import pytest

from account.models import Account
from dimensions_site.repositories.models import Repository
from tests.browser import signed_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import Person, account
from tests.storing import store_accounts


@pytest.fixture
def form(ed: Person, northwind: Repository, visit: Any) -> Callable[..., Any]:
    """Opens the form of the account 1000 for Ed, also at one of its groups; returns what `look` returns."""
    store_accounts(
        northwind,
        account(alternativeDescriptions={"en": None}),
        account("2000", descriptions={"en": "Bank", "it": "Banca"}),
        account("2001", descriptions={"en": "Bank, old"}),
    )
    address = page(Account, "change", Account.objects.get(element_id="1000").pk)

    def form(look: Any, group: str = "", **options: Any) -> Any:
        return visit(f"{address}{group}", look, storage_state=signed_in(browser_of(ed)), **options)

    return form
