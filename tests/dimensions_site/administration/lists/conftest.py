"""A chart to choose from, for the tests of this folder."""

from typing import Any

import pytest

from dimensions_site.repositories.models import Repository
from tests.factories import account
from tests.storing import store_accounts

CHART: tuple[dict[str, Any], ...] = (
    account("1000", descriptions={"en": "Cash", "de": "Kasse"}),
    account("1100", descriptions={"en": "Sales"}, nature="PROFIT_AND_LOSS", documentationLink="https://example.com"),
    account("2000", descriptions={"en": "Costs", "de": "Kosten"}, nature="PROFIT_AND_LOSS", type="DETAIL"),
    account(
        "2100",
        descriptions={"en": "Rent", "de": None, "fr": "Loyer"},
        nature="PROFIT_AND_LOSS",
        dataEntryAndReporting={"validity": {"startDate": "2026-01-31", "endDate": "2026-12-31T10:00:00.000+0000"}},
        customAttributes={"Owner": "Anna"},
        rules={"accrual": {"debitAccrual": {"id": "1000"}}},
    ),
)


@pytest.fixture
def chart(northwind: Repository) -> None:
    store_accounts(northwind, *CHART)
