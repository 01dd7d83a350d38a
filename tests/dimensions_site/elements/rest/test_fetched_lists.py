"""`elements-fetch`: lists of selected properties, for both dimensions."""

import pytest

from tests.factories import account, currency, read
from tests.storing import store_accounts, store_currencies


@pytest.fixture
def fetch(alice, northwind):
    """Fetches from one currency and one account."""
    store_currencies(
        northwind,
        currency(
            oid="7", descriptions={"en": "Euro", "de": None}, referenceCurrency={"id": "USD", "coefficient": True}
        ),
    )
    store_accounts(
        northwind,
        account(
            conversion={"conversionType": "FINAL", "referenceAccountForInitialBalance": "9"},
            cashFlowPlanning={"liquidity": {"debit": {"id": "7", "description": "D"}}},
            restrictions={"customDimension1": {"restriction": "NONE"}},
            customAttributes={"a": "1", "b": None},
        ),
    )

    def fetched(dimension, properties, **query):
        return read(alice.get(alice.elements(dimension, "elements-fetch"), {"properties": properties, **query}))

    return fetched


@pytest.mark.contract("D8", "C6")
@pytest.mark.parametrize(
    ("dimension", "properties", "answer"),
    [
        ("currency", "id", {"id": "EUR"}),
        ("currency", "oid,decimalNumbers", {"oid": "7", "decimalNumbers": 2}),
        ("currency", "id,description", {"id": "EUR", "description": "Euro"}),
        ("currency", "id,descriptions", {"id": "EUR", "descriptions": "Euro"}),
        ("currency", "descriptions.de", {"descriptions": {"de": None}}),
        ("currency", "descriptions.fr", {"descriptions": {"fr": None}}),
        ("currency", "descriptions.*", {"descriptions": {"en": "Euro", "de": None}}),
        ("currency", "descriptions.en,descriptions.de", {"descriptions": {"en": "Euro", "de": None}}),
        ("currency", "referenceCurrency", {"referenceCurrency": {"id": "USD", "coefficient": True}}),
        ("currency", "referenceCurrency.coefficient", {"referenceCurrency": {"coefficient": True}}),
        ("currency", "updateInfo.user,updateInfo.origin", {"updateInfo": {"user": "system", "origin": "IMPORT"}}),
        ("currency", "xbrlContent", {"xbrlContent": None}),
        ("account", "conversion-conversionType", {"conversion": {"conversionType": "FINAL"}}),
        (
            "account",
            "conversion,id",
            {"conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": "9"}, "id": "1000"},
        ),
        ("account", "cashFlowPlanning.liquidity.debit.id", {"cashFlowPlanning": {"liquidity": {"debit": {"id": "7"}}}}),
        ("account", "cashFlowPlanning.other.credit", {"cashFlowPlanning": {"other": {"credit": None}}}),
        (
            "account",
            "monthlySplittingRules.reference.referenceScenario",
            {"monthlySplittingRules": {"reference": None}},
        ),
        (
            "account",
            "restrictions.customDimension1.restricted,description",
            {"restrictions": {"customDimension1": {"restriction": "NONE"}}, "description": "Cash"},
        ),
        ("account", "customAttributes.a", {"customAttributes": {"a": "1"}}),
        ("account", "customAttributes", {"customAttributes": {"a": "1", "b": None}}),
        ("account", "rules.accrual.debit", {"rules": {"accrual": {"debitAccrual": None}}}),
    ],
)
def test_a_fetch_answers_the_selected_properties_in_their_nesting(fetch, dimension, properties, answer):
    """Leaves, groups, entries of maps, alternative spellings; description and descriptions give one text."""
    assert fetch(dimension, properties) == [answer]


@pytest.mark.contract("D8")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_a_fetch_of_every_member_is_the_list(alice, fetch, dimension):
    """With `descriptions.*` for the whole map, the response is that of the list."""
    [element] = read(alice.get(alice.elements(dimension)))
    names = ",".join("descriptions.*" if name == "descriptions" else name for name in element)
    assert fetch(dimension, names) == [element]
